"""`python -m jobs` is `leaderboard jobs run`."""

import sys

from leaderboard.cli import main

sys.argv[1:1] = ["jobs", "run"]
main()
