"""Bradley and Terry's model: the chance that i beats j is logistic in theta_i - theta_j.

A tie is half a win to each.
"""

from __future__ import annotations

from leaderboard.core.fits import Convergence, Fit, How, anchor_index, assemble
from leaderboard.core.intervals import clustered_spread
from leaderboard.core.matrix import Battles, win_matrix
from leaderboard.core.strengths import centre, components, played, residual, solve


def fit_bt(battles: Battles, how: How) -> Fit:
    """Ratings from all battles at once, with 95 % intervals clustered by prompt.

    Source: Bradley and Terry (1952), Biometrika 39, 324-345; the prior is the phantom of `core.strengths`. Raises as
    `ratings.rate` says.
    """
    wins, prior = win_matrix(battles), how.prior or 0.0
    component = components(wins)
    anchor = anchor_index(battles.models, played(wins), how.anchor)
    found = solve(wins, prior, battles.models)
    spread = None
    if battles.cluster is not None:
        spread = clustered_spread(battles, found.theta, component, prior=prior, anchor=anchor, wins=wins)
    off = residual(wins, found.theta, prior)
    return assemble(
        battles,
        how,
        theta=centre(found.theta, component, anchor),
        wins=wins,
        component=component,
        spread=spread,
        convergence=Convergence(solver=found.solver, residual=off, steps=found.steps),
    )
