"""Ratings over time: every fit of a key in turn, and what changed between two of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import duckdb

from leaderboard.history.boards import NotStored, head_of, key_text, known_judges, not_stored, require_known
from leaderboard.history.connection import rows_of, sql
from leaderboard.history.lists import STANDINGS, held_back, newest, was_made
from leaderboard.history.moments import until
from leaderboard.history.pages import page
from leaderboard.history.records import OVERALL, FitKey, Row

FIT = """
    SELECT *, (SELECT max(newest_at) FROM batch WHERE newest_at <= fitted_at) AS as_of FROM fit WHERE id = ?"""
NEWEST_JUDGE = """
    SELECT judge FROM fit WHERE $judge IS NULL OR judge = $judge ORDER BY rowid DESC LIMIT 1"""
NO_MODELS: Row = {"joined": [], "left": [], "moved": []}
SAME_TO = 6  # decimals of an Elo point


def ratings(
    con: duckdb.DuckDBPyConnection, model: str | None, judge: str | None, key: FitKey, limit: int, cursor: str | None
) -> Row:
    """A row a model and fit of the key, and of the screened lists of its scope, whose scale is another.

    All fingerprints of the judge (None: of the newest fit's); newest first, in a fit by rank, a validated list before
    the screened one. NotFound for an unknown judge, NotStored when no fit of that key is stored.
    """
    judge = _judge(con, judge)
    _require_stored(con, judge, key)
    filters = asdict(key) | {"model": model, "judge": judge}
    found = page(con, "rating_list", filters, ("fitted_at", "id"), limit, cursor)
    items = [{name: value for name, value in row.items() if name != "id"} for row in found["items"]]
    return found | {"items": items}


def changes(
    con: duckdb.DuckDBPyConnection, judge: str | None, key: FitKey, before: str | None, after: str | None
) -> Row:
    """From one fit of the key to another: models, ratings, verdicts, prompts, the judge's fingerprint.

    Each is named by its id or a time: the fit that was newest then. By default the newest, and the one before it. With
    nobody validated the screened list is meant, as the method of the newest one rates it. A list that is held back is
    compared with nothing. NotStored when there are no two of them.
    """
    fits = _fits(con, judge, key)
    to = _named(fits, after, "after", key) if after is not None else len(fits) - 1
    since = _named(fits, before, "before", key) if before is not None else to - 1
    if since < 0:
        raise NotStored(f"there is no earlier fit of {key_text(key)} to compare with: {len(fits)} stored")
    return _between(con, fits[since]["id"], fits[to]["id"])


def _between(con: duckdb.DuckDBPyConnection, from_id: str, to_id: str) -> Row:
    fits = _listed(con, from_id), _listed(con, to_id)
    old, new = (head_of(fit) | {"board": fit["board"]} for fit in fits)
    hidden = tuple(map(held_back, fits))
    fingerprints = old["fingerprint"], new["fingerprint"]
    return {
        "from": old,
        "to": new,
        "held_back": {"from": hidden[0], "to": hidden[1]},
        "models": NO_MODELS if any(hidden) else _models(*(fit["standings"] for fit in fits)),
        "verdicts": {"from": old["n_battles"], "to": new["n_battles"]},
        "prompts": {"from": old["n_prompts"], "to": new["n_prompts"]},
        "judge": {
            "fingerprint_from": fingerprints[0],
            "fingerprint_to": fingerprints[1],
            "changed": fingerprints[0] != fingerprints[1],
        },
    }


def _listed(con: duckdb.DuckDBPyConnection, id_: str) -> Row:
    return rows_of(con, FIT, [id_])[0] | {"standings": rows_of(con, STANDINGS, [id_])}


def _models(old: list[Row], new: list[Row]) -> Row:
    """Who came, who went, who moved: the largest moves first."""
    was, is_ = ({row["model"]: row for row in rows} for rows in (old, new))
    moved = [_moved(was[model], row) for model, row in is_.items() if model in was and _differs(was[model], row)]
    return {
        "joined": [model for model in is_ if model not in was],
        "left": [model for model in was if model not in is_],
        "moved": sorted(moved, key=lambda row: -_distance(row["rating_from"], row["rating_to"])),
    }


def _distance(old: float | None, new: float | None) -> float:
    return 0.0 if old is None or new is None else abs(new - old)


def _moved(old: Row, new: Row) -> Row:
    """`beyond_interval`: the new rating lies outside the old interval; None where one of them is missing."""
    lower, upper, rating = old["lower"], old["upper"], new["rating"]
    known = lower is not None and upper is not None and rating is not None
    return {
        "model": new["model"],
        "rating_from": old["rating"],
        "rating_to": rating,
        "rank_from": old["rank"],
        "rank_to": new["rank"],
        "beyond_interval": not lower <= rating <= upper if known else None,
    }


def _differs(old: Row, new: Row) -> bool:
    return bool(_place(old) != _place(new))


def _place(row: Row) -> tuple[Any, Any]:
    return row["rank"], None if row["rating"] is None else round(row["rating"], SAME_TO)


def _fits(con: duckdb.DuckDBPyConnection, judge: str | None, key: FitKey) -> list[Row]:
    """The fits of the key in the order in which they were stored."""
    return rows_of(con, sql("fits_of_key"), asdict(key) | {"judge": _judge(con, judge)})


def _require_stored(con: duckdb.DuckDBPyConnection, judge: str | None, key: FitKey) -> None:
    """Only the usual key has screened lists in its place, and before the first fit no ratings instead of a refusal."""
    found = _fits(con, judge, key)
    if any(_is_of(fit, key) for fit in found):
        return
    every = newest(con, judge)
    if key != OVERALL or any(was_made(fit) for fit in every):
        raise not_stored(con, every, judge, key)


def _is_of(fit: Row, key: FitKey) -> bool:
    own = fit["board"] == "validated" or (fit["method"], fit["policy"]) == (key.method, key.policy)
    return own or key == FitKey(key.scope)


def _named(fits: list[Row], named: str, field: str, key: FitKey) -> int:
    """The place of the fit with that id, or of the newest one at that time."""
    places = [place for place, fit in enumerate(fits) if fit["id"] == named]
    if not places:
        latest = until(named, field, "the id of one of these fits or a time")
        places = [place for place, fit in enumerate(fits) if fit["fitted_at"] <= latest]
    if not places:
        raise NotStored(f"{field}: no fit of {key_text(key)} was stored by {named}")
    return places[-1]


def _judge(con: duckdb.DuckDBPyConnection, judge: str | None) -> str | None:
    """The judge that is meant: the named one, or that of the newest fit."""
    found = con.execute(NEWEST_JUDGE, {"judge": judge}).fetchall()
    if found:
        return None if found[0][0] is None else str(found[0][0])
    require_known(judge, known_judges(con))
    return judge
