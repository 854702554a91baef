"""The two lists of a judge as fits: validated models, and those that are screened only.

Validated models are rated on validation verdicts alone. Screening is another protocol on another scale, so the
screened list has a fit of its own, over the single passes of all models, and shows those that are not validated.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

from leaderboard.core.fits import Fit, How
from leaderboard.core.matrix import Battles
from leaderboard.core.ratings import METHODS
from leaderboard.core.strengths import PRIOR, NoFiniteMaximum, NotConverged
from leaderboard.history.records import Board, FitKey, FitRecord, PromptFacts, RatingFacts
from leaderboard.tournament.battles import LENGTH, Taken, battles_for, decided_models, fielded
from leaderboard.tournament.fit_head import INTERVALS, Json, control_json, judges_json, versions
from leaderboard.tournament.scopes import OVERALL, belongs, in_scope, scopes_of
from leaderboard.tournament.side_by_side import side_by_side, warnings
from leaderboard.tournament.standing import Contestant, Listing, shown_only, standings

Methods = Mapping[str, Callable[[Battles, How], Fit]]

MAIN = FitKey()
JOINT = FitKey(method="joint", policy=None)
BESIDE = (FitKey(policy="score"), FitKey(policy="soft"), FitKey(policy="drop"), JOINT)
CONTROLLED = replace(JOINT, control=LENGTH)

RANK_INTERVALS = "95 %, Bonferroni-t over the pairs of a component"
CHANCES = "approximate: 10,000 multivariate t draws"
SCREENED_NOTE = (
    "Screened only: rated on single passes of all models. No common rank and no common scale with the validated list."
)
ORDER_NOTE = "Elo depends on the order of the verdicts: they are replayed by ascending verdict id."
BLOCKED_NOTE = 'The list is held back: tournament.toml says gate = "block".'


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The judge of the lists. `parameters`: as really sent."""

    id: str
    fingerprint: str | None
    family: str | None = None
    simulated: bool = False
    parameters: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The judge's gate over the validation pairings, what stands beside it, and whether it holds the list back."""

    gate: Mapping[str, object] | None = None
    head: Mapping[str, object] = field(default_factory=dict)
    blocks: bool = False

    @property
    def fails(self) -> bool:
        return self.gate is not None and self.gate["state"] == "fail"

    @property
    def notes(self) -> list[str]:
        if self.gate is None or not self.fails:
            return []
        failed = f"The judge fails the swap-consistency gate of {self.gate['threshold']}: order decides too often."
        return [failed, BLOCKED_NOTE] if self.blocks else [failed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What both lists of a judge stand on, read once; `prepared` makes it.

    `facts`: the verdicts of a list, in its field. `shown`: whom it shows. `prompts`: the tournament's own. `k`: so many
    are the top. `at`, `run`: when and by which run the fits are made. `snapshot`: None for the live history.
    """

    bench: Bench
    facts: Mapping[Board, RatingFacts]
    shown: Mapping[Board, frozenset[str]]
    models: Mapping[str, Contestant]
    prompts: tuple[PromptFacts, ...]
    k: int
    trial: Trial
    at: str
    run: str | None
    snapshot: str | None
    methods: Methods

    def scopes(self, board: Board) -> list[str]:
        """The scopes that the list has verdicts in, the whole field first."""
        return [OVERALL, *scopes_of(self.facts[board])]


def prepared(
    bench: Bench,
    validation: RatingFacts,
    screening: RatingFacts,
    *,
    models: Mapping[str, Contestant],
    prompts: Iterable[PromptFacts],
    k: int,
    at: str,
    trial: Callable[[RatingFacts], Trial],
    run: str | None = None,
    snapshot: str | None = None,
    methods: Methods = METHODS,
) -> Ground:
    """Who is on which list: a validated model has a validation verdict; one that is active or has a single pass is
    screened only.

    Everybody is in the field of the screened list's fit. What is said of a prompt in `prompts` goes before what the
    facts say of it. The judge goes on `trial`, over the validation verdicts, only when somebody is validated.
    """
    described = {prompt.id: prompt for prompt in prompts}
    validated = decided_models(validation)
    waiting = {name for name, model in models.items() if model.active} | decided_models(screening)
    return Ground(
        bench=bench,
        facts={
            "validated": _about(validation, bench, described),
            "screened": _about(_with_everybody(screening, waiting | validated), bench, described),
        },
        shown={"validated": frozenset(validated), "screened": frozenset(waiting - validated)},
        models=models,
        prompts=tuple(described.values()),
        k=k,
        trial=trial(validation) if validated else Trial(),
        at=at,
        run=run,
        snapshot=snapshot,
        methods=methods,
    )


def _with_everybody(screening: RatingFacts, models: set[str]) -> RatingFacts:
    return fielded(screening, {*screening.judged.models, *models})


def _about(facts: RatingFacts, bench: Bench, described: Mapping[str, PromptFacts]) -> RatingFacts:
    """The facts with the judge's name and what is known of the prompts now."""
    prompts = tuple(described.get(prompt.id, prompt) for prompt in facts.prompts)
    return replace(facts, judged=replace(facts.judged, judges=(bench.id,)), prompts=prompts)


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A fit as a record, and as its list sees it; None where it could not be made."""

    record: FitRecord
    fit: Fit | None


def records(ground: Ground) -> Iterator[FitRecord]:
    """All fits that are stored: each list overall and by scope, the validated one also beside its other fits."""
    for scope in ground.scopes("screened"):
        yield made(ground, "screened", replace(JOINT, scope=scope)).record
    if ground.shown["validated"]:
        yield from _beside_each_other(ground)
        for scope in ground.scopes("validated")[1:]:
            yield made(ground, "validated", replace(MAIN, scope=scope)).record


def records_for(ground: Ground, key: FitKey) -> list[FitRecord]:
    """The fits that make the board of one key: its validated list and the screened list of its scope.

    The plain fit stands before one with a control.
    """
    keys = [replace(key, control=None), key] if key.control else [key]
    if not ground.shown["validated"] or key.scope not in ground.scopes("validated"):
        keys = []
    found = [made(ground, "validated", wanted).record for wanted in keys]
    if key.scope in ground.scopes("screened"):
        found.append(made(ground, "screened", replace(JOINT, scope=key.scope)).record)
    return found


def _beside_each_other(ground: Ground) -> Iterator[FitRecord]:
    """The validated list overall by every policy and method; the first tells how the others compare with it."""
    main, controlled = made(ground, "validated", MAIN), made(ground, "validated", CONTROLLED)
    others = {key: made(ground, "validated", key) for key in BESIDE}
    yield _with_the_others(ground, main, others)
    yield from (other.record for other in (*others.values(), controlled))


def _with_the_others(ground: Ground, main: Made, others: Mapping[FitKey, Made]) -> FitRecord:
    """The main fit with the judge's effects and the comparison; a list that is held back is not compared either."""
    if main.fit is None:
        return main.record
    joint = others[JOINT].fit
    head = {**main.record.head, "judges": [] if joint is None else judges_json(joint.judges)}
    if not (ground.trial.fails and ground.trial.blocks):
        rows = side_by_side(main.fit, {key: made_.fit or str(made_.record.failure) for key, made_ in others.items()})
        head |= {"side_by_side": {"fits": rows}, "notes": [*_notes(head), *warnings(rows)]}
    return replace(main.record, head=head)


def _notes(head: Mapping[str, object]) -> list[str]:
    notes = head.get("notes")
    return list(notes) if isinstance(notes, list) else []


def made(ground: Ground, board: Board, key: FitKey) -> Made:
    """The fit of a list by a key. One that cannot be made is a record with its `failure`."""
    facts = in_scope(ground.facts[board], key.scope)
    record = _blank(ground, board, key, facts)
    try:
        taken = battles_for(facts, key)
        fit = ground.methods[key.method](taken.battles, _how(ground, key))
    except (NotConverged, NoFiniteMaximum) as error:
        return Made(replace(record, failure=str(error)), None)
    listed = shown_only(fit, ground.shown[board])
    held_back = board == "validated" and ground.trial.fails and ground.trial.blocks
    rows = () if held_back else standings(fit, listed, _listing(ground, board, key, facts, taken))
    record = replace(
        record,
        n_battles=fit.n_battles,
        n_prompts=fit.n_prompts or 0,
        components=fit.n_components,
        standings=rows,
        head={**record.head, **_found(fit, taken)},
    )
    return Made(_with_notes(ground, record), listed)


def _how(ground: Ground, key: FitKey) -> How:
    prior = None if key.method == "elo" else PRIOR
    return How(
        method=key.method,
        policy=key.policy,
        prior=prior,
        scope=key.scope,
        control=key.control,
        snapshot=ground.snapshot,
        versions=versions(),
    )


def _blank(ground: Ground, board: Board, key: FitKey, facts: RatingFacts) -> FitRecord:
    """The record before anything is found."""
    validated, how = board == "validated", _how(ground, key)
    return FitRecord(
        id=str(uuid.uuid4()),
        fitted_at=ground.at,
        run=ground.run,
        judge=ground.bench.id,
        fingerprint=ground.bench.fingerprint,
        scope=key.scope,
        board=board,
        method=key.method,
        policy=key.policy,
        control=key.control,
        prior=how.prior,
        n_battles=0,
        n_prompts=0,
        components=0,
        simulated=bool(facts.simulated.any()) or ground.bench.simulated,
        gate=ground.trial.gate if validated else None,
        head={
            "intervals": INTERVALS.get(key.method),
            "rank_intervals": RANK_INTERVALS,
            "chances": CHANCES,
            "versions": dict(how.versions),
            "k": ground.k,
            "judge_parameters": ground.bench.parameters,
            "notes": [],
            **(ground.trial.head if validated else {}),
        },
    )


def _with_notes(ground: Ground, record: FitRecord) -> FitRecord:
    notes = list(ground.trial.notes) if record.board == "validated" else []
    if record.board == "screened" and ground.shown["validated"] and record.standings:
        notes.append(SCREENED_NOTE)
    if record.method == "elo":
        notes.append(ORDER_NOTE)
    return replace(record, head={**record.head, "notes": notes})


def _listing(ground: Ground, board: Board, key: FitKey, facts: RatingFacts, taken: Taken) -> Listing:
    return Listing(
        board=board,
        facts=facts,
        prompts=[prompt for prompt in ground.prompts if belongs(prompt, key.scope)],
        models=ground.models,
        k=ground.k,
        battles_a_pairing=taken.a_pairing,
        judge_family=ground.bench.family,
        judge_simulated=ground.bench.simulated,
    )


def _found(fit: Fit, taken: Taken) -> Json:
    """What a fit says besides the ratings."""
    found: Json = {"convergence": asdict(fit.convergence)}
    if fit.judges:
        found["judges"] = judges_json(fit.judges)
    if fit.control is not None:
        found["control"] = control_json(fit, taken.left_out)
    return found
