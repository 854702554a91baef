"""The jobs process as a real child against a loopback server: rounds by the clock, hand-over, ends good and bad."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jobs.process import _serve, say
from leaderboard.core.types import Endpoint
from leaderboard.home import lock_holder
from leaderboard.ledger import models
from leaderboard.tournament.handover import queue_run
from leaderboard.tournament.start import Provider
from tests.tournament.real_process import (
    ROOT,
    Server,
    asked,
    contestants,
    count,
    ended,
    environment,
    loopback_judge,
    loopback_process,
    start,
    wait_until,
)
from tests.tournament.stage import Actors, Stage, bench_judge, contestant, questions, taking

PROMPTS = 6
FIELD = ("alpha", "beta", "gamma")
JUDGE = "judge-length"
EVERY_FIVE_SECONDS = """
[[schedule]]
name = "rounds"
job = "tournament"
every = "5s"
"""


def new_stage(folder: Path, server: Server, settings: str = "") -> Stage:
    field = contestants(server, FIELD)
    judge = loopback_judge(server, JUDGE, samples=1)
    return Stage.build(folder, field, judge, questions(PROMPTS), settings=f"top_k = 4\n{settings}")


def jobs_of(stage: Stage, log: Path) -> subprocess.Popen[bytes]:
    return start(["leaderboard", "jobs", "run", "--home", str(stage.home.path)], log)


def rounds(stage: Stage, state: str = "done") -> int:
    return count(stage, f"runs WHERE \"trigger\" = 'schedule rounds' AND state = '{state}'")


def cli(stage: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "leaderboard", *arguments, "--home", str(stage.home.path)],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def add_unchecked(stage: Stage, server: Server, name: str) -> None:
    """As one that comes over HTTP: nothing is resolved yet."""
    (newcomer,) = contestants(server, [name], price=None)
    with stage.ledger() as ledger, ledger.write() as tx:
        models.add(tx, newcomer)


def check_second_process(stage: Stage, log: Path, holder: int) -> None:
    second = jobs_of(stage, log.with_suffix(".second"))
    assert ended(second) == 1
    told = log.with_suffix(".second").read_text()
    assert told == (
        f"error: process {holder} is writing this tournament: wait for its end\n"
        "one jobs process a tournament is enough\n"
    )


def check_hand_over(stage: Stage, holder: int) -> None:
    """`run` finds the lock held, hands over, and returns a record of the same shape as its own."""
    handed = cli(stage, "run", "-y", "--json")
    assert handed.returncode == 0, handed.stderr
    assert f"process {holder} plays this tournament" in handed.stderr
    record: dict[str, Any] = json.loads(handed.stdout)
    assert (record["state"], record["calls"]["made"]) == ("done", 0)
    assert count(stage, f"runs WHERE id = '{record['run']}' AND \"trigger\" = 'handed over'") == 1
    stage_record = json.loads(asked(stage, "SELECT record FROM runs WHERE \"trigger\" = 'schedule rounds'")[0][0])
    assert record.keys() == stage_record.keys()


def check_desk_work(stage: Stage) -> None:
    """What a command does itself when the lock is free, the holder does for it."""
    published = cli(stage, "snapshot", "--json")
    assert published.returncode == 0, published.stderr
    assert Path(json.loads(published.stdout)["file"]).name.startswith("snap-")
    plan = json.loads(cli(stage, "run", "--dry-run", "--json").stdout)
    assert (plan["requests"], plan["kind"]) == (0, "tournament")
    checked = cli(stage, "judges", "check", "--json")
    assert checked.returncode == 0, checked.stderr
    assert [(item["id"], item["ok"]) for item in json.loads(checked.stdout)["items"]] == [(JUDGE, True)]
    refused = cli(stage, "models", "check", "nobody")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "error: no model 'nobody'" in refused.stderr


def check_newcomer(stage: Stage, server: Server, process: subprocess.Popen[bytes]) -> None:
    before, done = server.counts(), rounds(stage)
    add_unchecked(stage, server, "delta")
    assert wait_until(lambda: rounds(stage) >= done + 2, process)
    after = server.counts()
    made = {name: after["models"][name] - before["models"].get(name, 0) for name in after["models"]}
    assert made == {"alpha": 0, "beta": 0, "gamma": 0, "delta": 1 + PROMPTS, JUDGE: 3 * PROMPTS * 3}
    assert set(after["marks"].values()) == {1}
    about = asked(stage, "SELECT DISTINCT model_a, model_b FROM requests WHERE kind = 'judgement'")
    assert sorted(pair for pair in about if "delta" in pair) == [(a, b) for a, b in sorted(about) if "delta" in (a, b)]
    assert stage.model("delta").endpoint.sent == {"max_tokens": 200}  # type: ignore[union-attr]
    assert set(stage.ratings()) == {*FIELD, "delta"}


def test_rounds_by_the_clock_with_people_at_the_door(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with loopback_process(0.0) as server:
        stage = new_stage(tmp_path / "home", server, EVERY_FIVE_SECONDS)
        process = jobs_of(stage, log)
        try:
            assert wait_until(lambda: rounds(stage) >= 2, process), log.read_text()
            first = server.counts()
            assert first["total"] == 4 + 3 * PROMPTS * 4, "the second round had nothing to ask"
            assert lock_holder(stage.home) == process.pid
            check_second_process(stage, log, process.pid)
            check_hand_over(stage, process.pid)
            check_desk_work(stage)
            check_newcomer(stage, server, process)
        finally:
            code = ended(process, signal.SIGTERM)
        assert code == 0, log.read_text()
        assert lock_holder(stage.home) is None
        assert asked(stage, "SELECT kind FROM runs WHERE state IN ('running', 'failed')") == [("check",)], "of nobody"
        assert re.search(r"jobs: run \S+: done, \d+ requests made", log.read_text())


def test_a_killed_process_leaves_its_run_to_the_next_one_and_a_stopped_one_ends_in_order(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with loopback_process(0.2) as server:
        stage = new_stage(tmp_path / "home", server, "concurrency = 4\n")
        with stage.ledger() as ledger:
            run = queue_run(ledger, "tournament", {}, "schedule rounds")
        killed = jobs_of(stage, log)
        assert wait_until(lambda: count(stage, "attempts WHERE state = 'settled'") > 6, killed), log.read_text()
        assert ended(killed, signal.SIGKILL) == -signal.SIGKILL
        assert asked(stage, "SELECT id, state, pid FROM runs") == [(run.id, "running", killed.pid)]
        left, settled = count(stage, "attempts WHERE state = 'open'"), count(stage, "attempts WHERE state = 'settled'")

        stopped = jobs_of(stage, log)
        assert wait_until(lambda: count(stage, "attempts WHERE state = 'settled'") > settled + 6, stopped)
        assert ended(stopped, signal.SIGTERM) == 0, log.read_text()
        assert asked(stage, "SELECT id, state, pid FROM runs") == [(run.id, "cancelled", stopped.pid)]
        assert count(stage, "attempts WHERE state = 'open'") == 0
        assert count(stage, "attempts WHERE state = 'unknown'") == left, "those of the killed process, no others"
        total = server.counts()["total"]
        assert total <= count(stage, "attempts")

    actors = Actors()
    record = stage.play(actors)
    assert record["state"] == "done"
    done_before = count(stage, "attempts WHERE state = 'settled'") - len(actors.asked)
    assert done_before + len(actors.asked) == 4 + 3 * PROMPTS * 4, "every request settled once over three processes"


def test_it_ends_in_good_order_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    """The writing end of a pipe stands for the parent: the system closes it whatever the parent dies of."""
    log = tmp_path / "log"
    with loopback_process(0.2) as server:
        stage = new_stage(tmp_path / "home", server, "concurrency = 4\n")
        with stage.ledger() as ledger:
            queue_run(ledger, "tournament", {}, "schedule rounds")
        reading, writing = os.pipe()
        command = [sys.executable, "-m", "jobs", "--home", str(stage.home.path), "--parent", str(reading)]
        with log.open("wb") as file:
            process = subprocess.Popen(command, cwd=ROOT, env=environment(), stderr=file, pass_fds=[reading])
        try:
            assert wait_until(lambda: count(stage, "attempts WHERE state = 'settled'") > 6, process), log.read_text()
            assert process.poll() is None
        finally:
            os.close(writing)
            os.close(reading)
            code = ended(process)
        assert code == 0, log.read_text()
        assert lock_holder(stage.home) is None
        assert asked(stage, "SELECT state, pid FROM runs") == [("cancelled", process.pid)]
        assert count(stage, "attempts WHERE state IN ('open', 'unknown')") == 0


def test_nothing_in_its_log_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("one \x1b[2J\ntwo \u202e\x9b")
    assert capsys.readouterr().err == "jobs: one ␛[2J\njobs: two \ufffd\ufffd\n"


def test_a_signal_while_a_run_is_prepared_stops_it_before_it_asks(tmp_path: Path) -> None:
    """Models are resolved then, which takes a while; the run itself listens only once it asks."""
    stage = Stage.build(tmp_path / "home", [contestant("alpha"), contestant("beta")], bench_judge("j"), questions(2))
    actors, take = Actors(), taking(True)
    with stage.ledger() as ledger, ledger.write() as tx:
        alpha = models.get(tx, "alpha")
        assert alpha.endpoint is not None
        models.replace(tx, replace(alpha, endpoint=replace(alpha.endpoint, sent=None)))

    def interrupted(endpoint: Endpoint, now: str) -> Endpoint:
        signal.raise_signal(signal.SIGTERM)
        return take(endpoint, now)

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with stage.office() as office:
            run = queue_run(office.ledger, "tournament", {}, "schedule rounds")
            _serve(office, threading.Event(), Provider(chat=actors, resolve=interrupted))
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert actors.asked == []
    assert asked(stage, "SELECT id, state FROM runs") == [(run.id, "cancelled")]
