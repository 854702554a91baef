"""The board as JSON: the validated list, and the screened one below it or in its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import duckdb

from leaderboard.errors import NotFound
from leaderboard.history.connection import rows_of, sql
from leaderboard.history.plain import plain
from leaderboard.history.records import Row

STANDINGS = """
    SELECT * EXCLUDE (fit) FROM standing WHERE fit = ? ORDER BY rank NULLS LAST, model"""
HEAD_FIELDS = (
    "method", "policy", "prior", "anchor", "n_battles", "n_prompts", "components",
    "scope", "judge", "fingerprint", "simulated", "fitted_at", "as_of",
)  # fmt: skip
NO_FIT = "No ratings yet: they appear after the first run."
NONE_VALIDATED = "Nobody is validated yet: this is the screened list, from single passes, and provisional."


def board(con: duckdb.DuckDBPyConnection, snapshot: str | None, judge: str | None, scope: str = "overall") -> Row:
    """The newest validated and screened fits of a judge (None: of the judge of the newest fit) and one fingerprint.

    With nobody validated the screened list is the board and `screened` is empty. NotFound for an unknown judge.
    """
    fits = {str(fit["board"]): fit for fit in rows_of(con, sql("newest_fits"), {"scope": scope, "judge": judge})}
    standings = {name: rows_of(con, STANDINGS, [fit["id"]]) for name, fit in fits.items()}
    # A validated list without rows that has something to say was held back: it is not that nobody is validated.
    has_validated = standings.get("validated") or ("validated" in fits and _notes(fits["validated"]))
    shown = "validated" if has_validated else "screened"
    if shown not in fits:
        return _empty(con, snapshot, judge, scope)
    below = shown == "validated" and "screened" in fits
    notes = _notes(fits[shown]) + (_notes(fits["screened"]) if below else [])
    return {
        **_head(fits[shown]),
        "board": shown,
        "snapshot": snapshot,
        "gate": _document(fits[shown]["gate"]) or _document(fits.get("validated", {}).get("gate")),
        "standings": plain(standings[shown]),
        "judges": [],
        "screened": plain(standings["screened"]) if below else [],
        "screened_fit": _head(fits["screened"]) if below else None,
        "notes": notes if shown == "validated" else [NONE_VALIDATED, *notes],
    }


def _head(fit: Row) -> Row:
    rest = {name: value for name, value in _head_document(fit).items() if name != "notes"}
    return {**plain({name: fit[name] for name in HEAD_FIELDS}), "head": rest}


def _notes(fit: Row) -> list[str]:
    return list(_head_document(fit).get("notes", []))


def _head_document(fit: Row) -> Row:
    return _document(fit["head"]) or {}


def _document(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _empty(con: duckdb.DuckDBPyConnection, snapshot: str | None, judge: str | None, scope: str) -> Row:
    known = [str(row[0]) for row in con.execute("SELECT id FROM judges ORDER BY id").fetchall()]
    return empty_board(known, snapshot=snapshot, judge=judge, scope=scope)


def empty_board(
    known: Sequence[str], *, snapshot: str | None = None, judge: str | None = None, scope: str = "overall"
) -> Row:
    """The board before anybody is rated, in the shape of every other. NotFound for a judge that is not `known`."""
    if judge is not None and judge not in known:
        raise NotFound(f"no judge {judge!r}: there {'is' if len(known) == 1 else 'are'} {', '.join(known) or 'none'}")
    fields: Row = dict.fromkeys(HEAD_FIELDS)
    return fields | {
        "n_battles": 0,
        "n_prompts": 0,
        "components": 0,
        "scope": scope,
        "judge": judge,
        "simulated": False,
        "board": "screened",
        "snapshot": snapshot,
        "gate": None,
        "head": {},
        "standings": [],
        "judges": [],
        "screened": [],
        "screened_fit": None,
        "notes": [NO_FIT],
    }
