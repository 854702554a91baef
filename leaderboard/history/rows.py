"""A batch of finished requests as rows of the history's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from leaderboard.core.types import Order, Reading, SlotScores, to_reading
from leaderboard.errors import StoreDamaged
from leaderboard.history.plain import json_text
from leaderboard.history.records import Row
from leaderboard.history.redaction import without_secrets
from leaderboard.history.texts import REPLACED, storable

if TYPE_CHECKING:
    from leaderboard.ledger.outbox import Batch
    from leaderboard.ledger.requests import Attempt, Finished

Touched = set[tuple[str, str]]


def touched_by(batch: Batch) -> Touched:
    """The (pairing, stage) pairs whose verdict may change with this batch."""
    asked = (finished.request for finished in batch.requests)
    return {(one.pairing, one.stage) for one in asked if one.pairing is not None and one.stage is not None}


def rows_of_batch(batch: Batch) -> dict[str, list[Row]]:
    """The batch's rows by table. A reply is stored as it came; only what cannot be stored as text is replaced."""
    done = [one for one in batch.requests if one.state == "done"]
    return {
        "batch": [batch_row(batch)],
        "call": [call_row(batch.id, one) for one in batch.requests if one.request.kind != "identical"],
        "answer": [answer_row(batch.id, one) for one in done if one.request.kind == "answer"],
        "reading": _each_sample_once(
            row for one in done if one.request.kind == "judgement" for row in reading_rows(batch.id, one)
        ),
        "identical": [identical_row(batch.id, one) for one in done if one.request.kind == "identical"],
        "attempt": [attempt_row(batch.id, one) for one in batch.attempts],
    }


def batch_row(batch: Batch) -> Row:
    moments = [one.finished_at for one in batch.requests] + [one.ended_at for one in batch.attempts if one.ended_at]
    return {
        "id": batch.id,
        "newest_at": max(moments, default=None),
        "requests": len(batch.requests),
        "attempts": len(batch.attempts),
    }


def call_row(batch_id: str, finished: Finished) -> Row:
    asked = finished.request
    order = None if asked.order is None else Order(asked.order).shown_first
    return {
        "key": asked.key,
        "batch": batch_id,
        "kind": asked.kind,
        "run": asked.run,
        "stage": asked.stage,
        "model": asked.model,
        "judge": asked.judge,
        "fingerprint": asked.fingerprint,
        "prompt_id": asked.prompt_id,
        "turn": asked.turn,
        "model_a": asked.model_a,
        "model_b": asked.model_b,
        "pairing": asked.pairing,
        "shown_first": order,
        "sample_from": asked.sample_from,
        "sample_to": asked.sample_to,
        "protocol": asked.protocol,
        "template": asked.template,
        "mark": asked.mark,
        "sent_sha256": asked.sent_sha256,
        "params": json_text(without_secrets(asked.params)),
        "price": None if asked.price is None else json_text(asked.price),
        "state": finished.state,
        "simulated": asked.simulated,
        "finished_at": finished.finished_at,
        **_served(finished),
        "system_fingerprint": finished.system_fingerprint,
    }


def answer_row(batch_id: str, finished: Finished) -> Row:
    asked, reply = finished.request, _reply(finished)
    text = reply["text"]
    return {
        "call": asked.key,
        "batch": batch_id,
        "run": asked.run,
        "prompt_id": asked.prompt_id,
        "model": asked.model,
        "turn": asked.turn or 0,
        "text": text,
        "finish_reason": reply.get("finish_reason"),
        "note": reply.get("note") or (None if storable(text) == text else REPLACED),
        "simulated": asked.simulated,
        "answered_at": finished.finished_at,
        **_served(finished),
    }


def reading_rows(batch_id: str, finished: Finished) -> list[Row]:
    """A row a sample. The request's cost is shared out so that the shares add up to it exactly."""
    samples = _reply(finished)["samples"]
    shares = shared(finished.cost_nano, len(samples))
    order = _order(finished)
    about = _about_pairing(batch_id, finished) | {
        "shown_first": order.shown_first,
        "served_model": finished.served_model,
        "read_at": finished.finished_at,
    }
    return [
        about | _said(order, sample) | {"cost_usd": dollars(share)}
        for sample, share in zip(samples, shares, strict=True)
    ]


def identical_row(batch_id: str, finished: Finished) -> Row:
    return _about_pairing(batch_id, finished) | {"found_at": finished.finished_at}


def attempt_row(batch_id: str, attempt: Attempt) -> Row:
    return {
        "id": attempt.id,
        "batch": batch_id,
        "call": attempt.call,
        "run": attempt.run,
        "kind": attempt.kind,
        "stage": attempt.stage,
        "model": attempt.model,
        "judge": attempt.judge,
        "number": attempt.number,
        "n": attempt.n,
        "max_tokens": attempt.max_tokens,
        "reserved_usd": dollars(attempt.reserved_nano),
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
        "state": attempt.state,
        "http_status": attempt.http_status,
        "error_kind": attempt.error_kind,
        "error_text": attempt.error_text,
        "cost_usd": dollars(attempt.cost_nano),
    }


def dollars(nano: int | None) -> Decimal | None:
    """Nano-dollars as dollars, exactly."""
    return None if nano is None else Decimal(nano).scaleb(-9)


def shared(nano: int | None, parts: int) -> list[int | None]:
    """An amount in `parts` whole shares that differ by at most one and add up to it; unknown stays unknown."""
    if nano is None or parts == 0:
        return [None] * parts
    each, left = divmod(nano, parts)
    return [each + (place < left) for place in range(parts)]


def _reply(finished: Finished) -> Mapping[str, Any]:
    if finished.payload is None:
        raise StoreDamaged(
            f"request {finished.request.key} is done, but its reply is gone from the ledger before it was published"
        )
    return finished.payload


def _order(finished: Finished) -> Order:
    if finished.request.order is None:
        raise StoreDamaged(f"request {finished.request.key} is a judgement without an order")
    return Order(finished.request.order)


def _served(finished: Finished) -> Row:
    return {
        "served_model": finished.served_model,
        "prompt_tokens": finished.prompt_tokens,
        "completion_tokens": finished.completion_tokens,
        "cost_usd": dollars(finished.cost_nano),
    }


def _about_pairing(batch_id: str, finished: Finished) -> Row:
    asked = finished.request
    return {
        "call": asked.key,
        "batch": batch_id,
        "run": asked.run,
        "pairing": asked.pairing,
        "prompt_id": asked.prompt_id,
        "turn": asked.turn,
        "model_a": asked.model_a,
        "model_b": asked.model_b,
        "judge": asked.judge,
        "fingerprint": asked.fingerprint,
        "protocol": asked.protocol,
        "stage": asked.stage,
        "simulated": asked.simulated,
    }


def _said(order: Order, sample: Mapping[str, Any]) -> Row:
    number = sample["sample"]
    about: Row = {
        "sample": number,
        "state": sample["state"],
        "reason": sample.get("reason"),
        "text": sample.get("text"),
        "finish_reason": sample.get("finish_reason"),
    }
    if sample["state"] != "read":
        return about | {"scored": False}
    scored = bool(sample.get("scored", True))
    slots = SlotScores(Decimal(str(sample["first"])), Decimal(str(sample["second"])), scored)
    return about | _in_model_coordinates(to_reading(order, number, slots)) | {"scored": scored}


def _in_model_coordinates(reading: Reading) -> Row:
    return {"score_a": reading.score_a, "score_b": reading.score_b, "outcome": str(reading.outcome)}


def _each_sample_once(rows: Iterable[Row]) -> list[Row]:
    """The first row of each (pairing, stage, order, sample): a fact is never rewritten."""
    kept: dict[tuple[object, ...], Row] = {}
    for row in rows:
        kept.setdefault((row["pairing"], row["stage"], row["shown_first"], row["sample"]), row)
    return list(kept.values())
