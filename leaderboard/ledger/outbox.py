"""Finished requests and closed attempts on their way to the history, in batches.

A batch is assigned here, committed by the history, acknowledged here, and published with a snapshot; only then are its
reply texts dropped from the ledger. After a crash `unpublished` gives every batch that may have to be sent again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Table, insert, select, update

from leaderboard.ledger import schema
from leaderboard.ledger.registry import chunks
from leaderboard.ledger.requests import Attempt, Finished, attempt_from, finished_from


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that go to the history together. `id` is a UUID that both stores keep."""

    id: str
    requests: list[Finished]
    attempts: list[Attempt]

    @property
    def empty(self) -> bool:
        return not self.requests and not self.attempts


def assign(tx: Connection, batch_id: str, limit: int, now: str) -> Batch:
    """Put up to `limit` finished requests and `limit` closed attempts that wait into a new batch, oldest first.

    An empty batch is returned and not recorded.
    """
    requests, attempts = schema.requests, schema.attempts
    keys = _waiting(tx, requests, requests.c.key, ("done", "failed"), requests.c.finished_at, limit)
    ids = _waiting(tx, attempts, attempts.c.id, ("settled", "unknown"), attempts.c.ended_at, limit)
    if not keys and not ids:
        return Batch(batch_id, [], [])
    row = {"id": batch_id, "state": "assigned", "requests": len(keys), "attempts": len(ids), "created_at": now}
    tx.execute(insert(schema.batches).values(row))
    _put_in(tx, requests, requests.c.key, keys, batch_id)
    _put_in(tx, attempts, attempts.c.id, ids, batch_id)
    return _read(tx, batch_id)


def unpublished(tx: Connection) -> list[Batch]:
    """Every batch that is in no published snapshot, oldest first, with its rows as they are now.

    A failed request that was opened again since has left its batch: it comes back in another one.
    """
    batches = schema.batches
    query = select(batches.c.id).where(batches.c.state.in_(("assigned", "committed")))
    ids = tx.execute(query.order_by(batches.c.created_at, batches.c.id)).scalars().all()
    return [_read(tx, batch_id) for batch_id in ids]


def committed(tx: Connection, batch_id: str) -> None:
    """The history holds this batch."""
    batches = schema.batches
    tx.execute(update(batches).where(batches.c.id == batch_id, batches.c.state == "assigned").values(state="committed"))


def committed_ids(tx: Connection) -> list[str]:
    """The batches that the history holds and no published snapshot yet."""
    batches = schema.batches
    return list(tx.execute(select(batches.c.id).where(batches.c.state == "committed")).scalars())


def published(tx: Connection, batch_ids: Iterable[str]) -> None:
    """These batches are in a published snapshot: the ledger lets go of their reply texts."""
    batches, requests = schema.batches, schema.requests
    for part in chunks(list(batch_ids)):
        tx.execute(update(batches).where(batches.c.id.in_(part)).values(state="published"))
        tx.execute(update(requests).where(requests.c.batch_id.in_(part)).values(payload=None))


def published_ids(tx: Connection) -> set[str]:
    """The batches that the ledger has let go of: a history without one of them is damaged."""
    batches = schema.batches
    return set(tx.execute(select(batches.c.id).where(batches.c.state == "published")).scalars())


def _waiting(
    tx: Connection, table: Table, name: ColumnElement[str], states: Sequence[str], age: ColumnElement[str], limit: int
) -> list[str]:
    query = select(name).where(table.c.batch_id.is_(None), table.c.state.in_(states)).order_by(age, name).limit(limit)
    return list(tx.execute(query).scalars())


def _put_in(tx: Connection, table: Table, name: ColumnElement[str], names: Sequence[str], batch_id: str) -> None:
    for part in chunks(names):
        tx.execute(update(table).where(name.in_(part)).values(batch_id=batch_id))


def _read(tx: Connection, batch_id: str) -> Batch:
    requests, attempts = schema.requests, schema.attempts
    asked = select(requests).where(requests.c.batch_id == batch_id).order_by(requests.c.finished_at, requests.c.key)
    sent = select(attempts).where(attempts.c.batch_id == batch_id).order_by(attempts.c.ended_at, attempts.c.id)
    return Batch(
        batch_id,
        [finished_from(row) for row in tx.execute(asked).mappings()],
        [attempt_from(row) for row in tx.execute(sent).mappings()],
    )
