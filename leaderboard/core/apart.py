"""Whether the rows tell an effect (of position, or a controlled one) from the strengths, and how many prompts do.

Who is always shown first may lead by strength or by place. The rows tell the two apart where pairs were shown in both
orders, or where chains of pairs leave no other way out; length from strength, where the same two differ by more on one
prompt than on another. Parameters stand in the one vector of `core.davidson`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.davidson import even_information
from leaderboard.core.intervals import MIN_PROMPTS, by_component
from leaderboard.core.strengths import centre

if TYPE_CHECKING:
    from leaderboard.core.as_seen import Rows
    from leaderboard.core.davidson import Expected, Table
    from leaderboard.core.matrix import Bools, Floats, Indices

FLAT = 1e-9
"""Of what an effect tells in all, relative: what the strengths leave of it up to this is rounding."""
MOVED = 1e-6
"""Logits a logit of effect: a rating that moves by less does not move."""
RELATED = 0.1
"""Correlation of a rating with an effect: from here on its error rests on the effect's."""


@dataclass(frozen=True, slots=True, eq=False)
class Untold:
    """Parameters that the rows alone do not set: some can move together and every chance stays as it is.

    `effects`: the places of position effects and of the controlled one. `models` (n,): whose rating moves with them.
    """

    effects: tuple[int, ...]
    models: Bools


def untold(table: Table, free: Bools, level: Floats) -> Untold:
    """`free` (P,): the fitted parameters. `level` (n, n) lifts the common level of each component."""
    import numpy as np

    informed, n = even_information(table), table.models
    places = _effects(table, free)
    strengths, cross = informed[:n, :n] + level, informed[np.ix_(places, np.arange(n))]
    follows = -np.linalg.solve(strengths, cross.T)
    left = informed[np.ix_(places, places)] + cross @ follows
    scale = 1 / np.sqrt(np.diag(informed)[places])
    values, vectors = np.linalg.eigh(scale[:, None] * left * scale)
    nothing = vectors[:, values <= FLAT]
    moved = follows @ (scale[:, None] * nothing)
    return Untold(
        effects=tuple(places[(np.abs(nothing) > MOVED).any(axis=1)].tolist()),
        models=(np.abs(moved) > MOVED * np.abs(scale[:, None] * nothing).max(initial=0.0)).any(axis=1),
    )


def _effects(table: Table, free: Bools) -> Indices:
    """Where the fitted effects on who wins stand: the positions', and the controlled one."""
    import numpy as np

    places = np.append(np.arange(table.models, table.models + table.judges), table.size - 1)
    fitted: Indices = places[free[places]]
    return fitted


def own_information(informed: Floats, place: int, free: Bools) -> float:
    """What the rows tell of one parameter once all others are fitted: the Schur complement, 1 / logit^2.

    `informed` (P, P): the rows' information without any prior. What of the others cannot be told takes nothing away.
    """
    import numpy as np

    others = free.copy()
    others[place] = False
    scale = 1 / np.sqrt(np.maximum(np.diag(informed), np.finfo(float).tiny))
    scaled = scale[:, None] * informed * scale
    cross = scaled[place, others]
    known = scaled[np.ix_(others, others)] + FLAT * np.eye(len(cross))
    left = scaled[place, place] - cross @ np.linalg.solve(known, cross)
    return max(float(left / scale[place] ** 2), 0.0)


def telling_prompts(rows: Rows, table: Table, found: Expected, direction: Floats) -> float:
    """By how many prompts an estimate is borne: (sum w)^2 / sum w^2, w a prompt's own information along `direction`.

    `direction` (P,): the estimate's column of the inverse information. `found`: by observation of `table`.
    """
    import numpy as np

    if rows.cluster is None:
        raise ValueError("without prompt ids there are no prompts to count")
    along = _along(table, found, direction)
    by_row = along if table.cell is not None else along[rows.cell]
    borne = np.bincount(rows.cluster, rows.weighted(by_row)).astype(float)
    share = borne / (borne.sum() or 1.0)
    return float(1 / (share**2).sum()) if share.any() else 0.0


def _along(table: Table, found: Expected, direction: Floats) -> Floats:
    """x' I x of each observation, I its information of weight 1."""
    theta, delta, nu, beta = table.split(direction)
    lead, tie = theta[table.first] - theta[table.second] + delta[table.judge] * table.known, nu[table.judge]
    if table.cell is not None:
        lead, tie = lead[table.cell], tie[table.cell]
    if table.covariate is not None:
        lead = lead + beta * table.covariate
    variance, drawn = (1 - found.tie) / 4 - found.lead**2, found.tie * (1 - found.tie)
    along: Floats = lead**2 * variance - 2 * lead * tie * found.lead * found.tie + tie**2 * drawn
    return along


def enough(prompts: int) -> float:
    """How many of so many prompts must tell effect and strength apart for a clustered error to mean anything."""
    return min(float(MIN_PROMPTS), prompts / 2)


def related(inverse: Floats, place: int, component: Sequence[int]) -> Bools:
    """Shape (n,): whose centred rating is correlated with the effect at `place`. `inverse`: of the information."""
    import numpy as np

    n = len(component)
    spread = np.diag(by_component(lambda members: inverse[np.ix_(members, members)], component, None))
    both = centre(inverse[:n, place], component)
    found: Bools = both**2 > RELATED**2 * np.clip(spread, 0, None) * inverse[place, place]
    return found
