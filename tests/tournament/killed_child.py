"""A process that kills itself at a named point, without a switch in the product: functions are wrapped from outside.

    python -m tests.tournament.killed_child POINT N stage HOME          plays with function models
    python -m tests.tournament.killed_child POINT N cli run -y ...      is `leaderboard run -y ...`

It dies the N-th time the point is reached; N = 0 never dies.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from leaderboard.history import snapshots
from leaderboard.history.writer import History
from leaderboard.ledger import outbox

Where = tuple[Any, str, bool]

POINTS: dict[str, Where] = {
    "settled, no batch yet": (outbox, "assign", False),
    "batch assigned": (History, "insert_batch", False),
    "history committed": (History, "insert_batch", True),
    "batch acknowledged": (History, "derive", False),
    "checkpoint": (snapshots, "checkpoint", True),
    "copy": (snapshots, "copy_file", True),
    "pointer": (snapshots, "point_at", True),
}
"""Where a function of the product is wrapped, and whether death comes after the call."""


def die_at(point: str, nth: int) -> None:
    """Wrap the function of the point. SIGKILL: no handler, no `finally`, no flush."""
    owner, name, afterwards = POINTS[point]
    real: Callable[..., Any] = getattr(owner, name)
    calls = 0

    @wraps(real)
    def deadly(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        last = calls == nth
        if last and not afterwards:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*args, **kwargs)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def main() -> None:
    point, nth, how, *rest = sys.argv[1:]
    die_at(point, int(nth))
    if how == "cli":
        from leaderboard.cli import main as command_line

        command_line(rest)
    else:
        from leaderboard.home import Home
        from tests.tournament.stage import Actors, Stage

        Stage(Home(Path(rest[0]))).play(Actors())


if __name__ == "__main__":
    main()
