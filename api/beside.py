"""The fits of one scope side by side: how each rates the models at the top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.snapshots import Around
from api.standings import Scale, Standing, scale_of
from api.words import fit_name, fit_title
from leaderboard.history.records import FitKey

TOP = 10


@dataclass(frozen=True, slots=True)
class Column:
    """A fit: `number` tells its lines from the others'."""

    number: int
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """A model: what each fit says of it, None where a fit does not rate it."""

    model: str
    cells: list[Standing | None]


@dataclass(frozen=True, slots=True)
class Beside:
    """A small table and its drawing; one scale for all, since every fit has mean 1000."""

    columns: list[Column]
    lines: list[Line]
    scale: Scale


def beside(board: Mapping[str, Any], around: Around, stored: Sequence[FitKey]) -> Beside | None:
    """The first models of the board under every stored fit of its scope. None where there is only one fit, or group."""
    asked = around.asked.key
    keys = [key for key in stored if key.scope == asked.scope and key.control is None]
    found = {key: _rated(_of(board, around, key), board["board"]) for key in keys}
    found = {key: rows for key, rows in found.items() if rows}
    top = [row["model"] for row in board["standings"] if row["rating"] is not None][:TOP]
    scale = scale_of(row for rows in found.values() for model, row in rows.items() if model in top)
    if len(found) < 2 or scale is None or board["components"] > 1:
        return None
    columns = [Column(number, fit_name(key), fit_title(key)) for number, key in enumerate(found)]
    return Beside(columns, [Line(model, [rows.get(model) for rows in found.values()]) for model in top], scale)


def _of(board: Mapping[str, Any], around: Around, key: FitKey) -> Mapping[str, Any] | None:
    return board if key == around.asked.key else around.other(board["judge"], key)


def _rated(board: Mapping[str, Any] | None, kind: str) -> dict[str, Standing]:
    """The rated rows of a board's list, if it is a list of this kind."""
    if board is None or board["board"] != kind:
        return {}
    return {row["model"]: row for row in board["standings"] if row["rating"] is not None}
