"""`leaderboard status`: one screen about the tournament."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, facts, print_json, usd


def status(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Show who works here, the newest run, money and disk."""
    from leaderboard.home import Home
    from leaderboard.tournament.overview import overview

    found: dict[str, Any] = overview(Home(home))
    if as_json:
        print_json(found)
        return
    facts(_facts(found))


def _facts(found: dict[str, Any]) -> list[tuple[str, object]]:
    holder, run, snapshot = found["writer_pid"], found["run"], found["snapshot"]
    played = run and f"{run['run']} {run['kind']}: {run['state']}, {counted(run['made'], 'request')} made"
    models = ", ".join(f"{number} {state}" for state, number in found["models"].items())
    return [
        ("writer", "nobody" if holder is None else f"process {holder}"),
        ("newest run", played or "none"),
        ("", run and run["error"]),
        ("queued runs", found["queued"]),
        ("in flight", f"{found['in_flight']}" + (f", oldest since {found['oldest']}" if found["oldest"] else "")),
        ("spent", usd(found["spent_usd"], found["unpriced"])),
        ("models", models or "none"),
        ("snapshot", f"{snapshot}, {duration(found['snapshot_age_s'])} old" if snapshot else "none yet"),
        ("free disk", f"{found['free_bytes'] / 1e9:.1f} GB"),
    ]


def duration(seconds: float) -> str:
    """About how long, in the largest unit that fits: 40 s, 12 min, 5 h, 3 days."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
