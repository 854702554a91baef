"""Progress that moves at a terminal, and tells what came of it in a log."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from leaderboard.cli.progress import Lines
from leaderboard.tournament.play import Settled
from tests.cli.terminal import usual_environment

# A run as the display sees it: a phase of three requests, one of which fails, and a note.
ACTED = """
from leaderboard.cli.progress import shown_progress
from leaderboard.tournament.play import Settled
with shown_progress() as progress:
    progress.phase("answers", 3)
    for ok, cost in ((True, 250_000_000), (False, None), (True, 250_000_000)):
        progress.settled(Settled(task=None, ok=ok, cost=cost))
    progress.note("left out: [bold]nobody[/bold]")
    progress.phase("screening", 1)
"""


def test_progress_is_lines_where_there_is_no_terminal(tmp_path: Path) -> None:
    code = [sys.executable, "-c", ACTED]
    done = subprocess.run(code, cwd=tmp_path, env=usual_environment(), capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == [
        "answers: 3 requests",
        "answers: 3 of 3 in 0 s, 1 failed, spent so far $0.5000",
        "note: left out: [bold]nobody[/bold]",
        "screening: 1 request",
    ]
    assert done.stdout == ""


def settled(cost: int | None, *, ok: bool = True) -> Settled:
    return Settled(task=None, ok=ok, cost=cost)  # type: ignore[arg-type]


def test_a_phase_that_is_stopped_says_how_far_it_came() -> None:
    told: list[str] = []
    with Lines(told.append, every=1000) as lines:
        lines.phase("screening", 4)
        for _ in range(3):
            lines.settled(settled(400_000_000))
    assert told == ["screening: 4 requests", "screening: 3 of 4 in 0 s, spent so far $1.20"]


def test_every_so_often_it_says_what_is_spent_so_far() -> None:
    """Money adds up over the phases, failures are those of the phase."""
    told: list[str] = []
    with Lines(told.append, every=0) as lines:
        lines.phase("answers", 2)
        lines.settled(settled(None, ok=False))
        lines.settled(settled(100_000_000))
        lines.phase("screening", 2)
        lines.settled(settled(100_000_000))
        lines.settled(settled(100_000_000))
    assert told == [
        "answers: 2 requests",
        "answers: 1 of 2, 1 failed, spent so far $0.0000",
        "answers: 2 of 2 in 0 s, 1 failed, spent so far $0.1000",
        "screening: 2 requests",
        "screening: 1 of 2, spent so far $0.2000",
        "screening: 2 of 2 in 0 s, spent so far $0.3000",
    ]


def test_progress_is_a_bar_with_rate_and_spend_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    environment = {**usual_environment(), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "24"}
    child = subprocess.Popen(
        [sys.executable, "-c", ACTED], cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = read_terminal(ours)
    assert child.wait(30) == 0
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert re.search(r"answers +━+ +3/3 +[0-9]+/s +\$0\.5000", last)
    assert "1 failed" in last
    assert "note: left out: [bold]nobody[/bold]" in last
    assert "screening" in last
    assert "\x1b[?25h" in shown  # the cursor is back


def read_terminal(descriptor: int) -> str:
    """All that arrives until the other side is gone."""
    parts = []
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # how Linux says that nobody holds the other side
            break
        if not part:
            break
        parts.append(part)
    os.close(descriptor)
    return b"".join(parts).decode("utf-8", "replace")
