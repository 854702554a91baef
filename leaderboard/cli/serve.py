"""`leaderboard serve` and `leaderboard api`: the board over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import talk

HostOption = Annotated[str, typer.Option("--host", help="Address to listen on.")]
PortOption = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")]


def api(host: HostOption = "127.0.0.1", port: PortOption = 8000, home: o.HomeOption = o.DEFAULT_HOME) -> None:
    """Serve the board only; as many processes as you like."""
    from leaderboard.cli.programs import become, require_free

    require_free(host, port)
    become("api", _address(host, port, home))


def serve(host: HostOption = "127.0.0.1", port: PortOption = 8000, home: o.HomeOption = o.DEFAULT_HOME) -> None:
    """Serve the board, and play by the clock beside it.

    Schedules and queued runs are played in a process of its own. Makes the home if it is new.
    """
    import os

    from leaderboard.cli.programs import require_free, serve_both
    from leaderboard.errors import Busy
    from leaderboard.home import Home, lock_holder
    from leaderboard.settings import load_settings
    from leaderboard.tournament.init import make_home

    require_free(host, port)
    place = Home(home)
    if (holder := lock_holder(place)) is not None:
        raise Busy(f"process {holder} plays {home} already: `leaderboard api` serves it from one more process")
    if not place.exists():
        make_home(place, os.environ, bare=False)
        talk(f"{home}: made a new tournament; nothing is asked or paid before a schedule or `leaderboard run` says so")
    load_settings(place.settings_file)
    serve_both(_address(host, port, home), ["--home", str(home)])


def _address(host: str, port: int, home: Path) -> list[str]:
    return ["--host", host, "--port", str(port), "--home", str(home)]
