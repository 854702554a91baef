"""`leaderboard init`: make a home for a tournament."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, print_json, say, table

ENOUGH_MODELS = 2


def init(
    bare: Annotated[bool, typer.Option("--bare", help="No prompts, models or judges.")] = False,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Make a tournament, or wake models whose key has come.

    Settings, prompts, models and judges with comments in their files. What is there is kept.
    """
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
    say(f"{home}: {counted(asked, 'prompt')}")
    rows = [("model", m.id, m.state, m.reason) for m in field] + [("judge", j.id, j.state, j.reason) for j in bench]
    if rows:
        table(("", "id~", "state", "why~"), rows)
    for line in next_steps(home, [m.state for m in field], [j.state for j in bench]):
        say(line)


def next_steps(home: Path, models: Sequence[str], judges: Sequence[str]) -> list[str]:
    """What to type next, given the states of everybody."""
    there = "" if home == o.DEFAULT_HOME else f" --home {home}"
    if models.count("active") >= ENOUGH_MODELS and "active" in judges:
        return [
            f"next: leaderboard models check{there}    one tiny request each: do key, name and price work?",
            f"      leaderboard run --dry-run{there}     what a tournament would ask and cost at most",
        ]
    if "asleep" in [*models, *judges]:
        return [
            f"next: set keys named above, in the shell or in a file .env here, then: leaderboard init{there}",
            f"or a model of your own: leaderboard models add ID --litellm PROVIDER/NAME{there}",
        ]
    return [
        f"next: leaderboard models add ID --litellm PROVIDER/NAME{there}    two of them, or more",
        f"      leaderboard judges add ID --litellm PROVIDER/NAME{there}",
        f"      leaderboard prompts import FILE{there}",
    ]
