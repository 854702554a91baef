"""Runs that meet trouble: outages, budgets, unknown prices, a damaged log, a death between two commits."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.types import Price
from leaderboard.errors import BadInput, Busy
from leaderboard.history.writer import History
from leaderboard.home import writer_lock
from leaderboard.ledger import outbox
from leaderboard.providers.port import ChatRequest, Usage
from tests.tournament.stage import (
    NOW,
    Actors,
    Line,
    Stage,
    bench_judge,
    contestant,
    failure,
    in_character,
    mark_in,
    questions,
    said,
)

JUDGE = "judge-length"
FIELD = ("alpha", "beta", "gamma")
PROMPTS = 4
ROOT = Path(__file__).resolve().parents[2]


def new_stage(folder: Path, *, price: Price | None = None, **more: Any) -> Stage:
    given = {} if price is None else {"price": price}
    field = [contestant(name, **given) for name in FIELD]
    return Stage.build(folder, field, bench_judge(JUDGE, samples=1, **given), questions(PROMPTS), **more)


def judge_is_out(request: ChatRequest) -> Line:
    """Passes its check, then fails on every judgement."""
    return failure("forbidden") if mark_in(request) else in_character(request)


def test_an_outage_makes_no_verdicts_and_fails_the_run(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    record = stage.play(Actors({JUDGE: judge_is_out}))
    assert record["state"] == "failed"
    assert record["errors"] == [f"judge {JUDGE}: forbidden: made up: forbidden"]
    assert stage.rows("SELECT count(*) FROM verdicts") == [(0,)]
    assert all(row["rating"] is None for row in stage.board()["standings"])
    healthy = Actors()
    assert stage.play(healthy)["state"] == "done"
    assert (len(healthy.answered), len(healthy.judged)) == (0, 3 * PROMPTS * 3)


def test_an_outage_leaves_ratings_as_they_were(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors())
    before = stage.ratings()
    stage.add_prompts([*questions(PROMPTS + 2)][PROMPTS:])
    record = stage.play(Actors({JUDGE: judge_is_out}))
    assert record["state"] == "failed"
    assert stage.ratings() == before
    assert stage.rows("SELECT count(*) FROM runs WHERE state = 'failed'") == [(0,)], "told by the next snapshot"
    assert stage.ledger_rows("SELECT state FROM runs ORDER BY number") == [("done",), ("failed",)]


TWO_CENTS = Price(Decimal(0), Decimal(100))
"""200 tokens at most: 0.02 USD are reserved for each request."""


def of_known_length(request: ChatRequest) -> Line:
    return said(*(choice.text for choice in in_character(request).choices), usage=Usage(100, 200))


def test_a_budget_stops_the_run_and_a_larger_one_lets_it_go_on(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", price=TWO_CENTS)
    parts = dict.fromkeys((*FIELD, JUDGE), of_known_length)
    actors = Actors(parts, latency=0.002)
    first = stage.play(actors, budget="0.30", concurrency=10)
    assert first["state"] == "limit_reached"
    assert len(actors.asked) == 15
    assert first["spent_usd"] == pytest.approx(0.30)
    more = Actors(parts)
    second = stage.play(more, budget="10")
    assert (second["run"], second["state"]) == (first["run"], "done")
    everything = 4 + 3 * PROMPTS * 4
    assert len(actors.asked) + len(more.asked) == everything, "nothing was paid twice"
    assert second["spent_usd"] == pytest.approx(0.02 * everything)
    assert stage.ledger_rows("SELECT reserved_nano, spent_nano FROM budgets") == [(0, everything * 20_000_000)]


def test_a_budget_refuses_models_without_a_price_by_name(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.add_model(contestant("mystery", price=None))
    stage.add_judge(bench_judge("dark-judge", price=None))
    actors = Actors()
    with pytest.raises(BadInput, match="a budget needs a price for: judge dark-judge, model mystery"):
        stage.play(actors, budget="1", judge="dark-judge")
    assert actors.asked == []
    record = stage.play(Actors(), judge=JUDGE)
    assert (record["state"], record["unpriced"]) == ("done", 1 + PROMPTS)


def test_without_prompts_nothing_is_asked(tmp_path: Path) -> None:
    stage = Stage.build(tmp_path / "home", [contestant("a"), contestant("b")], bench_judge(JUDGE), [])
    with pytest.raises(BadInput, match="there are no prompts"):
        stage.play(Actors())


def test_a_second_writer_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    with writer_lock(stage.home), pytest.raises(Busy, match=f"process {os.getpid()} is writing this tournament"):
        stage.play(Actors())


def killed(stage: Stage, point: str, nth: int) -> None:
    """Play in a child that dies the n-th time it comes to the point."""
    command = [sys.executable, "-m", "tests.tournament.killed_child", point, str(nth), "stage", str(stage.home.path)]
    died = subprocess.run(command, cwd=ROOT, check=False)
    assert died.returncode == -signal.SIGKILL


@pytest.mark.parametrize("damage", ["cut", "flipped", "whole"])
def test_a_damaged_log_is_noticed_and_made_good_from_the_ledger(tmp_path: Path, damage: str) -> None:
    stage = new_stage(tmp_path / "home")
    killed(stage, "batch acknowledged", 3)
    log = stage.home.history_file.with_name(stage.home.history_file.name + ".wal")
    content = bytearray(log.read_bytes())
    if damage == "cut":
        content = content[:-7]
    elif damage == "flipped":
        content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    warnings = stage.warnings()
    told = [text for text in warnings if re.search(r"\d+ batch(es)? had gone from the history", text)]
    assert len(told) == (damage != "whole"), warnings
    assert stage.warnings() == [], "once"
    done = stage.ledger_rows("SELECT count(*) FROM requests WHERE state = 'done' AND kind <> 'check'")[0][0]
    actors = Actors()
    record = stage.play(actors)
    assert (record["state"], len(actors.asked)) == ("done", 3 * PROMPTS * 4 - done)
    assert stage.rows("SELECT stage, count(*) FROM verdicts GROUP BY 1 ORDER BY 1") == [
        ("screening", 3 * PROMPTS), ("validation", 3 * PROMPTS)
    ]  # fmt: skip
    assert stage.rows("SELECT count(*), count(DISTINCT (pairing, stage, shown_first, sample)) FROM readings") == [
        (3 * PROMPTS * 3, 3 * PROMPTS * 3)
    ]
    fresh = new_stage(tmp_path / "fresh")
    fresh.play(Actors())
    assert stage.ratings() == pytest.approx(fresh.ratings(), abs=1e-9)


@pytest.mark.parametrize("reached", ["assigned", "inserted", "committed"])
def test_a_batch_arrives_once_wherever_the_death_came(tmp_path: Path, reached: str) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors(), "screening")
    counted = stage.rows("SELECT count(*) FROM readings")
    with stage.ledger() as ledger:
        with ledger.write() as tx:
            tx.exec_driver_sql("UPDATE requests SET batch_id = NULL WHERE kind = 'check'")
            tx.exec_driver_sql("UPDATE requests SET payload = '{\"text\": \"ready\"}' WHERE kind = 'check'")
            batch = outbox.assign(tx, "b" * 32, 100, NOW)
        assert len(batch.requests) == 4
        if reached != "assigned":
            history = History.open(stage.home.history_file)
            history.insert_batch(batch)
            history.close()
        if reached == "committed":
            with ledger.write() as tx:
                outbox.committed(tx, batch.id)
    assert stage.warnings() == []
    record = stage.play(Actors())
    assert record["state"] == "done"
    assert stage.rows("SELECT count(*) FROM readings WHERE stage = 'screening'") == counted
    assert stage.ledger_rows("SELECT DISTINCT state FROM batches") == [("published",)]
    found = stage.rows("SELECT count(*) FROM attempts"), stage.rows("SELECT count(*) FROM answers")
    assert found == ([(4 + 3 * PROMPTS * 4,)], [(3 * PROMPTS,)])


def test_facts_that_wait_for_a_batch_at_the_death_are_not_asked_for_again(tmp_path: Path) -> None:
    """Answers that are settled in the ledger and have not reached the history when the process dies."""
    stage = new_stage(tmp_path / "home")
    killed(stage, "settled, no batch yet", 3)
    settled = stage.ledger_rows(
        "SELECT count(*) FROM requests WHERE kind = 'answer' AND state = 'done' AND batch_id IS NULL"
    )[0][0]
    assert settled > 0
    actors = Actors()
    assert stage.play(actors)["state"] == "done"
    assert len(actors.answered) == 3 * PROMPTS - settled


def test_published_texts_have_left_the_ledger(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors())
    assert stage.ledger_rows("SELECT count(*) FROM requests WHERE payload IS NOT NULL") == [(0,)]
    assert stage.rows("SELECT count(*) FROM answers WHERE text LIKE '%says:%'") == [(3 * PROMPTS,)]


def test_a_history_that_lost_what_was_published_says_so(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors())
    stage.home.history_file.unlink()
    assert any("published batches are missing" in text for text in stage.warnings())
