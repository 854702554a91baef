"""One look at a tournament from outside: nothing is opened for writing."""

from __future__ import annotations

import shutil
import time
from collections import Counter

from leaderboard.core.money import usd
from leaderboard.history.snapshots import current
from leaderboard.home import Home, lock_holder
from leaderboard.ledger import models, requests
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.store import open_ledger


def overview(home: Home) -> dict[str, object]:
    """Processes, the newest run, requests in flight, money, models by state, the snapshot's age, free disk."""
    home.require()
    ledger = open_ledger(home.ledger_url)
    try:
        with ledger.read() as tx:
            runs = run_rows.all(tx, 1)
            facts: dict[str, object] = {
                "queued": run_rows.count_queued(tx),
                "models": dict(Counter(model.state for model in models.all(tx))),
                **_money(requests.totals(tx)),
            }
    finally:
        ledger.close()
    snapshot = current(home.snapshots)
    return {
        "writer_pid": lock_holder(home),
        "run": _run(runs[0]) if runs else None,
        **facts,
        "snapshot": snapshot.stem if snapshot else None,
        "snapshot_age_s": time.time() - snapshot.stat().st_mtime if snapshot else None,
        "free_bytes": shutil.disk_usage(home.path).free,
    }


def _money(totals: requests.Totals) -> dict[str, object]:
    return {
        "in_flight": totals.in_flight,
        "oldest": totals.oldest,
        "spent_usd": usd(totals.spent_nano),
        "unpriced": totals.unpriced,
    }


def _run(run: run_rows.Run) -> dict[str, object]:
    calls = run.record.get("calls", {})
    return {
        "run": run.id,
        "kind": run.kind,
        "judge": run.judge,
        "state": run.state,
        "made": calls.get("made", 0),
        "error": run.error,
    }
