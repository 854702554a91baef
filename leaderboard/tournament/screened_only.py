"""Why single passes do not settle a comparison, and which run would bring what does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaderboard.core.fits import Fit
from leaderboard.history.records import Row
from leaderboard.tournament.registered import models_of

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

SCREENING = "screening does not settle"
PAIR = 2


def screened_only(
    reader: SnapshotReader, board: Row, fit: Fit | None, waiting: Sequence[str], models: tuple[str, str]
) -> str:
    """Who of the two is screened only (`waiting`), where it stands in that list, and which run plays it.

    `board`: overall; `fit`: of all single passes. A validation keeps the best of that fit, whoever else is validated.
    """
    listed = board["standings"] if board["board"] == "screened" else board["screened"]
    rated = [row for row in listed if row["rank"] is not None]
    ranks = {row["model"]: f" (place {row['rank']} of {len(rated)} in the screened list)" for row in rated}
    named = " and ".join(f"{model}{ranks.get(model, '')}" for model in waiting)
    start = f"{SCREENING}: {named} {'is' if len(waiting) == 1 else 'are'} screened only"
    active = {model for model, found in models_of(reader).items() if found.active}
    idle = [model for model in waiting if model not in active]
    if idle:
        return f"{start}; {' and '.join(idle)} takes no part in runs now"
    run = f"leaderboard run validation --judge {board['judge']} --top-k {enough(fit, models)}"
    return f"{start}; `{run}` plays {'it' if len(waiting) == 1 else 'both'}"


def enough(fit: Fit | None, models: tuple[str, str]) -> int:
    """How many of the best a validation must take in to have both: it keeps the k best of the main component."""
    if fit is None:
        return PAIR
    main = {model: rank for model, rank, number in zip(fit.models, fit.ranks, fit.component, strict=True) if not number}
    places = [rank if (rank := main.get(model)) is not None else len(fit.models) for model in models]
    tied = sum(rank is not None and rank <= max(places) for rank in main.values())
    return max(PAIR, *places, tied)
