"""What every rating method returns: one frozen value that says what was found and how it was made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from leaderboard.core.intervals import NO_SPREAD, Spread, few_prompts, half_widths
from leaderboard.core.matrix import Battles, Record, records
from leaderboard.core.separation import Separation, nobody, separation
from leaderboard.core.strengths import PRIOR, NotConverged, played
from leaderboard.errors import BadInput

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats

SCALE = 400 / math.log(10)
CENTRE = 1000.0
SAME_RATING = 1e-6
THIN_BATTLES = 30
THIN_PROMPTS = 30
NO_WIDTH = 1e-6
NO_MATCHES = "no matches"
K = 32.0


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """What a fit was asked to be, so that somebody else can make it again.

    `policy` is None where rows enter as they are (`joint`). `prior` 0 is the plain maximum; None where the method has
    none. `k`, `start`: of `elo` alone. `snapshot`: the published facts it was made from, None for the live ones.
    """

    method: str = "bt"
    policy: str | None = None
    prior: float | None = PRIOR
    anchor: str | None = None
    scope: str = "overall"
    control: str | None = None
    k: float = K
    start: float = CENTRE
    snapshot: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """How near the fit came: `residual` is the largest |won - expected| of a model (or parameter), in battles.

    `steps`: how many the solver took, None where it does not say; `solver` names it.
    """

    solver: str
    residual: float
    steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One parameter beside the ratings, in logits, with its interval (95 %, t(G - 1)) and two-sided p.

    `se` is clustered by prompt, `se_model` from the inverse information; without prompt ids they are equal. What cannot
    be given is None and `reason` says why.
    """

    logit: float | None
    se: float | None = None
    se_model: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    reason: str | None = None

    @property
    def elo(self) -> float | None:
        """The same in Elo points."""
        return None if self.logit is None else SCALE * self.logit


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeEffect:
    """A judge in the joint model: its pull to the first position, and its tie parameter nu (None: see `tie_reason`)."""

    judge: str | None
    first_position: Effect
    nu: float | None
    tie_reason: str | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fit:
    """One estimation. All tuples and arrays follow `models`.

    `theta` (n,): logits above 1000 Elo points, of mean 0 in each component (`elo`: its start), or 0 at the anchor.
    `covariance` (n, n): of theta, clustered by prompt; None without prompt ids. `met` (n, n): weight of the battles
    between two models. `ratings`, `lower`, `upper`: Elo points, None where there is nothing to say, with
    `interval_reason` saying why. `ranks`: 1, 1, 3 within a component. `separation`: who is better for sure, with rank
    intervals and tiers; `rank_reason` where a model has none. `prompts`: G of the model's component. `seed`: a hash of
    what was fitted, for draws. `judges`, `control`: what the joint model found beside the ratings.
    """

    how: How
    models: tuple[str, ...]
    theta: Floats
    covariance: Floats | None
    met: Floats
    ratings: tuple[float | None, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    interval_reason: tuple[str | None, ...]
    component: tuple[int, ...]
    prompts: tuple[int, ...]
    records: tuple[Record, ...]
    ranks: tuple[int | None, ...]
    separation: Separation
    rank_reason: tuple[str | None, ...]
    flags: tuple[tuple[str, ...], ...]
    n_battles: int
    n_prompts: int | None
    seed: int
    convergence: Convergence
    judges: tuple[JudgeEffect, ...] = ()
    control: Effect | None = None

    @property
    def n_components(self) -> int:
        """Components that hold at least one battle."""
        return len({number for number, rating in zip(self.component, self.ratings, strict=True) if rating is not None})


def assemble(
    battles: Battles,
    how: How,
    *,
    theta: Floats,
    wins: Floats,
    component: Sequence[int],
    spread: Spread | None,
    convergence: Convergence,
    no_interval: str = "no prompt ids",
    unrated: Mapping[int, str] = MappingProxyType({}),
    judges: tuple[JudgeEffect, ...] = (),
    control: Effect | None = None,
) -> Fit:
    """The fit from what a method found: `theta` centred or anchored, `wins` (n, n) with ties as halves.

    `spread` is None where the method or the data give no covariance, and `no_interval` says why. `unrated`: of models
    with battles none of which counts for `wins`, why. NotConverged where a figure is not finite.
    """
    _refuse_nan(battles.models, how, theta, spread)
    counts, own = records(battles), spread.own if spread else (None,) * len(theta)
    unplayed = [unrated.get(i, NO_MATCHES) for i in range(len(theta))]
    standings = _standings(battles.models, how, theta, component, spread, played(wins), unplayed, no_interval)
    return Fit(
        how=how,
        models=battles.models,
        theta=theta,
        met=wins + wins.T,
        component=tuple(component),
        records=counts,
        flags=tuple(_flags(wins, i, counts[i], own[i], i in unrated) for i in range(len(theta))),
        n_battles=len(battles),
        n_prompts=battles.n_prompts,
        seed=input_seed(battles.models, wins, standings["prompts"]),
        convergence=convergence,
        judges=judges,
        control=control,
        **standings,
    )


def _standings(
    models: Sequence[str],
    how: How,
    theta: Floats,
    component: Sequence[int],
    spread: Spread | None,
    played: Sequence[bool],
    unplayed: Sequence[str],
    no_interval: str,
) -> dict[str, Any]:
    """What a fit says of each model's rating, interval and rank, by field of `Fit`."""
    ratings = tuple(how_high(t) if has else None for t, has in zip(theta, played, strict=True))
    widths, reasons = _intervals(spread, played, unplayed, anchor_index(models, played, how.anchor), no_interval)
    prompts, placed, apart = (0,) * len(played), ranks(ratings, component), nobody(played)
    if spread is not None:
        prompts, sure = spread.prompts, [reason is None for reason in reasons]
        apart = separation(theta, spread.covariance, component, prompts, played, sure, placed)
    return {
        "covariance": spread.covariance if spread else None,
        "ratings": ratings,
        "lower": _moved(ratings, widths, -SCALE),
        "upper": _moved(ratings, widths, SCALE),
        "interval_reason": reasons,
        "prompts": prompts,
        "ranks": placed,
        "separation": apart,
        "rank_reason": reasons,
    }


def _refuse_nan(models: Sequence[str], how: How, theta: Floats, spread: Spread | None) -> None:
    import numpy as np

    columns = {"strength": theta, "error": np.zeros(0) if spread is None else np.diag(spread.covariance)}
    for what, column in columns.items():
        if not np.isfinite(column).all():
            model = models[int(np.isfinite(column).argmin())]
            raise NotConverged(f"{how.method} did not converge: no finite {what} of {model!r}")


def how_high(theta: float) -> float:
    """Logits as Elo points."""
    return CENTRE + SCALE * float(theta)


def anchor_index(models: Sequence[str], played: Sequence[bool], anchor: str | None) -> int | None:
    """Where the anchor stands. BadInput if it has no battle."""
    if anchor is None:
        return None
    if anchor not in models or not played[models.index(anchor)]:
        raise BadInput(f"cannot anchor on {anchor!r}: no model of that name has a battle here")
    return models.index(anchor)


def ranks(ratings: Sequence[float | None], component: Sequence[int]) -> tuple[int | None, ...]:
    """1, 1, 3 within each component; ratings within 1e-6 points of the rank's first share it; None without a rating."""
    rank: list[int | None] = [None] * len(ratings)
    rated = [
        (number, -rating, i)
        for i, (number, rating) in enumerate(zip(component, ratings, strict=True))
        if rating is not None
    ]
    here, place, shared, best = -1, 0, 1, 0.0
    for number, falling, i in sorted(rated):
        place = place + 1 if number == here else 1
        if place == 1 or falling - best > SAME_RATING:
            shared, best = place, falling
        here, rank[i] = number, shared
    return tuple(rank)


def input_seed(models: Sequence[str], wins: Floats, prompts: Sequence[int]) -> int:
    """A number that belongs to what was fitted, the same for any order of rows."""
    import numpy as np

    rounded = np.round(wins, 9) + 0.0
    digest = hashlib.sha256(repr((tuple(models), tuple(prompts))).encode("utf-8", "surrogatepass"))
    digest.update(rounded.astype("<f8").tobytes())
    return int.from_bytes(digest.digest()[:8], "big")


def _intervals(
    spread: Spread | None, played: Sequence[bool], unplayed: Sequence[str], anchor: int | None, no_interval: str
) -> tuple[tuple[float | None, ...], tuple[str | None, ...]]:
    """Half widths, and why there is none: the anchor's is 0 by definition, any other of no width says nothing."""
    if spread is None:
        return (None,) * len(played), _unless(played, unplayed, (no_interval,) * len(played))
    found, known = half_widths(spread), spread.reasons or (None,) * len(played)
    reasons = tuple(
        few_prompts(own) or reason or (None if i == anchor else _no_width(width))
        for i, (own, reason, width) in enumerate(zip(spread.own, known, found, strict=True))
    )
    told = _unless(played, unplayed, reasons)
    return tuple(None if reason else width for width, reason in zip(found, told, strict=True)), told


def _unless(played: Sequence[bool], unplayed: Sequence[str], reasons: Sequence[str | None]) -> tuple[str | None, ...]:
    """What comes first: that a model has no battle that counts."""
    return tuple(reason if met else why for met, why, reason in zip(played, unplayed, reasons, strict=True))


def _no_width(width: float | None) -> str | None:
    return NO_SPREAD if width is not None and width < NO_WIDTH else None


def _moved(ratings: Sequence[float | None], widths: Sequence[float | None], scale: float) -> tuple[float | None, ...]:
    return tuple(
        None if rating is None or width is None else rating + scale * width
        for rating, width in zip(ratings, widths, strict=True)
    )


def _flags(wins: Floats, i: int, record: Record, prompts: int | None, unrated: bool) -> tuple[str, ...]:
    """`unbeaten` took every point, `winless` none: such a rating rests on the prior."""
    took, gave = float(wins[i].sum()), float(wins[:, i].sum())
    if took + gave == 0 and not unrated:
        return ("no_matches",)
    found = {
        "unbeaten": gave == 0 and not unrated,
        "winless": took == 0 and not unrated,
        "thin": record.n < THIN_BATTLES,
        "thin_prompts": prompts is not None and prompts < THIN_PROMPTS and not unrated,
    }
    return tuple(name for name, holds in found.items() if holds)
