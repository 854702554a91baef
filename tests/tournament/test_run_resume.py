"""Runs that follow a run: what is asked again, what is not, and what stands beside the old."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.keys import mark_of
from leaderboard.core.types import Judge
from leaderboard.ledger import judges
from leaderboard.providers.port import ChatRequest
from leaderboard.tournament.enrol import move_model
from tests.tournament.stage import (
    Actors,
    Line,
    Stage,
    bench_judge,
    contestant,
    failure,
    in_character,
    mark_in,
    name_of,
    questions,
    slots,
    user_of,
)

FIELD = ("alpha", "beta", "gamma")
PROMPTS = 4
PAIRINGS = 3 * PROMPTS
JUDGE = "judge-prefers-alpha"


def new_stage(folder: Path, *, takes_n: bool = True, **judge: Any) -> Stage:
    return Stage.build(
        folder,
        [contestant(name) for name in FIELD],
        bench_judge(JUDGE, **judge),
        questions(PROMPTS),
        takes_n=takes_n,
    )


def test_the_second_run_asks_nothing(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    first = stage.play(Actors())
    assert first["calls"] == {
        "made": 3 * PROMPTS + PAIRINGS + 2 * PAIRINGS, "checks": 4, "failed": 0, "unreadable": 0, "reused": 0
    }  # fmt: skip
    before = stage.ratings()
    actors = Actors()
    second = stage.play(actors)
    assert actors.asked == []
    assert actors.closed == 1
    assert second["run"] != first["run"]
    assert second["calls"] == {
        "made": 0, "checks": 0, "failed": 0, "unreadable": 0, "reused": first["calls"]["made"]
    }  # fmt: skip
    assert stage.ratings() == before


@pytest.mark.parametrize("takes_n", [True, False])
def test_more_samples_ask_for_the_missing_ones_only(tmp_path: Path, takes_n: bool) -> None:
    stage = new_stage(tmp_path / "home", takes_n=takes_n)
    stage.play(Actors(), samples=2)
    actors = Actors()
    record = stage.play(actors, samples=4)
    assert len(actors.asked) == len(actors.judged) == PAIRINGS * 2 * 2
    assert record["calls"]["made"] == PAIRINGS * 2 * 2
    counted = stage.rows(
        "SELECT shown_first, sample, count(*) FROM readings WHERE stage = 'validation' GROUP BY ALL ORDER BY ALL"
    )
    assert counted == [(first, sample, PAIRINGS) for first in "ab" for sample in (1, 2, 3, 4)]
    assert stage.rows("SELECT DISTINCT samples FROM verdicts WHERE stage = 'validation'") == [(4,)]


def test_fewer_samples_ask_nothing(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors(), samples=3)
    actors = Actors()
    stage.play(actors, samples=1)
    assert actors.asked == []


def other_temperature(judge: Judge) -> dict[str, Any]:
    wanted = {**judge.endpoint.wanted, "temperature": 0.5}
    return {"endpoint": replace(judge.endpoint, wanted=wanted, sent=None)}


CHANGES = {
    "rubric": lambda judge: {"rubric": "Prefer the shorter answer."},
    "temperature": other_temperature,
    "template": lambda judge: {"template": "comparing"},
    "system": lambda judge: {"system": "You are strict."},
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_judge_is_asked_anew_and_the_old_stays(tmp_path: Path, change: str) -> None:
    stage = new_stage(tmp_path / "home", samples=1)
    stage.play(Actors())
    old = dict(stage.rows("SELECT id, fingerprint FROM verdicts"))
    with stage.ledger() as ledger, ledger.read() as tx:
        judge = judges.get(tx, JUDGE)
    stage.change_judge(JUDGE, **CHANGES[change](judge))
    actors = Actors()
    record = stage.play(actors)
    assert len(actors.judged) == PAIRINGS + 2 * PAIRINGS
    assert actors.answered == [], "the contestants have answered already"
    assert record["state"] == "done"
    now = dict(stage.rows("SELECT id, fingerprint FROM verdicts"))
    assert old.items() < now.items()
    assert len(now) == 2 * len(old)
    assert len(set(now.values())) == 2
    fresh = set(now.values()) - set(old.values())
    assert {stage.board()["fingerprint"]} == fresh


def test_another_judge_has_a_board_of_its_own(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", samples=1)
    stage.play(Actors())
    stage.add_judge(bench_judge("judge-prefers-gamma", samples=1))
    actors = Actors()
    record = stage.play(actors, judge="judge-prefers-gamma")
    assert record["judge"] == "judge-prefers-gamma"
    assert {name_of(request) for request in actors.judged} == {"judge-prefers-gamma"}
    assert len(actors.judged) == 3 * PAIRINGS
    best = {name: stage.board(name)["standings"][0]["model"] for name in (JUDGE, "judge-prefers-gamma")}
    assert best == {JUDGE: "alpha", "judge-prefers-gamma": "gamma"}


def test_marks_follow_from_the_secret_and_the_request(tmp_path: Path) -> None:
    """Repeatable for us, unknowable to a contestant."""
    stage = new_stage(tmp_path / "home", samples=1)
    actors = Actors()
    stage.play(actors)
    marks = dict(stage.ledger_rows("SELECT key, mark FROM requests WHERE kind = 'judgement'"))
    assert {mark_in(request) for request in actors.judged} == set(marks.values())
    assert all(mark == mark_of(stage.home.secret(), key) for key, mark in marks.items())


def failing_on(number: int, *names: str) -> dict[str, Any]:
    """These models fail on one prompt, every time."""

    def part(request: ChatRequest) -> Line:
        return failure("bad_request") if f"Question {number}?" in user_of(request) else in_character(request)

    return dict.fromkeys(names, part)


def test_failed_requests_are_asked_again_and_no_others(tmp_path: Path) -> None:
    """First run: alpha fails on prompt 1, the judge on prompt 2. Second run: a healthy provider."""
    stage = new_stage(tmp_path / "home", samples=1)
    actors = Actors({**failing_on(1, "alpha"), **failing_on(2, JUDGE)})
    first = stage.play(actors)
    assert first["state"] == "failed"
    assert first["calls"]["failed"] == 1 + 3 + 6
    assert sorted(first["errors"]) == [
        f"judge {JUDGE}: bad_request: made up: bad_request", "model alpha: bad_request: made up: bad_request"
    ]  # fmt: skip
    assert stage.rows("SELECT DISTINCT prompt_id FROM verdicts WHERE prompt_id = 'p02'") == []
    healthy = Actors()
    second = stage.play(healthy)
    assert second["run"] == first["run"], "the same run goes on"
    assert (second["state"], second["calls"]["failed"], second["errors"]) == ("done", 0, [])
    asked_again = {("alpha", "Question 1?")}
    assert {(name_of(request), user_of(request)) for request in healthy.answered} == asked_again
    about_one = [request for request in healthy.judged if "Question 1?" in user_of(request)]
    about_two = [request for request in healthy.judged if "Question 2?" in user_of(request)]
    assert (len(about_one), len(about_two), len(healthy.judged)) == (2 * 3, 3 * 3, 2 * 3 + 3 * 3)
    fresh = new_stage(tmp_path / "other", samples=1)
    fresh.play(Actors())
    assert stage.ratings() == pytest.approx(fresh.ratings(), abs=1e-9)
    third = Actors()
    stage.play(third)
    assert third.asked == []


@pytest.mark.parametrize(("good", "thin"), [(3, False), (2, True)])
def test_a_count_of_samples_below_what_was_asked_shows(tmp_path: Path, good: int, thin: bool) -> None:
    """A judge without `n` that answers so many times about each order, screening included, and fails from then on."""
    stage = new_stage(tmp_path / "home", takes_n=False, samples=3)
    seen: Counter[tuple[str, str]] = Counter()

    def part(request: ChatRequest) -> Line:
        if not mark_in(request):
            return in_character(request)
        seen[slots(request)] += 1
        return in_character(request) if seen[slots(request)] <= good else failure("bad_request")

    assert stage.play(Actors({JUDGE: part}), concurrency=1)["state"] == "failed"
    counted = "SELECT DISTINCT samples, asked, thin FROM verdicts WHERE stage = 'validation'"
    assert stage.rows(counted) == [(good - 1, 3, thin)], "the screened order had one less for validation"
    assert stage.play(Actors())["state"] == "done"
    assert stage.rows(counted) == [(3, 3, False)]


def test_failures_that_nobody_wants_any_more_do_not_fail_the_next_run(tmp_path: Path) -> None:
    stage = Stage.build(
        tmp_path / "home", [contestant(n) for n in (*FIELD, "broken")], bench_judge(JUDGE, samples=1), questions(2)
    )
    assert stage.play(Actors(failing_on(1, "broken")))["state"] == "failed"
    with stage.ledger() as ledger:
        move_model(ledger, "broken", "retire")
    assert stage.play(Actors())["state"] == "done"
