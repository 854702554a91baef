"""The container's own command, started as a process: what `docker compose up` would run, on a free loopback port."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
PATIENCE = 90.0


def instruction(pattern: str) -> list[str]:
    found = re.search(pattern, DOCKERFILE, re.MULTILINE)
    assert found, pattern
    arguments: list[str] = json.loads(found[1])
    return arguments


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def on(port: str, arguments: list[str]) -> list[str]:
    """The command with this interpreter, on loopback and the free port instead of the container's."""
    changed = [argument.replace("0.0.0.0", "127.0.0.1").replace("8000", port) for argument in arguments]
    program = {"leaderboard": [sys.executable, "-m", "leaderboard"], "python": [sys.executable]}
    return [*program[changed[0]], *changed[1:]]


def answers(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=4) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str, Path]]:
    """The container's command on an empty volume."""
    port, volume = free_port(), tmp_path / "data"
    volume.mkdir()
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    child = subprocess.Popen(
        on(port, instruction(r"^CMD (\[.*\])$")),
        env=keyless | {"LEADERBOARD_HOME": str(volume), "HOME": str(tmp_path)},
        cwd=volume,
        stderr=subprocess.PIPE,
    )
    try:
        yield child, port, volume
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
        child.communicate(timeout=PATIENCE)


def test_the_containers_command_serves_an_empty_volume(
    served: tuple[subprocess.Popen[bytes], str, Path],
) -> None:
    """It makes a tournament, answers its own health check, and ends in good order on SIGTERM."""
    child, port, volume = served
    deadline = time.monotonic() + PATIENCE
    while not answers(port):
        assert child.poll() is None
        assert time.monotonic() < deadline, "not healthy in time"
        time.sleep(0.2)
    check = instruction(r"HEALTHCHECK .*\\\n\s*CMD (\[.*\])$")
    assert subprocess.run(on(port, check), check=False).returncode == 0
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/leaderboard", timeout=10) as reply:
        assert json.load(reply)["standings"] == []
    assert (volume / "tournament.toml").exists()
    assert (volume / "secret").stat().st_mode & 0o777 == 0o600
    child.send_signal(signal.SIGTERM)
    assert child.wait(PATIENCE) == 0
    assert not answers(port)
