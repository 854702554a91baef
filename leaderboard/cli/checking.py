"""What `models check` and `judges check` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from leaderboard.cli.screen import print_items, say, table

if TYPE_CHECKING:
    from leaderboard.tournament.office import Office

Record = dict[str, Any]


def check_and_print(path: Path, role: str, wanted: str | None, as_json: bool) -> None:
    """Check one or all of them, a line each; exit 1 when something is wrong."""
    from leaderboard.cli.working import done_here_or_there, part_of
    from leaderboard.home import Home
    from leaderboard.providers.litellm_adapter import litellm_chat, resolve
    from leaderboard.settings import load_settings
    from leaderboard.tournament.checking import check_everyone
    from leaderboard.tournament.start import Provider

    def here(office: Office) -> Record:
        return {"items": check_everyone(office, role, wanted, Provider(chat=litellm_chat(), resolve=resolve))}

    home = Home(path)
    settings, about = load_settings(home.settings_file), {"role": role, "wanted": wanted}
    items = part_of(done_here_or_there(home, settings, here, kind="check", about=about), "items")
    if as_json:
        print_items(items)
    else:
        rows = [(i["id"], "ok" if i["ok"] else "failed", i["trouble"]) for i in items]
        table((f"{role}~", "result", "trouble~"), rows) if rows else say(f"no {role} is awake: nothing to check")
    if not all(item["ok"] for item in items):
        raise typer.Exit(1)
