"""Refits of a played tournament: what is kept, when nothing is new, and what a failed fit leaves standing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.fits import Fit, How
from leaderboard.core.matrix import Battles
from leaderboard.core.ratings import METHODS
from leaderboard.core.strengths import NotConverged
from leaderboard.core.types import Judge, Model
from leaderboard.history.records import FitKey
from leaderboard.ledger import models as model_rows
from leaderboard.tournament.collect import publish
from leaderboard.tournament.fit import refit, screening_fit
from leaderboard.tournament.lists import Methods
from leaderboard.tournament.office import Office
from leaderboard.tournament.plan import Plan
from tests.tournament.stage import Actors, Stage, bench_judge, contestant, questions

FIELD = ("alpha", "beta", "delta", "gamma")
PROMPTS = 12
FITS = "SELECT board, scope, method, policy, control FROM fit WHERE failure IS NULL ORDER BY ALL"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Two of four models are validated."""
    judge = bench_judge("judge-length", samples=1)
    field = [contestant(name) for name in FIELD]
    settings = "top_k = 1\nkeep_cap = 2\n"
    built = Stage.build(tmp_path / "home", field, judge, questions(PROMPTS), settings=settings)
    assert built.play(Actors())["state"] == "done"
    return built


def again(stage: Stage, methods: Methods = METHODS) -> int:
    """Refit and publish; returns how many rows of `fit` there are then."""
    with stage.office() as office:
        refit(office, office.judge(None), "again", methods)
        publish(office.ledger, office.history, office.home.snapshots)
    return len(stage.rows("SELECT 1 FROM fit"))


def failing(methods: Iterable[str]) -> Methods:
    def fails(battles: Battles, how: How) -> Fit:
        raise NotConverged(f"{how.method} stalled")

    return METHODS | dict.fromkeys(methods, fails)


def test_the_first_run_already_stores_the_board_of_every_scope(stage: Stage) -> None:
    """Before anything was published the history does not know the prompts; the tournament does."""
    scopes = ["category=facts", "category=style", "language=en", "language=nl"]
    kept = set(stage.rows(FITS))
    assert {("validated", scope, "bt", "tie", None) for scope in ["overall", *scopes]} <= kept
    assert {("screened", scope, "joint", None, None) for scope in ["overall", *scopes]} <= kept
    beside = {("bt", "score", None), ("bt", "soft", None), ("bt", "drop", None)}
    beside |= {("joint", None, None), ("joint", None, "length")}
    assert {("validated", "overall", *key) for key in beside} <= kept
    assert len(kept) == 2 * 5 + len(beside)


def test_a_refit_of_unchanged_facts_keeps_nothing_new(stage: Stage) -> None:
    before = len(stage.rows("SELECT 1 FROM fit"))
    assert again(stage) == before


def test_a_fit_that_fails_leaves_the_last_board_standing_and_marks_it_old(stage: Stage) -> None:
    good = stage.board()
    assert good["old"] is None
    before = len(stage.rows("SELECT 1 FROM fit"))
    assert again(stage, failing(["bt"])) == before + 4 + 4, "four policies and four scopes failed, others are unchanged"
    board = stage.board()
    assert board["standings"] == good["standings"]
    assert board["old"]["reason"] == "bt stalled"
    assert again(stage, failing(["bt"])) == before + 8, "the same failure again is no news"
    again(stage)
    assert stage.board()["old"] is None


def test_a_screened_list_that_fails_does_not_touch_the_validated_one(stage: Stage) -> None:
    good = stage.board()
    again(stage, failing(["joint"]))
    board = stage.board()
    assert board["standings"] == good["standings"]
    assert [row["model"] for row in board["screened"]] == [row["model"] for row in good["screened"]]


def test_the_published_board_has_both_lists_and_says_how_it_was_made(stage: Stage) -> None:
    board = stage.board()
    validated, screened = ({row["model"] for row in board[name]} for name in ("standings", "screened"))
    assert (len(validated), validated | screened) == (2, set(FIELD))
    assert (board["method"], board["policy"]) == ("bt", "tie")
    assert (board["screened_fit"]["method"], board["screened_fit"]["policy"]) == ("joint", None)
    assert all("provisional" in row["flags"] for row in board["screened"])
    assert board["convergence"]["residual"] < 1e-6
    assert board["judges"][0]["judge"] == "judge-length"
    assert len(board["side_by_side"]["fits"]) == 4
    assert {"tier", "p_top1", "p_topk", "expected_next", "more_pairings", "more_reason"} <= set(board["standings"][0])


def test_every_stored_board_can_be_read(stage: Stage) -> None:
    from leaderboard.history.reader import open_snapshot

    with open_snapshot(stage.snapshot) as reader:
        for _, scope, method, policy, control in stage.rows(FITS):
            if (method, policy, control) != ("joint", None, None) or scope == "overall":
                board = reader.board(None, FitKey(scope, method, policy, control))
                assert (board["scope"], board["method"], board["policy"]) == (scope, method, policy)


def test_a_corrected_rating_stands_beside_the_plain_one(stage: Stage) -> None:
    from leaderboard.history.reader import open_snapshot

    with open_snapshot(stage.snapshot) as reader:
        plain = reader.board(None, FitKey(method="joint", policy=None))
        board = reader.board(None, FitKey(method="joint", policy=None, control="length"))
    assert [row["rating"] for row in board["standings"]] == [row["rating"] for row in plain["standings"]]
    assert all(row["controlled"]["rating"] is not None for row in board["standings"])
    assert board["control"]["name"] == "length"
    assert board["control"]["rows"] > 0


def test_the_keep_rule_reads_a_joint_fit_of_those_who_play(stage: Stage) -> None:
    with stage.office() as office:
        judge: Judge = office.judge(None)
        fit, notes = screening_fit(office.history, judge, ["alpha", "beta", "newcomer"])
    assert fit is not None
    assert (fit.how.method, fit.models) == ("joint", ("alpha", "beta", "newcomer"))
    assert [record.n for record in fit.records] == [PROMPTS, PROMPTS, 0]
    assert notes == ()


def test_where_the_joint_model_fails_plain_bradley_terry_says_who_is_kept(stage: Stage) -> None:
    with stage.office() as office:
        models, plan = plan_of(office)
        usual, by_bt = plan.keep(models), plan.keep(models, failing(["joint"]))
    assert set(by_bt.kept) == set(usual.kept)
    assert all(chance is not None for chance in by_bt.chances.values())
    first, *others = by_bt.notes
    assert first == "the joint model did not converge (joint stalled): the keep rule reads plain Bradley-Terry"
    assert len(others) == len(usual.notes)


def test_where_no_screening_fit_can_be_made_everybody_is_kept_up_to_the_cap(stage: Stage) -> None:
    with stage.office() as office:
        models, plan = plan_of(office)
        keep = plan.keep(models, failing(["joint", "bt"]))
    assert keep.kept == tuple(model.id for model in models[:2])
    assert keep.cut_by_cap == dict.fromkeys(model.id for model in models[2:])
    assert (keep.left_out, keep.everybody, set(keep.chances.values())) == ({}, True, {None})
    assert keep.notes == ("no screening fit could be made (bt stalled): everybody has a claim, up to the cap",)


def plan_of(office: Office) -> tuple[list[Model], Plan]:
    with office.ledger.read() as tx:
        models = model_rows.all(tx)
    return models, Plan(office, office.judge(None), office.prompts())


def test_the_gate_is_one_over_all_validation_pairings(stage: Stage) -> None:
    gates = stage.rows("SELECT DISTINCT gate FROM fit WHERE board = 'validated'")
    assert len(gates) == 1
    found: Any = stage.board()["gate"]
    assert (found["c"], found["n"], found["state"]) == (1, PROMPTS, "unclear")
    assert stage.rows("SELECT count(*) FROM fit WHERE board = 'screened' AND gate IS NOT NULL") == [(0,)]
