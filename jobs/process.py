"""The jobs process: holds the writer lock, plays queued runs one after the other, is woken by the clock."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from jobs.clock import clock, missed
from jobs.desk import at_the_desk
from leaderboard.cli.progress import Lines
from leaderboard.cli.screen import counted, usd, visible
from leaderboard.errors import Busy, LeaderboardError, causes
from leaderboard.home import JOBS, Home
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.runs import Run
from leaderboard.providers.litellm_adapter import litellm_chat, resolve
from leaderboard.schedules import Schedule
from leaderboard.settings import load_settings
from leaderboard.tournament.handover import queue_run
from leaderboard.tournament.kinds import RUN_KINDS, RunKind
from leaderboard.tournament.office import Office, open_office
from leaderboard.tournament.start import FLAGS, Provider, play_run

POLL = 1.0
LINE_EVERY = 60.0
TRIGGER = "schedule "
BY_HAND = ("cli", "demo")
REMEMBERED = 1000
"""So many of the newest runs are looked through for the last one of a schedule."""


def say(text: str) -> None:
    """Into the log on stderr."""
    for line in text.split("\n"):
        sys.stderr.write(f"jobs: {visible(line)}\n")
    sys.stderr.flush()


def run_jobs(home: Home) -> None:
    """Play until SIGTERM or SIGINT. Raises Busy when another process holds the tournament."""
    settings = load_settings(home.settings_file)
    stop = threading.Event()
    try:
        with open_office(home, settings, role=JOBS) as office:
            say(f"process {os.getpid()} plays {home.path}, {counted(len(settings.schedule), 'schedule')}")
            for warning in office.warnings:
                say(f"warning: {warning}")
            _put_back(office)
            _catch_up(office, settings.schedule)
            with clock(settings.schedule, lambda schedule: _due(office, schedule)):
                _serve(office, stop)
    except Busy as error:
        raise Busy(f"{error}\none jobs process a tournament is enough") from None


def _put_back(office: Office) -> None:
    """Runs of a jobs process that died wait again. A run that a person started stays theirs to go on with."""
    with office.ledger.write() as tx:
        run_rows.requeue_running(tx, but_of=BY_HAND)


def _catch_up(office: Office, schedules: Sequence[Schedule]) -> None:
    """A schedule that was due while nothing was running is made up for, once."""
    with office.ledger.read() as tx:
        newest = {run.trigger: run.created_at for run in reversed(run_rows.all(tx, REMEMBERED))}
    now = datetime.fromisoformat(office.now())
    for schedule in schedules:
        last = newest.get(TRIGGER + schedule.name)
        if last is not None and missed(schedule, datetime.fromisoformat(last), now):
            _due(office, schedule)


def _serve(office: Office, stop: threading.Event, provider: Provider | None = None) -> None:
    """Play what is queued until `stop` is set. The real provider is loaded when the first run needs it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.is_set():
        with office.ledger.read() as tx:
            run = run_rows.next_queued(tx)
        if run is None:
            # Not by waiting for the event: a signal that comes while its lock is held would wait for it for ever.
            time.sleep(POLL)
            continue
        provider = provider or Provider(chat=litellm_chat(), resolve=resolve)
        if not stop.is_set():
            _play(office, run, provider, stop)


def _due(office: Office, schedule: Schedule) -> None:
    """Queue a run of the schedule, unless one of it waits or plays still."""
    trigger = TRIGGER + schedule.name
    with office.ledger.read() as tx:
        pending = run_rows.pending(tx, trigger)
    if not pending:
        queue_run(office.ledger, schedule.job, {}, trigger)


def _play(office: Office, run: Run, provider: Provider, stop: threading.Event | None = None) -> str:
    """Play one run with the settings of now; a refusal ends the run, not the process."""
    say(f"run {run.id}: {run.kind} ({run.trigger})")
    try:
        office.settings = load_settings(office.home.settings_file, run.config.get(FLAGS, {}))
        known = run.kind in RUN_KINDS
        record = _played(office, run, provider, stop) if known else at_the_desk(office, run, provider)
    except Exception as error:  # noqa: BLE001 - written to the log and to the run; the next run must still play
        first = next(causes(error))
        if isinstance(first, LeaderboardError):
            return _failed(office, run, str(first))
        say(traceback.format_exc().rstrip())
        return _failed(office, run, f"{type(first).__name__}: {first}")
    made, spent = counted(record["calls"]["made"], "request"), record.get("spent_usd")
    say(f"run {run.id}: {record['state']}, {made} made" + (f", {usd(spent, record['unpriced'])}" if spent else ""))
    return str(record["state"])


def _failed(office: Office, run: Run, why: str) -> str:
    with office.ledger.write() as tx:
        run_rows.finish(tx, run.id, "failed", record=None, error=why, now=office.now())
    say(f"run {run.id} failed: {why}")
    return "failed"


def _played(office: Office, run: Run, provider: Provider, stop: threading.Event | None) -> dict[str, Any]:
    judge = office.settings.judge
    with Lines(say, LINE_EVERY) as progress:
        kind: RunKind = run.kind  # type: ignore[assignment]
        return play_run(office, kind, provider, progress, judge=judge, run_id=run.id, halt=stop)
