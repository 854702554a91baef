"""Registered contestants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed

from sqlalchemy import Connection, RowMapping, func, select, update

from leaderboard.core.types import Model
from leaderboard.ledger import registry, schema
from leaderboard.ledger.codec import endpoint_document, endpoint_from, from_json, to_json
from leaderboard.ledger.ids import tidy_id

NOUN = registry.Noun("model", schema.models)


def add(tx: Connection, model: Model) -> Model:
    """Register a model and return it with its id tidied. Conflict names the model whose id is or looks the same."""
    tidied = changed(model, id=tidy_id(model.id))
    registry.insert_row(tx, NOUN, {**_values(tidied), "seat": tidied.seat, "version": 1})
    return tidied


def get(tx: Connection, model_id: str) -> Model:
    """The model of this id. NotFound lists close ids."""
    return _model(registry.fetch_row(tx, NOUN, model_id))


def all(tx: Connection, states: Sequence[str] | None = None) -> list[Model]:
    """Every model, or those in one of these states, oldest first."""
    return [_model(row) for row in registry.fetch_rows(tx, NOUN, states)]


def version(tx: Connection, model_id: str) -> int:
    """How often the model was written: 1 when it is new."""
    count: int = registry.fetch_row(tx, NOUN, model_id)["version"]
    return count


def replace(tx: Connection, model: Model) -> None:
    """Write a registered model anew and count its version up. Its seat stays what it is."""
    registry.update_row(tx, NOUN, _values(changed(model, id=tidy_id(model.id))))


def seat(tx: Connection, ids: Sequence[str]) -> dict[str, int]:
    """The seats of these models; those without take the next free ones, in the order given. A seat never changes."""
    table = schema.models
    highest = tx.execute(select(func.max(table.c.seat))).scalar()
    free = 0 if highest is None else highest + 1
    seats: dict[str, int] = {}
    for model in [get(tx, each) for each in dict.fromkeys(ids)]:
        if model.seat is not None:
            seats[model.id] = model.seat
            continue
        tx.execute(update(table).where(table.c.id == model.id).values(seat=free))
        seats[model.id] = free
        free += 1
    return seats


def _values(model: Model) -> registry.Values:
    body = {
        "endpoint": None if model.endpoint is None else endpoint_document(model.endpoint),
        "system": model.system,
        "family": model.family,
        "reason": model.reason,
    }
    return {"id": model.id, "state": model.state, "created_at": model.created_at, "body": to_json(body)}


def _model(row: RowMapping) -> Model:
    body = from_json(row["body"])
    endpoint = body.pop("endpoint")
    return Model(
        id=row["id"],
        endpoint=None if endpoint is None else endpoint_from(endpoint),
        state=row["state"],
        seat=row["seat"],
        created_at=row["created_at"],
        **body,
    )
