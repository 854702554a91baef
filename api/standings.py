"""A list as the page draws it: groups that are linked by verdicts, tiers in them, a scale for the bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

MEAN = 1000.0
Standing = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scale:
    """From Elo points to 0..100, the width of the drawing."""

    lowest: float
    highest: float

    def place(self, points: float) -> float:
        return round(100 * (points - self.lowest) / (self.highest - self.lowest), 2)

    @property
    def middle(self) -> float:
        """Where the mean of everybody lies."""
        return self.place(MEAN)


@dataclass(frozen=True, slots=True)
class Tier:
    """Rows that no later row is surely better than; `number` is None where the fit cannot tell."""

    number: int | None
    rows: list[Standing]


@dataclass(frozen=True, slots=True)
class Group:
    """Models that are linked by verdicts: one scale, one ranking."""

    number: int | None
    tiers: list[Tier]
    scale: Scale | None

    @property
    def rows(self) -> list[Standing]:
        return [row for tier in self.tiers for row in tier.rows]

    @property
    def tiered(self) -> bool:
        return any(tier.number is not None for tier in self.tiers)

    @property
    def last(self) -> object:
        """The model that nobody is ranked below."""
        return next((row["model"] for row in reversed(self.rows) if row["rating"] is not None), None)


def groups(standings: Sequence[Standing]) -> list[Group]:
    """The rows by component, each with a scale of its own; those without a match come last."""
    ordered = sorted(standings, key=lambda row: (_linked(row) is None, _linked(row) or 0))
    return [_group(number, list(rows)) for number, rows in groupby(ordered, key=_linked)]


def _linked(row: Standing) -> int | None:
    """The component of a rated model; without a rating nothing links it."""
    return None if row["rating"] is None else row["component"]


def _group(number: int | None, rows: list[Standing]) -> Group:
    tiers = [Tier(tier, list(found)) for tier, found in groupby(rows, key=lambda row: row["tier"])]
    return Group(number, tiers, scale_of(rows))


def scale_of(rows: Iterable[Standing]) -> Scale | None:
    """A scale that holds the mean and every rating with its interval and a little room; None without a rating."""
    found = [row[name] for row in rows for name in ("rating", "lower", "upper") if row[name] is not None]
    if not found:
        return None
    lowest, highest = min(*found, MEAN), max(*found, MEAN)
    room = max((highest - lowest) * 0.04, 10.0)
    return Scale(lowest - room, highest + room)
