"""How a run shows itself at a terminal: a bar with rate, spend and time left; plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from leaderboard.cli.screen import counted, talk, usd, visible
from leaderboard.cli.status import duration
from leaderboard.core.money import NANO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from leaderboard.tournament.play import Settled

LINE_EVERY = 5.0


class Lines:
    """One line at the start of a phase, one every few seconds, and one at its end."""

    def __init__(self, write: Callable[[str], None] = talk, every: float = LINE_EVERY) -> None:
        self._write, self._every = write, every
        self._name, self._total, self._done, self._spent, self._failed = "", 0, 0, 0, 0
        self._began = self._said = time.monotonic()

    def phase(self, name: str, total: int) -> None:
        self._end()
        self._name, self._total, self._done, self._failed = name, total, 0, 0
        self._began = self._said = time.monotonic()
        self._write(f"{name}: {counted(total, 'request')}")

    def settled(self, settled: Settled) -> None:
        self._done += 1
        self._failed += not settled.ok
        self._spent += settled.cost or 0
        if self._done == self._total:
            self._end()
        elif time.monotonic() - self._said >= self._every:
            self._said = time.monotonic()
            self._write(self._so_far())

    def _end(self) -> None:
        """Say what came of the phase, once, also where it was stopped on the way."""
        if self._name and self._done:
            self._write(self._so_far(f" in {duration(time.monotonic() - self._began)}"))
        self._name = ""

    def _so_far(self, taken: str = "") -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        spent = usd(Decimal(self._spent) / NANO)
        return f"{self._name}: {self._done} of {self._total}{taken}{failed}, spent so far {spent}"

    def note(self, text: str) -> None:
        self._write(f"note: {visible(text)}")

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
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
        self._bars.console.print(f"note: {visible(text)}", highlight=False, markup=False)

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


def shown_progress() -> Bars | Lines:
    return Bars() if sys.stderr.isatty() else Lines()
