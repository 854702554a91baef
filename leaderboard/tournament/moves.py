"""What moved between two fits, apart from what newcomers and leavers do to everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from leaderboard.history.records import FitKey, Row
from leaderboard.tournament.registered import MOST_ROWS

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

STANDINGS = """
    SELECT model, rating, rank, lower, upper, component FROM standing WHERE fit = '{fit}'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A model in a fit: Elo points with the ends of the interval, rank from 1 within its component."""

    rating: float
    rank: int
    lower: float | None = None
    upper: float | None = None
    component: int = 0


Places = Mapping[str, Place]


def changes(
    reader: SnapshotReader, judge: str | None, key: FitKey, before: str | None = None, after: str | None = None
) -> Row:
    """`SnapshotReader.changes`, each of its moves also as `relative` has it; the largest come first."""
    found = reader.changes(judge, key, before, after)
    old, new = (_places(reader, found[end]["fit"]) for end in ("from", "to"))
    moves = relative(old, new)
    nothing = dict.fromkeys(("moved", "common_rank_from", "common_rank_to", "beyond_interval"))
    rows = [row | moves.get(row["model"], nothing) for row in found["models"]["moved"]]
    rows.sort(key=lambda row: -abs(row["moved"] or 0.0))
    return found | {"models": found["models"] | {"moved": rows}}


def relative(old: Places, new: Places) -> dict[str, Row]:
    """The moves of the models that are rated in both fits, by model.

    The mean of a component is held at 1000, so whoever joins or leaves shifts everybody. `moved`: the change of the
    rating less the mean change of the models that share a component with it in both fits. `common_rank_from`,
    `common_rank_to`: ranks among those. `beyond_interval`: such a move from the earlier rating ends outside the earlier
    interval; None where there was none.
    """
    companies: dict[tuple[int, int], list[str]] = {}
    for model in old.keys() & new.keys():
        companies.setdefault((old[model].component, new[model].component), []).append(model)
    return {model: _move(model, company, old, new) for company in companies.values() for model in company}


def _move(model: str, company: Sequence[str], old: Places, new: Places) -> Row:
    shift = fmean(new[each].rating - old[each].rating for each in company)
    moved = new[model].rating - old[model].rating - shift
    return {
        "moved": moved,
        "common_rank_from": _rank(model, company, old),
        "common_rank_to": _rank(model, company, new),
        "beyond_interval": _beyond(old[model], moved),
    }


def _rank(model: str, company: Sequence[str], places: Places) -> int:
    """Rank 1 is the best; equal ratings share a rank."""
    return 1 + sum(places[each].rank < places[model].rank for each in company)


def _beyond(start: Place, moved: float) -> bool | None:
    if start.lower is None or start.upper is None:
        return None
    return not start.lower <= start.rating + moved <= start.upper


def _places(reader: SnapshotReader, fit: str) -> dict[str, Place]:
    """The rated models of a stored fit."""
    found = reader.sql(STANDINGS.format(fit=fit.replace("'", "''")), MOST_ROWS)["rows"]
    return {
        model: Place(rating=rating, rank=rank, lower=lower, upper=upper, component=component or 0)
        for model, rating, rank, lower, upper, component in found
        if rating is not None and rank is not None
    }
