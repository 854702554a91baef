"""Elo's sequential rating: kept for comparison, because its figures depend on the order of the battles."""

from __future__ import annotations

import math
from dataclasses import replace

from leaderboard.core.fits import CENTRE, SCALE, Convergence, Fit, How, anchor_index, assemble
from leaderboard.core.matrix import Battles, win_matrix
from leaderboard.core.strengths import components, played, residual

ORDER_DEPENDENT = "depends on the order of the battles"


def fit_elo(battles: Battles, how: How) -> Fit:
    """Ratings replayed row after row: each battle moves weight * K * (share - expected) points from one to the other.

    Everybody starts at `how.start`, which stays the mean of each component; with an anchor its component is moved so
    that the anchor stands at 1000. There is no error to give: another order of the same rows has other ratings.
    `convergence.residual` says how far they are from balance. Source: Elo (1978), The Rating of Chessplayers.
    """
    import numpy as np

    wins = win_matrix(battles)
    component = components(wins)
    anchor = anchor_index(battles.models, played(wins), how.anchor)
    theta = (np.asarray(_replayed(battles, how.k, how.start)) - CENTRE) / SCALE
    if anchor is not None:
        theta[np.asarray(component) == component[anchor]] -= theta[anchor]
    fit = assemble(
        battles,
        replace(how, prior=None),
        theta=theta,
        wins=wins,
        component=component,
        spread=None,
        convergence=Convergence(solver="sequential", residual=residual(wins, theta, 0.0), steps=len(battles)),
        no_interval=ORDER_DEPENDENT,
    )
    return replace(fit, flags=tuple(_flagged(flags) for flags in fit.flags))


def _flagged(flags: tuple[str, ...]) -> tuple[str, ...]:
    return flags if "no_matches" in flags else (*flags, "order_dependent")


def _replayed(battles: Battles, k: float, start: float) -> list[float]:
    rating = [start] * len(battles.models)
    weights = [1.0] * len(battles) if battles.weight is None else battles.weight.tolist()
    exp, slope = math.exp, 1 / SCALE
    for a, b, share, weight in zip(
        battles.a.tolist(), battles.b.tolist(), battles.score.tolist(), weights, strict=True
    ):
        apart = (rating[b] - rating[a]) * slope
        moved = weight * k * (share - (1 / (1 + exp(apart)) if apart < 700 else 0.0))
        rating[a] += moved
        rating[b] -= moved
    return rating
