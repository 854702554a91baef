"""A child of the program that is started again when it ends, and ended with its parent."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
STEADY = 60.0
PATIENCE = 150.0


class Supervisor(threading.Thread):
    """Keeps `leaderboard ARGUMENTS` running. Pauses grow while it keeps ending soon after its start."""

    def __init__(self, arguments: Sequence[str]) -> None:
        super().__init__(name="supervisor", daemon=True)
        self._command = [sys.executable, "-m", "leaderboard", *arguments]
        self._halt = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        pause = FIRST_PAUSE
        while not self._halt.is_set():
            began = time.monotonic()
            self._child = subprocess.Popen(self._command, stdin=subprocess.PIPE)
            code = self._child.wait()
            if self._halt.is_set():
                return
            pause = FIRST_PAUSE if time.monotonic() - began > STEADY else min(LONGEST_PAUSE, 2 * pause)
            sys.stderr.write(f"{' '.join(self._command[2:])} ended with {code}; again in {pause:.0f} s\n")
            self._halt.wait(pause)

    def finish(self) -> None:
        """Ask the child to end in good order and wait; what is in flight there is settled first."""
        self._halt.set()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()
            try:
                self._child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._child.kill()
        self.join()


@contextmanager
def child_process(arguments: Sequence[str]) -> Iterator[None]:
    supervisor = Supervisor(arguments)
    supervisor.start()
    try:
        yield
    finally:
        supervisor.finish()
