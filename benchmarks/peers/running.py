"""Runs the cases one after the other, each in a child process with one thread."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.cases import CASES, Case
from benchmarks.peers.field import SIZES, Size

ROOT = Path(__file__).parents[2]
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"), "1"),
    "RAYON_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
LIMIT_S = 600
RUNS = 5
ENOUGH_CPU_S = 20.0

Row = dict[str, object]


def measure(
    sizes: Sequence[str], note: Callable[[str], None], cases: Sequence[Case] = CASES, runs: int = RUNS
) -> list[Row]:
    """A row a case and size; what is not run is a row with the reason. `note` hears what is being done.

    `runs`: how many processes a quick case gets. RuntimeError when this program's own case fails.
    """
    rows = []
    for size in (SIZES[name] for name in sizes):
        with tempfile.TemporaryDirectory() as folder:
            note(f"drawing {size.battles:,} battles of {size.models} models")
            _child("write", size, folder)
            for case in cases:
                rows.append(_row(case, size) | _result(case, size, folder, runs))
                note(f"{size.name}, {case.name}: {rows[-1]['left_out'] or rows[-1]['cpu_s']}")
    return rows


def _row(case: Case, size: Size) -> Row:
    return {
        "case": case.name,
        "gives": case.gives,
        "size": size.name,
        "models": size.models,
        "battles": size.battles,
        "prompts": size.prompts,
        "rounds": case.rounds.get(size.name),
        "point": case.point,
        "cpu_s": None,
        "cpu_again_s": None,
        "process_cpu_s": None,
        "peak_mib": None,
        "error_elo": None,
        "runs": 0,
        "left_out": None,
    }


def _result(case: Case, size: Size, folder: str, runs: int) -> Row:
    if size.name in case.left_out:
        return {"left_out": case.left_out[size.name]}
    if importlib.util.find_spec(case.library) is None:
        return {"left_out": f"{case.library} is not installed (`make bench` installs it)"}
    try:
        return _measured(case, size, folder, runs)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        if case.library == "leaderboard":
            raise RuntimeError(f"{case.name}: {_why(error)}") from error
        return {"left_out": _why(error)}


def _measured(case: Case, size: Size, folder: str, most: int) -> Row:
    """The least of `most` processes, or of as many as 20 CPU seconds allow: other work here only ever adds."""
    runs = [_asked(case, size, folder)]
    while len(runs) < most and sum(run["process_cpu_s"] for run in runs) < ENOUGH_CPU_S:
        runs.append(_asked(case, size, folder))
    return min(runs, key=lambda run: run["cpu_s"]) | {"runs": len(runs)}


def _asked(case: Case, size: Size, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_child(case.name, size, folder))
    return found


def _child(what: str, size: Size, folder: str) -> str:
    command = [sys.executable, "-m", "benchmarks.peers.child", what, size.name, folder]
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | ONE_THREAD, check=True, capture_output=True, text=True, timeout=LIMIT_S
    )
    return run.stdout


def _why(error: subprocess.CalledProcessError | subprocess.TimeoutExpired) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"took longer than {LIMIT_S} s"
    said = (error.stderr or "").strip().splitlines()
    return f"failed: {said[-1] if said else f'exit {error.returncode}'}"
