"""Fits and standings as rows."""

from __future__ import annotations

from dataclasses import asdict, fields

from leaderboard.history.plain import json_text
from leaderboard.history.records import FitRecord, Row


def fit_row(fit: FitRecord) -> Row:
    """The fit without its standings; its gate and head as JSON text."""
    row: Row = {field.name: getattr(fit, field.name) for field in fields(fit) if field.name != "standings"}
    return row | {"gate": None if fit.gate is None else json_text(fit.gate), "head": json_text(fit.head)}


def standing_rows(fit: FitRecord) -> list[Row]:
    return [asdict(standing) | {"fit": fit.id} for standing in fit.standings]
