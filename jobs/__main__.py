"""`python -m jobs --home DIR`: the process that plays by the clock."""

from __future__ import annotations

import argparse
from pathlib import Path

from jobs.process import run_jobs
from leaderboard.cli import guarded
from leaderboard.cli.parent import add_option, end_with
from leaderboard.home import Home


def main() -> None:
    parser = argparse.ArgumentParser(prog="jobs", description="Plays queued runs and the schedules of a tournament.")
    parser.add_argument("--home", type=Path, required=True)
    add_option(parser)
    given = parser.parse_args()
    end_with(given.parent)
    guarded(lambda: run_jobs(Home(given.home)))


main()
