"""The product as real processes against a loopback server that outlives them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from leaderboard.core.types import Judge, Model
from tests.tournament.stage import KEYS, Stage, bench_judge, contestant

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0


def environment() -> dict[str, str]:
    """Without settings of the machine, with keys that nobody ever issued."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEADERBOARD_")}
    return {**kept, **KEYS, "PYTHONUNBUFFERED": "1"}


class Server:
    """The loopback server's address and what it has counted."""

    def __init__(self, url: str) -> None:
        self.url = url

    def counts(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/_counts", timeout=10) as reply:
            found: dict[str, Any] = json.load(reply)
        return found


@contextmanager
def loopback_process(latency: float) -> Iterator[Server]:
    command = [sys.executable, "-m", "tests.loopback", "--latency", str(latency)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(process.stdout.readline().strip())
        finally:
            process.kill()


def start(arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """`python -m ARGUMENTS`, its output in the log."""
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", *arguments], cwd=ROOT, env=environment(), stdout=file, stderr=file
        )


def run_arguments(stage: Stage) -> list[str]:
    return ["run", "-y", "--home", str(stage.home.path), "--json"]


def wait_until(what: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> bool:
    """Poll; False when the process ends before. Fails when nothing comes of it for long."""
    end = time.monotonic() + PATIENCE
    while not what():
        if process is not None and process.poll() is not None:
            return False
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return True


def ended(process: subprocess.Popen[bytes], with_signal: int | None = None) -> int:
    """Wait for the end, after a signal if one is given."""
    if with_signal is not None:
        process.send_signal(with_signal)
    try:
        return process.wait(PATIENCE)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()


def asked(stage: Stage, sql: str) -> list[tuple[Any, ...]]:
    """A question to the ledger's file from outside, while another process writes it."""
    with closing(sqlite3.connect(f"file:{stage.home.path / 'ledger.sqlite'}?mode=ro", uri=True, timeout=30)) as con:
        return con.execute(sql).fetchall()


def count(stage: Stage, table_and_condition: str) -> int:
    return int(asked(stage, f"SELECT count(*) FROM {table_and_condition}")[0][0])


def on_loopback(who: Model, server: Server) -> Model:
    assert who.endpoint is not None
    return replace(who, endpoint=replace(who.endpoint, api_base=f"{server.url}/v1"))


def contestants(server: Server, names: Sequence[str], **more: Any) -> list[Model]:
    return [on_loopback(contestant(name, **more), server) for name in names]


def loopback_judge(server: Server, name: str, **more: Any) -> Judge:
    judge = bench_judge(name, **more)
    return replace(judge, endpoint=replace(judge.endpoint, litellm=f"openai/{name}", api_base=f"{server.url}/v1"))
