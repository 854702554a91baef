"""How a run shows itself at a terminal: a bar with rate, spend and time left; plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from leaderboard.cli.screen import counted
from leaderboard.core.money import NANO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from leaderboard.tournament.play import Settled

LINE_EVERY = 5.0


class Lines:
    """One line on stderr per phase, and one every few seconds."""

    def __init__(self) -> None:
        self._name, self._total, self._done, self._spent, self._failed = "", 0, 0, 0, 0
        self._said = time.monotonic()

    def phase(self, name: str, total: int) -> None:
        self._name, self._total, self._done = name, total, 0
        sys.stderr.write(f"{name}: {counted(total, 'request')}\n")

    def settled(self, settled: Settled) -> None:
        self._done += 1
        self._failed += not settled.ok
        self._spent += settled.cost or 0
        if time.monotonic() - self._said >= LINE_EVERY:
            self._said = time.monotonic()
            failed = f", {self._failed} failed" if self._failed else ""
            spent = f"${self._spent / NANO:.4f}"
            sys.stderr.write(f"{self._name}: {self._done} of {self._total}{failed}, {spent}\n")

    def note(self, text: str) -> None:
        sys.stderr.write(f"note: {text}\n")

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        sys.stderr.flush()


class Bars:
    """A progress bar a phase."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bars: Progress = Progress(
            TextColumn("{task.description:<11}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn("{task.fields[spent]}"),
            TextColumn("{task.fields[failed]}", style="red"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._current: TaskID | None = None
        self._spent, self._done, self._failed, self._began = 0, 0, 0, time.monotonic()

    def phase(self, name: str, total: int) -> None:
        self._done, self._failed, self._began = 0, 0, time.monotonic()
        self._current = self._bars.add_task(name, total=total, **self._fields())

    def settled(self, settled: Settled) -> None:
        if self._current is None:
            return
        self._done += 1
        self._failed += not settled.ok
        self._spent += settled.cost or 0
        self._bars.update(self._current, advance=1, **self._fields())

    def _fields(self) -> dict[str, Any]:
        rate = self._done / max(time.monotonic() - self._began, 1e-3)
        return {
            "rate": f"{rate:.0f}/s" if self._done else "",
            "spent": f"${self._spent / NANO:.4f}",
            "failed": f"{self._failed} failed" if self._failed else "",
        }

    def note(self, text: str) -> None:
        self._bars.console.print(f"note: {text}", highlight=False, markup=False)

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


def shown_progress() -> Bars | Lines:
    return Bars() if sys.stderr.isatty() else Lines()
