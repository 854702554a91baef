"""`leaderboard init`: make a home for a tournament."""

from __future__ import annotations

from typing import Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import print_json, say, table


def init(
    bare: Annotated[bool, typer.Option("--bare", help="No prompts, models or judges.")] = False,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Make a tournament: settings, prompts, and the models whose keys are set. Keeps what is there."""
    import os

    from leaderboard.cli.stores import ledger_of
    from leaderboard.home import Home
    from leaderboard.ledger import judges, models, prompts
    from leaderboard.tournament.init import make_home

    make_home(Home(home), os.environ, bare=bare)
    with ledger_of(home) as ledger, ledger.read() as tx:
        field, bench, asked = models.all(tx), judges.all(tx), prompts.count(tx)
    if as_json:
        shown = {
            "models": [{"id": m.id, "state": m.state, "reason": m.reason} for m in field],
            "judges": [{"id": j.id, "state": j.state, "reason": j.reason} for j in bench],
        }
        print_json({"home": str(home), "prompts": asked, **shown})
        return
    say(f"{home}: {asked} prompts")
    if field or bench:
        rows = [("model", m.id, m.state, m.reason) for m in field] + [("judge", j.id, j.state, j.reason) for j in bench]
        table(("", "id", "state", "why"), rows)
    _say_next([m.state for m in field].count("active"), sum(j.state == "active" for j in bench), str(home))


def _say_next(playing: int, judging: int, home: str) -> None:
    if playing >= 2 and judging:
        say(f"next: leaderboard run --dry-run --home {home}")
    else:
        say("set the keys named above (in the shell or in .env) and run `leaderboard init` again,")
        say("or add your own: leaderboard models add ID --litellm PROVIDER/NAME, leaderboard judges add ID …")
