"""How sure a rating is: sandwich covariance clustered by prompt, t(G - 1), and the chance of a rank.

Everything that was judged on one prompt shares that prompt, so battles are not independent and the prompt is the
cluster (Liang and Zeger's sandwich). Logits throughout; G is the number of prompts in a connected component.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.matrix import Battles, slices, win_matrix
from leaderboard.core.prompt_sums import Part, Prompts, ScoreSums, by_model, product, reach

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats, Indices

MIN_PROMPTS = 10
LEVEL = 0.95
DRAWS = 10_000
NO_ERROR = 1e-6
"""Logits: a standard error up to this is rounding."""
NO_SPREAD = "the same on every prompt: no spread to see"


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """`covariance` (n, n): of the centred or anchored parameters, 0 across components and where G < 2.

    `prompts`: G of each model's component. `own`: on how many prompts the model itself has a battle. `reasons`: why the
    covariance says nothing of a model, None where it does; empty where it does of all.
    """

    covariance: Floats
    prompts: tuple[int, ...]
    own: tuple[int, ...]
    reasons: tuple[str | None, ...] = ()


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


def score_sums(battles: Battles, theta: Floats, component: Sequence[int]) -> ScoreSums:
    """Scores by prompt: the rows' weight * (share - expected share), + for a and - for b.

    Rows of no weight count for nothing. Raises ValueError without prompt ids.
    """

    battles = battles.weighty()
    cluster = battles.cluster
    if cluster is None:
        raise ValueError("without prompt ids there are no clusters")
    prompts, chance = Prompts.among(cluster), win_probabilities(theta)
    parts = (
        Part(prompts.places(cluster[rows]), battles.a[rows], battles.b[rows], _residuals(battles, chance, rows))
        for rows in slices(len(battles))
    )
    found = by_model(parts, (prompts.count, len(theta)), len(battles))
    return ScoreSums(product(found.sums, found.sums), reach(found.met, component))


def _residuals(battles: Battles, chance: Floats, part: slice) -> Floats:
    """weight * (share - expected share) of some rows."""
    import numpy as np

    pair = battles.a[part].astype(np.intp) * len(chance) + battles.b[part].astype(np.intp)
    off: Floats = battles.score[part] - chance.take(pair)
    return off if battles.weight is None else off * battles.weight[part]


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
    return covariance * (small_sample_factor(prompts) if small_sample else 1)


def small_sample_factor(prompts: int) -> float:
    """G / (G - 1); 0 where one prompt shows no spread."""
    return prompts / (prompts - 1) if prompts > 1 else 0.0


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

    def covariance_of(members: Indices) -> Floats:
        block, prompts = np.ix_(members, members), sums.reach.component[int(members[0])]
        return sandwich(informed[block], sums.outer[block], prompts, singular=prior == 0, small_sample=small_sample)

    return Spread(by_component(covariance_of, component, anchor), sums.reach.component, sums.reach.own)


def by_component(covariance_of: Callable[[Indices], Floats], component: Sequence[int], anchor: int | None) -> Floats:
    """Shape (n, n): the covariance of each component's members, centred or anchored; 0 across components."""
    import numpy as np

    numbers = np.asarray(component)
    covariance = np.zeros((len(numbers), len(numbers)))
    for number in np.unique(numbers):
        members = np.flatnonzero(numbers == number)
        inside = int(np.flatnonzero(members == anchor)[0]) if anchor in members else None
        covariance[np.ix_(members, members)] = centred(covariance_of(members), inside)
    return covariance


def t_quantile(level: float, df: float) -> float:
    """Two-sided quantile of Student's t, e.g. level .95 gives the .975 point; df may be infinite."""
    from scipy.special import ndtri, stdtrit

    point = (1 + level) / 2
    return float(ndtri(point) if math.isinf(df) else stdtrit(df, point))


def t_interval(estimate: float, se: float, df: float) -> tuple[float, float, float]:
    """Lower and upper end at LEVEL, and the two-sided p against 0, of an estimate with a standard error above 0."""
    from scipy.special import stdtr

    width = t_quantile(LEVEL, df) * se
    return estimate - width, estimate + width, min(2 * float(stdtr(df, -abs(estimate) / se)), 1.0)


def few_prompts(prompts: int) -> str | None:
    """Why so few prompts give no interval; None where they are enough."""
    return f"needs {MIN_PROMPTS} prompts, has {prompts}" if prompts < MIN_PROMPTS else None


def half_widths(spread: Spread, level: float = LEVEL) -> tuple[float | None, ...]:
    """t(G - 1) * s.e. of each model in logits; None for a model with battles on fewer than MIN_PROMPTS prompts."""
    import numpy as np

    errors = np.sqrt(np.clip(np.diag(spread.covariance), 0, None))
    return tuple(
        t_quantile(level, prompts - 1) * float(error) if own >= MIN_PROMPTS else None
        for error, prompts, own in zip(errors, spread.prompts, spread.own, strict=True)
    )


def rank_draws(
    theta: Floats, covariance: Floats, ks: Sequence[int], *, df: float | None, seed: int, draws: int = DRAWS
) -> Floats:
    """Shape (len(ks), n): approximate chance that each model's rank is at most k, from multivariate t draws (normal: df
    None); the same draws for every k.

    A rank is 1 + the number of models above. The symmetric root of the covariance makes the draws the same everywhere.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((draws, len(theta))) @ symmetric_root(covariance)
    if df is not None:
        drawn *= np.sqrt(df / rng.chisquare(df, size=(draws, 1)))
    drawn += theta
    return np.array([_among_the_best(drawn, k) for k in ks])


def _among_the_best(drawn: Floats, k: int) -> Floats:
    """Shape (n,): in which share of the draws (draws, n) each column is among the k highest."""
    import numpy as np

    models = drawn.shape[1]
    if k <= 0 or not models:
        return np.zeros(models)
    place = max(models - k, 0)
    bar = np.partition(drawn, place, axis=1)[:, place, None]
    share: Floats = (drawn >= bar).mean(axis=0)
    return share


def symmetric_root(covariance: Floats) -> Floats:
    """The one symmetric positive square root; rounding below 0 counts as 0."""
    import numpy as np

    values, vectors = np.linalg.eigh(covariance)
    root: Floats = (vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T
    return root
