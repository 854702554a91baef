"""When rounds are due, what is made up for, and what a schedule may say."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from jobs import process
from jobs.clock import clock, missed
from leaderboard.errors import BadInput
from leaderboard.ledger import runs
from leaderboard.ledger.runs import Run
from leaderboard.schedules import Schedule
from leaderboard.settings import load_settings
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.handover import queue_run
from leaderboard.tournament.office import Office
from leaderboard.tournament.start import Provider
from tests.tournament.stage import Actors, Stage, bench_judge, contestant, questions, taking

SUNDAYS = Schedule(name="weekly", job="tournament", cron="0 3 * * sun")
QUARTERS = Schedule(name="newcomers", job="screening", every="15m")
FIRST_SUNDAY = "2026-11-01T03:00:00.004+00:00"

MISSED = [
    (SUNDAYS, FIRST_SUNDAY, "2026-11-08T02:59:59+00:00", False),
    (SUNDAYS, FIRST_SUNDAY, "2026-11-08T03:00:00+00:00", True),
    (SUNDAYS, FIRST_SUNDAY, "2026-12-24T12:00:00+00:00", True),
    (QUARTERS, FIRST_SUNDAY, "2026-11-01T03:14:59+00:00", False),
    (QUARTERS, FIRST_SUNDAY, "2026-11-01T04:20:00+00:00", True),
]


@pytest.mark.parametrize(("schedule", "last", "now", "expected"), MISSED)
def test_what_was_due_since_the_last_run_is_missed(schedule: Schedule, last: str, now: str, expected: bool) -> None:
    assert missed(schedule, datetime.fromisoformat(last), datetime.fromisoformat(now)) is expected


def test_weekdays_are_those_that_are_written() -> None:
    """The scheduler's own 0 is Monday, crontab's is Sunday: here the name decides. 8 November 2026 is a Sunday."""
    for name, day in (("sat", 7), ("sun", 8), ("mon", 9)):
        schedule = Schedule(name=name, job="publish", cron=f"0 3 * * {name}")
        start = datetime.fromisoformat("2026-11-06T12:00:00+00:00")
        on_the_day = datetime.fromisoformat(f"2026-11-{day:02}T03:00:00+00:00")
        assert missed(schedule, start, on_the_day)
        assert not missed(schedule, start, on_the_day.replace(hour=2))


REFUSED = [
    ('cron = "0 3 * * 0"', "numbers mean two things"),
    ('cron = "* * * * 7"', "numbers mean two things"),
    ('cron = "0 3 * * mon-"', "write names"),
    ('cron = "0 3 * *"', "five fields"),
    ('every = "10"', "a number and a unit"),
    ('every = "-5m"', "a number and a unit"),
    ('every = "5m"\ncron = "0 3 * * sun"', "either cron or every"),
    ("", "either cron or every"),
    ('every = "5m"\nmonthly = true', "monthly"),
]


@pytest.mark.parametrize(("line", "why"), REFUSED)
def test_a_schedule_that_cannot_be_meant_is_refused_at_the_start(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "tournament.toml"
    file.write_text(f'[[schedule]]\nname = "x"\njob = "tournament"\n{line}\n', encoding="utf-8")
    with pytest.raises(BadInput, match=why) as refusal:
        load_settings(file)
    assert "schedule" in str(refusal.value)
    assert str(file) in str(refusal.value)


def test_the_clock_calls_again_and_again_until_it_is_closed() -> None:
    called: list[str] = []
    enough = threading.Event()

    def due(schedule: Schedule) -> None:
        called.append(schedule.name)
        if len(called) == 3:
            enough.set()

    with clock([Schedule(name="quick", job="publish", every="0.1s")], due):
        assert enough.wait(10)
    told = len(called)
    assert not threading.Event().wait(0.3)
    assert len(called) == told


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    field = [contestant("alpha"), contestant("beta")]
    return Stage.build(tmp_path / "home", field, bench_judge("judge-length", samples=1), questions(3))


def triggers(office: Office) -> list[tuple[str, str]]:
    with office.ledger.read() as tx:
        return [(run.trigger, run.state) for run in runs.all(tx)]


def add_run(office: Office, run: Run) -> None:
    with office.ledger.write() as tx:
        runs.create(tx, run)


LONG_AGO = "2026-01-01T00:00:00.000000Z"
WEEKLY_RUN = Run(id="old", kind="tournament", state="done", created_at=LONG_AGO, trigger="schedule weekly")


def test_a_late_round_is_made_up_for_once(stage: Stage) -> None:
    with stage.office() as office:
        add_run(office, WEEKLY_RUN)
        process._catch_up(office, [SUNDAYS, QUARTERS])
        process._catch_up(office, [SUNDAYS, QUARTERS])
        assert triggers(office) == [("schedule weekly", "queued"), ("schedule weekly", "done")], (
            "once, however many were missed; and never one that has no first run"
        )


@pytest.mark.parametrize("state", ["queued", "running"])
def test_a_round_that_waits_or_plays_is_not_queued_twice(stage: Stage, state: runs.RunState) -> None:
    with stage.office() as office:
        add_run(office, replace(WEEKLY_RUN, state=state))
        process._due(office, SUNDAYS)
        assert triggers(office) == [("schedule weekly", state)]
        process._due(office, QUARTERS)
        assert triggers(office) == [("schedule newcomers", "queued"), ("schedule weekly", state)]


def test_runs_of_a_dead_jobs_process_wait_again_and_those_of_people_stay(stage: Stage) -> None:
    with stage.office() as office:
        for trigger in ("cli", "schedule weekly", "handed over"):
            add_run(office, Run(id=trigger, kind="tournament", state="running", created_at=utc_now(), trigger=trigger))
        process._put_back(office)
        assert triggers(office) == [("handed over", "queued"), ("schedule weekly", "queued"), ("cli", "running")]


def played(office: Office, kind: str, actors: Actors, **flags: object) -> str:
    """A queued run as the process plays it."""
    run = queue_run(office.ledger, kind, flags, "schedule x")
    return process._play(office, run, Provider(chat=actors, resolve=taking(True)))


def test_desk_work_asks_nobody(stage: Stage) -> None:
    with stage.office() as office:
        assert played(office, "tournament", Actors()) == "done"
        first = stage.snapshot
        fits = stage.rows("SELECT count(*) FROM leaderboard")
        actors = Actors()
        assert played(office, "refit", actors) == "done"
        second = stage.snapshot
        assert played(office, "publish", actors) == "done"
        assert actors.asked == []
        assert len({first, second, stage.snapshot}) == 3
        assert stage.rows("SELECT count(*) FROM leaderboard") == fits
        assert {state for _, state in triggers(office)} == {"done"}


def test_a_refusal_ends_the_run_and_not_the_process(stage: Stage) -> None:
    with stage.office() as office:
        assert played(office, "tournament", Actors(), judge="nobody") == "failed"
        assert played(office, "tournament", Actors(), judge="judge-length") == "done"
        with office.ledger.read() as tx:
            done, failed = runs.all(tx)
        assert (done.state, failed.state) == ("done", "failed")
        assert failed.error == "no judge named 'nobody'; there are: judge-length"


def test_a_queued_run_is_played_with_the_flags_it_was_asked_for(stage: Stage) -> None:
    with stage.office() as office:
        actors = Actors()
        assert played(office, "tournament", actors, samples=2, prompts=2) == "done"
        assert len(actors.answered) == 2 * 2
        assert {request.n for request in actors.judged} == {1, 2}
        assert played(office, "tournament", Actors()) == "done"
        assert stage.rows("SELECT count(*) FROM answers") == [(2 * 3,)], "the flags of one run are not the next one's"
