"""What a schedule may say, and the times it stands for."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

WEEKDAY_NAMES = re.compile(r"(mon|tue|wed|thu|fri|sat|sun)([-,](mon|tue|wed|thu|fri|sat|sun))*")
NUMBERS = "write numbers from {} to {}, like '5', '1-5', '1,15' or '*/10'"
CRON_FIELDS = {
    "minute": ("minute", NUMBERS.format(0, 59)),
    "hour": ("hour", NUMBERS.format(0, 23)),
    "day": ("day", NUMBERS.format(1, 31)),
    "month": ("month", NUMBERS.format(1, 12)),
    "weekday": ("day_of_week", "write names (mon, tue, … or mon-fri), the earlier day first"),
}
"""Field -> what the scheduler calls it, and what may stand there."""

SHORTEST, LONGEST = 0.1, 366 * 86_400.0
SHOWN = 40
ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


class Schedule(BaseModel):
    """One line of the clock: what runs, and when (UTC)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=80)
    job: Literal["screening", "validation", "tournament", "refit", "publish"]
    cron: str | None = None
    every: str | None = None

    @field_validator("cron")
    @classmethod
    def _fires(cls, value: str | None) -> str | None:
        if value is not None:
            _require_cron(value)
        return value

    @field_validator("every")
    @classmethod
    def _interval(cls, value: str | None) -> str | None:
        if value is None:
            return None
        seconds = seconds_of(value)
        if seconds is None:
            raise ValueError(f"{value[:SHOWN]!r}: write a number and a unit, for example '10s', '15m', '6h', '1d'")
        if not SHORTEST <= seconds <= LONGEST:
            raise ValueError(f"{value[:SHOWN]!r}: it lies between '0.1s' and '366d'")
        return value

    @model_validator(mode="after")
    def _one_clock(self) -> Schedule:
        if (self.cron is None) == (self.every is None):
            raise ValueError("give either cron or every")
        return self


def seconds_of(text: str) -> float | None:
    """'10s', '1.5m', '6h', '1d' in seconds; None when it is no such thing or not above 0."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd])", text.strip())
    if not match or float(match[1]) <= 0:
        return None
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]]


def trigger_of(schedule: Schedule) -> Any:
    """The scheduler's own form of a schedule: its `get_next_fire_time(previous, now)` is a time in UTC or None."""
    if schedule.cron is not None:
        return _cron_trigger(schedule.cron.split())
    from apscheduler.triggers.interval import IntervalTrigger

    return IntervalTrigger(seconds=seconds_of(schedule.every or "") or 0, timezone="UTC")


def _cron_trigger(parts: list[str]) -> Any:
    from apscheduler.triggers.cron import CronTrigger

    names = (keyword for keyword, _ in CRON_FIELDS.values())
    return CronTrigger(**dict(zip(names, parts, strict=True)), timezone="UTC")


def _require_cron(text: str) -> None:
    """Raises ValueError that names the field; also for a day that no calendar has."""
    parts = text.split()
    if len(parts) != len(CRON_FIELDS):
        raise ValueError("needs five fields: minute hour day month weekday, for example '0 3 * * sun'")
    _require_named_weekday(parts[4])
    for position, (field, (_, hint)) in enumerate(CRON_FIELDS.items()):
        try:
            _cron_trigger([part if place == position else "*" for place, part in enumerate(parts)])
        except ValueError:
            raise ValueError(f"{field} {parts[position][:SHOWN]!r}: {hint}") from None
    if _cron_trigger(parts).get_next_fire_time(None, ANY_TIME) is None:
        raise ValueError(f"{text[:SHOWN]!r} never comes: no year has such a day")


def _require_named_weekday(text: str) -> None:
    """Numbers are refused: the scheduler's 0 is Monday, crontab's 0 is Sunday."""
    if text != "*" and not WEEKDAY_NAMES.fullmatch(text):
        shown = text[:SHOWN]
        raise ValueError(f"weekday {shown!r}: write names (mon, tue, … or mon-fri), numbers mean two things")
