"""CPU seconds of this process and of child processes. Wall time says little on a shared machine."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence


def cpu_of(work: Callable[[], object], repeats: int = 5) -> float:
    """Median CPU seconds of a function in this process."""
    taken = []
    for _ in range(repeats):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return statistics.median(taken)


def cpu_of_command(arguments: Sequence[str], repeats: int = 7) -> float:
    """Median CPU seconds of `python ARGUMENTS` as a whole process, after one run that fills the caches."""
    taken = []
    for _ in range(repeats + 1):
        before = _children()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        taken.append(_children() - before)
    return statistics.median(taken[1:])


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
