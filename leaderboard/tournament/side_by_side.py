"""The board beside the other fits of the same pairings: do they tell the same order?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leaderboard.core.fits import Fit
from leaderboard.history.records import FitKey

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats

NAMED = 3
LEAST_TAU = 0.95
ENOUGH_FOR_TAU = 20
TOO_FEW = "fewer than two models are rated in both and linked by battles"
ALL_EQUAL = "one of the two fits tells no two models apart"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Both:
    """Two fits over the models rated in both, best here first. `here`, `there`: ratings in Elo points.

    Arrays (n, n): `linked` is 1 where both fits can compare i with j. `falling_*`: 1 where i ranks above j, -1 below, 0
    where they share the rank or nothing links them. `better_*`: i is better than j for sure.
    """

    models: tuple[str, ...]
    here: tuple[float, ...]
    there: tuple[float, ...]
    linked: Floats
    falling_here: Floats
    falling_there: Floats
    better_here: Floats
    better_there: Floats


def side_by_side(here: Fit, others: Mapping[FitKey, Fit | str]) -> list[Json]:
    """One row a fit: how its order compares with that of `here`. A text instead of a fit says why there is none.

    `kendall_tau`: (agreeing - disagreeing) / all pairs that both fits can compare (Kendall 1938, tau-a); None with
    `tau_reason`. `reversed`: pairs that are separated in one of the two fits and stand the other way round in
    the other, `here` and `there` being a's rating minus b's in Elo points; a is the better one here.
    """
    return [_row(here, key, other) for key, other in others.items()]


def _row(here: Fit, key: FitKey, other: Fit | str) -> Json:
    head: Json = {"method": key.method, "policy": key.policy}
    if isinstance(other, str):
        return {**head, "kendall_tau": None, "tau_reason": other, "models": 0, "reversed": []}
    both = _both(here, other)
    tau, reason = _tau(both)
    return {
        **head,
        "kendall_tau": tau,
        "tau_reason": reason,
        "models": len(both.models),
        "reversed": list(_reversed(both)),
    }


def _both(here: Fit, there: Fit) -> Both:
    place = {model: j for j, model in enumerate(there.models) if there.ratings[j] is not None}
    shared = [i for i, model in enumerate(here.models) if here.ratings[i] is not None and model in place]
    at = sorted(shared, key=lambda i: (-here.theta[i], here.models[i]))
    other = [place[here.models[i]] for i in at]
    linked = _linked(here, at) * _linked(there, other)
    return Both(
        models=tuple(here.models[i] for i in at),
        here=_ratings(here, at),
        there=_ratings(there, other),
        linked=linked,
        falling_here=_falling(here, at) * linked,
        falling_there=_falling(there, other) * linked,
        better_here=_better(here, at),
        better_there=_better(there, other),
    )


def _ratings(fit: Fit, at: Sequence[int]) -> tuple[float, ...]:
    return tuple(rating for i in at if (rating := fit.ratings[i]) is not None)


def _falling(fit: Fit, at: Sequence[int]) -> Floats:
    import numpy as np

    rank = np.array([fit.ranks[i] for i in at], dtype=float)
    falling: Floats = np.sign(rank[None, :] - rank[:, None])
    return falling


def _linked(fit: Fit, at: Sequence[int]) -> Floats:
    import numpy as np

    component = np.array([fit.component[i] for i in at])
    linked: Floats = (component[:, None] == component[None, :]).astype(float)
    return linked


def _better(fit: Fit, at: Sequence[int]) -> Floats:
    import numpy as np

    better: Floats = fit.separation.better[np.ix_(at, at)].astype(float)
    return better


def _tau(both: Both) -> tuple[float | None, str | None]:
    """Pairs of equal rank agree with nothing and disagree with nothing."""
    pairs = (both.linked.sum() - len(both.models)) / 2
    if not pairs:
        return None, TOO_FEW
    if not both.falling_here.any() or not both.falling_there.any():
        return None, ALL_EQUAL
    return float((both.falling_here * both.falling_there).sum() / 2 / pairs), None


def _reversed(both: Both) -> Iterator[Json]:
    import numpy as np

    separated = both.better_here + both.better_there.T
    for i, j in np.argwhere((both.falling_here > 0) & (both.falling_there < 0) & (separated > 0)).tolist():
        yield {
            "a": both.models[i],
            "b": both.models[j],
            "here": both.here[i] - both.here[j],
            "there": both.there[i] - both.there[j],
        }


def warnings(rows: Sequence[Json]) -> list[str]:
    """What the reader of the board should know: pairs that stand the other way round, and orders that differ much."""
    return [text for row in rows for text in (*_reversals(row), *_far_apart(row))]


def _reversals(row: Json) -> list[str]:
    pairs = row["reversed"]
    if not pairs:
        return []
    named = ", ".join(f"{pair['a']} and {pair['b']}" for pair in pairs[:NAMED])
    more = f" and {len(pairs) - NAMED} more" if len(pairs) > NAMED else ""
    return [f"{_named(row)} puts the other way round, though one of the two fits separates them: {named}{more}."]


def _far_apart(row: Json) -> list[str]:
    """Few models give a low tau by chance alone."""
    tau = row["kendall_tau"]
    if tau is None or tau >= LEAST_TAU or row["models"] < ENOUGH_FOR_TAU:
        return []
    return [f"{_named(row)} orders the {row['models']} models differently: Kendall tau {tau:.3f}."]


def _named(row: Json) -> str:
    return f"Policy {row['policy']}" if row["policy"] else f"Method {row['method']}"
