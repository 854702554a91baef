"""The command line: `leaderboard NOUN VERB`. Thin: each command opens what it needs and prints what it gets.

Nothing heavy is imported here or at the top of a command's module, so that `--help` stays quick.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence

from leaderboard.errors import LeaderboardError, causes

MOST_LINES = 4
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    guarded(lambda: _app(arguments))


def _app(arguments: Sequence[str] | None) -> None:
    from leaderboard.cli.app import app

    app(arguments, prog_name="leaderboard")


def guarded(program: Callable[[], object]) -> None:
    """Run a program as a person expects it: a refusal is a few lines on stderr and exit code 1, no traceback.

    Usage errors are exit code 2.
    """
    for stream in (sys.stdout, sys.stderr):
        # Half a character in a text is then printed as its JSON escape instead of stopping the program.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        program()
    except LeaderboardError as error:
        _refuse(str(error))
    except BaseExceptionGroup as group:
        # Everything in flight failed for the same reason: one of the refusals says it.
        found = list(causes(group))
        if not all(isinstance(error, LeaderboardError) for error in found):
            raise
        _refuse(str(found[0]))
    except BrokenPipeError:
        # The reader went away (`| head`): point stdout elsewhere so that the exit does not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None and error.errno not in NO_ROOM:
            raise
        _refuse(f"{error.filename or 'cannot write'}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)


def _refuse(text: str) -> None:
    lines = [line for line in text.splitlines() if line.strip()][:MOST_LINES]
    sys.stderr.write("error: " + "\n".join(lines) + "\n")
    sys.exit(1)
