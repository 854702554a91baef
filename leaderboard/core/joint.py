"""Bradley-Terry with one position effect and one tie parameter a judge (Davidson), fitted together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.as_seen import Rows, as_seen
from leaderboard.core.davidson import Held, Maximum, Table, expected, laplacian, maximise
from leaderboard.core.fits import Convergence, Effect, Fit, How, JudgeEffect, anchor_index, assemble
from leaderboard.core.intervals import NO_ERROR, NO_SPREAD, few_prompts, small_sample_factor, t_interval
from leaderboard.core.joint_errors import Errors, errors_at
from leaderboard.core.matrix import Battles, win_matrix
from leaderboard.core.strengths import bradley_terry, centre, components, played

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Floats

EFFECT_SD = 3.0
"""Standard deviation, in logits, of the prior of a position effect and of a controlled effect."""
ROUNDING = 1e-9

NO_BATTLES = "no battles"
ONLY_TIES = "every outcome is a tie"
NO_FIRST = "no row says which answer was shown first"
ONE_POSITION = "the {position} position never won: no finite effect without a prior"
RESTS_ON_PRIOR = "the {position} position never won: its size rests on the prior"
NOT_APART = "position and strength cannot be told apart: the pairs were not shown in both orders"
NO_PROMPTS = "no prompt ids: the model's own error, which takes all rows for independent"


def fit_joint(battles: Battles, how: How) -> Fit:
    """Ratings, position effects and tie parameters from rows as they are: a tie is a tie, not two halves.

    Source: `core.davidson`. Rows without a known `first` enter without a position term. Priors, unless `how.prior` is
    0: the phantom of `core.strengths` on the ratings, N(0, 3 logits) on each position effect and on a controlled one.
    Errors are clustered by prompt over all parameters, t(G - 1), G the prompts of the component, or of the judge.

    A judge without ties has nu 0. Judges that tell little leave the ratings sensible, their effect is None with why:
    - only ties: at its limit (nu infinite) such a judge fits perfectly whatever the ratings, so its rows say nothing;
    - no row with a known `first`: all enter without a position term;
    - without a prior, one position never won, or position and strength are not to be told apart: its effect, which has
      no maximum, is kept finite by the prior of position effects and not shown.

    Raises ValueError for a score other than 0, 1/2, 1 or for a control without covariate; else as `ratings.rate` says.
    """
    wins = win_matrix(battles)
    component = components(wins)
    anchor = anchor_index(battles.models, played(wins), how.anchor)
    rows, silent = _telling(as_seen(battles, controlled=how.control is not None))
    unplaced = _unplaced(rows.table, silent)
    one_sided = _one_sided(rows.table, unplaced)
    unbounded = {} if how.prior else _unbounded(rows.table, unplaced, one_sided)
    model = _model(rows, how.prior or 0.0, silent | unplaced, unbounded)
    maximum = _maximum(rows, model, battles)
    errors = _errors(rows, model, maximum, component)
    effects = _Effects(maximum.vector, errors)
    return assemble(
        battles,
        how,
        theta=centre(maximum.vector[: rows.models], component, anchor),
        wins=wins,
        component=component,
        spread=errors.spread(component, anchor),
        convergence=_convergence(maximum, model.free),
        judges=_judges(battles, effects, silent, silent | unplaced | unbounded, one_sided),
        control=_control(rows, effects, how.control),
    )


def _telling(rows: Rows) -> tuple[Rows, dict[int, str]]:
    """The rows without judges that say nothing about anybody, and who they are: no battles, or ties alone."""
    import numpy as np

    weight, ties = rows.table.by_judge(rows.table.weight), rows.table.by_judge(rows.table.ties)
    silent = {j: ONLY_TIES if weight[j] else NO_BATTLES for j in range(rows.judges) if ties[j] >= weight[j]}
    some = ONLY_TIES in silent.values()
    return rows.where(~np.isin(rows.judge, list(silent))) if some else rows, silent


def _unplaced(table: Table, silent: dict[int, str]) -> dict[int, str]:
    """Judges of whom no row says what they saw first."""
    placed = table.by_judge(table.weight * table.known)
    return {j: NO_FIRST for j in range(table.judges) if j not in silent and not placed[j]}


def _one_sided(table: Table, unplaced: dict[int, str]) -> dict[int, str]:
    """Judges in whose eyes one position never won, and which."""
    decided, lead = (table.by_judge(table.known * values) / 2 for values in (table.weight - table.ties, 2 * table.lead))
    judges = [j for j, weight in enumerate(table.by_judge(table.weight)) if weight and j not in unplaced]
    won = {"first": decided + lead, "second": decided - lead}
    return {j: position for position, count in won.items() for j in judges if count[j] <= ROUNDING * decided[j] > 0}


def _unbounded(table: Table, unplaced: dict[int, str], one_sided: dict[int, str]) -> dict[int, str]:
    """Judges whose position effect has no maximum of its own, with why."""
    other = [j for j, weight in enumerate(table.by_judge(table.weight)) if weight and j not in unplaced | one_sided]
    never = {j: ONE_POSITION.format(position=position) for j, position in one_sided.items()}
    return dict.fromkeys(_not_apart(table, other), NOT_APART) | never


def _not_apart(table: Table, judges: list[int]) -> list[int]:
    """Judges whose column in the design is a sum of models' columns and earlier judges': what is left of it is 0."""
    import numpy as np

    there = (table.weight > 0).astype(float)
    columns, own = table.contrasts(there * table.known)[judges], table.by_judge(there * table.known)[judges]
    inverse = np.linalg.pinv(laplacian(table, there), rcond=ROUNDING, hermitian=True)
    left = np.diag(own) - columns @ inverse @ columns.T
    found = []
    for k, j in enumerate(judges):
        if left[k, k] <= ROUNDING * own[k]:
            found.append(j)
        else:
            left = left - np.outer(left[:, k], left[k]) / left[k, k]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """The table, which of its parameters are `free`, and what holds them."""

    table: Table
    free: Bools
    held: Held


def _model(rows: Rows, prior: float, no_effect: dict[int, str], unbounded: dict[int, str]) -> _Model:
    import numpy as np

    table, n, judges = rows.table, rows.models, rows.judges
    free, ridge = np.zeros(table.size, dtype=bool), np.zeros(table.size)
    placed = [n + j for j in range(judges) if j not in no_effect]
    free[:n] = True
    free[placed] = True
    free[n + judges : -1] = table.by_judge(table.ties) > 0
    free[-1] = rows.covariate is not None and bool(rows.covariate.any())
    ridged = [*placed, table.size - 1] if prior else [n + j for j in unbounded]
    ridge[ridged] = 1 / EFFECT_SD**2
    level = np.zeros((n, n)) if prior else _level(components(_wins(table)))
    return _Model(table, free, Held(prior=prior, ridge=ridge, level=level))


def _wins(table: Table) -> Floats:
    """The win matrix of a table, with ties as halves."""
    import numpy as np

    n = table.models
    ahead = np.bincount(table.first * n + table.second, table.weight / 2 + table.lead, n * n).reshape(n, n)
    behind = np.bincount(table.second * n + table.first, table.weight / 2 - table.lead, n * n).reshape(n, n)
    return (ahead + behind).astype(float, copy=False)


def _level(component: Sequence[int]) -> Floats:
    """1 / size between members of a component: the level of a component moves no chance, so nothing else sets it."""
    import numpy as np

    numbers = np.asarray(component)
    same = (numbers[:, None] == numbers[None, :]).astype(float)
    level: Floats = same / same.sum(axis=1)
    return level


def _maximum(rows: Rows, model: _Model, battles: Battles) -> Maximum:
    """From where ties are halves to the maximum; with a covariate from the maximum without it."""
    import numpy as np

    table, names = model.table, _names(battles)
    start = np.zeros(table.size)
    # Refuses, without a prior, where a group of models never lost: then the joint model has no finite maximum either.
    start[: table.models] = bradley_terry(_wins(table), model.held.prior, battles.models)
    ties, weight = table.by_judge(table.ties), table.by_judge(table.weight)
    tied = ties > 0
    log_nu = np.full(table.judges, -np.inf)
    log_nu[tied] = np.log(2 * ties[tied] / (weight - ties)[tied])
    start[table.models + table.judges : -1] = log_nu
    without = model.free.copy()
    without[-1] = False
    found = maximise(table, start, without, model.held, names)
    return maximise(rows.by_row, found.vector, model.free, model.held, names) if model.free[-1] else found


def _names(battles: Battles) -> list[str]:
    effects = [f"{what} of judge {judge!r}" for what in ("the position effect", "nu") for judge in battles.judges]
    return [*(f"the rating of {model!r}" for model in battles.models), *effects, "the controlled effect"]


def _errors(rows: Rows, model: _Model, maximum: Maximum, component: Sequence[int]) -> Errors:
    by_row = model.free[-1]
    table = rows.by_row if by_row else rows.table
    found = expected(table, maximum.vector)[1]
    return errors_at(rows, found if by_row else found.at(rows.cell), maximum.point, model.free, component)


@dataclass(frozen=True, slots=True, eq=False)
class _Effects:
    """The parameters beside the ratings, with their errors."""

    vector: Floats
    errors: Errors

    def at(self, place: int, prompts: int | None) -> Effect:
        """One parameter; `prompts` is its G, None without prompt ids."""
        logit, own = float(self.vector[place]), math.sqrt(float(self.errors.model[place, place]))
        if prompts is None or self.errors.clustered is None:
            return Effect(logit=logit, se=own, se_model=own, reason=NO_PROMPTS)
        variance = max(float(self.errors.clustered[place, place]), 0.0)  # rounding may leave a nothing below 0
        se = math.sqrt(variance * small_sample_factor(prompts))
        return _with_interval(logit, se, own, prompts)


def _with_interval(logit: float, se: float, own: float, prompts: int) -> Effect:
    if few := few_prompts(prompts):
        return Effect(logit=logit, se=se if prompts > 1 else None, se_model=own, reason=few)
    if se <= NO_ERROR:
        return Effect(logit=logit, se_model=own, reason=NO_SPREAD)
    lower, upper, p_value = t_interval(logit, se, prompts - 1)
    return Effect(logit=logit, se=se, se_model=own, lower=lower, upper=upper, p_value=p_value)


def _judges(
    battles: Battles, effects: _Effects, silent: dict[int, str], missing: dict[int, str], one_sided: dict[int, str]
) -> tuple[JudgeEffect, ...]:
    n, judges = len(battles.models), len(battles.judges)
    log_nu = effects.vector[n + judges : -1]
    return tuple(
        JudgeEffect(
            judge=name,
            first_position=Effect(logit=None, reason=missing[j])
            if j in missing
            else _first_position(effects, n + j, j, one_sided.get(j)),
            nu=None if j in silent else math.exp(log_nu[j]),
            tie_reason=silent.get(j),
        )
        for j, name in enumerate(battles.judges)
    )


def _first_position(effects: _Effects, place: int, judge: int, loser: str | None) -> Effect:
    reach = effects.errors.reach
    found = effects.at(place, reach.judge[judge] if reach else None)
    if loser is None or found.reason is not None:
        return found
    return replace(found, reason=RESTS_ON_PRIOR.format(position=loser))


def _control(rows: Rows, effects: _Effects, control: str | None) -> Effect | None:
    if control is None:
        return None
    if rows.covariate is None or not rows.covariate.any():
        return Effect(logit=None, reason=f"no two answers differ in {control}")
    return effects.at(len(effects.vector) - 1, effects.errors.reach.all if effects.errors.reach else None)


def _convergence(maximum: Maximum, free: Bools) -> Convergence:
    import numpy as np

    residual = float(np.abs(maximum.point.gradient[free]).max(initial=0.0))
    return Convergence(solver="newton", residual=residual, steps=maximum.steps)
