"""`python -m benchmarks.peers.child write|CASE SIZE FOLDER`: one case in a process of its own, as one JSON line."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

from benchmarks.peers import field
from benchmarks.peers.cases import BY_NAME, Case


def main() -> None:
    what, size, folder = sys.argv[1], field.SIZES[sys.argv[2]], Path(sys.argv[3])
    if what == "write":
        field.write(size, folder)
    else:
        print(json.dumps(measured(BY_NAME[what], size, folder)))


def measured(case: Case, size: field.Size, folder: Path) -> dict[str, object]:
    """CPU seconds of the calls without imports and loading, and of the whole process; its peak; the error in Elo."""
    import numpy as np

    work = case.prepare(folder, size, case.rounds.get(size.name, 0))
    taken = []
    for _ in range(case.calls):
        before = time.process_time()
        ratings = work()
        taken.append(time.process_time() - before)
    error = ratings - ratings.mean() + 1000 - np.load(folder / f"reference-{case.prior}.npy")
    return {
        "cpu_s": taken[0],
        "cpu_again_s": taken[1] if case.calls > 1 else None,
        "process_cpu_s": time.process_time(),
        "peak_mib": peak_mib(),
        "error_elo": float(np.abs(error).max()),
    }


def peak_mib() -> float:
    """Of this process alone: what `getrusage` says counts the parent's memory from before the start too."""
    status = Path("/proc/self/status")
    if status.exists() and (line := re.search(r"VmHWM:\s+(\d+) kB", status.read_text("ascii"))):
        return int(line[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main()
