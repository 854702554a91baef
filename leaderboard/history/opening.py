"""Opening the live file when something is wrong with it, and putting a snapshot in its place."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import duckdb

from leaderboard.errors import Busy
from leaderboard.history import snapshots
from leaderboard.history.connection import connect_owner, sql, transaction
from leaderboard.history.trouble import damaged, first_line, is_about_the_disk, named, refusal

LOCKED_BY_ANOTHER = "Could not set lock on file"


def open_live(path: Path, memory_limit: str) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    """The connection, tables made, and warnings in words. Moves a log aside that cannot be replayed; deletes nothing.

    Busy when another process has the file open, StoreDamaged when the file cannot be read even without its log,
    HistoryFailed when the disk is full or the folder not writable.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    con, warnings = _connected(path, memory_limit)
    with named(path):
        with transaction(con):
            con.execute(sql("schema"))
            con.execute(sql("views"))
        snapshots.checkpoint(con)  # what is appended from here on never stands behind a damaged piece of log
    return con, warnings


def put_in_place(snapshot: Path, live: Path, *, keep_old: bool) -> None:
    """Make the live file, which nobody has open, a copy of the snapshot. The old one is moved aside or dropped."""
    if keep_old:
        live.rename(_free_name(live, "replaced"))
    live.unlink(missing_ok=True)
    snapshots.copy_file(snapshot, live)


def _connected(path: Path, memory_limit: str) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    try:
        return connect_owner(path, memory_limit), []
    except duckdb.Error as error:
        if LOCKED_BY_ANOTHER in str(error):
            raise Busy(f"{path.name} is open in another process; stop it or wait for it") from error
        if is_about_the_disk(str(error)):
            raise refusal(path, str(error)) from error
        return _open_without_log(path, memory_limit, error)


def _open_without_log(
    path: Path, memory_limit: str, error: duckdb.Error
) -> tuple[duckdb.DuckDBPyConnection, list[str]]:
    log = path.with_name(path.name + ".wal")
    if not log.exists():
        raise damaged(path, str(error)) from error
    aside = _free_name(log, "damaged")
    log.rename(aside)
    try:
        con = connect_owner(path, memory_limit)
    except duckdb.Error as second:
        aside.rename(log)
        raise damaged(path, str(second), ", with or without its log") from second
    reason = first_line(str(error))
    return con, [f"the log of {path.name} could not be replayed ({reason}); it was moved to {aside.name}"]


def _free_name(file: Path, why: str) -> Path:
    names = (file.with_name(f"{file.name}.{why}-{number}") for number in count(1))
    return next(name for name in names if not name.exists())
