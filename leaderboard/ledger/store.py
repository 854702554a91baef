"""The ledger: one database that several processes write at once, each write in a transaction of its own."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, StatementError
from sqlalchemy.pool import ConnectionPoolEntry

from leaderboard.errors import BadInput, Busy, LeaderboardError, StoreDamaged
from leaderboard.ledger.versions import bring_up_to_date

Transaction = Connection
"""What `Ledger.read` and `Ledger.write` give, and every function of this package takes first."""

_WRITES = "ledger_writes"
_BUSY_SECONDS = 30
_SHORT_PAUSE = 0.01
_DAMAGED = ("malformed", "not a database")
_NO_ROOM = ("is full", "No space left on device", "disk I/O error")
_NO_PLACE = ("unable to open", "readonly database")
_GO_ON = "free some space on its disk, then the same command goes on"


class LedgerFailed(LeaderboardError):
    """The ledger cannot be read or written now, or refuses a value. What was committed is still there."""


class Ledger:
    """An open ledger. Safe to share between threads: each `read` and `write` takes a connection of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writing = engine.execution_options(**{_WRITES: True})
        self.url = masked(engine.url)

    def __repr__(self) -> str:
        return f"Ledger({self.url!r})"

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction: committed on leaving, rolled back on an exception.

        Busy after 30 s behind another, StoreDamaged, or LedgerFailed (the disk is full, a value cannot be stored).
        """
        with self._named(), self._writing.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One consistent view. It cannot write: a read that turns into a write loses its lock on SQLite."""
        with self._named(), self._engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Give up all connections that are not in use."""
        self._engine.dispose()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """What the driver says leaves as a refusal that names the ledger, without the statement and its values."""
        try:
            yield
        except StatementError as error:
            raise self._refusal(str(error.orig)) from error
        except OverflowError as error:
            raise LedgerFailed(f"the ledger {self.url} cannot store a value: {error}") from error

    def _refusal(self, said: str) -> LeaderboardError:
        reason = (said.splitlines() or [""])[0]
        if "locked" in reason:
            return Busy(f"the ledger {self.url} has been locked for {_BUSY_SECONDS} s by another process")
        if any(words in reason for words in _DAMAGED):
            return StoreDamaged(f"cannot read the ledger {self.url}: {reason}\nbring it back from a backup")
        if any(words in reason for words in _NO_ROOM):
            return LedgerFailed(f"cannot write the ledger {self.url}: {reason}\n{_GO_ON}")
        if any(words in reason for words in _NO_PLACE):
            folder = "its folder must exist, and folder and file must be writable, also for reading"
            return LedgerFailed(f"cannot open the ledger {self.url}: {reason}\n{folder}")
        return LedgerFailed(f"the ledger {self.url} refuses this: {reason}")


def open_ledger(url: str) -> Ledger:
    """Open the ledger at this database URL; a fresh one gets its tables, an older one is brought up to date.

    BadInput: the URL cannot be used. LedgerFailed, StoreDamaged: it cannot be opened. LeaderboardError: a newer program
    made it.
    """
    ledger = Ledger(_engine(_checked(url)))
    try:
        bring_up_to_date(ledger)
    except LeaderboardError:
        ledger.close()
        raise
    return ledger


def masked(url: URL) -> str:
    """The URL as text without its passwords."""
    query = {name: "hidden" if "password" in name.lower() else value for name, value in url.query.items()}
    return url.set(query=query).render_as_string(hide_password=True)


def _checked(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise BadInput("the ledger's URL cannot be read: use sqlite:///PATH") from error
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise BadInput("the ledger must be a file that several processes can open: use sqlite:///PATH")
    return url


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(url)
    except (NoSuchModuleError, ImportError) as error:
        raise BadInput(f"no driver is installed for the ledger {masked(url)}: {error}") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    # Without this the driver begins transactions by itself, deferred, and only at the first write.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    _switch_to_wal(cursor)
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _switch_to_wal(cursor: DBAPICursor) -> None:
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # Processes that make the same file at once are refused here without the busy timeout.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(_SHORT_PAUSE)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    raw = connection.connection.dbapi_connection
    if not isinstance(raw, sqlite3.Connection):
        raise TypeError(f"expected a sqlite3 connection, got {type(raw).__name__}")
    raw.execute(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
