"""Single facts about the ledger itself, by name."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from leaderboard.ledger.schema import meta


def get(tx: Connection, key: str) -> str | None:
    """The value kept under this key, None if there is none."""
    return tx.execute(select(meta.c.value).where(meta.c.key == key)).scalar()


def put(tx: Connection, key: str, value: str) -> None:
    """Keep this value under the key, in place of the one before."""
    changed = tx.execute(update(meta).where(meta.c.key == key).values(value=value))
    if changed.rowcount == 0:
        tx.execute(insert(meta).values(key=key, value=value))
