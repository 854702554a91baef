"""A program that another one has started ends with it, however that one ends.

Whoever starts it holds one end of a pipe and hands over the other. The system closes a dead process's end, even that of
a killed one, and the program reads the end of the file.
"""

from __future__ import annotations

import argparse
import os
import signal
import threading
import time

OPTION = "--parent"
PATIENCE = 150.0
"""Seconds for a program to end in good order: what is in flight there is settled first."""


def add_option(parser: argparse.ArgumentParser) -> None:
    """Whose death ends the program; nobody's when it is started without."""
    parser.add_argument(OPTION, type=int, metavar="FD", help="a pipe: at its end the program ends too")


def end_with(pipe: int | None) -> None:
    """Send this process SIGTERM when the writing end of the pipe is closed, and SIGKILL a good while later."""
    if pipe is not None:
        threading.Thread(target=_watch, args=(pipe,), name="watches the parent", daemon=True).start()


def _watch(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE)
    os.kill(os.getpid(), signal.SIGKILL)
