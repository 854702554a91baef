"""Bradley-Terry with one position effect and one tie parameter a judge (Davidson), fitted together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.apart import Untold, enough, own_information, related, telling_prompts, untold
from leaderboard.core.as_seen import Rows, as_seen
from leaderboard.core.davidson import TOO_LARGE, Expected, Held, Maximum, Table, evaluate, expected, maximise
from leaderboard.core.fits import Convergence, Effect, Fit, How, JudgeEffect, anchor_index, assemble
from leaderboard.core.intervals import MIN_PROMPTS, NO_ERROR, NO_SPREAD, few_prompts, small_sample_factor, t_interval
from leaderboard.core.joint_errors import Errors, errors_at
from leaderboard.core.matrix import Battles
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged, bradley_terry, centre, components, played

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
NOT_APART = "position and strength cannot be told apart: see who was shown first"
CONTROL_NOT_APART = "strength and what is controlled for cannot be told apart"
TOLD_BY_FEW = "about {borne:g} prompts tell position and strength apart, needs {enough:g}: see who was shown first"
CONTROL_TOLD_BY_FEW = "about {borne:g} prompts tell strength and what is controlled for apart, needs {enough:g}"
PRIOR_TELLS = "it rests on the prior: the rows hardly tell position and strength apart, see who was shown first"
CONTROL_PRIOR_TELLS = "it rests on the prior: the rows hardly tell strength and what is controlled for apart"
NO_PROMPTS = "no prompt ids: the model's own error, which takes all rows for independent"


def fit_joint(battles: Battles, how: How) -> Fit:
    """Ratings, position effects and tie parameters from rows as they are: a tie is a tie, not two halves.

    Source: `core.davidson`. Rows without a known `first` enter without a position term. Priors, unless `how.prior` is
    0: the phantom of `core.strengths` on the ratings, N(0, 3 logits) on each position effect and on a controlled one.
    Errors are clustered by prompt over all parameters, t(G - 1), G the prompts of the component, or of the judge.

    A judge without ties has nu 0. Judges that tell little leave the ratings sensible, their effect is None with why:
    - only ties: at its limit (nu infinite) such a judge fits perfectly whatever the ratings, so its rows say nothing:
      they link nobody, and a model without any other has no rating;
    - no row with a known `first`: all enter without a position term;
    - without a prior, one position never won: its effect, which has no maximum, is kept finite by the prior of position
      effects and not shown;
    - position and strength not to be told apart (`core.apart`): the models that depend on it have no interval. Where
      few prompts tell the two apart, or all rows together less than the prior of the effect, the effect keeps its logit
      and the model's own error. The same holds of strength and a controlled effect.

    Raises ValueError for a score other than 0, 1/2, 1 or for a control without covariate; NoFiniteMaximum, without a
    prior, where position and strength cannot be told apart; else as `ratings.rate` says.
    """
    import numpy as np

    with np.errstate(all="ignore"):  # what does not come out finite is refused by name
        return _fitted(battles, how)


def _fitted(battles: Battles, how: How) -> Fit:
    seen = as_seen(battles, controlled=how.control is not None)
    _refuse_overflow(seen.table)
    rows, silent = _telling(seen)
    wins = _wins(rows.table)
    component = components(wins)
    anchor = anchor_index(battles.models, played(wins), how.anchor)
    unplaced = _unplaced(rows.table, silent)
    one_sided = _one_sided(rows.table, unplaced)
    unbounded = {} if how.prior else {j: ONE_POSITION.format(position=loser) for j, loser in one_sided.items()}
    model = _model(rows, component, how.prior or 0.0, silent | unplaced, unbounded)
    unset = untold(model.table, model.free, _level(component))
    if unset.effects and not how.prior:
        raise _no_single_maximum(unset, rows, battles)
    maximum = _maximum(rows, model, wins, battles)
    found = _found(rows, model, maximum, component, unset, one_sided)
    spread = found.errors.spread(component, anchor)
    few = _few(found)
    return assemble(
        battles,
        how,
        theta=centre(maximum.vector[: rows.models], component, anchor),
        wins=wins,
        component=component,
        spread=spread and replace(spread, reasons=_no_interval(found, few, anchor)),
        convergence=_convergence(maximum, model.free),
        unrated=_unrated(seen, rows),
        judges=_judges(battles, found, few, silent, silent | unplaced | unbounded, one_sided),
        control=_control(found, few, how.control),
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


def _unrated(seen: Rows, rows: Rows) -> dict[int, str]:
    """Models all of whose rows are of judges that say nothing, with why they have no rating."""
    import numpy as np

    met, telling = ({*np.r_[table.first, table.second].tolist()} for table in (seen.table, rows.table))
    return dict.fromkeys(met - telling, ONLY_TIES)


def _not_apart(unset: Untold, rows: Rows) -> str:
    return NOT_APART if unset.effects[:1] < (rows.models + rows.judges,) else CONTROL_NOT_APART


def _no_single_maximum(unset: Untold, rows: Rows, battles: Battles) -> NoFiniteMaximum:
    """Without a prior nothing chooses between the maxima."""
    import numpy as np

    models = [battles.models[i] for i in np.flatnonzero(unset.models)[:1]]
    named = f"the rating of {models[0]!r}" if models else _names(battles)[unset.effects[0]]
    return NoFiniteMaximum(f"no single maximum without a prior: nothing sets {named}; {_not_apart(unset, rows)}")


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """The table (by row with a covariate), which of its parameters are `free`, and what holds them."""

    table: Table
    free: Bools
    held: Held


def _model(
    rows: Rows, component: Sequence[int], prior: float, no_effect: dict[int, str], unbounded: dict[int, str]
) -> _Model:
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
    level = np.zeros((n, n)) if prior else _level(component)
    return _Model(rows.by_row if free[-1] else table, free, Held(prior=prior, ridge=ridge, level=level))


def _wins(table: Table) -> Floats:
    """The win matrix of a table, with ties as halves."""
    import numpy as np

    n = table.models
    ahead = np.bincount(table.first * n + table.second, table.weight / 2 + table.lead, n * n).reshape(n, n)
    behind = np.bincount(table.second * n + table.first, table.weight / 2 - table.lead, n * n).reshape(n, n)
    return (ahead + behind).astype(float, copy=False)


def _refuse_overflow(table: Table) -> None:
    import numpy as np

    if not np.isfinite(table.weight.sum()):
        raise NotConverged(f"the joint model cannot add up its battles: {TOO_LARGE}")


def _level(component: Sequence[int]) -> Floats:
    """1 / size between members of a component: the level of a component moves no chance, so nothing else sets it."""
    import numpy as np

    numbers = np.asarray(component)
    same = (numbers[:, None] == numbers[None, :]).astype(float)
    level: Floats = same / same.sum(axis=1)
    return level


def _maximum(rows: Rows, model: _Model, wins: Floats, battles: Battles) -> Maximum:
    """From where ties are halves to the maximum; with a covariate from the maximum without it."""
    import numpy as np

    table, names = rows.table, _names(battles)
    start = np.zeros(table.size)
    # Refuses, without a prior, where a group of models never lost: then the joint model has no finite maximum either.
    start[: table.models] = bradley_terry(wins, model.held.prior, battles.models)
    ties, weight = table.by_judge(table.ties), table.by_judge(table.weight)
    tied = ties > 0
    log_nu = np.full(table.judges, -np.inf)
    log_nu[tied] = np.log(2 * ties[tied] / (weight - ties)[tied])
    start[table.models + table.judges : -1] = log_nu
    without = model.free.copy()
    without[-1] = False
    found = maximise(table, start, without, model.held, names)
    return maximise(model.table, found.vector, model.free, model.held, names) if model.free[-1] else found


def _names(battles: Battles) -> list[str]:
    effects = [f"{what} of judge {judge!r}" for what in ("the position effect", "nu") for judge in battles.judges]
    return [*(f"the rating of {model!r}" for model in battles.models), *effects, "the controlled effect"]


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The parameters with their errors, what they expect of the table's observations, and what the rows leave open.

    `resting`: effects, by place, that the prior sets more than the rows do, with why.
    """

    rows: Rows
    model: _Model
    maximum: Maximum
    expected: Expected
    errors: Errors
    component: Sequence[int]
    unset: Untold
    resting: dict[int, str]

    def effect(self, place: int, prompts: int | None, few: str | None = None) -> Effect:
        """One parameter beside the ratings; `prompts`: its G, None without prompt ids; `few`: they tell too little."""
        if place in self.unset.effects:
            return Effect(logit=None, reason=_not_apart(self.unset, self.rows))
        logit, own = float(self.maximum.vector[place]), math.sqrt(float(self.errors.model[place, place]))
        if place in self.resting:
            return Effect(logit=logit, se_model=own, reason=self.resting[place])
        if prompts is None or self.errors.clustered is None:
            return Effect(logit=logit, se=own, se_model=own, reason=NO_PROMPTS)
        variance = max(float(self.errors.clustered[place, place]), 0.0)  # rounding may leave a nothing below 0
        se = math.sqrt(variance * small_sample_factor(prompts))
        if few is not None and prompts >= MIN_PROMPTS:
            return Effect(logit=logit, se_model=own, reason=few)
        return _with_interval(logit, se, own, prompts)


def _found(
    rows: Rows,
    model: _Model,
    maximum: Maximum,
    component: Sequence[int],
    unset: Untold,
    one_sided: dict[int, str],
) -> _Found:
    told = expected(model.table, maximum.vector)[1]
    by_row = told if model.table.cell is not None else told.at(rows.cell)
    errors = errors_at(rows, by_row, maximum.point, model.free, component)
    found = _Found(rows, model, maximum, told, errors, component, unset, {})
    return replace(found, resting=_resting(found, one_sided))


def _told(found: _Found) -> list[int]:
    """Places of the fitted effects on who wins that the rows tell from the strengths at all."""
    n, judges, free = found.rows.models, found.rows.judges, found.model.free
    places = [*range(n, n + judges), len(free) - 1]
    return [place for place in places if free[place] and place not in found.unset.effects]


def _resting(found: _Found, one_sided: dict[int, str]) -> dict[int, str]:
    """Effects on which the rows inform less than the prior, with why: the prior then parts them from the strengths.

    Not one that is large because a position never won, where no rating goes with it.
    """
    import numpy as np

    model, n = found.model, found.rows.models
    unheld = Held(prior=0.0, ridge=np.zeros(model.table.size), level=_level(found.component))
    informed = evaluate(model.table, found.maximum.vector, unheld).information
    resting = {}
    for place in _told(found):
        alone = place - n in one_sided and not related(found.errors.model, place, found.component).any()
        if not alone and own_information(informed, place, model.free) < model.held.ridge[place]:
            resting[place] = CONTROL_PRIOR_TELLS if place == len(model.free) - 1 else PRIOR_TELLS
    return resting


def _few(found: _Found) -> dict[int, str]:
    """Effects, by place, that rest on too few prompts for a clustered error, with how many."""
    model, reach, n = found.model, found.errors.reach, found.rows.models
    if reach is None:
        return {}
    few = {}
    for place in _told(found):
        controlled = place == len(model.free) - 1
        needed = enough(reach.all if controlled else reach.judge[place - n])
        borne = telling_prompts(found.rows, model.table, found.expected, found.errors.model[:, place])
        if borne < needed:
            reason = CONTROL_TOLD_BY_FEW if controlled else TOLD_BY_FEW
            few[place] = reason.format(borne=math.floor(10 * borne) / 10, enough=needed)
    return few


def _no_interval(found: _Found, few: dict[int, str], anchor: int | None) -> tuple[str | None, ...]:
    """Why a rating has none: it moves with an effect that the rows leave open, or that few prompts or the prior set.

    Where that holds of the anchor, it holds of everybody who is measured from it.
    """
    why = _not_apart(found.unset, found.rows)
    reasons: list[str | None] = [why if moves else None for moves in found.unset.models]
    for place, reason in (few | found.resting).items():
        hit = related(found.errors.model, place, found.component)
        reasons = [here or (reason if moves else None) for here, moves in zip(reasons, hit, strict=True)]
    if anchor is None or reasons[anchor] is None:
        return tuple(reasons)
    home = found.component[anchor]
    return tuple(
        reasons[anchor] if number == home else here for here, number in zip(reasons, found.component, strict=True)
    )


def _with_interval(logit: float, se: float, own: float, prompts: int) -> Effect:
    if few := few_prompts(prompts):
        return Effect(logit=logit, se=se if prompts > 1 else None, se_model=own, reason=few)
    if se <= NO_ERROR:
        return Effect(logit=logit, se_model=own, reason=NO_SPREAD)
    lower, upper, p_value = t_interval(logit, se, prompts - 1)
    return Effect(logit=logit, se=se, se_model=own, lower=lower, upper=upper, p_value=p_value)


def _judges(
    battles: Battles,
    found: _Found,
    few: dict[int, str],
    silent: dict[int, str],
    missing: dict[int, str],
    one_sided: dict[int, str],
) -> tuple[JudgeEffect, ...]:
    log_nu = found.maximum.vector[len(battles.models) + len(battles.judges) : -1]
    return tuple(
        JudgeEffect(
            judge=name,
            first_position=Effect(logit=None, reason=missing[j])
            if j in missing
            else _first_position(found, j, few, one_sided.get(j)),
            nu=None if j in silent else math.exp(log_nu[j]),
            tie_reason=silent.get(j),
        )
        for j, name in enumerate(battles.judges)
    )


def _first_position(found: _Found, judge: int, few: dict[int, str], loser: str | None) -> Effect:
    reach, place = found.errors.reach, found.rows.models + judge
    effect = found.effect(place, reach.judge[judge] if reach else None, few.get(place))
    if loser is None or effect.reason is not None:
        return effect
    return replace(effect, reason=RESTS_ON_PRIOR.format(position=loser))


def _control(found: _Found, few: dict[int, str], control: str | None) -> Effect | None:
    if control is None:
        return None
    if not found.model.free[-1]:
        return Effect(logit=None, reason=f"no two answers differ in {control}")
    place, reach = len(found.model.free) - 1, found.errors.reach
    return found.effect(place, reach.all if reach else None, few.get(place))


def _convergence(maximum: Maximum, free: Bools) -> Convergence:
    import numpy as np

    residual = float(np.abs(maximum.point.gradient[free]).max(initial=0.0))
    return Convergence(solver="newton", residual=residual, steps=maximum.steps)
