"""`python -m api --home DIR`: the board over HTTP."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from leaderboard.cli import guarded
from leaderboard.cli.parent import add_option, end_with
from leaderboard.home import Home
from leaderboard.settings import load_settings


def main() -> None:
    parser = argparse.ArgumentParser(prog="api", description="Serves a tournament over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--home", type=Path, required=True)
    add_option(parser)
    given = parser.parse_args()
    end_with(given.parent)
    guarded(lambda: serve(Home(given.home), given.host, given.port))


def serve(home: Home, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM."""
    import uvicorn

    from api.app import create_app

    home.require()
    app = create_app(home, load_settings(home.settings_file))
    sys.stderr.write(f"board: http://{host}:{port}/   API: http://{host}:{port}/openapi.json   (stop with Ctrl-C)\n")
    uvicorn.run(app, host=host, port=port, log_level="warning")


main()
