"""Opening the live file when something is wrong with it."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import duckdb

from leaderboard.errors import Busy, StoreDamaged
from leaderboard.history.connection import connect_owner

LOCKED_BY_ANOTHER = "Could not set lock on file"


def open_live(path: Path, memory_limit: str) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    """The connection, and warnings in words. Moves a log aside that cannot be replayed; deletes nothing.

    Busy when another process has the file open, StoreDamaged when the file cannot be read even without its log.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return connect_owner(path, memory_limit), []
    except duckdb.Error as error:
        if LOCKED_BY_ANOTHER in str(error):
            raise Busy(f"{path.name} is open in another process; stop it or wait for it") from error
        return _open_without_log(path, memory_limit, error)


def _open_without_log(
    path: Path, memory_limit: str, error: duckdb.Error
) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    log = path.with_name(path.name + ".wal")
    if not log.exists():
        raise StoreDamaged(f"{path.name} cannot be read: {_first_line(error)}") from error
    aside = _free_name(log)
    log.rename(aside)
    try:
        con = connect_owner(path, memory_limit)
    except duckdb.Error as second:
        aside.rename(log)
        raise StoreDamaged(f"{path.name} cannot be read, with or without its log: {_first_line(second)}") from second
    return con, [f"the log of {path.name} could not be replayed ({_first_line(error)}); it was moved to {aside.name}"]


def _free_name(log: Path) -> Path:
    names = (log.with_name(f"{log.name}.damaged-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
