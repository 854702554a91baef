"""The gate and P(first wins) above a board are those of the bias report, counted another way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.history.reader import open_snapshot
from leaderboard.providers.port import ChatRequest
from leaderboard.tournament.trial import judge_report
from tests.tournament.stage import Actors, Line, Stage, bench_judge, contestant, in_character, questions, said, user_of

FIELD = ("alpha", "beta", "gamma")


def sometimes_mute(request: ChatRequest) -> Line:
    """Says nothing readable about one prompt in three; the same answer everywhere else."""
    return said("no verdict") if sum(map(ord, user_of(request))) % 3 == 0 else in_character(request)


def twins(request: ChatRequest) -> Line:
    """The same answer from whoever is asked."""
    return said(f"The answer to {user_of(request)}")


CASES = {
    "always-first": ("judge-first", {}, {}),
    "by-content": ("judge-prefers-beta", {}, {}),
    "three-samples": ("judge-first", {"samples": 3}, {}),
    "one-order": ("judge-first", {"protocol": "random"}, {}),
    "mute": ("judge-mute", {}, {}),
    "often-mute": ("judge-length", {"samples": 2}, {"judge-length": sometimes_mute}),
    "identical-answers": ("judge-first", {}, {"beta": twins, "gamma": twins}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_board_and_the_bias_report_agree(tmp_path: Path, case: str) -> None:
    judge, more, parts = CASES[case]
    stage = Stage.build(
        tmp_path / "home",
        [contestant(name) for name in FIELD],
        bench_judge(judge, **({"samples": 1} | more)),
        questions(36),
    )
    stage.play(Actors(parts))
    with open_snapshot(stage.snapshot) as reader:
        report: Any = judge_report(reader.bias_rows(judge), 0.85)
        stored = stage.rows("SELECT gate, head FROM fit WHERE board = 'validated' LIMIT 1")
        board = reader.board()
    if not stored:
        assert report["pairings_both"] == 0
        return
    gate = dict(board["gate"])
    assert gate.pop("c") == report["c"]["value"]
    assert gate == {**report["gate"], **{name: value for name, value in report["c"].items() if name != "value"}}
    first = report["first_position"]
    assert board["head"]["p_first"] == {name: first[name] for name in ("share", "lower", "upper", "tie")}
    assert board["head"]["samples"] == report["samples"]
    assert board["head"]["readable_share"] == report["readable"] / report["readings"]
