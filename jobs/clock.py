"""APScheduler as a clock: a due schedule puts a run into the ledger and returns; nothing is played on its threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from leaderboard.schedules import Schedule, trigger_of

Due = Callable[[Schedule], None]


@contextmanager
def clock(schedules: Sequence[Schedule], due: Due) -> Iterator[None]:
    """Calls `due` at every due time (UTC) while it is open.

    A late call is still made (no grace time), several late ones become one, and one at a time runs.
    """
    from apscheduler.schedulers.background import BackgroundScheduler

    scheduler = BackgroundScheduler(
        timezone="UTC", job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
    )
    for schedule in schedules:
        scheduler.add_job(due, trigger_of(schedule), args=[schedule], id=schedule.name, replace_existing=True)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown(wait=True)


def missed(schedule: Schedule, last: datetime, now: datetime) -> bool:
    """Whether the schedule was due after `last`, the start of its newest run, and not later than `now`."""
    due: datetime | None = trigger_of(schedule).get_next_fire_time(last, last)
    return due is not None and due <= now
