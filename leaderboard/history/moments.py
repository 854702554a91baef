"""Times that people write, as the history compares them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from leaderboard.errors import BadInput

SHOWN = 40


def until(text: str, field: str = "as_of", what: str = "a time") -> datetime:
    """The last moment that an ISO 8601 text means, in UTC without a zone; a date alone means the end of that day.

    A time without a zone is taken as UTC. BadInput names the field.
    """
    try:
        return datetime.combine(date.fromisoformat(text), time.max)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    # Overflow: a time whose zone takes it out of the calendar.
    except (ValueError, OverflowError) as error:
        raise BadInput(f"{field}: not {what}: {text[:SHOWN]!r}; write 2026-03-01 or 2026-03-01T10:00:00Z") from error
