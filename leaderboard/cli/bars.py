"""Intervals drawn to scale, in whatever room a table leaves beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.cli.screen import room_beside, table

WIDEST = 25
NARROWEST = 9
INSIDE, AT, NOTHING = "─", "●", "│"


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its ends; None where there is none."""

    lower: float | None
    middle: float | None
    upper: float | None


def table_with_bars(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    intervals: Sequence[Interval],
    *,
    place: int,
    zero: float | None = None,
) -> None:
    """A table with one more column before column `place`: each row's interval, all on one scale.

    Without the room there is no such column. `zero`: marked on every row, and always on the scale.
    """
    room = min(room_beside(columns, rows), WIDEST)
    if room < NARROWEST:
        table(columns, rows)
        return
    ends = [end for interval in intervals for end in (interval.lower, interval.middle, interval.upper)]
    scale = span([*ends, zero])
    bars = [bar(interval, scale, room, zero) for interval in intervals]
    names = [*columns[:place], "", *columns[place:]]
    table(names, [[*row[:place], drawn, *row[place:]] for row, drawn in zip(rows, bars, strict=True)])


def span(values: Iterable[float | None]) -> tuple[float, float]:
    """The smallest and the largest value; 0, 0 without any."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def bar(interval: Interval, scale: tuple[float, float], width: int, zero: float | None = None) -> str | None:
    """The interval between the ends of the scale; None where it has no ends or the scale no length."""
    low, high = scale
    if interval.lower is None or interval.middle is None or interval.upper is None or high <= low:
        return None
    left, middle, right = (
        round((value - low) / (high - low) * (width - 1)) for value in (interval.lower, interval.middle, interval.upper)
    )
    cells = [" "] * width
    cells[left : right + 1] = INSIDE * (right - left + 1)
    if zero is not None:
        cells[round((zero - low) / (high - low) * (width - 1))] = NOTHING
    cells[middle] = AT
    return "".join(cells)
