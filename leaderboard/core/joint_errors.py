"""How sure the joint model is of its parameters, by itself and clustered by prompt.

All parameters stand in the one vector of `core.davidson`: n ratings, J position effects, J tie parameters, a covariate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.as_seen import Rows
from leaderboard.core.davidson import TOO_LARGE, Expected, Point
from leaderboard.core.intervals import Spread, by_component, small_sample_factor
from leaderboard.core.prompt_sums import Part, Prompts, ScoreSums, by_column, by_model, product, reach
from leaderboard.core.strengths import NotConverged

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Floats, Indices
    from leaderboard.core.prompt_sums import Reach

INVERTED = 1e-3
"""How far the inverse times what it inverts may lie from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Covariances over all parameters (P, P), 0 where one is not free: `model` is the inverse information, `clustered`
    the sandwich by prompt without its factor G / (G - 1), None without prompt ids.
    """

    model: Floats
    clustered: Floats | None = None
    reach: Reach | None = None

    def spread(self, component: Sequence[int], anchor: int | None) -> Spread | None:
        """Covariance of the ratings, each component by itself with its own G / (G - 1); None without prompt ids."""
        import numpy as np

        if self.clustered is None or self.reach is None:
            return None
        clustered, prompts = self.clustered, self.reach.component

        def covariance_of(members: Indices) -> Floats:
            block: Floats = clustered[np.ix_(members, members)]
            return block * small_sample_factor(prompts[int(members[0])])

        return Spread(by_component(covariance_of, component, anchor), prompts, self.reach.own)


def errors_at(rows: Rows, found: Expected, maximum: Point, free: Bools, component: Sequence[int]) -> Errors:
    """`found`: what the maximum expects of each row. `free` (P,): which parameters were fitted.

    NotConverged where the weights leave nothing that can be inverted.
    """
    import numpy as np

    used, size = np.ix_(free, free), len(free)
    inverse, sandwich = np.zeros((size, size)), np.zeros((size, size))
    inverse[used] = _inverse(maximum.information[used])
    if rows.cluster is None:
        return Errors(inverse)
    sums = joint_score_sums(rows, rows.cluster, found, component)
    sandwich[used] = inverse[used] @ sums.outer[used] @ inverse[used]
    if not np.isfinite(sandwich).all():
        raise NotConverged(f"the joint model has no finite errors: {TOO_LARGE}")
    return Errors(inverse, sandwich, sums.reach)


def _inverse(informed: Floats) -> Floats:
    """The inverse, once it has been seen to be one."""
    import numpy as np

    scale = 1 / np.sqrt(np.diag(informed))
    scaled = scale[:, None] * informed * scale
    try:
        inverse = np.linalg.inv(scaled)
    except np.linalg.LinAlgError:
        inverse = np.full_like(scaled, np.nan)
    if not np.abs(inverse @ scaled - np.eye(len(scaled))).max(initial=0.0) < INVERTED:
        raise NotConverged(f"the joint model has no errors: {TOO_LARGE}")
    unscaled: Floats = scale[:, None] * inverse * scale
    return unscaled


def joint_score_sums(rows: Rows, cluster: Indices, found: Expected, component: Sequence[int]) -> ScoreSums:
    """Scores by prompt in all parameters: the rows' weight * (observed - expected) lead and tie."""
    import numpy as np

    lead, tie = rows.weighted(rows.lead - found.lead), rows.weighted(rows.ties - found.tie)
    prompts = Prompts.among(cluster)
    prompt, judged = prompts.places(cluster), (prompts.count, rows.judges)
    models = by_model([Part(prompt, rows.first, rows.second, lead)], (prompts.count, rows.models), len(lead))
    beta = np.zeros(prompts.count) if rows.covariate is None else np.bincount(prompt, lead * rows.covariate)
    tables = [
        models.sums,
        by_column(prompt, rows.judge, lead * rows.known, judged),
        by_column(prompt, rows.judge, tie, judged),
        beta[:, None],
    ]
    outer = np.block([[product(one, other) for other in tables] for one in tables])
    placed = (by_column(prompt, rows.judge, rows.known, judged) > 0).sum(axis=0)
    judges = tuple(np.asarray(placed).ravel().tolist())
    return ScoreSums(outer, replace(reach(models.met, component), judge=judges))
