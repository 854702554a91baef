"""Fits and standings as rows, appended when they say something new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from decimal import Decimal
from typing import Any

import duckdb

from leaderboard.core.keys import content_hash
from leaderboard.history.appending import append
from leaderboard.history.connection import sql, transaction
from leaderboard.history.plain import json_text, plain
from leaderboard.history.records import FitRecord, Row, StandingRow

NOT_SAID = ("id", "fitted_at", "run", "standings")
PLACES = 9  # decimals beyond which two fits of the same facts may differ by how a machine adds up
FIT_FIELDS = tuple(field.name for field in fields(FitRecord) if field.name != "standings")
STANDING_FIELDS = tuple(field.name for field in fields(StandingRow))

Place = tuple[str | None, ...]


def append_fits(con: duckdb.DuckDBPyConnection, records: Sequence[FitRecord]) -> list[bool]:
    """Store the fits and their standings, all or none, but for those that say what the newest of their place says.

    A place is a list by a key, whoever judges: a return to an earlier judge is news, so that the fit stored last is
    always of the judge who was rated last. The answer tells for each whether it was stored.
    """
    newest = {tuple(row[:-1]): row[-1] for row in con.execute(sql("newest_contents")).fetchall()}
    rows = [fit_row(record) for record in records]
    told = [_is_news(newest, _place(record), row["content"]) for record, row in zip(records, rows, strict=True)]
    with transaction(con):
        append(con, "fit", [row for row, new in zip(rows, told, strict=True) if new])
        new_ones = [record for record, new in zip(records, told, strict=True) if new]
        append(con, "standing", [row for record in new_ones for row in standing_rows(record)])
    return told


def fit_row(fit: FitRecord) -> Row:
    """The fit without its standings; its gate and head as JSON text, `content` a hash of all that it says."""
    row: Row = {name: getattr(fit, name) for name in FIT_FIELDS}
    documents = {"gate": None if fit.gate is None else json_text(fit.gate), "head": json_text(fit.head)}
    return row | documents | {"content": content(fit)}


def standing_rows(fit: FitRecord) -> list[Row]:
    """A row a model. Money is kept to a nano-dollar."""
    return [
        {"fit": fit.id, **{name: getattr(one, name) for name in STANDING_FIELDS}}
        | {"usd_per_verdict": _nano(one.usd_per_verdict)}
        for one in fit.standings
    ]


def content(fit: FitRecord) -> str:
    """The same text for two fits that say the same, whenever and by whichever run they were made."""
    said = {name: getattr(fit, name) for name in FIT_FIELDS if name not in NOT_SAID}
    models = sorted(fit.standings, key=lambda one: one.model)
    rows = [[getattr(one, name) for name in STANDING_FIELDS] for one in models]
    return content_hash(_rounded(plain([said, STANDING_FIELDS, rows])))


def _is_news(newest: dict[Place, str | None], place: Place, said: str) -> bool:
    """Whether the newest fit of the place says something else; this one is the newest now."""
    before, newest[place] = newest.get(place), said
    return before != said


def _place(fit: FitRecord) -> Place:
    return (fit.board, fit.scope, fit.method, fit.policy, fit.control)


def _nano(usd: Decimal | None) -> Decimal | None:
    return None if usd is None else round(usd, PLACES)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # -0.0 is 0.0
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return value
