"""Facts as the statistics want them, from the live file or from a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import duckdb

from leaderboard.history.connection import sql
from leaderboard.history.records import BiasRow, StoredAnswer


def batches_among(con: duckdb.DuckDBPyConnection, ids: Iterable[str]) -> set[str]:
    """Those of the batches that are here."""
    found = con.execute("SELECT id FROM batch WHERE id IN (SELECT unnest(?::VARCHAR[]))", [list(ids)])
    return {row[0] for row in found.fetchall()}


def bias_rows(con: duckdb.DuckDBPyConnection, judge: str) -> list[BiasRow]:
    """The validation readings of the judge's newest fingerprint, unreadable ones among them."""
    return [BiasRow(*row) for row in con.execute(sql("bias_rows"), {"judge": judge}).fetchall()]


def newest_answers(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[StoredAnswer]]:
    """Each model's newest text for each turn of a prompt, by (prompt, model), in the order of the turns."""
    answers: dict[tuple[str, str], list[StoredAnswer]] = defaultdict(list)
    for prompt, model, turn, text, call in con.execute(sql("newest_answers")).fetchall():
        answers[prompt, model].append(StoredAnswer(turn, text, call))
    return dict(answers)
