"""`leaderboard serve` as a person runs it: newcomers join over HTTP and from the command line while it plays."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from leaderboard.home import JOBS, Home, lock_holder, writer_lock

PATIENCE = 120.0
SOON = 30.0
PROMPTS = 4
FIELD = {"sim-one": 1.0, "sim-two": 0.0, "sim-three": -1.0}
SETTINGS = """\
top_k = 2
[[schedule]]
name = "rounds"
job = "tournament"
every = "3s"
"""


@dataclass(frozen=True)
class Service:
    """A running `leaderboard serve` on a home of its own."""

    home: Path
    url: str

    def cli(self, *arguments: str) -> Any:
        """The JSON of a command on this home."""
        command = [sys.executable, "-m", "leaderboard", *arguments, "--home", str(self.home), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rows(self, query: str) -> list[list[Any]]:
        found: list[list[Any]] = self.cli("sql", query)["rows"]
        return found

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as reply:
            return json.load(reply)

    def post(self, path: str, body: dict[str, object], key: str) -> int:
        request = urllib.request.Request(
            self.url + path,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as reply:
                return int(reply.status)
        except urllib.error.HTTPError as error:
            return error.code

    def until(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"not in time: {what}"
            time.sleep(0.3)

    def healthy(self) -> bool:
        try:
            return bool(self.get("/healthz")["status"] == "ok")
        except (urllib.error.URLError, ConnectionError):
            return False

    def on_the_board(self) -> set[str]:
        board = self.get("/api/v1/leaderboard")
        return {row["model"] for row in [*board["standings"], *board["screened"]] if row["n"]}


def model_options(skill: float) -> list[str]:
    prices = ["--input-price", "0.1", "--output-price", "0.2"]
    return ["--litellm", "sim/contestant", "--param", f"skill={skill}", "--max-tokens", "300", *prices]


@pytest.fixture
def place(tmp_path: Path) -> Service:
    """Three models, a judge, a few prompts and rounds by the clock; nobody serves them yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    made = Service(tmp_path / "home", f"http://127.0.0.1:{port}")
    made.cli("init", "--bare")
    file = tmp_path / "prompts.csv"
    file.write_text("id,text\n" + "".join(f"p{i},Why is number {i} a good number?\n" for i in range(PROMPTS)))
    made.cli("prompts", "import", str(file))
    for name, skill in FIELD.items():
        made.cli("models", "add", name, *model_options(skill))
    made.cli("judges", "add", "sim-judge", "--litellm", "sim/judge", "--protocol", "swap")
    (made.home / "tournament.toml").write_text(SETTINGS)
    return made


def serving(place: Service) -> list[str]:
    port = place.url.rpartition(":")[2]
    return [sys.executable, "-m", "leaderboard", "serve", "--port", port, "--home", str(place.home)]


@pytest.fixture
def service(place: Service) -> Iterator[Service]:
    child = subprocess.Popen(serving(place), stderr=subprocess.PIPE)
    try:
        place.until(place.healthy, "healthy")
        yield place
    finally:
        child.send_signal(signal.SIGTERM)
        log = child.communicate(timeout=PATIENCE)[1].decode()
        assert child.returncode == 0, log


def test_newcomers_join_while_it_serves_and_only_their_own_pairings_are_asked(service: Service) -> None:
    """Two rounds by the clock, then two newcomers: one over HTTP with the admin key, one from the command line."""
    service.until(lambda: service.on_the_board() == set(FIELD), "the first board")
    key = (service.home / "admin.key").read_text().strip()
    by_post = {"id": "sim-four", "litellm": "sim/contestant", "params": {"skill": 0.4}, "max_tokens": 300}
    assert service.post("/api/v1/models", by_post, "wrong") == 401
    assert service.post("/api/v1/models", {**by_post, "litellm": "smi/contestant"}, key) == 422
    before = service.rows("select max(finished_at) from call")[0][0]
    assert service.post("/api/v1/models", by_post, key) == 201
    assert service.post("/api/v1/models", {**by_post, "id": "SIM-four"}, key) == 409
    service.cli("models", "add", "sim-five", *model_options(-0.4))
    newcomers = {"sim-four", "sim-five"}
    service.until(lambda: service.on_the_board() == {*FIELD, *newcomers}, "the newcomers on the board")
    asked = service.rows(
        f"select coalesce(model, model_a), model_b, kind from call where finished_at > '{before}' and kind != 'check'"
    )
    assert asked
    assert [row for row in asked if not newcomers & set(row)] == []
    done = "select count(*) from runs where started_by = 'schedule rounds' and state = 'done'"
    service.until(lambda: service.rows(done)[0][0] >= 2, "two rounds by the clock")


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children(process: int) -> list[int]:
    """Those that any of its threads has started."""
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(word) for file in files for word in file.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_a_killed_serve_takes_its_two_programs_along(place: Service, tmp_path: Path) -> None:
    """Else the one that spends money would go on without anybody to stop it."""
    home, log = Home(place.home), tmp_path / "log"
    with log.open("wb") as file, subprocess.Popen(serving(place), stderr=file) as child:
        started: list[int] = []
        try:
            place.until(lambda: place.healthy() and lock_holder(home) is not None, "healthy and at work")
            started = children(child.pid)
            assert len(started) == 2
            assert lock_holder(home) in started
        finally:
            child.kill()
        assert child.wait(10) == -signal.SIGKILL
        ends = time.monotonic() + SOON
        while any(map(alive, started)) and time.monotonic() < ends:
            time.sleep(0.1)
        assert [process for process in started if alive(process)] == [], log.read_text()
    assert lock_holder(home) is None
    assert not place.healthy()


@pytest.mark.parametrize(
    ("settings", "said"),
    [("top_k = = 2", "not valid TOML"), ("top_k = 0", "top_k"), (SETTINGS.replace("3s", "0s"), "schedule 1 every")],
)
def test_settings_that_cannot_be_read_are_refused_before_anything_starts(
    place: Service, settings: str, said: str
) -> None:
    (place.home / "tournament.toml").write_text(settings)
    assert said in refused(place)


def test_a_second_serve_of_a_home_is_refused(place: Service) -> None:
    with writer_lock(Home(place.home), JOBS):
        assert f"process {os.getpid()} plays" in refused(place)


def test_a_taken_port_is_refused(place: Service) -> None:
    with socket.create_server(("127.0.0.1", int(place.url.rpartition(":")[2]))):
        assert "choose another --port" in refused(place)


def refused(place: Service) -> str:
    done = subprocess.run(serving(place), capture_output=True, text=True, timeout=SOON, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) <= 2
    return done.stderr
