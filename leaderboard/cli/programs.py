"""The two programs beside the command line: `python -m api` and `python -m jobs`.

They are started as processes, so that this package imports neither.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import NoReturn

from leaderboard.cli.parent import OPTION, PATIENCE
from leaderboard.cli.screen import talk
from leaderboard.errors import BadInput

POLL = 0.2
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
STEADY = 60.0


def become(module: str, arguments: Sequence[str]) -> NoReturn:
    """Go on as that program, in this process."""
    sys.stdout.flush()
    os.execv(sys.executable, _command(module, arguments))


def _command(module: str, arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def require_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before anything is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BadInput(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port") from None


class Supervised:
    """Keeps a program running; pauses grow while it keeps ending soon after its start.

    `pipe` is the reading end of a pipe whose other end only this process has: at its end the program ends too.
    """

    def __init__(self, module: str, arguments: Sequence[str], pipe: int) -> None:
        self._name, self._command = module, _command(module, [*arguments, OPTION, str(pipe)])
        self._pipe = pipe
        self._halt = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name=f"keeps {module}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _keep(self) -> None:
        pause = FIRST_PAUSE
        while not self._halt.is_set():
            began = time.monotonic()
            # In a group of its own: a Ctrl-C is this process's to pass on, twice would mean to hurry.
            self._child = subprocess.Popen(self._command, pass_fds=[self._pipe], process_group=0)
            code = self._child.wait()
            if self._halt.is_set():
                return
            pause = FIRST_PAUSE if time.monotonic() - began > STEADY else min(LONGEST_PAUSE, 2 * pause)
            talk(f"{self._name} ended with {code}; started again in {pause:.0f} s")
            self._halt.wait(pause)

    def stop(self) -> None:
        """Ask it to end in good order: what is in flight there is settled first."""
        self._halt.set()
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()

    def join(self) -> None:
        """Wait for its end, which is forced after a while."""
        self._thread.join(PATIENCE)
        if self._thread.is_alive() and self._child is not None:
            self._child.kill()
            self._thread.join()


def serve_both(api: Sequence[str], jobs: Sequence[str]) -> None:
    """Keep api and jobs running until SIGINT or SIGTERM, then end both; a second signal hurries them.

    They end with this process, too, when it dies on the spot.
    """
    # The writing end stays open, and unused, for as long as this process lives.
    pipe, _ = os.pipe()
    programs = [Supervised("api", api, pipe), Supervised("jobs", jobs, pipe)]
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: _end(programs) if over.is_set() else over.set())
    for program in programs:
        program.start()
    # Not by waiting for the event: a signal that comes while its lock is held would wait for that lock for ever.
    while not over.is_set():
        time.sleep(POLL)
    _end(programs)
    for program in programs:
        program.join()


def _end(programs: Sequence[Supervised]) -> None:
    for program in programs:
        program.stop()
