"""Facts as the statistics want them, from the live file or from a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal

import duckdb

from leaderboard.history.connection import sql
from leaderboard.history.records import BiasRow, StoredAnswer, VerdictColumns

Price = Decimal | None


def batches_among(con: duckdb.DuckDBPyConnection, ids: Iterable[str]) -> set[str]:
    """Those of the batches that are here."""
    found = con.execute("SELECT id FROM batch WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(ids)])
    return {row[0] for row in found.fetchall()}


def verdict_columns(
    con: duckdb.DuckDBPyConnection, stage: str, judge: str | None, fingerprint: str | None
) -> VerdictColumns:
    """The decided verdicts of a fingerprint and stage; without one, those of the judge that carry none."""
    params = {"stage": stage, "judge": judge, "fingerprint": fingerprint}
    found = con.execute(sql("verdict_rows"), params).fetchall()
    prompts, models_a, models_b, outcomes, simulated, costs = ([row[place] for row in found] for place in range(6))
    return VerdictColumns(
        prompt_id=prompts,
        model_a=models_a,
        model_b=models_b,
        outcome=outcomes,
        simulated=simulated,
        judging_usd=_totals([*zip(models_a, costs, strict=True), *zip(models_b, costs, strict=True)]),
        answering_usd=dict(con.execute(sql("answer_costs")).fetchall()),
    )


def bias_rows(con: duckdb.DuckDBPyConnection, judge: str) -> list[BiasRow]:
    """The validation readings of the judge's newest fingerprint, unreadable ones among them."""
    return [BiasRow(*row) for row in con.execute(sql("bias_rows"), {"judge": judge}).fetchall()]


def newest_answers(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[StoredAnswer]]:
    """Each model's newest text for each turn of a prompt, by (prompt, model), in the order of the turns."""
    answers: dict[tuple[str, str], list[StoredAnswer]] = defaultdict(list)
    for prompt, model, turn, text, call in con.execute(sql("newest_answers")).fetchall():
        answers[prompt, model].append(StoredAnswer(turn, text, call))
    return dict(answers)


def _totals(costs: Iterable[tuple[str, Price]]) -> dict[str, Price]:
    totals: dict[str, Price] = {}
    for model, cost in costs:
        known = totals.get(model, Decimal(0))
        totals[model] = None if known is None or cost is None else known + cost
    return totals
