"""Small makers of facts for the history's tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from leaderboard.core.types import Endpoint, Judge, Prompt
from leaderboard.history.records import Board, FitRecord, StandingRow
from leaderboard.history.writer import History
from leaderboard.ledger.outbox import Batch
from leaderboard.ledger.requests import Attempt, Finished, Request

FINGERPRINT = "f" * 64
Sample = tuple[int, str | None, str | None]  # sample number, score of the first shown, of the second; None: unreadable


def stamp(second: int) -> str:
    """A time within one hour, told apart by its second."""
    return f"2026-03-01T10:{second // 60:02d}:{second % 60:02d}.000001Z"


def pairing_id(prompt: str, a: str, b: str) -> str:
    return f"{prompt}|{a}|{b}"


def judgement(
    prompt: str,
    order: str,
    samples: Sequence[Sample],
    *,
    a: str = "alpha",
    b: str = "beta",
    stage: str = "validation",
    protocol: str = "mec_bpc",
    second: int = 1,
    cost_nano: int | None = 300,
    state: Literal["done", "failed"] = "done",
    asked: tuple[int, int] | None = None,
    **more: Any,
) -> Finished:
    numbers = [number for number, _, _ in samples] or [1]
    first, last = asked or (min(numbers), max(numbers))
    request = Request(
        key=f"{prompt}|{a}|{b}|{stage}|{order}|{first}-{last}",
        kind="judgement",
        run="run-1",
        stage=stage,
        judge=more.get("judge", "judy"),
        fingerprint=more.get("fingerprint", FINGERPRINT),
        prompt_id=prompt,
        model_a=a,
        model_b=b,
        pairing=pairing_id(prompt, a, b),
        order=order,
        sample_from=first,
        sample_to=last,
        protocol=protocol,
        template="scoring_evidence",
        mark="0123456789abcdef",
        sent_sha256="a" * 64,
        params={"temperature": 1, "n": last - first + 1, "not_sent": {"seed": "refused"}},
        price={"input": "1", "output": "2", "source": "litellm"},
        simulated=more.get("simulated", False),
    )
    payload = {"samples": [_sample(*sample) for sample in samples]} if state == "done" else None
    return Finished(
        request=request,
        state=state,
        payload=payload,
        served_model="judge-2026",
        cost_nano=cost_nano,
        finished_at=stamp(second),
    )


def _sample(number: int, first: str | None, second: str | None) -> dict[str, Any]:
    if first is None:
        return {"sample": number, "text": "no idea", "finish_reason": "stop", "state": "unreadable", "reason": "none"}
    text = f"Score of the Assistant 1: {first}\nScore of the Assistant 2: {second}"
    scores = {"first": first, "second": second, "scored": True, "reason": None}
    return {"sample": number, "text": text, "finish_reason": "stop", "state": "read", **scores}


def answer(
    prompt: str, model: str, text: str, *, turn: int = 0, second: int = 0, version: int = 1, cost_nano: int | None = 50
) -> Finished:
    request = Request(
        key=f"{prompt}|{model}|{turn}|v{version}", kind="answer", run="run-1", model=model, prompt_id=prompt, turn=turn
    )
    payload = {"text": text, "finish_reason": "stop", "note": None}
    return Finished(
        request=request, state="done", payload=payload, cost_nano=cost_nano, finished_at=stamp(second), prompt_tokens=7
    )


def identical(prompt: str, a: str = "alpha", b: str = "beta", stage: str = "validation", second: int = 1) -> Finished:
    request = Request(
        key=f"{prompt}|{a}|{b}|{stage}|same",
        kind="identical",
        run="run-1",
        stage=stage,
        judge="judy",
        fingerprint=FINGERPRINT,
        prompt_id=prompt,
        model_a=a,
        model_b=b,
        pairing=pairing_id(prompt, a, b),
        protocol="mec_bpc",
    )
    return Finished(request=request, state="done", payload={}, finished_at=stamp(second))


def attempt(
    call: str,
    *,
    number: int = 1,
    cost_nano: int | None = 300,
    state: Literal["settled", "unknown"] = "settled",
    **more: Any,
) -> Attempt:
    return Attempt(
        id=f"{call}#{number}",
        call=call,
        run="run-1",
        kind="judgement",
        stage="validation",
        judge="judy",
        number=number,
        n=3,
        started_at=stamp(0),
        ended_at=stamp(2),
        state=state,
        cost_nano=cost_nano,
        **more,
    )


def batch(id_: str, requests: Sequence[Finished], attempts: Sequence[Attempt] = ()) -> Batch:
    return Batch(id=id_, requests=list(requests), attempts=list(attempts))


def both_orders(
    prompt: str, ab: Sequence[tuple[str, str]], ba: Sequence[tuple[str, str]], **more: Any
) -> list[Finished]:
    """Judgements of both orders; scores are (first shown, second shown), samples count from 1."""
    pairs = {"ab": ab, "ba": ba}
    return [
        judgement(prompt, order, [(number, *scores) for number, scores in enumerate(given, 1)], **more)
        for order, given in pairs.items()
    ]


def fit(id_: str, board: Board, standings: Sequence[StandingRow], *, second: int = 100, **more: Any) -> FitRecord:
    given: dict[str, Any] = {
        "judge": "judy",
        "fingerprint": FINGERPRINT,
        "method": "bt",
        "policy": "tie",
        "prior": 0.5,
        "n_battles": 12,
        "n_prompts": 12,
        "components": 1,
        "simulated": False,
    }
    return FitRecord(
        id=id_, fitted_at=stamp(second), run="run-1", board=board, standings=tuple(standings), **(given | more)
    )


def play(history: History) -> None:
    """A small tournament: two judged pairings, one unreadable pass, an answer that came later, three tries."""
    prompts = [
        Prompt(id="p1", turns=("Say hi", "Again"), category="chat", reference="hi"),
        Prompt(id="p2", turns=("Zeg hoi",), category="chat", language="nl"),
    ]
    judge = Judge(id="judy", endpoint=Endpoint(litellm="sim/judge"), rubric="Be fair.", fingerprint=FINGERPRINT)
    history.copy_registry([], [judge, replace(judge, id="zoe", fingerprint=None)], prompts, [])
    history.copy_registry([], [replace(judge, rubric="Be kind.", fingerprint="e" * 64)], [], [])
    requests = [
        answer("p1", "alpha", "hello", second=1),
        answer("p1", "alpha", "hello again", turn=1, second=2),
        answer("p1", "beta", "hey", second=1),
        answer("p1", "beta", "came later", version=2, second=30),
        *both_orders("p1", [("8", "6"), ("9", "6")], [("6", "8"), ("6", "8")], second=10),
        *both_orders("p2", [("7", "7")], [("7", "7")], b="gamma", second=11),
        judgement("p1", "ab", [(0, None, None)], a="beta", b="gamma", stage="screening", second=12),
    ]
    attempts = [
        attempt("call-1"),
        attempt("call-1", number=2, cost_nano=None, error_kind="timeout"),
        attempt("call-2", state="unknown", cost_nano=9),
    ]
    history.derive(history.insert_batch(batch("b1", requests, attempts)))
