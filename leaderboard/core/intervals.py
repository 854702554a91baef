"""How sure a rating is: sandwich covariance clustered by prompt, t(G - 1), and the chance of a rank.

Everything that was judged on one prompt shares that prompt, so battles are not independent and the prompt is the
cluster (Liang and Zeger's sandwich). Logits throughout; G is the number of prompts in a connected component.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.matrix import Battles, numbers_met, slices, win_matrix

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats, Indices

MIN_PROMPTS = 10
LEVEL = 0.95
DRAWS = 10_000
DENSE_CELLS = 1_000_000
CELLS_A_ROW = 3
"""A table of prompts by models is dense up to the size that its sparse form would have."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """`covariance` (n, n): of the centred or anchored parameters, 0 across components and where G < 2.

    `prompts`: G of each model's component. `own`: on how many prompts the model itself has a battle.
    """

    covariance: Floats
    prompts: tuple[int, ...]
    own: tuple[int, ...]


def win_probabilities(theta: Floats) -> Floats:
    """Shape (n, n): chance that i beats j."""
    from scipy.special import expit

    probabilities: Floats = expit(theta[:, None] - theta[None, :])
    return probabilities


def information(wins: Floats, theta: Floats, prior: float) -> Floats:
    """Minus the Hessian (n, n) of the penalised log-likelihood; the phantom at 0 adds prior * q * (1 - q)."""
    import numpy as np
    from scipy.special import expit

    chance = win_probabilities(theta)
    curvature = (wins + wins.T) * chance * chance.T
    phantom = prior * expit(theta) * expit(-theta)
    informed: Floats = np.diag(curvature.sum(axis=1) + phantom) - curvature
    return informed


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSums:
    """Score sums u of each prompt, the rows' weight * (share - expected share), + for a and - for b.

    `outer` (n, n): the sum of u u' over the prompts. `own` (n,): on how many prompts each model has a battle.
    `prompts` (n,): G, the number of prompts with a battle in the model's component.
    """

    outer: Floats
    own: Indices
    prompts: Indices


def score_sums(battles: Battles, theta: Floats, component: Sequence[int]) -> ScoreSums:
    """Rows of no weight count for nothing. Raises ValueError without prompt ids."""
    import numpy as np

    if battles.cluster is None:
        raise ValueError("without prompt ids there are no clusters")
    if battles.weight is not None and not battles.weight.all():
        battles = battles.where(np.flatnonzero(battles.weight))
    met = numbers_met(battles.cluster)  # type: ignore[arg-type]
    prompts = int(met.sum())
    number = None if prompts == len(met) else np.cumsum(met) - 1
    dense = prompts * len(theta) <= max(DENSE_CELLS, CELLS_A_ROW * len(battles))
    summed = _dense_sums if dense else _sparse_sums
    return summed(battles, theta, number, prompts, np.asarray(component, dtype=int))


def _residuals(battles: Battles, chance: Floats, part: slice) -> Floats:
    """weight * (share - expected share) of some rows."""
    import numpy as np

    pair = battles.a[part].astype(np.intp) * len(chance) + battles.b[part].astype(np.intp)
    off: Floats = battles.score[part] - chance.take(pair)
    return off if battles.weight is None else off * battles.weight[part]


def _prompt(battles: Battles, number: Indices | None, part: slice) -> Indices:
    import numpy as np

    cluster = battles.cluster[part]  # type: ignore[index]
    return cluster.astype(np.intp) if number is None else number.take(cluster)


def _dense_sums(battles: Battles, theta: Floats, number: Indices | None, prompts: int, component: Indices) -> ScoreSums:
    import numpy as np

    n, chance = len(theta), win_probabilities(theta)
    sums, seen = np.zeros((prompts, n)), np.zeros((prompts, n), dtype=bool)
    for part in slices(len(battles)):
        off, row = _residuals(battles, chance, part), _prompt(battles, number, part) * n
        for model, change in ((battles.a[part], off), (battles.b[part], -off)):
            cell = row + model.astype(np.intp)
            np.add.at(sums.reshape(-1), cell, change)
            seen.reshape(-1)[cell] = True
    met = [int(seen[:, component == label].any(axis=1).sum()) for label in range(component.max(initial=-1) + 1)]
    return ScoreSums(sums.T @ sums, np.count_nonzero(seen, axis=0), np.asarray(met, dtype=int)[component])


def _sparse_sums(
    battles: Battles, theta: Floats, number: Indices | None, prompts: int, component: Indices
) -> ScoreSums:
    """The same where prompts are many and each has few models: one prompt a battle, say."""
    import numpy as np
    from scipy.sparse import coo_array, csc_array

    n, rows = len(theta), slice(0, len(battles))
    off, row = _residuals(battles, win_probabilities(theta), rows), _prompt(battles, number, rows).astype(np.int32)
    at = np.concatenate([row, row]), np.concatenate([battles.a, battles.b], dtype=np.int32, casting="unsafe")
    sums = coo_array((np.concatenate([off, -off]), at), shape=(prompts, n)).tocsr()
    own = np.bincount(sums.indices, minlength=n)
    sums.data, values = np.ones_like(sums.data), sums.data
    inside = csc_array((np.ones(n), (np.arange(n), component)), shape=(n, component.max(initial=-1) + 1))
    met = np.diff((sums @ inside).tocsc().indptr)
    sums.data = values
    return ScoreSums((sums.T @ sums).toarray(), own, met[component])


def sandwich(informed: Floats, outer: Floats, prompts: int, *, singular: bool, small_sample: bool = True) -> Floats:
    """H^-1 (sum u u') H^-1 (n, n), times G / (G - 1); zero where G < 2. `outer`: the sum of u u' over G prompts.

    `singular`: without a prior H says nothing about the common level, which centring removes anyway. NaN where H cannot
    be inverted: `fits.assemble` refuses it.
    """
    import numpy as np

    n = len(informed)
    if prompts < 2:
        return np.zeros((n, n))
    try:
        inverse = np.linalg.inv(informed + 1 / n if singular else informed)
    except np.linalg.LinAlgError:
        return np.full((n, n), np.nan)
    covariance: Floats = inverse @ outer @ inverse
    return covariance * (prompts / (prompts - 1) if small_sample else 1)


def centred(covariance: Floats, anchor: int | None = None) -> Floats:
    """Covariance of the parameters minus their mean, or minus the anchor's (whose own variance is then 0)."""
    rows = covariance.mean(axis=0) if anchor is None else covariance[anchor]
    moved: Floats = covariance - rows
    moved -= (moved.mean(axis=1) if anchor is None else moved[:, anchor])[:, None]
    return (moved + moved.T) / 2


def clustered_spread(
    battles: Battles,
    theta: Floats,
    component: Sequence[int],
    *,
    prior: float,
    anchor: int | None = None,
    small_sample: bool = True,
    wins: Floats | None = None,
) -> Spread:
    """Covariance of the ratings in logits, each component by itself. Raises ValueError without prompt ids.

    `wins`: the battles' win matrix, where the caller has it.
    """
    import numpy as np

    informed = information(win_matrix(battles) if wins is None else wins, theta, prior)
    sums = score_sums(battles, theta, component)
    covariance = np.zeros_like(informed)
    for members in _members(component):
        block, prompts = np.ix_(members, members), int(sums.prompts[members[0]])
        raw = sandwich(informed[block], sums.outer[block], prompts, singular=prior == 0, small_sample=small_sample)
        inside = int(np.flatnonzero(members == anchor)[0]) if anchor in members else None
        covariance[block] = centred(raw, inside)
    return Spread(covariance, tuple(sums.prompts.tolist()), tuple(sums.own.tolist()))


def _members(component: Sequence[int]) -> list[Indices]:
    import numpy as np

    numbers = np.asarray(component)
    return [np.flatnonzero(numbers == number) for number in np.unique(numbers)]


def model_covariance(wins: Floats, theta: Floats, prior: float = 0.0) -> Floats:
    """Centred inverse information of one component: right only for independent battles without half wins."""
    import numpy as np

    informed = information(wins, theta, prior)
    inverse = np.linalg.inv(informed + 1 / len(informed) if prior == 0 else informed)
    return centred(inverse.astype(float))


def t_quantile(level: float, df: float) -> float:
    """Two-sided quantile of Student's t, e.g. level .95 gives the .975 point; df may be infinite."""
    from scipy.special import ndtri, stdtrit

    point = (1 + level) / 2
    return float(ndtri(point) if math.isinf(df) else stdtrit(df, point))


def half_widths(spread: Spread, level: float = LEVEL) -> tuple[float | None, ...]:
    """t(G - 1) * s.e. of each model in logits; None for a model with battles on fewer than MIN_PROMPTS prompts."""
    import numpy as np

    errors = np.sqrt(np.clip(np.diag(spread.covariance), 0, None))
    return tuple(
        t_quantile(level, prompts - 1) * float(error) if own >= MIN_PROMPTS else None
        for error, prompts, own in zip(errors, spread.prompts, spread.own, strict=True)
    )


def rank_draws(theta: Floats, covariance: Floats, k: int, *, df: float | None, seed: int, draws: int = DRAWS) -> Floats:
    """Shape (n,): approximate chance that each model's rank is at most k, from multivariate t draws (normal: df None).

    A rank is 1 + the number of models above. The symmetric root of the covariance makes the draws the same everywhere.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((draws, len(theta))) @ symmetric_root(covariance)
    if df is not None:
        drawn *= np.sqrt(df / rng.chisquare(df, size=(draws, 1)))
    drawn += theta
    place = max(len(theta) - k, 0)
    if k <= 0 or not len(theta):
        return np.zeros(len(theta))
    bar = np.partition(drawn, place, axis=1)[:, place, None]
    share: Floats = (drawn >= bar).mean(axis=0)
    return share


def symmetric_root(covariance: Floats) -> Floats:
    """The one symmetric positive square root; rounding below 0 counts as 0."""
    import numpy as np

    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    return root
