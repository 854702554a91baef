"""Adding contestants and judges to a tournament: checked, resolved where the caller can, written to the ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from leaderboard.core.types import Endpoint, Judge, Model, Price
from leaderboard.errors import BadInput, Conflict, NotFound
from leaderboard.ledger import judges, models
from leaderboard.ledger.ids import tidy_id
from leaderboard.ledger.store import Ledger
from leaderboard.tournament.registry import fingerprinted

Resolver = Callable[[Endpoint, str], Endpoint]
TRANSITIONS: dict[str, tuple[frozenset[str], str]] = {
    "pause": (frozenset({"active", "asleep"}), "paused"),
    "resume": (frozenset({"paused"}), "active"),
    "retire": (frozenset({"active", "asleep", "paused"}), "retired"),
}


def enrol_model(ledger: Ledger, model: Model, resolver: Resolver | None, now: str) -> Model:
    """Add a contestant. With a resolver its parameters and price are fixed now, else before its first request."""
    _refuse_taken(ledger, model.id, models.get, "model")
    if resolver is not None and model.endpoint is not None:
        model = replace(model, endpoint=resolver(model.endpoint, now))
    with ledger.write() as tx:
        return models.add(tx, model)


def enrol_judge(ledger: Ledger, judge: Judge, resolver: Resolver, now: str) -> Judge:
    """Add a judge with its parameters resolved, hence with a fingerprint."""
    _refuse_taken(ledger, judge.id, judges.get, "judge")
    resolved = fingerprinted(replace(judge, endpoint=resolver(judge.endpoint, now)))
    with ledger.write() as tx:
        return judges.add(tx, resolved)


def _refuse_taken(ledger: Ledger, wanted: str, get: Callable[..., object], what: str) -> None:
    """Refuse a bad or taken id before the slow part. The ledger itself refuses look-alikes when it writes."""
    tidied = tidy_id(wanted)
    with ledger.read() as tx:
        try:
            get(tx, tidied)
        except NotFound:
            return
    raise Conflict(f"{what} {tidied!r} exists already")


def set_price(ledger: Ledger, table: Any, name: str, price: Price) -> Endpoint:
    """Give a model or judge another price from now on. Requests keep the price they were made at."""
    with ledger.write() as tx:
        row = table.get(tx, name)
        if row.endpoint is None:
            raise BadInput(f"{row.id} has imported answers and no endpoint: nothing is paid for it")
        endpoint: Endpoint = replace(row.endpoint, price=price, price_source="operator", price_as=None)
        table.replace(tx, replace(row, endpoint=endpoint))
    return endpoint


def move_model(ledger: Ledger, model_id: str, verb: str) -> Model:
    """Pause, resume or retire. A retired model stays retired: what it won and lost stays too."""
    allowed, target = TRANSITIONS[verb]
    with ledger.write() as tx:
        model = models.get(tx, model_id)
        if model.state not in allowed:
            raise BadInput(f"cannot {verb} {model.id}: it is {model.state}")
        moved = replace(model, state=target, reason=None)  # type: ignore[arg-type]
        models.replace(tx, moved)
        return moved
