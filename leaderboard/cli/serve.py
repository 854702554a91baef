"""`leaderboard serve` and `leaderboard api`: the board over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import talk

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", min=1, max=65535)]


def api(host: HostOption = "127.0.0.1", port: PortOption = 8000, home: o.HomeOption = o.DEFAULT_HOME) -> None:
    """Serve the board, models and verdicts from published snapshots. Start as many as you like."""
    import uvicorn

    from api.app import create_app
    from leaderboard.home import Home
    from leaderboard.settings import load_settings

    place = Home(home)
    place.require()
    app = create_app(place, load_settings(place.settings_file))
    talk(f"board: http://{host}:{port}/  API: http://{host}:{port}/api/v1/leaderboard  (stop with Ctrl-C)")
    uvicorn.run(app, host=host, port=port, log_level="warning")


def serve(
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    home: o.HomeOption = o.DEFAULT_HOME,
) -> None:
    """Serve the board and play what the schedules and the ledger ask for, in a process of its own."""
    import os

    from leaderboard.cli.supervised import child_process
    from leaderboard.home import Home
    from leaderboard.tournament.init import make_home

    place = Home(home)
    if not place.exists():
        make_home(place, os.environ, bare=True)
        talk(f"{home}: made an empty tournament")
    with child_process(["jobs", "run", "--home", str(home)]):
        api(host, port, home)
