"""Opening DuckDB with explicit limits, and the SQL texts that lie beside this module."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

import duckdb

from leaderboard.history.records import Row

NO_SURPRISES = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "2",
}
LOCKED = ("enable_external_access = false", "lock_configuration = true")
_opening = threading.Lock()


def connect_owner(path: Path, memory_limit: str) -> duckdb.DuckDBPyConnection:
    """Open the live file for reading and writing; queries spill to a folder beside it."""
    limits = {"memory_limit": memory_limit, "temp_directory": f"{path}.spill"}
    return duckdb.connect(str(path), config=NO_SURPRISES | limits)


def connect_snapshot(path: Path, memory_limit: str) -> duckdb.DuckDBPyConnection:
    """Open a snapshot read-only, without a way to other files and with its settings locked.

    A query over the memory limit fails: the folder may not be ours to spill into. Every opening of a snapshot in one
    process shares one database, so the first one's memory limit holds.
    """
    with _opening:
        con = duckdb.connect(str(path), read_only=True, config=NO_SURPRISES | {"temp_directory": ""})
        if not con.execute("SELECT current_setting('lock_configuration')").fetchall()[0][0]:
            for setting in (f"memory_limit = '{memory_limit}'", *LOCKED):
                con.execute(f"SET {setting}")
    return con


@cache
def sql(name: str) -> str:
    """The text of sql/NAME.sql."""
    return files("leaderboard.history").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """All or nothing: commits on exit, takes everything back on an error."""
    con.begin()
    try:
        yield
    except BaseException:
        # After a fatal error there is nothing left to take back; the error before it says what happened.
        with suppress(duckdb.Error):
            con.rollback()
        raise
    con.commit()


def rows_of(
    con: duckdb.DuckDBPyConnection, text: str, params: Mapping[str, object] | list[object] | None = None
) -> list[Row]:
    """Every row of a query as a dict by column name."""
    found = con.execute(text, params) if params is not None else con.execute(text)
    names = [column[0] for column in found.description]
    return [dict(zip(names, values, strict=True)) for values in found.fetchall()]
