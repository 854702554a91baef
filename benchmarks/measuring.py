"""CPU seconds of this process and of child processes. Wall time says little on a shared machine."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence


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
