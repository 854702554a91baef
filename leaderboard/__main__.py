"""`python -m leaderboard` is the command line."""

from leaderboard.cli import main

main()
