"""`leaderboard status`: one screen about the tournament."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.screen import print_json, say, usd


def status(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Who works here, the newest run, money, the snapshot's age, free disk."""
    from leaderboard.home import Home
    from leaderboard.tournament.overview import overview

    found: dict[str, Any] = overview(Home(home))
    if as_json:
        print_json(found)
        return
    holder = found["writer_pid"]
    say(f"writer       {'nobody' if holder is None else f'process {holder}'}")
    run = found["run"]
    if run is None:
        say("newest run   none")
    else:
        say(f"newest run   {run['run']} {run['kind']}: {run['state']}, {run['made']} requests made")
        if run["error"]:
            say(f"             {run['error']}")
    say(f"queued runs  {found['queued']}")
    say(f"in flight    {found['in_flight']}" + (f", oldest since {found['oldest']}" if found["oldest"] else ""))
    say(f"spent        {usd(found['spent_usd'], found['unpriced'])}")
    say(f"models       {found['models']}")
    snapshot = found["snapshot"]
    age = f"{found['snapshot_age_s']:.0f} s old" if snapshot else ""
    say(f"snapshot     {snapshot or 'none yet'} {age}")
    say(f"free disk    {found['free_bytes'] / 1e9:.1f} GB")
