"""Registered judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed

from sqlalchemy import Connection, RowMapping

from leaderboard.core.types import Judge
from leaderboard.ledger import registry, schema
from leaderboard.ledger.codec import endpoint_document, endpoint_from, from_json, to_json
from leaderboard.ledger.ids import tidy_id

NOUN = registry.Noun("judge", schema.judges)

_IN_BODY = ("template", "rubric", "system", "family", "protocol", "samples", "reason", "fingerprint")


def add(tx: Connection, judge: Judge) -> Judge:
    """Register a judge and return it with its id tidied. Conflict names the judge whose id is or looks the same."""
    tidied = changed(judge, id=tidy_id(judge.id))
    registry.insert_row(tx, NOUN, {**_values(tidied), "version": 1})
    return tidied


def get(tx: Connection, judge_id: str) -> Judge:
    """The judge of this id. NotFound lists close ids."""
    return _judge(registry.fetch_row(tx, NOUN, judge_id))


def version(tx: Connection, judge_id: str) -> int:
    """How often the judge was written: 1 when it is new."""
    count: int = registry.fetch_row(tx, NOUN, judge_id)["version"]
    return count


def replace(tx: Connection, judge: Judge) -> None:
    """Write a registered judge anew and count its version up."""
    registry.update_row(tx, NOUN, _values(changed(judge, id=tidy_id(judge.id))))


def all(tx: Connection, states: Sequence[str] | None = None) -> list[Judge]:
    """Every judge, or those in one of these states, oldest first."""
    return [_judge(row) for row in registry.fetch_rows(tx, NOUN, states)]


def _values(judge: Judge) -> registry.Values:
    body = {name: getattr(judge, name) for name in _IN_BODY}
    body["endpoint"] = endpoint_document(judge.endpoint)
    return {"id": judge.id, "state": judge.state, "created_at": judge.created_at, "body": to_json(body)}


def _judge(row: RowMapping) -> Judge:
    body = from_json(row["body"])
    endpoint = endpoint_from(body.pop("endpoint"))
    return Judge(id=row["id"], endpoint=endpoint, state=row["state"], created_at=row["created_at"], **body)
