"""Rating a judge's lists from what the history holds, and keeping the fits."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.core.fits import Fit, How
from leaderboard.core.judged import by_order, under_policy
from leaderboard.core.ratings import METHODS
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged
from leaderboard.core.types import Judge, Model, Prompt, Stage
from leaderboard.history.records import PromptFacts, RatingFacts
from leaderboard.history.writer import History
from leaderboard.ledger import models as model_rows
from leaderboard.tournament.battles import fielded
from leaderboard.tournament.gating import trial_of
from leaderboard.tournament.lists import Bench, Ground, Methods, Trial, prepared, records
from leaderboard.tournament.office import Office
from leaderboard.tournament.shown import as_sent
from leaderboard.tournament.standing import Contestant

KEPT_BY_BT = "the joint model did not converge ({why}): the keep rule reads plain Bradley-Terry"
KEPT_BY_NONE = "no screening fit could be made ({why}): everybody has a claim, up to the cap"


def screening_fit(
    history: History, judge: Judge, models: Iterable[str], methods: Methods = METHODS
) -> tuple[Fit | None, tuple[str, ...]]:
    """The fit that the keep rule reads: the joint model over the single passes of these models.

    Where it cannot be made, plain Bradley-Terry over the same passes, or None; with a note that says so.
    """
    judged = fielded(history.rating_facts(Stage.SCREENING, judge.id, judge.fingerprint), models).judged
    try:
        return methods["joint"](by_order(judged), How(method="joint")), ()
    except (NotConverged, NoFiniteMaximum) as error:
        by_bt = KEPT_BY_BT.format(why=error)
    try:
        return methods["bt"](under_policy(judged, "tie"), How(policy="tie")), (by_bt,)
    except (NotConverged, NoFiniteMaximum) as error:
        return None, (KEPT_BY_NONE.format(why=error),)


def refit(office: Office, judge: Judge, run: str, methods: Methods = METHODS) -> None:
    """Rate both lists from what the history holds and append the fits that say something new.

    A fit that cannot be made is appended with the reason; the others are made all the same.
    """
    office.history.append_fits(list(records(_ground(office, judge, run, methods))))


def _ground(office: Office, judge: Judge, run: str, methods: Methods) -> Ground:
    with office.ledger.read() as tx:
        registered = model_rows.all(tx)
    history, settings = office.history, office.settings
    return prepared(
        Bench(
            id=judge.id,
            fingerprint=judge.fingerprint,
            family=judge.family,
            simulated=judge.endpoint.simulated,
            parameters=as_sent(judge.endpoint),
        ),
        history.rating_facts(Stage.VALIDATION, judge.id, judge.fingerprint, lengths=True),
        history.rating_facts(Stage.SCREENING, judge.id, judge.fingerprint),
        models={model.id: _contestant(model) for model in registered},
        prompts=[_prompt(prompt) for prompt in office.prompts()],
        k=settings.top_k,
        at=office.now(),
        trial=lambda validation: _trial(office, judge, validation),
        run=run,
        methods=methods,
    )


def _contestant(model: Model) -> Contestant:
    simulated = model.endpoint is not None and model.endpoint.simulated
    return Contestant(family=model.family, simulated=simulated, active=model.state == "active")


def _prompt(prompt: Prompt) -> PromptFacts:
    return PromptFacts(prompt.id, category=prompt.category, language=prompt.language, group=prompt.group)


def _trial(office: Office, judge: Judge, validation: RatingFacts) -> Trial:
    """The judge's gate over all its validation pairings: worn as a badge, or holding the list back where it fails."""
    return trial_of(
        validation,
        office.history.reading_counts(judge.id, judge.fingerprint),
        threshold=office.settings.gate_threshold,
        protocol=judge.protocol,
        blocks=office.settings.gate == "block",
    )
