"""The api as a process of its own: what it loads, and that it serves while another process writes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from api_facts import PROMPTS, Tournament, standing

NEVER_LOADED = {"litellm", "choix", "numpy", "polars", "scipy", "jobs"}
SERVES = """
import sys
from pathlib import Path
import uvicorn
from api.app import create_app
from leaderboard.home import Home
from leaderboard.settings import load_settings
home = Home(Path(sys.argv[1]))
app = create_app(home, load_settings(home.settings_file))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
"""
TELLS_WHAT_IT_LOADED = """
import asyncio, json, sys
from pathlib import Path
import httpx
from api.app import create_app
from leaderboard.home import Home
from leaderboard.settings import load_settings

async def main(home, asked, key):
    app = create_app(home, load_settings(home.settings_file))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://board.test") as client:
        statuses = [(await client.get(path)).status_code for path in asked]
        headers = {"Authorization": "Bearer " + key}
        body = {"id": "x", "litellm": "openai/x", "params": {"top_p": 1}}
        statuses.append((await client.post("/api/v1/models", json=body, headers=headers)).status_code)
    app.state.desk.close()
    print(json.dumps({"statuses": statuses, "loaded": sorted({name.split(".")[0] for name in sys.modules})}))

home = Home(Path(sys.argv[1]))
asyncio.run(main(home, json.loads(sys.argv[2]), home.admin_key_file.read_text().strip()))
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@contextmanager
def served(home: Path) -> Iterator[tuple[httpx.Client, int]]:
    """The api of this home in a child process."""
    port = free_port()
    child = subprocess.Popen([sys.executable, "-c", SERVES, str(home), str(port)])
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            _wait_for(client, child)
            yield client, child.pid
    finally:
        child.terminate()
        assert child.wait(30) in {0, -15}


def _wait_for(client: httpx.Client, child: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert child.poll() is None, "the api ended before it answered"
        try:
            client.get("/healthz")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the api did not answer within 60 s")


def test_serving_loads_no_provider_library_and_no_statistics(tournament: Tournament) -> None:
    """A worker of the api stays small and starts fast; what it shows was computed before."""
    tournament.judged(PROMPTS[0], "alpha", "beta")
    for policy in ("tie", "soft"):
        tournament.rate("validated", [standing("alpha", tier=1, p_top1=0.9)], policy=policy)
    snapshot = tournament.publish()
    (verdict,) = verdict_ids(tournament)
    boards = ("", "?judge=judy", "?policy=soft", "?judge=judy&scope=overall&method=bt&as_of=2027-01-01")
    api = ("models", "models/alpha", "ratings?model=alpha&policy=soft", "verdicts", f"verdicts/{verdict}")
    asked = [*(f"/api/v1/leaderboard{query}" for query in boards), *(f"/{query}" for query in boards)]
    asked += [*(f"/api/v1/{path}" for path in api), "/healthz", "/openapi.json", "/static/board.css"]
    command = [sys.executable, "-c", TELLS_WHAT_IT_LOADED, str(tournament.home.path), json.dumps(asked)]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert told["statuses"] == [200] * len(asked) + [201], snapshot
    assert NEVER_LOADED & set(told["loaded"]) == set()
    assert {"duckdb", "sqlalchemy", "jinja2"} <= set(told["loaded"])


def verdict_ids(tournament: Tournament) -> list[str]:
    from leaderboard.history.reader import current, open_snapshot

    path = current(tournament.home.snapshots)
    assert path is not None
    with open_snapshot(path) as reader:
        return [row[0] for row in reader.sql("SELECT id FROM verdicts")["rows"]]


def test_a_server_process_serves_while_this_one_writes(tournament: Tournament) -> None:
    """The live file is open for writing here; the api must neither need it nor notice."""
    with served(tournament.home.path) as (client, pid):
        assert client.get("/healthz").json() == {"status": "ok", "snapshot": None, "ledger": "ok"}
        assert client.get("/api/v1/leaderboard").json()["standings"] == []
        tournament.judged(PROMPTS[0], "alpha", "beta")
        tournament.rate("validated", [standing("alpha")])
        snapshot = tournament.publish()
        board = client.get("/api/v1/leaderboard")
        assert (board.json()["snapshot"], board.json()["standings"][0]["model"]) == (snapshot.id, "alpha")
        added = client.post("/api/v1/models", json={"id": "a/b", "litellm": "openai/x"}, headers=tournament.key)
        assert added.status_code == 201
        assert client.get("/api/v1/models/a%2Fb").json()["state"] == "unchecked"
        assert "alpha" in client.get("/").text
        refused = client.get("/api/v1/leaderboard", params={"scope": "category=a/b"})
        assert (refused.status_code, refused.headers["content-type"]) == (404, "application/problem+json")
        assert client.get("/api/v1/leaderboard", params={"method": "joint", "policy": "tie"}).status_code == 422
        assert client.get("/api/v1/ratings", params={"model": "alpha"}).json()["items"][0]["rating"] == 1000.0
        assert client.post("/api/v1/models", content=b"x" * 70_000, headers=tournament.key).status_code == 413
        publish_four_times(client, tournament)
        if sys.platform == "linux":
            assert sum("snap-" in link for link in open_files(pid)) == 1


def publish_four_times(client: httpx.Client, tournament: Tournament) -> None:
    """Each is served at once."""
    for number in range(4):
        tournament.rate("validated", [standing("alpha", 900.0 + number)], second=200 + number)
        tournament.publish()
        assert client.get("/api/v1/leaderboard").json()["standings"][0]["rating"] == 900.0 + number


def open_files(pid: int) -> list[str]:
    return [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
