"""The rating methods by name: each turns battles into one `Fit` that says how it was made."""

from __future__ import annotations

from collections.abc import Callable

from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.elo import fit_elo
from leaderboard.core.fits import Fit, How
from leaderboard.core.joint import fit_joint
from leaderboard.core.matrix import Battles

METHODS: dict[str, Callable[[Battles, How], Fit]] = {"bt": fit_bt, "joint": fit_joint, "elo": fit_elo}


def rate(battles: Battles, how: How) -> Fit:
    """The fit by the method that `how` names. Rows of weight 0 are no evidence: no method and no count sees them.

    BadInput for an anchor without a battle; NoFiniteMaximum (a ValueError that names a model) where there is no prior
    and no finite maximum; NotConverged when no solver reaches the maximum.
    """
    return METHODS[how.method](battles.weighty(), how)
