"""Bradley-Terry ratings on the Elo scale, with a phantom opponent as prior.

The phantom meets every model and wins and loses prior / 2 each time; its strength is the zero of `bradley_terry`. So a
model that wins all, loses all or has no match keeps a finite strength, and the fit is an exact penalised maximum.
Ratings are centred at 1000 in each connected component: nothing compares models that no chain of battles links.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.intervals import MIN_PROMPTS, Spread, clustered_spread, half_widths, win_probabilities
from leaderboard.core.matrix import Battles, Record, records, win_matrix
from leaderboard.errors import BadInput

if TYPE_CHECKING:
    from leaderboard.core.matrix import Floats

SCALE = 400 / math.log(10)
CENTRE = 1000.0
PRIOR = 0.5
SAME_RATING = 1e-6
THIN_BATTLES = 30
THIN_PROMPTS = 30
NO_WIDTH = 1e-6
NEWTON_STEPS = 200


class NoFiniteMaximum(ValueError):
    """Without a prior, some group of models won (or lost) every battle against the rest of its component."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fit:
    """One estimation. All tuples and arrays follow `models`.

    `theta` (n,): logits, mean 0 in each component (or 0 at the anchor). `covariance` (n, n): of theta, clustered by
    prompt; None without prompt ids. `ratings`, `lower`, `upper`: Elo points, None where there is nothing to say, with
    `interval_reason` saying why. `ranks`: 1, 1, 3 within a component. `prompts`: G of the model's component.
    `seed`: a hash of what was fitted, for the draws of `intervals.rank_draws`.
    """

    models: tuple[str, ...]
    theta: Floats
    covariance: Floats | None
    ratings: tuple[float | None, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    interval_reason: tuple[str | None, ...]
    component: tuple[int, ...]
    prompts: tuple[int, ...]
    records: tuple[Record, ...]
    ranks: tuple[int | None, ...]
    flags: tuple[tuple[str, ...], ...]
    prior: float
    anchor: str | None
    n_battles: int
    n_prompts: int | None
    seed: int
    method: str = "bt"

    @property
    def n_components(self) -> int:
        """Components that hold at least one battle."""
        return len({number for number, rating in zip(self.component, self.ratings, strict=True) if rating is not None})


def fit_bt(battles: Battles, *, prior: float = PRIOR, anchor: str | None = None) -> Fit:
    """Bradley-Terry fit with 95 % intervals clustered by prompt.

    Raises BadInput for an anchor without a battle, NoFiniteMaximum (a ValueError that names a model) where `prior` is 0
    and no finite maximum exists.
    """
    wins = win_matrix(battles)
    component = components(wins)
    played = tuple(bool(met) for met in wins.sum(axis=0) + wins.sum(axis=1) > 0)
    fixed = _anchor_index(battles.models, played, anchor)
    free = bradley_terry(wins, prior, battles.models)
    theta = centre(free, component, fixed)
    spread = None
    if battles.cluster is not None:
        spread = clustered_spread(battles, free, component, prior=prior, anchor=fixed)
    ratings = tuple(CENTRE + SCALE * float(t) if met else None for t, met in zip(theta, played, strict=True))
    widths, reasons = _intervals(spread, played, fixed)
    prompts = spread.prompts if spread else (0,) * len(played)
    counts = records(battles)
    return Fit(
        models=battles.models,
        theta=theta,
        covariance=spread.covariance if spread else None,
        ratings=ratings,
        lower=_moved(ratings, widths, -SCALE),
        upper=_moved(ratings, widths, SCALE),
        interval_reason=reasons,
        component=component,
        prompts=prompts,
        records=counts,
        ranks=ranks(ratings, component),
        flags=tuple(_flags(wins, i, counts[i], spread.own[i] if spread else None) for i in range(len(played))),
        prior=prior,
        anchor=anchor,
        n_battles=len(battles),
        n_prompts=None if battles.cluster is None else int(battles.cluster.max(initial=-1)) + 1,
        seed=input_seed(battles.models, wins, prompts),
    )


def bradley_terry(wins: Floats, prior: float = PRIOR, models: Sequence[str] | None = None) -> Floats:
    """Strengths (n,) in logits, relative to the phantom; without prior relative to each component's mean.

    `wins` (n, n): sum of i's shares against j. Raises NoFiniteMaximum where `prior` is 0 and there is none, ValueError
    for a negative prior, RuntimeError when no method converges.
    """
    import numpy as np

    if prior < 0:
        raise ValueError(f"a prior cannot be negative, got {prior}")
    n = len(wins)
    if prior == 0:
        return _plain_maximum(wins, models or [f"model {i}" for i in range(n)])
    with_phantom = np.full((n + 1, n + 1), prior / 2)
    with_phantom[:n, :n] = wins
    with_phantom[n, n] = 0
    strengths = _maximum(with_phantom)
    relative: Floats = strengths[:n] - strengths[n]
    return relative


def _plain_maximum(wins: Floats, models: Sequence[str]) -> Floats:
    import numpy as np

    component = np.asarray(components(wins))
    theta = np.zeros(len(wins))
    for number in np.unique(component):
        members = np.flatnonzero(component == number)
        block = wins[np.ix_(members, members)]
        _check_strongly_connected(block, [models[int(i)] for i in members])
        if len(members) > 1:
            theta[members] = _maximum(block)
    return theta


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


def _maximum(wins: Floats) -> Floats:
    """Maximum of the likelihood of a strongly connected matrix, any common level."""
    import choix

    try:
        strengths: Floats = choix.ilsr_pairwise_dense(wins, max_iter=1000, tol=1e-12)
    except RuntimeError:
        # At thousands of wins without a loss its spectral step stalls in rounding noise; Newton does not.
        strengths = newton(wins)
    return strengths


def newton(wins: Floats) -> Floats:
    """The same maximum by Newton steps, halved while they lower the likelihood. RuntimeError if they never end."""
    import numpy as np

    theta = np.zeros(len(wins))
    for _ in range(NEWTON_STEPS):
        step = _newton_step(wins, theta)
        while (size := float(np.abs(step).max())) > 1e-10 and _likelihood(wins, theta + step) < _likelihood(
            wins, theta
        ):
            step /= 2
        theta = theta + step
        if size <= 1e-10:
            return theta
    raise RuntimeError(f"the fit did not converge in {NEWTON_STEPS} steps")


def _newton_step(wins: Floats, theta: Floats) -> Floats:
    import numpy as np

    played, chance = wins + wins.T, win_probabilities(theta)
    curvature = played * chance * (1 - chance)
    # The likelihood is flat along the common level; 1/n lifts that one direction and changes no difference.
    lifted = np.diag(curvature.sum(axis=1)) - curvature + 1 / len(wins)
    step: Floats = np.linalg.solve(lifted, (wins - played * chance).sum(axis=1))
    return step


def _likelihood(wins: Floats, theta: Floats) -> float:
    from scipy.special import log_expit

    return float((wins * log_expit(theta[:, None] - theta[None, :])).sum())


def components(wins: Floats) -> tuple[int, ...]:
    """The connected component of each model, numbered from 0 by size, equal sizes by their first model."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    if not len(wins):
        return ()
    _, label = connected_components(wins + wins.T > 0, directed=False)
    sizes = np.bincount(label)
    order = sorted(range(len(sizes)), key=lambda c: (-sizes[c], int((label == c).argmax())))
    number = {found: position for position, found in enumerate(order)}
    return tuple(number[int(found)] for found in label)


def centre(theta: Floats, component: Sequence[int], anchor: int | None = None) -> Floats:
    """Strengths minus their component's mean; in the anchor's component minus the anchor's."""
    import numpy as np

    numbers, moved = np.asarray(component), np.array(theta, dtype=float)
    for number in np.unique(numbers):
        members = numbers == number
        anchored = anchor is not None and bool(members[anchor])
        moved[members] -= theta[anchor] if anchored else theta[members].mean()
    return moved


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


def _anchor_index(models: Sequence[str], played: Sequence[bool], anchor: str | None) -> int | None:
    if anchor is None:
        return None
    if anchor not in models or not played[models.index(anchor)]:
        raise BadInput(f"cannot anchor on {anchor!r}: no model of that name has a battle here")
    return models.index(anchor)


def _intervals(
    spread: Spread | None, played: Sequence[bool], anchor: int | None
) -> tuple[tuple[float | None, ...], tuple[str | None, ...]]:
    """Half widths, and why there is none: the anchor's is 0 by definition, any other of no width says nothing."""
    if spread is None:
        return (None,) * len(played), tuple("no prompt ids" if met else "no matches" for met in played)
    found = half_widths(spread)
    reasons = tuple(
        _interval_reason(met, own, None if i == anchor else width)
        for i, (met, own, width) in enumerate(zip(played, spread.own, found, strict=True))
    )
    widths = tuple(None if reason else width for width, reason in zip(found, reasons, strict=True))
    return widths, reasons


def _interval_reason(played: bool, prompts: int, width: float | None) -> str | None:
    if not played:
        return "no matches"
    if prompts < MIN_PROMPTS:
        return f"needs {MIN_PROMPTS} prompts, has {prompts}"
    return "the same on every prompt: no spread to see" if width is not None and width < NO_WIDTH else None


def _moved(ratings: Sequence[float | None], widths: Sequence[float | None], scale: float) -> tuple[float | None, ...]:
    return tuple(
        None if rating is None or width is None else rating + scale * width
        for rating, width in zip(ratings, widths, strict=True)
    )


def _flags(wins: Floats, i: int, record: Record, prompts: int | None) -> tuple[str, ...]:
    """`unbeaten` took every point, `winless` none: such a rating rests on the prior."""
    took, gave = float(wins[i].sum()), float(wins[:, i].sum())
    if took + gave == 0:
        return ("no_matches",)
    found = {
        "unbeaten": gave == 0,
        "winless": took == 0,
        "thin": record.n < THIN_BATTLES,
        "thin_prompts": prompts is not None and prompts < THIN_PROMPTS,
    }
    return tuple(name for name, holds in found.items() if holds)
