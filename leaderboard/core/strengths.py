"""Bradley-Terry strengths from a win matrix, with a phantom opponent as prior.

The phantom meets every model and wins and loses prior / 2 each time; its strength is the zero of `bradley_terry`. So a
model that wins all, loses all or has no match keeps a finite strength, and the fit is an exact penalised maximum.
Nothing compares models that no chain of battles links: each connected component has a level of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from leaderboard.core.intervals import information, win_probabilities

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats

PRIOR = 0.5
CHOIX = "choix.ilsr_pairwise_dense"
CHOIX_STEPS = 100
NEWTON = "Newton"
NEWTON_STEPS = 200
NEWTON_ENDS = 1e-10
NEAR_ENOUGH = 1e-6
LONGEST_STEP = 5.0


class NoFiniteMaximum(ValueError):
    """Without a prior, some group of models won (or lost) every battle against the rest of its component."""


class NotConverged(RuntimeError):
    """No method reached the maximum; the text says which, how far from it and at which model."""


class Solved(NamedTuple):
    """`theta` (n,): as `bradley_terry` returns it. `solver`: who found it. `steps`: None where it does not say."""

    theta: Floats
    solver: str
    steps: int | None = None


def bradley_terry(wins: Floats, prior: float = PRIOR, models: Sequence[str] | None = None) -> Floats:
    """Strengths (n,) in logits, relative to the phantom; without prior relative to each component's mean.

    `wins` (n, n): sum of i's shares against j. Raises NoFiniteMaximum where `prior` is 0 and there is none, ValueError
    for a negative prior, NotConverged when no method converges.
    """
    return solve(wins, prior, models).theta


def solve(wins: Floats, prior: float = PRIOR, models: Sequence[str] | None = None) -> Solved:
    """`bradley_terry` with the name of the method that found it."""
    import numpy as np

    if not 0 <= prior < np.inf:
        raise ValueError(f"a prior cannot be negative or infinite, got {prior}")
    n = len(wins)
    names = models or [f"model {i}" for i in range(n)]
    if prior == 0:
        return _plain_maximum(wins, names)
    with_phantom = np.full((n + 1, n + 1), prior / 2)
    with_phantom[:n, :n] = wins
    with_phantom[n, n] = 0
    found = _maximum(with_phantom, [*names, "the prior"])
    return found._replace(theta=found.theta[:n] - found.theta[n])


def _plain_maximum(wins: Floats, models: Sequence[str]) -> Solved:
    import numpy as np

    component = np.asarray(components(wins))
    theta, solver, steps = np.zeros(len(wins)), CHOIX, None
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        block, named = wins[np.ix_(members, members)], [models[int(i)] for i in members]
        _check_strongly_connected(block, named)
        if len(members) > 1:
            found = _maximum(block, named)
            theta[members] = found.theta
            if found.steps is not None:
                solver, steps = found.solver, max(steps or 0, found.steps)
    return Solved(theta, solver, steps)


def _check_strongly_connected(wins: Floats, models: Sequence[str]) -> None:
    """A finite maximum exists where everybody can be reached from everybody along wins (Ford 1957)."""
    from scipy.sparse.csgraph import connected_components

    groups, group_of = connected_components(wins > 0, directed=True, connection="strong")
    for group in range(groups if groups > 1 else 0):
        inside = group_of == group
        if not wins[~inside][:, inside].any():
            named = models[int(inside.argmax())]
            who = repr(named) if inside.sum() == 1 else f"the group of {named!r}"
            raise NoFiniteMaximum(f"no finite maximum without a prior: {who} never lost to the rest")


def _maximum(counts: Floats, models: Sequence[str]) -> Solved:
    """Maximum of the likelihood of a strongly connected matrix, mean 0, from whichever method reaches it."""
    found = _by_choix(counts)
    if found is None or distance(counts, found.theta) is not None:
        found = newton(counts, models)
    return found._replace(theta=found.theta - found.theta.mean())


def _by_choix(counts: Floats) -> Solved | None:
    """None where its spectral step stalls in rounding noise: at thousands of wins without a loss. Newton does not."""
    import choix
    import numpy as np

    try:
        with np.errstate(all="ignore"):
            theta: Floats = choix.ilsr_pairwise_dense(counts, max_iter=CHOIX_STEPS, tol=1e-12)
    except (RuntimeError, ValueError):
        return None
    return Solved(theta, CHOIX) if np.isfinite(theta).all() else None


def newton(counts: Floats, models: Sequence[str] | None = None) -> Solved:
    """The same maximum by Newton steps of at most LONGEST_STEP, halved while they lower the likelihood.

    NotConverged if they miss it.
    """
    import numpy as np

    theta, steps, size = np.zeros(len(counts)), 0, np.inf
    with np.errstate(all="ignore"):
        while steps < NEWTON_STEPS and size > NEWTON_ENDS:
            step = _newton_step(counts, theta)
            size = float(np.abs(step).max())
            theta = theta + _uphill(counts, theta, step * min(1.0, LONGEST_STEP / max(size, LONGEST_STEP)))
            steps += 1
    if (missed := distance(counts, theta, models)) is not None:
        raise NotConverged(f"Bradley-Terry did not converge: {NEWTON} ended after {steps} steps, {missed}")
    return Solved(theta - theta.mean(), NEWTON, steps)


def _uphill(counts: Floats, theta: Floats, step: Floats) -> Floats:
    """The step, halved until the likelihood does not fall or nothing is left of it."""
    import numpy as np

    before = _likelihood(counts, theta)
    while np.abs(step).max() > NEWTON_ENDS and _likelihood(counts, theta + step) < before:
        step = step / 2
    return step


def _newton_step(counts: Floats, theta: Floats) -> Floats:
    import numpy as np

    # The likelihood is flat along the common level; 1/n lifts that one direction and changes no difference.
    lifted = information(counts, theta, prior=0) + 1 / len(counts)
    try:
        return np.linalg.solve(lifted, surplus(counts, theta)).astype(float, copy=False)
    except np.linalg.LinAlgError:
        return np.full(len(counts), np.nan)


def surplus(counts: Floats, theta: Floats) -> Floats:
    """Shape (n,): won minus expected of each model, in battles; as sums over pairs, so that no large counts cancel."""
    chance = win_probabilities(theta)
    total: Floats = (counts * chance.T - counts.T * chance).sum(axis=1)
    return total


def distance(counts: Floats, theta: Floats, models: Sequence[str] | None = None) -> str | None:
    """How far from the maximum, in words; None where near enough.

    Near enough: no model is more than 1e-6 x (1 + the largest count) battles from its expected score, and a Newton step
    would move no model by more than 1e-6 logits.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        missing, step = surplus(counts, theta), _newton_step(counts, theta)
        bar = NEAR_ENOUGH * (1 + float((counts + counts.T).max()))
    if np.abs(missing).max() <= bar and np.abs(step).max() <= NEAR_ENOUGH:
        return None
    worst = int(np.abs(missing).argmax())
    named = models[worst] if models else f"model {worst}"
    return f"{abs(missing[worst]):.3g} battles and {np.abs(step).max():.3g} logits from the maximum, at {named!r}"


def _likelihood(wins: Floats, theta: Floats) -> float:
    from scipy.special import log_expit

    return float((wins * log_expit(theta[:, None] - theta[None, :])).sum())


def played(wins: Floats) -> list[bool]:
    """Which models have a battle that weighs something."""
    return [bool(wins[i].any() or wins[:, i].any()) for i in range(len(wins))]


def components(wins: Floats) -> tuple[int, ...]:
    """The connected component of each model, numbered from 0 by size, equal sizes by their first model."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    if not len(wins):
        return ()
    _, label = connected_components(wins > 0, directed=True, connection="weak")
    _, first, sizes = np.unique(label, return_index=True, return_counts=True)
    number = np.empty(len(sizes), dtype=int)
    number[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return tuple(number[label].tolist())


def centre(theta: Floats, component: Sequence[int], anchor: int | None = None) -> Floats:
    """Strengths minus their component's mean; in the anchor's component minus the anchor's."""
    import numpy as np

    numbers, moved = np.asarray(component, dtype=int), np.array(theta, dtype=float)
    totals = np.bincount(numbers, moved)
    level = totals / np.maximum(np.bincount(numbers), 1)
    if anchor is not None:
        level[numbers[anchor]] = theta[anchor]
    moved -= level[numbers]
    return moved


def residual(wins: Floats, theta: Floats, prior: float) -> float:
    """Largest |won - expected| of a model, in battles, the phantom's among them: 0 at the maximum."""
    import numpy as np
    from scipy.special import expit

    with_phantom = surplus(wins, theta) + prior * (0.5 - expit(theta))
    return float(np.abs(with_phantom).max(initial=0.0))
