"""Somebody's own SQL on a snapshot: one statement that reads, bounded rows, values that JSON can hold.

For the person at the keyboard: the snapshot is read-only and cut off from other files, but a costly question still
costs this process its time and memory.
"""

from __future__ import annotations

import re
from functools import cache

import duckdb

from leaderboard.errors import BadInput
from leaderboard.history.connection import sql
from leaderboard.history.plain import plain
from leaderboard.history.records import Row

READING = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
OF_EARLIER = "this snapshot was published by an earlier version: `leaderboard snapshot` publishes it anew"
VIEW_COLUMNS = """
    SELECT table_name, column_name FROM duckdb_columns() JOIN duckdb_views() ON view_name = table_name
    WHERE NOT duckdb_views.internal"""
ONE_ONLY = "write one SELECT (or EXPLAIN) and nothing else"


def ask(con: duckdb.DuckDBPyConnection, text: str, limit: int) -> Row:
    """The answer as {"columns", "rows", "truncated"}, at most `limit` rows. BadInput with DuckDB's first line."""
    if limit < 1:
        raise BadInput(f"limit: must be at least 1, got {limit}")
    try:
        found = con.execute(_only_statement(con, text))
        columns = [column[0] for column in found.description]
        rows = found.fetchmany(limit + 1)
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise BadInput(OF_EARLIER if _asks_for_later(con, text) else _first_line(error)) from error
    except (duckdb.Error, ValueError, RuntimeError) as error:
        raise BadInput(_first_line(error)) from error
    return {"columns": columns, "rows": plain(rows[:limit]), "truncated": len(rows) > limit}


def _only_statement(con: duckdb.DuckDBPyConnection, text: str) -> duckdb.Statement:
    text.encode("utf-8")
    statements = con.extract_statements(text)
    if len(statements) != 1 or statements[0].type not in READING:
        raise BadInput(ONE_ONLY)
    return statements[0]


def _asks_for_later(con: duckdb.DuckDBPyConnection, text: str) -> bool:
    """Whether the question names a view or column that the views have now and this snapshot's views lack."""
    lacking = _documented() - _view_columns(con)
    views = {view for view, _ in _view_columns(con)}
    later = {column if view in views else view for view, column in lacking}
    return any(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for name in later)


@cache
def _documented() -> frozenset[tuple[str, str]]:
    """Views of this version, with their columns."""
    with duckdb.connect() as con:
        con.execute(sql("schema"))
        con.execute(sql("views"))
        return _view_columns(con)


def _view_columns(con: duckdb.DuckDBPyConnection) -> frozenset[tuple[str, str]]:
    return frozenset(con.execute(VIEW_COLUMNS).fetchall())


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
