"""What a run would ask and pay: requests, worst-case price and time, per model and stage. Nothing is sent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.core.messages import Message
from leaderboard.core.money import content_bytes, usd, worst_case_nano
from leaderboard.core.protocol import asked
from leaderboard.core.templates import render, template_for
from leaderboard.core.types import Endpoint, Model, Order, Prompt, Stage
from leaderboard.tournament.enrol import Resolver
from leaderboard.tournament.kinds import RunKind
from leaderboard.tournament.office import Office
from leaderboard.tournament.plan import SCREENING_PROTOCOL, Plan
from leaderboard.tournament.start import Cast, assemble
from leaderboard.tournament.work import Comparison, shown_to_judge

SECONDS_A_REQUEST = 10.0
BYTES_A_TOKEN = 4
"""How long an answer of unknown text is taken to be, a token of its limit. A longer one is not excluded."""


@dataclass(frozen=True, slots=True)
class Line:
    """Requests to one model or judge in one stage; `nano` is their worst-case price, None where unknown."""

    stage: str
    who: str
    requests: int
    nano: int | None


def estimate(office: Office, kind: RunKind, resolve: Resolver) -> dict[str, object]:
    """The plan of a run as JSON. Answers that do not exist yet count at their token limit."""
    cast_of = assemble(office, None, resolve)
    plan = Plan(office, cast_of.judge, cast_of.prompts)
    lines, notes = _answer_lines(plan, cast_of), []
    screening = [_judge_line(plan, cast_of, "screening", plan.screening(cast_of.models), SCREENING_PROTOCOL)]
    if kind != "validation":
        lines += screening
    if kind != "screening":
        settled = kind == "validation" or not sum(line.requests for line in lines)
        kept = plan.keep(cast_of.models).kept if settled else [model.id for model in cast_of.models]
        kept = sorted(kept)[: office.settings.cap]
        notes += [] if settled else [f"validation is counted for {len(kept)} models, the most that may be kept"]
        lines.append(_judge_line(plan, cast_of, "validation", plan.validation(kept), cast_of.judge.protocol))
    return {"kind": kind, "judge": cast_of.judge.id, **_totals(lines, office.settings.concurrency), "notes": notes}


def _totals(lines: Sequence[Line], concurrency: int) -> dict[str, object]:
    requests = sum(line.requests for line in lines)
    total = _total([line.nano for line in lines])
    return {
        "requests": requests,
        "usd": _usd(total),
        "minutes": SECONDS_A_REQUEST * math.ceil(requests / concurrency) / 60,
        "time_basis": f"{SECONDS_A_REQUEST:.0f} s a request, {concurrency} at once",
        "items": [
            {"stage": line.stage, "who": line.who, "requests": line.requests, "usd": _usd(line.nano)} for line in lines
        ],
    }


def _usd(nano: int | None) -> float | None:
    return None if nano is None else usd(nano)


def _answer_lines(plan: Plan, cast_of: Cast) -> list[Line]:
    """One line a model: every turn that is missing, with the longest earlier replies before it."""
    stored = plan.stored_answers()
    lines = []
    for model in cast_of.models:
        if model.endpoint is None:
            continue
        costs = [
            _price_of(model.endpoint, (Message("user", "\n".join(prompt.turns[: turn + 1])),), 1, turn * _reply(model))
            for prompt in cast_of.prompts
            for turn in range(len(stored.get((prompt.id, model.id), [])), len(prompt.turns))
        ]
        lines.append(Line("answers", f"model {model.id}", len(costs), _total(costs)))
    return lines


def _judge_line(plan: Plan, cast_of: Cast, stage: str, items: Sequence[Comparison | None], protocol: str) -> Line:
    """What is missing of a stage: exactly where both answers exist, at their longest where they do not."""
    ready = [item for item in items if item is not None]
    tasks = plan.missing_judgements([item for item in ready if not item.identical], protocol, "")
    costs = [_price_of(task.endpoint, task.messages(), task.n, 0) for task in tasks]
    unwritten = len(items) - len(ready)
    if unwritten:
        n, passes = _shape(plan, stage)
        longest = max((_longest(cast_of, prompt, n) or 0 for prompt in cast_of.prompts), default=0)
        costs += [longest if cast_of.judge.endpoint.price else None] * (unwritten * passes)
    return Line(stage, f"judge {cast_of.judge.id}", len(costs), _total(costs))


def _shape(plan: Plan, stage: str) -> tuple[int, int]:
    """Samples a request, and requests a comparison, where nothing exists yet."""
    if stage == Stage.SCREENING:
        return 1, 1
    orders, samples = asked(plan.judge.protocol, plan.samples, Order.AB)
    n = samples if plan.judge.endpoint.takes_n else 1
    return n, len(orders) * samples // n


def _longest(cast_of: Cast, prompt: Prompt, n: int) -> int | None:
    """A request about the two longest answers there may be."""
    blank = ("",) * len(prompt.turns)
    template = template_for(cast_of.judge.template, prompt.language)
    shown = shown_to_judge(prompt, blank, blank, Order.AB, rubric=cast_of.judge.rubric, mark="0" * 16)
    replies = sorted((_reply(model) for model in cast_of.models), reverse=True)[:2]
    return _price_of(cast_of.judge.endpoint, render(template, shown), n, sum(replies) * len(prompt.turns))


def _reply(model: Model) -> int:
    """Bytes that a reply is taken to have at most."""
    return BYTES_A_TOKEN * _limit(model.endpoint) if model.endpoint else 0


def _limit(endpoint: Endpoint) -> int:
    return int(str(endpoint.wanted["max_tokens"]))


def _price_of(endpoint: Endpoint, messages: Sequence[Message], n: int, more_bytes: int) -> int | None:
    size = content_bytes(messages) + more_bytes
    return worst_case_nano(size, len(messages), n, _limit(endpoint), endpoint.price)


def _total(costs: Sequence[int | None]) -> int | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
