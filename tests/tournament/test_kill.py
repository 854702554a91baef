"""kill -9 at any moment, then the same command again: nothing lost, nothing doubled, nothing needless paid."""

from __future__ import annotations

import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.core.types import Price
from tests.tournament.killed_child import POINTS
from tests.tournament.real_process import (
    Server,
    contestants,
    count,
    ended,
    loopback_judge,
    loopback_process,
    run_arguments,
    start,
    wait_until,
)
from tests.tournament.stage import Actors, Stage, questions

LATENCY = 0.15
JUDGE = "judge-length"
PRICE = Price(Decimal(1), Decimal(2))
SETTLED = "attempts WHERE state = 'settled'"
OPEN = "attempts WHERE state = 'open'"


def new_stage(folder: Path, server: Server, models: int, prompts: int) -> Stage:
    names = [f"model-{number}" for number in range(models)]
    settings = f"top_k = {models}\nkeep_cap = {models}\nconcurrency = 16\n"
    stage = Stage.build(
        folder,
        contestants(server, names, price=PRICE),
        loopback_judge(server, JUDGE, price=PRICE),
        questions(prompts),
        settings=settings,
    )
    stage.home.settings_file.write_text("publish_every = 0.3\n" + settings, encoding="utf-8")
    return stage


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


@dataclass
class Series:
    """A tournament under fire. `in_flight` are the open attempts that each kill left."""

    stage: Stage
    server: Server
    log: Path
    in_flight: list[int] = field(default_factory=list)

    def report(self, what: str) -> None:
        made = self.server.counts()["total"]
        say(f"{what}: {self.in_flight[-1]} in flight, {count(self.stage, SETTLED)} settled, {made} at the server")

    def kill_at_a_moment(self, rng: random.Random, within: float) -> None:
        """Start, wait for the first request that this process settles, then kill at a moment drawn uniformly."""
        before = count(self.stage, SETTLED)
        process = start(["leaderboard", *run_arguments(self.stage)], self.log)
        alive = wait_until(lambda: count(self.stage, SETTLED) > before, process)
        assert alive, self.log.read_text()
        moment = rng.uniform(0, within)
        time.sleep(moment)
        assert ended(process, signal.SIGKILL) == -signal.SIGKILL, "it was through before the kill"
        self.in_flight.append(count(self.stage, OPEN))
        self.report(f"killed {moment:.2f} s after the first settled request")

    def kill_at_a_point(self, point: str, nth: int) -> None:
        arguments = ["tests.tournament.killed_child", point, str(nth), "cli", *run_arguments(self.stage)]
        process = start(arguments, self.log)
        assert ended(process) == -signal.SIGKILL, self.log.read_text()
        self.in_flight.append(count(self.stage, OPEN))
        self.report(f"killed at {point!r}, time {nth}")

    def finish(self) -> None:
        assert ended(start(["leaderboard", *run_arguments(self.stage)], self.log)) == 0, self.log.read_text()

    def check(self, twin: Stage) -> None:
        """Against an uninterrupted run of the same tournament by the same rules of judging."""
        actors = Actors()
        assert twin.play(actors)["state"] == "done"
        needed, made = len(actors.asked), self.server.counts()
        say(f"needed {needed}, in flight at kills {sum(self.in_flight)}, at the server {made['total']}")
        assert needed >= 300
        assert needed <= made["total"] <= needed + sum(self.in_flight)
        assert all(times <= 1 + len(self.in_flight) for times in made["marks"].values())
        assert len(made["marks"]) == len(actors.judged)
        self.check_facts(twin)
        again = Actors()
        assert self.stage.play(again)["state"] == "done"
        assert again.asked == [], "one more start makes no request"

    def check_facts(self, twin: Stage) -> None:
        facts = (
            "SELECT prompt_id, model, turn, text FROM answers ORDER BY ALL",
            "SELECT prompt_id, model_a, model_b, stage, shown_first, sample, score_a FROM readings ORDER BY ALL",
            "SELECT prompt_id, model_a, model_b, stage, outcome, consistent, samples FROM verdicts ORDER BY ALL",
        )
        for fact in facts:
            found, expected = self.stage.rows(fact), twin.rows(fact)
            assert found == expected
            assert len(found) > 0
        ours, theirs = self.stage.ratings(), twin.ratings()
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert [row[0] for row in self.stage.ledger_rows("SELECT DISTINCT state FROM attempts ORDER BY 1")] in (
            ["settled"], ["settled", "unknown"]
        )  # fmt: skip
        unknown = count(self.stage, "attempts WHERE state = 'unknown'")
        assert unknown == sum(self.in_flight), "what may have been billed is booked as unknown, nothing else"
        assert len(self.stage.rows("SELECT id FROM attempts")) == count(self.stage, "attempts")


def series(folder: Path, server: Server, models: int, prompts: int) -> tuple[Series, Stage]:
    """The tournament that is killed, and its twin that is not."""
    stage = new_stage(folder / "home", server, models, prompts)
    return Series(stage, server, folder / "log"), new_stage(folder / "twin", server, models, prompts)


def test_six_kills_at_any_moment(tmp_path: Path) -> None:
    rng = random.Random(20)
    with loopback_process(LATENCY) as server:
        under_fire, twin = series(tmp_path, server, models=5, prompts=12)
        for _ in range(6):
            under_fire.kill_at_a_moment(rng, within=0.6)
        under_fire.finish()
        under_fire.check(twin)


@pytest.mark.soak
def test_twenty_kills_at_any_moment(tmp_path: Path) -> None:
    rng = random.Random()
    with loopback_process(LATENCY) as server:
        under_fire, twin = series(tmp_path, server, models=6, prompts=24)
        for _ in range(20):
            under_fire.kill_at_a_moment(rng, within=0.6)
        under_fire.finish()
        under_fire.check(twin)


NAMED: Sequence[tuple[str, int]] = (
    ("settled, no batch yet", 3),
    ("batch assigned", 1),
    ("history committed", 2),
    ("batch acknowledged", 2),
    ("checkpoint", 2),
    ("copy", 2),
    ("pointer", 2),
)
"""The history is checkpointed once when it is opened: the second checkpoint is a publication's."""


@pytest.mark.soak
def test_one_kill_at_each_named_point(tmp_path: Path) -> None:
    assert {point for point, _ in NAMED} == set(POINTS)
    with loopback_process(LATENCY) as server:
        under_fire, twin = series(tmp_path, server, models=6, prompts=24)
        for point, nth in NAMED:
            under_fire.kill_at_a_point(point, nth)
        under_fire.finish()
        under_fire.check(twin)
