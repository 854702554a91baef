"""`leaderboard runs`: what was played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import print_items, say, table, usd
from leaderboard.cli.stores import ledger_of

if TYPE_CHECKING:
    from leaderboard.ledger.runs import Run


def runs(
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most runs.")] = 20,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """List the newest runs."""
    from leaderboard.ledger import runs as run_rows

    with ledger_of(home) as ledger, ledger.read() as tx:
        items = [_shown(run) for run in run_rows.all(tx, limit)]
    if as_json:
        print_items(items)
    elif items:
        table(("run", "kind", "judge~", "state", "made>", "failed>", "spent>", "why…"), map(_row, items))
    else:
        say("nothing has been played yet: `leaderboard run` plays")


def _shown(run: Run) -> dict[str, Any]:
    times = {"created_at": run.created_at, "started_at": run.started_at, "ended_at": run.ended_at}
    facts = {"kind": run.kind, "judge": run.judge, "state": run.state, "trigger": run.trigger, "error": run.error}
    return {**run.record, "run": run.id, **facts, **times}


def _row(item: dict[str, Any]) -> tuple[object, ...]:
    calls = item.get("calls", {})
    spent = usd(item["spent_usd"], item["unpriced"]) if "spent_usd" in item else None
    failed = calls.get("failed") or None
    return item["run"], item["kind"], item["judge"], item["state"], calls.get("made"), failed, spent, item["error"]
