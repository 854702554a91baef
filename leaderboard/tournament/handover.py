"""A run for the process that holds the writer lock: queued in the ledger, followed until it ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import cast

from leaderboard.errors import Busy
from leaderboard.home import Home, lock_holder, takes_work
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.runs import Run
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.run import Progress
from leaderboard.tournament.start import FLAGS, new_run_id

POLL = 0.5
ABOUT = "about"
OVER = frozenset({"done", "limit_reached", "failed", "cancelled"})


def queue_run(
    ledger: Ledger,
    kind: str,
    flags: Mapping[str, object],
    trigger: str,
    about: Mapping[str, object] | None = None,
) -> Run:
    """Put a run into the ledger for whoever plays runs here. `about` is what a piece of desk work is about."""
    now = utc_now()
    given = {name: value for name, value in flags.items() if value is not None}
    run = Run(
        id=new_run_id(now), kind=kind, config={FLAGS: given, ABOUT: dict(about or {})}, created_at=now, trigger=trigger
    )
    with ledger.write() as tx:
        run_rows.create(tx, run)
    return run


def hand_over(
    home: Home,
    kind: str,
    flags: Mapping[str, object],
    progress: Progress,
    about: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Queue the run and wait for its end; returns its record. Raises Busy when nobody is there to play it."""
    ledger = open_ledger(home.ledger_url)
    try:
        run = queue_run(ledger, kind, flags, "handed over", about)
        progress.note(f"process {lock_holder(home)} plays this tournament; it has the run {run.id} now")
        return _followed(home, ledger, run.id, progress)
    finally:
        ledger.close()


def _followed(home: Home, ledger: Ledger, run_id: str, progress: Progress) -> dict[str, object]:
    said = ""
    while True:
        with ledger.read() as tx:
            run = run_rows.get(tx, run_id)
        if run.state in OVER:
            return _record_of(run)
        if not takes_work(home):
            raise Busy(f"the process that was to play the run {run_id} is gone; the run waits for the next one")
        calls = cast(Mapping[str, int], run.record.get("calls", {}))
        line = f"{run.state}, {calls.get('made', 0)} requests made"
        if line != said:
            progress.note(line)
            said = line
        time.sleep(POLL)


def _record_of(run: Run) -> dict[str, object]:
    """The record, also of a run that failed before it had one."""
    none = dict.fromkeys(("made", "checks", "reused", "failed", "unreadable"), 0)
    blank = {"calls": none, "spent_usd": 0.0, "unpriced": 0, "errors": [run.error] if run.error else []}
    return {**blank, **run.record, "run": run.id, "state": run.state}
