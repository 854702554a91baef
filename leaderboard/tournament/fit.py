"""From verdicts to the board's two lists.

Validated models are rated on validation verdicts alone. Screening is another protocol on another scale, so the
screened list has a fit of its own, over the single passes of all models, and shows those that are not validated.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from leaderboard.core.matrix import SCORES, battles_from_columns
from leaderboard.core.ratings import Fit, fit_bt
from leaderboard.core.types import Judge, Model, Stage
from leaderboard.history.records import FitRecord, StandingRow, VerdictColumns
from leaderboard.history.writer import History
from leaderboard.ledger import models as model_rows
from leaderboard.tournament.office import Office
from leaderboard.tournament.shown import as_sent
from leaderboard.tournament.trial import judge_report

POLICY = "tie"
NO_RANK_INTERVAL = "this version gives no intervals for ranks"
INTERVALS = "95 %, Bradley-Terry sandwich clustered by prompt, t(G - 1)"
SCREENED_NOTE = (
    "Screened only: rated on single passes of all models. No common rank and no common scale with the validated list."
)


def screening_fit(history: History, judge: Judge, models: Iterable[str]) -> Fit:
    """The fit that the keep rule reads: single passes of these models."""
    wanted = set(models)
    return _fit(history.verdict_rows(Stage.SCREENING, judge.id, judge.fingerprint), wanted, only=wanted)


def _fit(columns: VerdictColumns, models: set[str], *, only: set[str] | None = None) -> Fit:
    rows = [
        (prompt, a, b, SCORES[outcome])
        for prompt, a, b, outcome in zip(
            columns.prompt_id, columns.model_a, columns.model_b, columns.outcome, strict=True
        )
        if only is None or (a in only and b in only)
    ]
    prompts, model_a, model_b, score = ([row[i] for row in rows] for i in range(4))
    return fit_bt(battles_from_columns(prompts, model_a, model_b, score, models=sorted(models)))  # type: ignore[arg-type]


def refit(office: Office, judge: Judge, run: str) -> None:
    """Rate both lists from what the history holds and append the fits."""
    with office.ledger.read() as tx:
        registered = {model.id: model for model in model_rows.all(tx)}
    validation = office.history.verdict_rows(Stage.VALIDATION, judge.id, judge.fingerprint)
    screening = office.history.verdict_rows(Stage.SCREENING, judge.id, judge.fingerprint)
    validated = {*validation.model_a, *validation.model_b}
    waiting = {m.id for m in registered.values() if m.state == "active"} | {*screening.model_a, *screening.model_b}
    at = office.now()
    base = FitRecord(
        id="",
        fitted_at=at,
        run=run,
        judge=judge.id,
        fingerprint=judge.fingerprint,
        board="screened",
        method="bt",
        policy=POLICY,
        prior=None,
        n_battles=0,
        n_prompts=0,
        components=0,
        simulated=False,
    )
    screened_fit = _fit(screening, waiting | validated)
    screened = _record(base, "screened", screened_fit, screening, judge, registered, waiting - validated)
    notes = [SCREENED_NOTE] if validated and screened.standings else []
    head = {"intervals": INTERVALS, "judge_parameters": as_sent(judge.endpoint), "notes": notes}
    office.history.append_fit(replace(screened, head=head))
    if validated:
        record = _record(base, "validated", _fit(validation, validated), validation, judge, registered, validated)
        office.history.append_fit(_gated(office, judge, record))


def _gated(office: Office, judge: Judge, record: FitRecord) -> FitRecord:
    """The validated list under its judge's gate: worn as a badge, or held back where the operator says block."""
    report = judge_report(office.history.bias_rows(judge.id), office.settings.gate_threshold)
    gate = {**_object(report["gate"]), **_object(report["c"])}
    gate = {"c": gate.pop("value"), **gate}
    first = _object(report["first_position"])
    head = {
        "intervals": INTERVALS,
        "judge_parameters": as_sent(judge.endpoint),
        "p_first": {name: first[name] for name in ("share", "lower", "upper", "tie")},
        "protocol": judge.protocol,
        "samples": report["samples"],
        "readable_share": _share(report["readable"], report["readings"]),
        "notes": _gate_notes(gate),
    }
    if office.settings.gate == "block" and gate["state"] == "fail":
        notes = [*_gate_notes(gate), 'The list is held back: tournament.toml says gate = "block".']
        return replace(record, gate=gate, head=head | {"notes": notes}, standings=())
    return replace(record, gate=gate, head=head)


def _gate_notes(gate: dict[str, object]) -> list[str]:
    if gate["state"] == "fail":
        return [f"The judge fails the swap-consistency gate of {gate['threshold']}: order decides too often."]
    return []


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, got {type(value).__name__}")
    return value


def _share(part: object, whole: object) -> float | None:
    return int(str(part)) / int(str(whole)) if whole else None


def _record(
    base: FitRecord,
    board: Literal["validated", "screened"],
    fit: Fit,
    columns: VerdictColumns,
    judge: Judge,
    registered: dict[str, Model],
    shown: set[str],
) -> FitRecord:
    standings = _ranked(
        [_standing(fit, i, columns, judge, registered, board) for i in range(len(fit.models)) if fit.models[i] in shown]
    )
    return replace(
        base,
        id=str(uuid.uuid4()),
        board=board,
        prior=fit.prior,
        n_battles=fit.n_battles,
        n_prompts=fit.n_prompts or 0,
        components=fit.n_components,
        simulated=any(columns.simulated),
        standings=tuple(standings),
    )


def _ranked(rows: Sequence[StandingRow]) -> list[StandingRow]:
    """Ranks inside this list: those of the fit, closed up where other models of the fit are left out."""
    seen: dict[tuple[int | None, int], int] = {}
    counted: dict[int | None, int] = {}
    ranked = []
    for row in sorted(rows, key=lambda r: (r.rank is None, r.component or 0, r.rank or 0, r.model)):
        if row.rank is None:
            ranked.append(row)
            continue
        counted[row.component] = counted.get(row.component, 0) + 1
        rank = seen.setdefault((row.component, row.rank), counted[row.component])
        ranked.append(replace(row, rank=rank))
    return ranked


def _standing(
    fit: Fit,
    i: int,
    columns: VerdictColumns,
    judge: Judge,
    registered: dict[str, Model],
    board: str,
) -> StandingRow:
    name, record = fit.models[i], fit.records[i]
    return StandingRow(
        model=name,
        rating=fit.ratings[i],
        lower=fit.lower[i],
        upper=fit.upper[i],
        interval_reason=fit.interval_reason[i],
        rank=fit.ranks[i],
        rank_reason=NO_RANK_INTERVAL if fit.ranks[i] is not None else "no matches",
        n=record.n,
        component=fit.component[i],
        flags=_flags(fit.flags[i], registered.get(name), judge, board),
        wins=record.wins,
        losses=record.losses,
        ties=record.ties,
        usd_per_verdict=_usd_per_verdict(columns, name, record.n),
        simulated=_simulated(registered.get(name)) or judge.endpoint.simulated,
    )


def _flags(found: Sequence[str], model: Model | None, judge: Judge, board: str) -> tuple[str, ...]:
    flags = list(found)
    if board == "screened":
        flags.append("provisional")
    if model is not None and model.family is not None and model.family == judge.family:
        flags.append("self_judged")
    if _simulated(model) or judge.endpoint.simulated:
        flags.append("simulated")
    return tuple(flags)


def _simulated(model: Model | None) -> bool:
    return model is not None and model.endpoint is not None and model.endpoint.simulated


def _usd_per_verdict(columns: VerdictColumns, model: str, n: int) -> Decimal | None:
    """What the readings behind the model's verdicts cost, a verdict; None without verdicts or with unknown prices."""
    cost: Decimal | None = columns.judging_usd.get(model)
    return None if cost is None or n == 0 else cost / n
