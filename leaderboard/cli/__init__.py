"""The command line: `leaderboard NOUN VERB`. Thin: each command opens what it needs and prints what it gets.

Nothing heavy is imported here or at the top of a command's module, so that `--help` stays quick.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from leaderboard.errors import LeaderboardError


def main() -> None:
    """Run the command line. A refusal is a few lines on stderr and exit code 1, usage errors are exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # Half a character in a text is then printed as its JSON escape instead of stopping the program.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        _read_dotenv()
        from leaderboard.cli.app import app

        app()
    except LeaderboardError as error:
        _refuse(str(error))
    except BrokenPipeError:
        # The reader went away (`| head`): point stdout elsewhere so that the exit does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _refuse(text: str) -> None:
    lines = [line for line in text.splitlines() if line.strip()][:4]
    sys.stderr.write("error: " + "\n".join(lines) + "\n")
    sys.exit(1)


def _read_dotenv() -> None:
    """A .env in the working folder is read; what the shell has set wins."""
    if Path(".env").is_file():
        from dotenv import load_dotenv

        load_dotenv(".env", override=False)
