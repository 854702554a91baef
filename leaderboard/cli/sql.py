"""`leaderboard sql` and `leaderboard snapshot`: questions to the history, and publishing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import FOLDED, print_json, say, table, talk
from leaderboard.cli.stores import snapshot_of

if TYPE_CHECKING:
    from leaderboard.tournament.office import Office


def sql(
    text: Annotated[str, typer.Argument(help="One SELECT over the views: verdicts, readings, leaderboard, spend, …")],
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000_000, help="Most rows.")] = 1000,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Ask the newest snapshot in SQL, read only."""
    with snapshot_of(home) as reader:
        found: Any = reader.sql(text, limit)
    if as_json:
        print_json(found)
        return
    table([f"{name}{FOLDED}" for name in found["columns"]], found["rows"], keep_empty=True)
    if found["truncated"]:
        talk(f"only the first {limit} rows: raise --limit")


def snapshot(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Publish the history now."""
    from leaderboard.cli.working import done_here_or_there, part_of
    from leaderboard.home import Home
    from leaderboard.settings import load_settings
    from leaderboard.tournament.collect import collect, publish

    def here(office: Office) -> dict[str, Any]:
        collect(office.ledger, office.history)
        return {"snapshot": publish(office.ledger, office.history, office.home.snapshots)}

    place = Home(home)
    settings = load_settings(place.settings_file)
    published = part_of(done_here_or_there(place, settings, here, kind="publish"), "snapshot")
    file = place.snapshots / f"{published}.duckdb"
    print_json({"snapshot": published, "file": str(file)}) if as_json else say(f"published {file}")
