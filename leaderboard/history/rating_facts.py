"""Verdicts as arrays, for the fits: numbered and coded in SQL, so that no Python text is made for a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb

from leaderboard.core.judged import Judged
from leaderboard.history.connection import sql
from leaderboard.history.records import PromptFacts, RatingFacts

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    Columns = dict[str, NDArray[Any]]
    Numbering = dict[str, list[str]]

CODES = ("outcome", "outcome_score", "soft", "consistent", "ab", "ba")


def rating_facts(
    con: duckdb.DuckDBPyConnection, stage: str, judge: str | None, fingerprint: str | None, *, lengths: bool = False
) -> RatingFacts:
    """Every verdict of a fingerprint and stage; without a fingerprint, those of the judge that carry none.

    `lengths` asks for the characters of the answers too.
    """
    whose = {"stage": stage, "judge": judge, "fingerprint": fingerprint}
    models = tuple(row[0] for row in con.execute(sql("rated_models"), whose).fetchall())
    prompts = tuple(PromptFacts(*row) for row in con.execute(sql("rated_prompts"), whose).fetchall())
    numbering = {"models": list(models), "prompts": [prompt.id for prompt in prompts]}
    columns = _by_verdict_id(con.execute(sql("rating_facts"), whose | numbering).fetchnumpy())
    return RatingFacts(
        judged=Judged(
            models=models,
            a=columns["a"],
            b=columns["b"],
            prompt=columns["prompt"],
            judges=(judge,),
            **{name: columns[name] for name in CODES},
        ),
        prompts=prompts,
        nano_usd=columns["nano_usd"],
        simulated=columns["simulated"],
        **(_lengths(con, numbering, columns) if lengths else {}),
    )


def _by_verdict_id(found: Columns) -> Columns:
    """The rows in an order that no thread decides: sums of floats depend on it."""
    order = found.pop("id").argsort()
    return {name: column[order] for name, column in found.items()}


def _lengths(con: duckdb.DuckDBPyConnection, numbering: Numbering, columns: Columns) -> dict[str, NDArray[np.int64]]:
    import numpy as np

    found = con.execute(sql("answer_lengths"), numbering).fetchnumpy()
    characters = np.zeros((len(numbering["models"]), len(numbering["prompts"])), dtype=np.int64)
    characters[found["model"], found["prompt"]] = found["characters"]
    return {f"length_{side}": characters[columns[side], columns["prompt"]] for side in ("a", "b")}
