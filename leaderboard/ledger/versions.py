"""The revision of a ledger's tables. Alembic is imported only when an upgrade is due: it is slow to load."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection, insert, inspect, select

from leaderboard.errors import BadInput, LeaderboardError
from leaderboard.ledger import schema


class Store(Protocol):
    """What is needed of a ledger to bring it up to date."""

    url: str

    def read(self) -> AbstractContextManager[Connection]: ...

    def write(self) -> AbstractContextManager[Connection]: ...


def bring_up_to_date(store: Store) -> None:
    """Make the tables of a fresh ledger, upgrade an older one, refuse a newer one or a database of something else."""
    with store.read() as tx:
        if _revision(tx) == schema.REVISION:
            return
    with store.write() as tx:
        _upgrade(tx, store.url)


def _revision(tx: Connection) -> str | None:
    if not inspect(tx).has_table(schema.revisions.name):
        return None
    return tx.execute(select(schema.revisions.c.version_num)).scalar()


def _upgrade(tx: Connection, url: str) -> None:
    # Another process may have done it while this one waited for the lock.
    if _revision(tx) == schema.REVISION:
        return
    tables = inspect(tx).get_table_names()
    if not tables:
        _create(tx)
    elif schema.revisions.name not in tables:
        raise BadInput(f"{url} holds tables of another program: give the ledger a database of its own")
    else:
        _migrate(tx, url)


def _create(tx: Connection) -> None:
    schema.metadata.create_all(tx)
    schema.bookkeeping.create_all(tx)
    tx.execute(insert(schema.revisions).values(version_num=schema.REVISION))


def _migrate(tx: Connection, url: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", "leaderboard.ledger:migrations")
    config.set_main_option("path_separator", "os")
    found = _revision(tx)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise LeaderboardError(
            f"the ledger {url} was made by a newer leaderboard (revision {found}, this program knows "
            f"{schema.REVISION}): upgrade this program"
        )
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
