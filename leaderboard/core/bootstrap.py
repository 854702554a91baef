"""A prompt bootstrap: the same intervals by brute force, as a check on the sandwich.

Each round draws a weight for every prompt and fits the field again. The weights are those of the Bayesian bootstrap, a
flat Dirichlet distribution (Rubin 1981, Annals of Statistics 9, 130-134): no prompt ever vanishes, so each round has a
finite maximum wherever the fit itself has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from leaderboard.core.fits import How, anchor_index
from leaderboard.core.intervals import LEVEL
from leaderboard.core.matrix import Battles, numbers_met, win_matrix
from leaderboard.core.prompt_sums import Prompts
from leaderboard.core.strengths import centre, components, played, solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leaderboard.core.matrix import Floats, Indices

    Generator = np.random.Generator

CELLS_AT_ONCE = 1_000_000
"""Entries of the (rounds, n, n) win matrices, and of the (prompts, rounds) weights, that are held together."""
STEPS = 30
ENDS = 1e-6
"""Logits; Newton's steps square, so what is left after such a step is some 1e-12."""
LONGEST_STEP = 1.0


class _Taken(NamedTuple):
    """`shares`, sparse (pairs, prompts): the points that `winner` took from `loser` (pairs,) on each prompt."""

    shares: Any
    winner: NDArray[np.intp]
    loser: NDArray[np.intp]


def prompt_bootstrap(battles: Battles, how: How, *, rounds: int = 1000, seed: int = 0) -> Floats:
    """Shape (rounds, n): theta of method `bt`, centred or anchored as the fit's, with the prompts weighed anew.

    The same seed gives the same digits. Draws go to prompts by their number: number them by sorted id, and the order of
    rows does not matter. Rows of weight 0 are left out. Raises ValueError without prompt ids or for another method, and
    what `ratings.rate` raises.
    """
    import numpy as np

    battles = battles.weighty()
    if how.method != "bt" or battles.cluster is None:
        raise ValueError("the prompt bootstrap is of method bt and needs prompt ids")
    wins, prior = win_matrix(battles), how.prior or 0.0
    component = components(wins)
    anchor = anchor_index(battles.models, played(wins), how.anchor)
    start = solve(wins, prior, battles.models).theta
    lift = _lift(component, prior)
    taken, rng = _taken(battles, battles.cluster), np.random.default_rng(seed)
    at_once = max(1, CELLS_AT_ONCE // max(wins.size, taken.shares.shape[1], 1))
    drawn = np.empty((rounds, len(wins)))
    for first in range(0, rounds, at_once):
        drawn[first : first + at_once] = _refitted(
            battles, taken, start, prior, lift, _weights(rng, taken.shares.shape[1], min(at_once, rounds - first))
        )
    for theta in drawn:
        theta[:] = centre(theta, component, anchor)
    return drawn


def percentile_bounds(drawn: Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """Lower and upper bounds (n,) in logits: the percentiles of each model's rounds (rounds, n)."""
    import numpy as np

    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper


def _taken(battles: Battles, cluster: Indices) -> _Taken:
    import numpy as np
    from scipy.sparse import coo_array

    n, prompts = len(battles.models), Prompts.among(cluster)
    prompt = prompts.places(cluster).astype(np.int32)
    weight = np.float64(1) if battles.weight is None else battles.weight
    points = np.concatenate([weight * battles.score, weight * (1 - battles.score)])
    some = np.flatnonzero(points)
    winner, loser = (np.concatenate(sides)[some] for sides in ((battles.a, battles.b), (battles.b, battles.a)))
    pair = winner.astype(np.int32) * np.int32(n) + loser
    present = numbers_met(pair)
    pairs = np.flatnonzero(present)
    at = (np.cumsum(present, dtype=np.int32) - 1)[pair], np.concatenate([prompt, prompt])[some]
    shares = coo_array((points[some].astype(float), at), shape=(len(pairs), prompts.count)).tocsr()
    return _Taken(shares, pairs // max(n, 1), pairs % max(n, 1))


def _lift(component: Sequence[int], prior: float) -> Floats:
    """Shape (n, n): without a prior the likelihood is flat along each component's level; this lifts it there alone."""
    import numpy as np

    numbers = np.asarray(component, dtype=int)
    same: Floats = (numbers[:, None] == numbers[None, :]) * (1 / max(len(numbers), 1) if prior == 0 else 0.0)
    return same


def _weights(rng: Generator, prompts: int, rounds: int) -> Floats:
    """Shape (prompts, rounds): flat Dirichlet times the number of prompts; mean 1 in every round."""
    drawn = rng.standard_exponential((rounds, prompts))
    return (drawn / drawn.mean(axis=1, keepdims=True)).T if prompts else drawn.T


def _refitted(battles: Battles, taken: _Taken, start: Floats, prior: float, lift: Floats, weights: Floats) -> Floats:
    """Shape (rounds, n): strengths under each column of weights (prompts, rounds)."""
    import numpy as np

    rounds, n = weights.shape[1], len(start)
    wins = np.zeros((rounds, n, n))
    wins[:, taken.winner, taken.loser] = (taken.shares @ weights).T
    theta, arrived = _by_newton(wins, start, prior, lift)
    for late in np.flatnonzero(~arrived):
        theta[late] = solve(wins[late], prior, battles.models).theta
    return theta


def _by_newton(wins: Floats, start: Floats, prior: float, lift: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """All rounds step together from the fit itself; and which of them came to rest."""
    import numpy as np

    theta, size = np.tile(start, (len(wins), 1)), np.full(len(wins), np.inf)
    moving = np.arange(len(wins) if len(start) else 0)
    for _ in range(STEPS):
        if not len(moving):
            break
        step = _steps(wins[moving], theta[moving], prior, lift)
        size[moving] = np.abs(step).max(axis=1)
        theta[moving] += step * np.minimum(1, LONGEST_STEP / np.maximum(size[moving], LONGEST_STEP))[:, None]
        moving = moving[size[moving] > ENDS]
    return theta, (size <= ENDS) | (len(start) == 0)


def _steps(wins: Floats, theta: Floats, prior: float, lift: Floats) -> Floats:
    """Newton's steps (rounds, n)."""
    import numpy as np
    from scipy.special import expit

    chance, phantom = expit(theta[:, :, None] - theta[:, None, :]), expit(theta)
    expected = (wins + wins.transpose(0, 2, 1)) * chance
    curvature = expected * chance.transpose(0, 2, 1)
    missing = wins.sum(axis=2) - expected.sum(axis=2) + prior * (0.5 - phantom)
    informed = lift - curvature
    here = np.arange(theta.shape[1])
    informed[:, here, here] += curvature.sum(axis=2) + prior * phantom * (1 - phantom)
    return np.linalg.solve(informed, missing[:, :, None])[:, :, 0].astype(float, copy=False)
