"""Work that another process hands over and that is no tournament: rate again, publish, check, count a plan."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from leaderboard.errors import BadInput
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.runs import Run
from leaderboard.tournament import fit
from leaderboard.tournament.checking import check_everyone
from leaderboard.tournament.collect import collect, publish
from leaderboard.tournament.estimate import estimate
from leaderboard.tournament.handover import ABOUT
from leaderboard.tournament.office import Office, resolve_judge
from leaderboard.tournament.start import Provider

Record = dict[str, Any]
Work = Callable[[Office, Run, Provider], Record]


def at_the_desk(office: Office, run: Run, provider: Provider) -> Record:
    """Do a piece of desk work and close its run. Raises BadInput for a kind that nobody knows."""
    if run.kind not in DESK:
        raise BadInput(f"no job named {run.kind!r}")
    with office.ledger.write() as tx:
        run_rows.claim(tx, run.id, pid=os.getpid(), now=office.now())
    record = {"run": run.id, "calls": {"made": 0}, "state": "done", **DESK[run.kind](office, run, provider)}
    with office.ledger.write() as tx:
        run_rows.finish(tx, run.id, record["state"], record=record, error=None, now=office.now())
    return record


def _publish(office: Office, run: Run, provider: Provider) -> Record:
    collect(office.ledger, office.history)
    return {"snapshot": publish(office.ledger, office.history, office.home.snapshots)}


def _refit(office: Office, run: Run, provider: Provider) -> Record:
    collect(office.ledger, office.history)
    fit.refit(office, resolve_judge(office, office.judge(None), provider.resolve), run.id)
    return _publish(office, run, provider)


def _check(office: Office, run: Run, provider: Provider) -> Record:
    about = run.config[ABOUT]
    items = check_everyone(office, about["role"], about["wanted"], provider, run.id)
    return {"items": items, "state": "done" if all(item["ok"] for item in items) else "failed"}


def _estimate(office: Office, run: Run, provider: Provider) -> Record:
    return {"plan": estimate(office, run.config[ABOUT]["kind"], provider.resolve)}


DESK: dict[str, Work] = {"publish": _publish, "refit": _refit, "check": _check, "estimate": _estimate}
