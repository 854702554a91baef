"""Now, as the stores write it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def utc_now() -> str:
    """ISO-8601 in UTC with microseconds and Z: sorts as text."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def ago(now: str, seconds: float) -> str:
    """The stamp `seconds` before `now`."""
    moment = datetime.fromisoformat(now.replace("Z", "+00:00"))
    return stamp(moment - timedelta(seconds=seconds))
