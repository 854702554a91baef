"""`leaderboard jobs run`: the process that plays by the clock."""

from __future__ import annotations

import typer

from leaderboard.cli import options as o

app = typer.Typer(help="The process that plays by the clock.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The process that plays by the clock."""


@app.command()
def run(home: o.HomeOption = o.DEFAULT_HOME) -> None:
    """Play queued runs and schedules until stopped.

    The schedules stand in tournament.toml. One such process a tournament.
    """
    from leaderboard.cli.programs import become

    become("jobs", ["--home", str(home)])
