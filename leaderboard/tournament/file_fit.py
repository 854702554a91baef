"""The fit of a battles file: no tournament, no stores, the same core and the same names as the board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from leaderboard.core.control import standardised
from leaderboard.core.fits import Fit, How, how_high
from leaderboard.core.folding import fold, folded_count
from leaderboard.core.judged import MISSING, under_policy
from leaderboard.core.matrix import Battles
from leaderboard.core.ratings import rate
from leaderboard.core.separation import top_chances
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged
from leaderboard.errors import BadInput, LeaderboardError
from leaderboard.tournament.fit_head import INTERVALS, control_json, judges_json, versions
from leaderboard.tournament.standing import figures

if TYPE_CHECKING:
    from leaderboard.formats.battle_files import BattleFile

ORDER_NOTE = "Elo depends on the order of the battles: another order of the same rows gives other ratings."
Json = dict[str, Any]
Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """The battles that a fit takes of a file.

    `folded`: pairings read in both orders. `incomplete`: pairings with an order of which no row has a verdict, which no
    policy counts. `weightless`: rows of weight 0, which are no evidence.
    """

    battles: Battles
    folded: int = 0
    incomplete: int = 0
    weightless: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFit:
    """A file, what was taken of it, the fit. Beside it, if they were asked for: `controlled`, the fit with the lengths
    held equal, and `bootstrap`, (lower, upper) by model in Elo points.
    """

    file: BattleFile
    taken: Folded
    fit: Fit
    controlled: Fit | None = None
    bootstrap: tuple[Bounds, ...] | None = None


def fit_file(file: BattleFile, how: How, *, rounds: int | None = None, seed: int = 0) -> FileFit:
    """Rate a file. `how.control`: beside the plain fit. `rounds`: of the bootstrap over prompts, None for none.

    BadInput for an unknown anchor, where nothing is left to rate, or where there is no finite maximum without a prior;
    LeaderboardError where no solver reaches it.
    """
    taken = _taken(file, how)
    if not len(taken.battles):
        raise BadInput(f"no battle is left to rate: {_why_none(taken, file.rows, how)}")
    how = replace(how, versions=versions())
    plain = _refused(lambda: rate(taken.battles, replace(how, control=None)))
    return FileFit(
        file=file,
        taken=taken,
        fit=plain,
        controlled=None if how.control is None else _refused(lambda: rate(_measured(taken.battles), how)),
        bootstrap=None if rounds is None else _bootstrap(taken.battles, plain, rounds, seed),
    )


def _taken(file: BattleFile, how: How) -> Folded:
    heavy = _weighty(file)
    asked, weightless = heavy.asked, file.rows - heavy.rows
    if how.policy is None or asked.first is None or asked.cluster is None:
        return Folded(battles=heavy.battles, weightless=weightless)
    judged = fold(asked, heavy.unread)
    return Folded(
        battles=under_policy(judged, how.policy),
        folded=folded_count(judged),
        incomplete=int((judged.outcome == MISSING).sum()),
        weightless=weightless,
    )


def _weighty(file: BattleFile) -> BattleFile:
    """The file without its rows of weight 0."""
    weight = file.asked.weight
    if weight is None or weight.all():
        return file
    return replace(file, asked=file.asked.weighty(), unread=None if file.unread is None else file.unread[weight > 0])


def _why_none(taken: Folded, rows: int, how: How) -> str:
    if taken.weightless == rows:
        return f"all {rows} rows weigh 0"
    left = f"the {rows - taken.weightless} rows" + (" that weigh more than 0" if taken.weightless else "")
    return f"policy {how.policy} counts none of {left}" if how.policy else f"none of {left} has a verdict"


def _refused(made: Callable[[], Any]) -> Any:
    """A fit that cannot be made, as a refusal."""
    try:
        return made()
    except NoFiniteMaximum as error:
        raise BadInput(f"{error}\nleave --no-prior out, or leave such models out of the file") from None
    except NotConverged as error:
        raise LeaderboardError(f"the fit did not converge: {error}") from None


def _measured(battles: Battles) -> Battles:
    """The battles of known lengths; see `core.control` for the covariate."""
    import numpy as np

    if battles.covariate is None:
        raise BadInput("--control length needs the columns length_a and length_b, in characters or tokens")
    measured = battles.where(np.isfinite(battles.covariate))
    if measured.covariate is None or not len(measured):
        raise BadInput("--control length: no row has both lengths")
    return replace(measured, covariate=standardised(measured.covariate))


def _bootstrap(battles: Battles, fit: Fit, rounds: int, seed: int) -> tuple[Bounds, ...]:
    """Percentiles of the ratings over draws of prompts; None where the fit itself gives no interval."""
    from leaderboard.core.bootstrap import percentile_bounds, prompt_bootstrap

    if battles.cluster is None:
        raise BadInput("--bootstrap draws prompts: it needs a prompt_id in every row")
    lower, upper = percentile_bounds(_refused(lambda: prompt_bootstrap(battles, fit.how, rounds=rounds, seed=seed)))
    return tuple(
        (None, None) if end is None else (how_high(low), how_high(high))
        for end, low, high in zip(fit.lower, lower, upper, strict=True)
    )


def as_json(found: FileFit) -> Json:
    """The fit with the names of the contract, NaN nowhere."""
    fit, how = found.fit, found.fit.how
    return {
        "method": how.method,
        "policy": how.policy,
        "prior": how.prior,
        "anchor": how.anchor,
        "scope": how.scope,
        **({"k": how.k, "start": how.start} if how.method == "elo" else {}),
        "rows": found.file.rows,
        "missing": found.file.missing,
        "folded": found.taken.folded,
        "incomplete": found.taken.incomplete,
        "n_battles": fit.n_battles,
        "n_prompts": fit.n_prompts,
        "components": fit.n_components,
        "standings": _standings(found),
        "judges": judges_json(fit.judges),
        "control": _control(found),
        "intervals": INTERVALS[how.method] if fit.n_prompts is not None or how.method == "elo" else None,
        "convergence": asdict(fit.convergence),
        "versions": dict(how.versions),
        "notes": _notes(found),
    }


def _standings(found: FileFit) -> list[Json]:
    """By component, rank and name; models without a battle last."""
    fit, top = found.fit, top_chances(found.fit, 1)
    rows = [figures(fit, i) | {"flags": list(fit.flags[i]), "p_top1": top[i]} for i in range(len(fit.models))]
    for i, row in enumerate(rows):
        if found.controlled is not None:
            row["controlled"] = _beside(found.controlled, i)
        if found.bootstrap is not None:
            row["bootstrap_lower"], row["bootstrap_upper"] = found.bootstrap[i]
    return sorted(rows, key=lambda row: (row["rank"] is None, row["component"], row["rank"] or 0, row["model"]))


def _beside(fit: Fit, i: int) -> Json:
    names = ("rating", "lower", "upper", "rank", "rank_lower", "rank_upper")
    found = figures(fit, i)
    return {name: found[name] for name in names}


def _control(found: FileFit) -> Json | None:
    controlled = found.controlled
    return None if controlled is None else control_json(controlled, found.fit.n_battles - controlled.n_battles)


def _notes(found: FileFit) -> list[str]:
    missing, incomplete, weightless = found.file.missing, found.taken.incomplete, found.taken.weightless
    said = {
        f"rows without a verdict, left out and not counted as ties: {missing} of {found.file.rows}": missing,
        f"rows of weight 0, left out: {weightless} of {found.file.rows}": weightless,
        f"pairings with an order that has no verdict, left out: {incomplete}": incomplete,
        ORDER_NOTE: found.fit.how.method == "elo",
    }
    return [*found.file.notes, *(note for note, holds in said.items() if holds)]
