"""`leaderboard changes`: what differs between two stored fits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from leaderboard.cli.changes import print_changes
from tests.cli.terminal import typed

Fit = dict[str, Any]


def newest(home: Path) -> Fit:
    """The fit of the board: its id, its time, and its ratings by model."""
    board = typed("board", "--json", "--home", home).json
    return {name: board[name] for name in ("fit", "fitted_at")} | {r["model"]: r["rating"] for r in board["standings"]}


@pytest.fixture(scope="session")
def older(played_demo: Path) -> Fit:
    """The last fit before `guest` came."""
    return newest(played_demo)


@pytest.fixture(scope="session")
def newer(played_twice: Path) -> Fit:
    return newest(played_twice)


def test_who_came_and_who_moved(played_twice: Path, older: Fit, newer: Fit) -> None:
    found = typed("changes", older["fit"], "--json", "--home", played_twice).json
    assert (found["from"]["fit"], found["to"]["fit"]) == (older["fit"], newer["fit"])
    assert (found["models"]["joined"], found["models"]["left"]) == (["guest"], [])
    assert (found["verdicts"], found["prompts"]) == ({"from": 100, "to": 150}, {"from": 10, "to": 10})
    assert found["judge"]["changed"] is False
    moved = {row["model"]: (row["rating_from"], row["rating_to"]) for row in found["models"]["moved"]}
    assert moved["sim-elm"] == (older["sim-elm"], newer["sim-elm"])


@pytest.mark.parametrize("name", ["fit", "fitted_at"])
def test_a_fit_is_named_by_its_id_or_a_time(played_twice: Path, older: Fit, newer: Fit, name: str) -> None:
    usual = typed("changes", older["fit"], "--json", "--home", played_twice).json
    assert typed("changes", older[name], newer[name], "--json", "--home", played_twice).json == usual
    back = typed("changes", newer[name], older[name], "--json", "--home", played_twice).json
    assert (back["models"]["joined"], back["models"]["left"]) == ([], ["guest"])


def test_the_last_two_fits_are_compared_unless_named(played_twice: Path, newer: Fit) -> None:
    items = typed("ratings", "sim-elm", "--json", "--home", played_twice).json["items"]
    last, before = [item["fit"] for item in items if item["board"] == "validated"][:2]
    found = typed("changes", "--json", "--home", played_twice).json
    assert (found["from"]["fit"], found["to"]["fit"]) == (before, last)
    assert last == newer["fit"]


def test_the_text_says_who_came_and_who_moved_by_how_much(played_twice: Path, older: Fit, newer: Fit) -> None:
    text = typed("changes", older["fit"], "--home", played_twice).out
    assert text.startswith("What changed: judge sim-judge-biased, bt, policy tie, overall\n")
    assert re.search(r"^verdicts +100 → 150 \(\+50\) *$", text, re.M)
    assert re.search(r"^joined +guest *$", text, re.M)
    assert re.search(r"^left +nobody *$", text, re.M)
    common = [model for model in older if model.startswith("sim-")]
    shift = sum(newer[model] - older[model] for model in common) / len(common)
    start, end = older["sim-elm"], newer["sim-elm"]
    by = f"{end - start - shift:+.0f}"
    assert re.search(rf"^sim-elm +{start:.0f} +{end:.0f} +{re.escape(by)} ", text, re.M)
    assert "relative to the mean of the models in both fits" in " ".join(text.split())


def test_a_newcomer_alone_puts_nobody_beyond_its_interval(played_twice: Path, older: Fit) -> None:
    """The ratings themselves leave the earlier intervals: all of them rise by what the newcomer is worse."""
    moved = typed("changes", older["fit"], "--json", "--home", played_twice).json["models"]["moved"]
    assert sum(row["moved"] for row in moved) == pytest.approx(0, abs=1e-6)
    assert all(row["rating_to"] > row["rating_from"] for row in moved)
    assert [row["beyond_interval"] for row in moved] == [False] * 5
    assert {row["common_rank_to"] for row in moved} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-fit"], "before"),
        (["2020-01-01"], "2020-01-01"),
        (["--method", "elo"], "elo"),
        (["--policy", "ties"], "tie, score, soft or drop"),
        (["--judge", "nobody"], "sim-judge-biased"),
    ],
)
def test_a_bad_question_is_refused(played_twice: Path, words: list[str], said: str) -> None:
    assert said in typed("changes", *words, "--home", played_twice).refusal


def test_before_the_first_fit_there_is_nothing_to_compare_with(played_twice: Path) -> None:
    assert "2020-01-01" in typed("changes", "2020-01-01", "--home", played_twice).refusal


def test_another_fingerprint_is_another_judge(capsys: pytest.CaptureFixture[str]) -> None:
    head = {"judge": "j", "method": "joint", "policy": None, "scope": "overall", "fitted_at": "t", "fit": "f"}
    print_changes(
        {
            "from": head,
            "to": head,
            "held_back": {"from": False, "to": False},
            "models": {"joined": [], "left": ["z"], "moved": []},
            "verdicts": {"from": 9, "to": 7},
            "prompts": {"from": 3, "to": 3},
            "judge": {"fingerprint_from": "a" * 64, "fingerprint_to": "b" * 64, "changed": True},
        }
    )
    text = capsys.readouterr().out
    assert re.search(r"^the judge +is another one now: fingerprint a{12} → b{12} *$", text, re.M)
    assert re.search(r"^verdicts +9 → 7 \(-2\) *$", text, re.M)
    assert "nobody moved" in text


@pytest.mark.parametrize(
    ("held_back", "said"),
    [
        ({"from": False, "to": True}, "the later list, by the judge's gate"),
        ({"from": True, "to": False}, "the earlier list, by the judge's gate"),
        ({"from": True, "to": True}, "the earlier list and the later list, by the judge's gate"),
    ],
)
def test_a_list_that_is_held_back_is_named(
    capsys: pytest.CaptureFixture[str], held_back: dict[str, bool], said: str
) -> None:
    head = {"judge": "j", "method": "bt", "policy": "tie", "scope": "overall", "fitted_at": "t", "fit": "f"}
    print_changes(
        {
            "from": head,
            "to": head,
            "held_back": held_back,
            "models": {"joined": [], "left": [], "moved": []},
            "verdicts": {"from": 9, "to": 9},
            "prompts": {"from": 3, "to": 3},
            "judge": {"fingerprint_from": "a", "fingerprint_to": "a", "changed": False},
        }
    )
    text = capsys.readouterr().out
    assert re.search(rf"^held back +{said} *$", text, re.M)
    assert "nobody moved" not in text
