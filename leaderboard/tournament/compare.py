"""Is one model better than another? The decision of a judge's verdicts, and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.fits import SCALE, Fit, How
from leaderboard.core.judged import SHARES, under_policy
from leaderboard.core.ratings import rate
from leaderboard.core.separation import Difference, difference
from leaderboard.core.strengths import NotConverged
from leaderboard.core.types import Stage
from leaderboard.errors import BadInput
from leaderboard.history.records import FitKey, RatingFacts, Row
from leaderboard.tournament.battles import battles_for, decided_models
from leaderboard.tournament.registered import require_model
from leaderboard.tournament.scopes import OVERALL, TRAITS, in_scope, scopes_of
from leaderboard.tournament.screened_only import screened_only
from leaderboard.tournament.settling import DECIDED, prices, settling, unused

if TYPE_CHECKING:
    from leaderboard.core.matrix import Battles
    from leaderboard.history.reader import SnapshotReader

A, B, NOT_SETTLED = "a", "b", "not_settled"

HELD_BACK = 'the judge fails its gate and tournament.toml says gate = "block": nothing is decided'
UNMADE = "the ratings could not be made: {reason}"
DISAGREE = "The fits disagree on who is better, and at least one of them separates the two."
GATE_FAILED = "The judge fails the swap-consistency gate: order decides too often."
LOOKS = "The {n} figures by category, language and group describe: among so many looks some differ by chance."


@dataclass(frozen=True, slots=True)
class Question:
    """Is `a` better than `b` by more than `least` Elo points? BadInput for one model twice, or a bad `least`."""

    a: str
    b: str
    least: float = 0.0

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise BadInput(f"{self.a!r} cannot be compared with itself: name two models")
        if not 0 <= self.least < math.inf:
            raise BadInput(f"min_effect {self.least:g}: must be a number of Elo points, 0 or more")

    @property
    def models(self) -> tuple[str, str]:
        return self.a, self.b

    def decided(self, found: Difference) -> tuple[str, str | None]:
        """The decision, or why there is none: the 95 % interval must lie beyond the least effect."""
        if found.lower is None or found.upper is None:
            return NOT_SETTLED, found.reason
        if SCALE * found.lower > self.least:
            return A, None
        if SCALE * found.upper < -self.least:
            return B, None
        what = "holds 0 Elo" if self.least == 0 else f"does not lie beyond {self.least:g} Elo"
        return NOT_SETTLED, f"the 95 % interval {what}"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The verdicts of one stage in one scope.

    `closed`: why they decide nothing, whatever the figures are. `unmade`: why the judge has no ratings at all.
    """

    facts: RatingFacts
    screened: bool
    scope: str
    closed: str | None = None
    unmade: str | None = None

    @property
    def keys(self) -> list[FitKey]:
        """The fits they carry; the first one decides. A single pass has one order: no policy applies to it."""
        joint = FitKey(self.scope, "joint", None)
        return [joint] if self.screened else [*(FitKey(self.scope, "bt", policy) for policy in SHARES), joint]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What one fit says of the two; `fit` is None where they have no match in it, or where it did not converge."""

    key: FitKey
    difference: Difference
    fit: Fit | None = None


def compare(
    reader: SnapshotReader,
    a: str,
    b: str,
    *,
    judge: str | None = None,
    scope: str = OVERALL,
    min_effect: float = 0.0,
) -> Row:
    """The comparison as strict JSON; every difference in Elo points, as a minus b.

    Both validated: `bt` under policy `tie` decides, by the 95 % interval of this one difference (prompt clusters,
    t(G - 1)). Else the screening fit is shown, which never decides; nor does a judge whose board is held back.
    BadInput: one model twice, a bad effect; NotFound: an unknown model, judge or scope.
    """
    question = Question(a, b, min_effect)
    board = reader.board(judge)
    stages = {stage: reader.rating_facts(stage, board["judge"], board["fingerprint"]) for stage in Stage}
    contestants = {name for facts in stages.values() for name in facts.judged.models}
    for model in question.models:
        require_model(reader, model, contestants)
    evidence = replace(_evidence(stages, question, scope), unmade=_unmade(board))
    closed = _closed(reader, board, stages, evidence, question)
    return _answer(reader, board, replace(evidence, closed=closed), question)


def _unmade(board: Row) -> str | None:
    """Why there is no fit of the judge, where one was tried: without one no verdicts are known to be its own."""
    failed = board["old"] if board["fitted_at"] is None else None
    return UNMADE.format(reason=failed["reason"]) if failed else None


def _closed(
    reader: SnapshotReader, board: Row, stages: Mapping[Stage, RatingFacts], evidence: Evidence, question: Question
) -> str | None:
    if not evidence.screened:
        return HELD_BACK if board["held_back"] else None
    validated = decided_models(stages[Stage.VALIDATION])
    waiting = [model for model in question.models if model not in validated]
    everybody = replace(evidence, facts=stages[Stage.SCREENING], scope=OVERALL)
    fit = _found(everybody, everybody.keys[0], question).fit
    return screened_only(reader, board, fit, waiting, question.models)


def _evidence(stages: Mapping[Stage, RatingFacts], question: Question, scope: str) -> Evidence:
    """Validation verdicts when both models have one, else single passes; those of the scope alone."""
    screened = not set(question.models) <= decided_models(stages[Stage.VALIDATION])
    facts = stages[Stage.SCREENING if screened else Stage.VALIDATION]
    nothing = scope != OVERALL and not len(facts.judged)
    return Evidence(facts if nothing else in_scope(facts, scope), screened, scope)


def _found(evidence: Evidence, key: FitKey, question: Question) -> Found:
    """The fit and its difference; where there is none, why."""
    battles = battles_for(evidence.facts, key).battles
    strangers = [model for model in question.models if not _plays(battles, model)]
    if strangers:
        why = evidence.unmade or f"no matches: {' and '.join(strangers)}"
        return Found(key, Difference(logit=None, reason=why))
    try:
        fit = rate(battles, How(method=key.method, policy=key.policy, scope=key.scope))
    except NotConverged as error:
        return Found(key, Difference(logit=None, reason=str(error)))
    return Found(key, difference(fit, *(fit.models.index(model) for model in question.models)), fit)


def _plays(battles: Battles, model: str) -> bool:
    if model not in battles.models:
        return False
    place = battles.models.index(model)
    return bool(((battles.a == place) | (battles.b == place)).any())


def _answer(reader: SnapshotReader, board: Row, evidence: Evidence, question: Question) -> Row:
    fits = [_found(evidence, key, question) for key in evidence.keys]
    by = {trait: _by(evidence, trait, question) for trait in TRAITS}
    main, gate = fits[0], board["gate"]
    return {
        "a": question.a,
        "b": question.b,
        "judge": board["judge"],
        "snapshot": reader.id,
        "scope": evidence.scope,
        "method": main.key.method,
        "policy": main.key.policy,
        "list": "screened" if evidence.screened else "validated",
        **_points(main.difference),
        **_error(main.difference),
        "min_effect": question.least,
        **_decision(main.difference, evidence, question),
        "c": _consistency(gate),
        "direct": _direct(under_policy(evidence.facts.judged, "tie"), question),
        "fits": [_fit_row(found, evidence, question) for found in fits],
        "by": by,
        "settle": _settle(reader, evidence, main, question),
        "simulated": bool(evidence.facts.simulated.any()),
        "notes": [*_gate_notes(gate), *_disagreement(fits), *_many_looks(by)],
    }


def _points(found: Difference) -> Row:
    """The difference in Elo points with its interval, and p against no difference."""
    ends = {"difference": found.logit, "lower": found.lower, "upper": found.upper}
    return {**{name: _elo(logit) for name, logit in ends.items()}, "p_value": found.p_value}


def _error(found: Difference) -> Row:
    """Standard error in Elo points with its degrees of freedom, and the share expected of a against b."""
    expected = None if found.logit is None else 1 / (1 + math.exp(-found.logit))
    return {"se": _elo(found.se), "df": found.df, "expected_score": expected}


def _elo(logit: float | None) -> float | None:
    return None if logit is None else SCALE * logit


def _decision(found: Difference, evidence: Evidence, question: Question) -> Row:
    """Evidence that is closed never decides, and says so unless there is not even a difference."""
    decision, reason = question.decided(found)
    if evidence.closed and found.logit is not None:
        return {"decision": NOT_SETTLED, "reason": evidence.closed}
    return {"decision": decision, "reason": reason}


def _fit_row(found: Found, evidence: Evidence, question: Question) -> Row:
    named = {"method": found.key.method, "policy": found.key.policy}
    return {**named, **_points(found.difference), **_decision(found.difference, evidence, question)}


def _by(evidence: Evidence, trait: str, question: Question) -> list[Row]:
    """A row for each category (language, group), from a fit of its verdicts alone; `n` counts the verdicts."""
    scopes = [scope for scope in scopes_of(evidence.facts) if scope.startswith(f"{trait}=")]
    return [row for scope in scopes if (row := _part(evidence, scope, question))["n"]]


def _part(evidence: Evidence, scope: str, question: Question) -> Row:
    facts = in_scope(evidence.facts, scope)
    found = _found(replace(evidence, facts=facts), replace(evidence.keys[0], scope=scope), question).difference
    n = len(under_policy(facts.judged, "tie"))
    return {"name": scope.partition("=")[2], "n": n, **_points(found), "reason": found.reason}


def _direct(verdicts: Battles, question: Question) -> Row:
    """What the two did against each other, as a has it."""
    if not set(question.models) <= set(verdicts.models):
        return {"n": 0, "wins": 0, "losses": 0, "ties": 0}
    a, b = (verdicts.models.index(model) for model in question.models)
    shares = [
        *verdicts.score[(verdicts.a == a) & (verdicts.b == b)].tolist(),
        *(1 - verdicts.score[(verdicts.a == b) & (verdicts.b == a)]).tolist(),
    ]
    wins, losses = sum(share > 0.5 for share in shares), sum(share < 0.5 for share in shares)
    return {"n": len(shares), "wins": wins, "losses": losses, "ties": len(shares) - wins - losses}


def _consistency(gate: Row | None) -> Row:
    """C as the gate has it: over all validation pairings of the judge."""
    names = {"value": "c", "lower": "lower", "upper": "upper", "state": "state"}
    return {name: None if gate is None else gate.get(field) for name, field in names.items()}


def _gate_notes(gate: Row | None) -> list[str]:
    return [GATE_FAILED] if gate is not None and gate["state"] == "fail" else []


def _disagreement(fits: Sequence[Found]) -> list[str]:
    """A warning where one fit separates the two and another one has them the other way round."""
    found = [fit.difference for fit in fits if fit.difference.logit]
    directions = {math.copysign(1, each.logit) for each in found if each.logit is not None}
    separates = any(each.lower is not None and each.upper is not None and each.lower * each.upper > 0 for each in found)
    return [DISAGREE] if len(directions) > 1 and separates else []


def _many_looks(by: Mapping[str, Sequence[Row]]) -> list[str]:
    looks = sum(map(len, by.values()))
    return [LOOKS.format(n=looks)] if looks else []


def _settle(reader: SnapshotReader, evidence: Evidence, main: Found, question: Question) -> Row:
    """Nothing more where it is decided; nobody can say where nothing can be decided."""
    free = unused(reader, evidence.facts, evidence.scope, question.models)
    decision = _decision(main.difference, evidence, question)
    if decision["decision"] != NOT_SETTLED:
        return DECIDED | {"prompts_unused": free}
    if evidence.closed or main.fit is None:
        return {"pairings": None, "prompts_unused": free, "usd": None, "reason": decision["reason"]}
    return settling(main.fit, question.models, question.least, free, prices(reader, evidence.facts))
