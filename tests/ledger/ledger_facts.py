"""Small facts to put into a ledger."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from leaderboard.core.types import Endpoint, Judge, Model, Price
from leaderboard.ledger.requests import Attempt, Finished, Request

NOW = "2026-12-01T10:00:00.000000Z"
LATER = "2026-12-01T10:00:05.000000Z"

ENDPOINT = Endpoint(
    litellm="openai/gpt-x",
    api_base="http://127.0.0.1:1/v1",
    api_key_env="OPENAI_API_KEY",
    wanted={"temperature": 1, "stop": ["a", "b"]},
    sent={"max_tokens": 100},
    not_sent={"temperature": "refused"},
    takes_n=True,
    price=Price(Decimal("0.15"), Decimal("0.60")),
    price_source="operator",
    resolved_at=NOW,
)


def model(name: str, **values: Any) -> Model:
    return Model(**{"id": name, "endpoint": ENDPOINT, "created_at": NOW, **values})


def judge(name: str, **values: Any) -> Judge:
    return Judge(**{"id": name, "endpoint": ENDPOINT, "created_at": NOW, **values})


def judgement(key: str, run: str = "run-1", **values: Any) -> Request:
    asked = {"stage": "validation", "judge": "j", "prompt_id": "p", "model_a": "a", "model_b": "b", "order": "ab"}
    samples = {"sample_from": 1, "sample_to": 3, "params": {"n": 3}, "pairing": f"pairing of {key}"}
    return Request(**{"key": key, "kind": "judgement", "run": run, **asked, **samples, **values})


def answer(key: str, run: str = "run-1", **values: Any) -> Request:
    return Request(**{"key": key, "kind": "answer", "run": run, "model": "a", "prompt_id": "p", "turn": 0, **values})


def attempt(request: Request, number: int = 1, reserved: int | None = 100, name: str | None = None) -> Attempt:
    return Attempt(
        id=name or f"{request.run}/{request.key}/{number}",
        call=request.key,
        run=request.run,
        kind=request.kind,
        stage=request.stage,
        model=request.model,
        judge=request.judge,
        number=number,
        reserved_nano=reserved,
        started_at=NOW,
    )


def settled(attempt: Attempt, cost: int | None = 90, **values: Any) -> Attempt:
    return replace(attempt, **{"state": "settled", "ended_at": LATER, "cost_nano": cost, **values})


def read_samples(*samples: int, unreadable: tuple[int, ...] = (), text: str = "8 : 7") -> dict[str, Any]:
    return {
        "samples": [
            {"sample": each, "text": text, "finish_reason": "stop", "state": "read", "first": "8", "second": "7"}
            for each in samples
        ]
        + [{"sample": each, "text": None, "finish_reason": "stop", "state": "unreadable"} for each in unreadable]
    }


def done(request: Request, **values: Any) -> Finished:
    payload = read_samples(1, 2, 3) if request.kind == "judgement" else {"text": "an answer", "finish_reason": "stop"}
    return Finished(**{"request": request, "state": "done", "payload": payload, "finished_at": LATER, **values})


def failed(request: Request, **values: Any) -> Finished:
    return Finished(**{"request": request, "state": "failed", "finished_at": LATER, **values})
