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
    """Play queued runs and the schedules of tournament.toml until stopped. One process a tournament."""
    from jobs.process import run_jobs
    from leaderboard.home import Home

    run_jobs(Home(home))
