"""How sure a rating is: sandwich covariance clustered by prompt, t(G - 1), and the chance of a rank.

Everything that was judged on one prompt shares that prompt, so battles are not independent and the prompt is the
cluster (Liang and Zeger's sandwich). Logits throughout; G is the number of prompts in a connected component.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.matrix import Battles, win_matrix

if TYPE_CHECKING:
    from typing import Any

    from leaderboard.core.matrix import Floats, Indices

MIN_PROMPTS = 10
LEVEL = 0.95
DRAWS = 10_000


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
    curvature = (wins + wins.T) * chance * (1 - chance)
    phantom = prior * expit(theta) * expit(-theta)
    informed: Floats = np.diag(curvature.sum(axis=1) + phantom) - curvature
    return informed


def score_sums(battles: Battles, theta: Floats) -> Any:
    """Sparse (G, n): the sum of weight * (share - expected share) of each prompt's rows, + for a and - for b."""
    import numpy as np
    from scipy.sparse import coo_array

    if battles.cluster is None:
        raise ValueError("without prompt ids there are no clusters")
    residual = battles.weight * (battles.score - win_probabilities(theta)[battles.a, battles.b])
    rows = np.concatenate([battles.cluster, battles.cluster])
    columns = np.concatenate([battles.a, battles.b])
    shape = (int(battles.cluster.max(initial=-1)) + 1, len(theta))
    return coo_array((np.concatenate([residual, -residual]), (rows, columns)), shape=shape).tocsr()


def sandwich(informed: Floats, scores: Any, *, singular: bool, small_sample: bool = True) -> tuple[Floats, int]:
    """H^-1 (sum u u') H^-1 (n, n) over the prompts that have rows here, times G / (G - 1); and G.

    `singular`: without a prior H says nothing about the common level, which centring removes anyway.
    Zero where G < 2.
    """
    import numpy as np

    n = len(informed)
    clusters = int((np.diff(scores.indptr) > 0).sum())
    if clusters < 2:
        return np.zeros((n, n)), clusters
    inverse = np.linalg.inv(informed + 1 / n if singular else informed)
    covariance: Floats = inverse @ (scores.T @ scores).toarray() @ inverse
    return covariance * (clusters / (clusters - 1) if small_sample else 1), clusters


def centred(covariance: Floats, anchor: int | None = None) -> Floats:
    """Covariance of the parameters minus their mean, or minus the anchor's (whose own variance is then 0)."""
    import numpy as np

    n = len(covariance)
    shift = np.eye(n) - 1 / n
    if anchor is not None:
        shift = np.eye(n)
        shift[:, anchor] -= 1
    moved: Floats = shift @ covariance @ shift.T
    return moved


def clustered_spread(
    battles: Battles,
    theta: Floats,
    component: Sequence[int],
    *,
    prior: float,
    anchor: int | None = None,
    small_sample: bool = True,
) -> Spread:
    """Covariance of the ratings in logits, each component by itself. Raises ValueError without prompt ids."""
    import numpy as np

    informed, scores = information(win_matrix(battles), theta, prior), score_sums(battles, theta)
    covariance, prompts = np.zeros_like(informed), np.zeros(len(theta), dtype=int)
    for members in _members(component):
        block = np.ix_(members, members)
        raw, clusters = sandwich(informed[block], scores[:, members], singular=prior == 0, small_sample=small_sample)
        inside = int(np.flatnonzero(members == anchor)[0]) if anchor in members else None
        covariance[block] = centred(raw, inside)
        prompts[members] = clusters
    return Spread(covariance, tuple(prompts.tolist()), tuple(np.diff(scores.tocsc().indptr).tolist()))


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
    spread = rng.standard_normal((draws, len(theta))) @ symmetric_root(covariance)
    if df is not None:
        spread *= np.sqrt(df / rng.chisquare(df, size=(draws, 1)))
    descending = -np.sort(-(theta + spread), axis=1)
    bar = descending[:, min(k, len(theta)) - 1 : min(k, len(theta))]
    share: Floats = (theta + spread >= bar).mean(axis=0) if k > 0 else np.zeros(len(theta))
    return share


def symmetric_root(covariance: Floats) -> Floats:
    """The one symmetric positive square root; rounding below 0 counts as 0."""
    import numpy as np

    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    return root
