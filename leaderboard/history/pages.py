"""Keyset pages: a cursor names the last row seen and nothing else, so pages never overlap while rows are added."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from datetime import datetime

import duckdb

from leaderboard.errors import BadInput
from leaderboard.history.connection import rows_of, sql
from leaderboard.history.plain import iso, plain
from leaderboard.history.records import Row

LONGEST_PAGE = 200


def page(
    con: duckdb.DuckDBPyConnection,
    query: str,
    filters: Mapping[str, object],
    place: tuple[str, str],
    limit: int,
    cursor: str | None,
) -> Row:
    """One page of a list query as {"items", "next_cursor"}; `place` names its time and id columns.

    Raises BadInput for a limit outside 1..200 or a cursor that is not ours.
    """
    if not 1 <= limit <= LONGEST_PAGE:
        raise BadInput(f"limit: must be 1 to {LONGEST_PAGE}, got {limit}")
    moment, id_ = (None, None) if cursor is None else read_cursor(cursor)
    params = dict(filters) | {"moment": moment, "id": id_, "count": limit + 1}
    found = rows_of(con, sql(query), params)
    shown = found[:limit]
    following = cursor_after(shown[-1], place) if len(found) > limit else None
    return {"items": plain(shown), "next_cursor": following}


def cursor_after(row: Row, place: tuple[str, str]) -> str:
    moment, id_ = row[place[0]], row[place[1]]
    text = json.dumps([iso(moment), id_])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[str, str]:
    """The (time, id) that a cursor names; BadInput for anything else."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        moment, id_ = _pair(json.loads(base64.urlsafe_b64decode(padded.encode("ascii"))))
        return iso(datetime.fromisoformat(moment)), id_
    # Overflow: a time whose zone takes it out of the calendar. Recursion: brackets without end.
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error) as error:
        raise BadInput("cursor: not one that this list gave; leave it out to start from the newest") from error


def _pair(value: object) -> tuple[str, str]:
    match value:
        case [str(moment), str(id_)]:
            id_.encode("utf-8")  # half a character has no form that the database could compare
            return moment, id_
    raise TypeError("a cursor is a time and an id")
