"""Which models differ for sure, and what follows: rank intervals, tiers, and how much more it would take.

Two models are separated when their difference exceeds the Bonferroni-t bound over all pairs of their component: with
normal max-t draws instead, equal models are separated in 8 to 21 % of data sets, not in 5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.intervals import (
    LEVEL,
    NO_ERROR,
    NO_SPREAD,
    information,
    rank_draws,
    t_interval,
    t_quantile,
    win_probabilities,
)
from leaderboard.core.settling_reasons import NOT_HERE, TOO_NEAR

if TYPE_CHECKING:
    from leaderboard.core.fits import Fit
    from leaderboard.core.matrix import Bools, Floats

POWER = 0.8
LEAST_Z = 0.5
NOT_BEYOND = "the difference is not far enough beyond the least effect to plan for"


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """`better` (n, n): i is better than j for sure. `rank_lower`, `rank_upper`: [1 + models surely better, n - models
    surely worse], n models of the component with a rating. `tiers`: 1 is the best and everybody down to the first that
    is surely worse than it, where tier 2 starts with that one as its best; equal ratings share their tier. None for
    models without an interval.
    """

    better: Bools
    rank_lower: tuple[int | None, ...]
    rank_upper: tuple[int | None, ...]
    tiers: tuple[int | None, ...]


def nobody(played: Sequence[bool]) -> Separation:
    """No interval, so no two models differ for sure."""
    import numpy as np

    nothing: tuple[int | None, ...] = (None,) * len(played)
    return Separation(np.zeros((len(played), len(played)), dtype=bool), nothing, nothing, nothing)


def separation(
    theta: Floats,
    covariance: Floats,
    component: Sequence[int],
    prompts: Sequence[int],
    played: Sequence[bool],
    sure: Sequence[bool],
    ranks: Sequence[int | None],
) -> Separation:
    """`theta` (n,), `covariance` (n, n) in logits; `prompts`: G of each model's component; `sure`: has an interval.

    `ranks`: within the component, shared by equal ratings; None where nothing was played.
    """
    import numpy as np

    better = np.zeros((len(theta), len(theta)), dtype=bool)
    rated = np.zeros(len(theta), dtype=int)
    for number in sorted(set(component)):
        members = [i for i, found in enumerate(component) if found == number and played[i]]
        rated[members] = len(members)
        tested = [i for i in members if sure[i]]
        if len(tested) > 1:
            t = t_statistics(theta[tested], covariance[np.ix_(tested, tested)])
            better[np.ix_(tested, tested)] = t > bonferroni_t(len(members), prompts[tested[0]] - 1)
    lower = [int(1 + better[:, i].sum()) if sure[i] else None for i in range(len(theta))]
    upper = [int(rated[i] - better[i].sum()) if sure[i] else None for i in range(len(theta))]
    return Separation(better, tuple(lower), tuple(upper), _tiers(better, component, sure, ranks))


def t_statistics(theta: Floats, covariance: Floats) -> Floats:
    """Shape (n, n): (theta_i - theta_j) / s.e.; 0 where the difference has no spread to see."""
    import numpy as np

    variance = np.diag(covariance)
    errors = np.sqrt(np.clip(variance[:, None] + variance[None, :] - 2 * covariance, 0, None))
    differences = theta[:, None] - theta[None, :]
    found: Floats = np.divide(differences, errors, out=np.zeros_like(errors), where=errors > NO_ERROR)
    return found


def bonferroni_t(models: int, df: float, level: float = LEVEL) -> float:
    """The bound for |difference| / s.e.: t(1 - 0.025 / P; df) at 95 % over the P pairs of so many models, 2 or more."""
    pairs = models * (models - 1) / 2
    return t_quantile(1 - (1 - level) / pairs, df)


def _tiers(
    better: Bools, component: Sequence[int], sure: Sequence[bool], ranks: Sequence[int | None]
) -> tuple[int | None, ...]:
    """Equal ratings start a tier together, and only when every leader is surely better than every one of them."""
    import numpy as np

    tiers: list[int | None] = [None] * len(ranks)
    here, tier, leaders = -1, 0, [-1]
    for (number, _), members in _by_rank(component, sure, ranks):
        tier = tier if number == here else 0
        if tier == 0 or better[np.ix_(leaders, members)].all():
            tier, leaders = tier + 1, members
        here = number
        for i in members:
            tiers[i] = tier
    return tuple(tiers)


def _by_rank(
    component: Sequence[int], sure: Sequence[bool], ranks: Sequence[int | None]
) -> list[tuple[tuple[int, int], list[int]]]:
    """The models with an interval by (component, rank), the best first."""
    found: dict[tuple[int, int], list[int]] = {}
    for i, (number, rank) in enumerate(zip(component, ranks, strict=True)):
        if sure[i] and rank is not None:
            found.setdefault((number, rank), []).append(i)
    return sorted(found.items())


Chances = tuple[float | None, ...]


def top_chances(fit: Fit, k: int, *, seed: int | None = None, among_measured: bool = False) -> Chances:
    """Approximate chance of each model to be among the k best of its component, by 10,000 multivariate t draws.

    None in a component where some rated model has no interval: nothing can be drawn for it, and it may be the best.
    `among_measured`: the chances of the others as if it were not there, which are never too small. `seed`: the fit's
    own, a hash of its input.
    """
    return chances_of_tops(fit, (k,), seed=seed, among_measured=among_measured)[0]


def chances_of_tops(
    fit: Fit, ks: Sequence[int], *, seed: int | None = None, among_measured: bool = False
) -> tuple[Chances, ...]:
    """`top_chances` for each k, all from the same draws."""
    import numpy as np

    chances: list[list[float | None]] = [[None] * len(fit.models) for _ in ks]
    for number in sorted(set(fit.component)):
        rated = [i for i, found in enumerate(fit.component) if found == number and fit.ratings[i] is not None]
        members = [i for i in rated if fit.lower[i] is not None]
        if fit.covariance is None or not members or (len(members) < len(rated) and not among_measured):
            continue
        spread = fit.covariance[np.ix_(members, members)]
        df = fit.prompts[members[0]] - 1
        drawn = rank_draws(fit.theta[members], spread, ks, df=df, seed=fit.seed if seed is None else seed)
        for of_k, shares in zip(chances, drawn.tolist(), strict=True):
            for i, share in zip(members, shares, strict=True):
                of_k[i] = share
    return tuple(map(tuple, chances))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """i minus j in logits, with s.e., t(df), 95 % interval of this one comparison and two-sided p.

    All but `logit` are None, with the `reason`, where there is no interval; `logit` too where nothing links the two.
    """

    logit: float | None
    se: float | None = None
    df: int | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    reason: str | None = None


def difference(fit: Fit, i: int, j: int) -> Difference:
    """How model i compares with model j in a fit."""
    if fit.ratings[i] is None or fit.ratings[j] is None or fit.component[i] != fit.component[j]:
        return Difference(logit=None, reason="no chain of battles links the two")
    logit = float(fit.theta[i] - fit.theta[j])
    reason = fit.interval_reason[i] or fit.interval_reason[j]
    if fit.covariance is None or reason is not None:
        return Difference(logit=logit, reason=reason)
    variance = fit.covariance[i, i] + fit.covariance[j, j] - 2 * fit.covariance[i, j]
    se, df = math.sqrt(max(float(variance), 0.0)), fit.prompts[i] - 1
    if se <= NO_ERROR:
        return Difference(logit=logit, reason=NO_SPREAD)
    lower, upper, p_value = t_interval(logit, se, df)
    return Difference(logit=logit, se=se, df=df, lower=lower, upper=upper, p_value=p_value)


@dataclass(frozen=True, slots=True)
class Settling:
    """What it would take to separate two models.

    `pairings`: how many more of the two, each on a new prompt, would do in 80 % of the cases if the difference is what
    it seems; None with the `reason` where nobody can say. With a number, `reason` says that the prompts are too few.
    `worth`: the pairings of these two alone that would carry what the fit knows about their difference.
    """

    pairings: int | None
    worth: float | None
    reason: str | None = None


def to_settle(
    fit: Fit,
    i: int,
    j: int,
    unused_prompts: int | None = None,
    *,
    least: float = 0.0,
    battles_a_pairing: float = 1.0,
) -> Settling:
    """N * ((t(.975) + z(.8)) / z)^2 - N more pairings, N = `worth`; 0 where that many are there already.

    z: how far the difference lies beyond `least` (logits), in standard errors; None below 0.5. `unused_prompts`: how
    many are left for new pairings; None where nobody knows. `battles_a_pairing`: 2 where each order counts in the fit.
    """
    found = difference(fit, i, j)
    if found.logit is None or found.se is None or found.df is None:
        return Settling(None, None, found.reason)
    worth, beyond = worth_in_pairings(fit, i, j), (abs(found.logit) - least) / found.se
    if beyond < LEAST_Z:
        return Settling(None, worth / battles_a_pairing, NOT_BEYOND if least else TOO_NEAR)
    times = ((t_quantile(LEVEL, found.df) + t_quantile(2 * POWER - 1, math.inf)) / beyond) ** 2
    more = math.ceil(max(0, math.ceil(worth * times - worth)) / battles_a_pairing)
    return Settling(
        more, worth / battles_a_pairing, NOT_HERE if unused_prompts is not None and more > unused_prompts else None
    )


def worth_in_pairings(fit: Fit, i: int, j: int) -> float:
    """How many direct pairings hold the information that the whole fit has on the difference of i and j.

    The information on theta_i - theta_j over p(1 - p) of one pairing. With nobody else in the field it is the number of
    their pairings; in a round robin of n models about n / 2 times that.
    """
    import numpy as np

    members = [m for m, number in enumerate(fit.component) if number == fit.component[i]]
    contrast = np.zeros(len(members))
    contrast[[members.index(i), members.index(j)]] = 1, -1
    informed = information(fit.met[np.ix_(members, members)] / 2, fit.theta[members], prior=0) + 1 / len(members)
    here = win_probabilities(fit.theta[[i, j]])[0, 1]
    return float(1 / (contrast @ np.linalg.solve(informed, contrast)) / (here * (1 - here)))
