"""Which fits make a board: rows of newest_fits, told apart by list and key."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import duckdb

from leaderboard.history.connection import rows_of, sql
from leaderboard.history.fits import fit_row, standing_rows
from leaderboard.history.moments import until
from leaderboard.history.plain import plain
from leaderboard.history.records import FitKey, FitRecord, Row

STANDINGS = """
    SELECT * EXCLUDE (fit) FROM standing WHERE fit = ?
    ORDER BY rank IS NULL, component NULLS LAST, rank, model"""
AS_OF = """
    SELECT max(newest_at) FROM batch WHERE newest_at <= ?::TIMESTAMP"""


@dataclass(frozen=True, slots=True)
class Lists:
    """The two lists of a board, as rows of newest_fits with `standings`.

    None: nobody tried; a row without an `id`: all its fits failed.
    """

    validated: Row | None
    screened: Row | None

    @property
    def shown(self) -> Row | None:
        """The list that is the board: the validated one, unless nobody is validated."""
        if self.validated and was_made(self.validated) and (self.validated["standings"] or held_back(self.validated)):
            return self.validated
        return self.screened if self.screened and was_made(self.screened) else None

    @property
    def below(self) -> Row | None:
        """The screened list, where the board is the validated one."""
        return self.screened if self.screened and was_made(self.screened) and self.shown is self.validated else None

    @property
    def failed(self) -> Row | None:
        """The list that a newer fit failed to make."""
        return next((fit for fit in (self.validated, self.shown) if fit and fit["old_since"]), None)


def newest(con: duckdb.DuckDBPyConnection, judge: str | None, as_of: str | None = None) -> list[Row]:
    """Rows of newest_fits: one for each key and list of the judge (None: of the newest fit's). BadInput: no time.

    Of the screened lists of a scope only the one that stands.
    """
    latest = None if as_of is None else until(as_of)
    found = rows_of(con, sql("newest_fits"), {"judge": judge, "until": latest})
    return [fit for fit in found if fit["board"] == "validated" or fit is _screened(found, fit["scope"])]


def lists_of_key(con: duckdb.DuckDBPyConnection, stored: Iterable[Row], key: FitKey) -> Lists:
    """The validated list of the key, its control aside, and the screened list of its scope.

    Where somebody is validated, the screened list does not stand in for a validated one that is not stored.
    """
    here = [fit for fit in stored if fit["scope"] == key.scope]
    validated = of_key(here, "validated", replace(key, control=None))
    if validated is None and any(fit["board"] == "validated" and was_made(fit) for fit in here):
        return Lists(None, None)
    return Lists(_with_standings(con, validated), _with_standings(con, _screened(here, key.scope)))


def of_key(fits: Iterable[Row], board: str, key: FitKey) -> Row | None:
    """The fit of a list and key."""
    wanted = (board, key.scope, key.method, key.policy, key.control)
    names = ("board", "scope", "method", "policy", "control")
    return next((fit for fit in fits if tuple(fit[name] for name in names) == wanted), None)


def controlled_list(con: duckdb.DuckDBPyConnection, stored: Iterable[Row], board: str, key: FitKey) -> Row | None:
    """The fit of the key with its control, if one was made."""
    found = of_key(stored, board, key)
    return _with_standings(con, found) if found and was_made(found) else None


def as_stored(con: duckdb.DuckDBPyConnection, record: FitRecord) -> Row:
    """A record that nobody stored, as the row of newest_fits that it would be."""
    rows = sorted(standing_rows(record), key=_place)
    failed = record.failure is not None
    return fit_row(record) | {
        "id": None if failed else record.id,
        "as_of": con.execute(AS_OF, [record.fitted_at]).fetchall()[0][0],
        "old_since": record.fitted_at if failed else None,
        "old_reason": record.failure,
        "standings": [plain({name: value for name, value in row.items() if name != "fit"}) for row in rows],
    }


def was_made(fit: Row) -> bool:
    return fit["id"] is not None


def held_back(fit: Row) -> bool:
    """Whether the judge's gate holds the list back: made, of validated models, and not shown."""
    failed = (document(fit["gate"]) or {}).get("state") == "fail"
    return fit["board"] == "validated" and was_made(fit) and failed and not fit["standings"]


def groups(fit: Row) -> int:
    """Into how many groups its ranked models fall, none of which is linked to another by verdicts."""
    return len({row["component"] for row in fit["standings"] if row["rank"] is not None})


def notes(fit: Row) -> list[str]:
    """What the fit's writer has to say to the reader."""
    return [] if not was_made(fit) else list(head_document(fit).get("notes", []))


def head_document(fit: Row) -> Row:
    return document(fit["head"]) or {}


def document(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def old(fit: Row) -> Row | None:
    """Since when newer fits of the key fail, and why the last one did."""
    return None if fit["old_since"] is None else plain({"since": fit["old_since"], "reason": fit["old_reason"]})


def _place(row: Row) -> tuple[bool, float, int, str]:
    """Where a row stands in its list, as STANDINGS has it."""
    component = math.inf if row["component"] is None else row["component"]
    return row["rank"] is None, component, row["rank"] or 0, row["model"]


def _screened(fits: Iterable[Row], scope: str) -> Row | None:
    """The screened list is always `joint`; earlier versions stored another method."""
    found = [fit for fit in fits if (fit["board"], fit["scope"]) == ("screened", scope)]
    return max(found, key=lambda fit: (was_made(fit), fit["method"] == "joint"), default=None)


def _with_standings(con: duckdb.DuckDBPyConnection, fit: Row | None) -> Row | None:
    return fit and fit | {"standings": [plain(row) for row in rows_of(con, STANDINGS, [fit["id"]])]}
