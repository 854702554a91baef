"""`leaderboard ratings`: rating over time, from the fits that were stored."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import typed


def validated(home: Path, *words: str) -> list[dict[str, Any]]:
    """Rows of the validated list. How often a run rates on its way depends on how fast it is."""
    items = typed("ratings", *words, "--json", "--home", home).json["items"]
    return [item for item in items if item["board"] == "validated"]


def standings(home: Path, *words: str) -> dict[str, float]:
    return {row["model"]: row["rating"] for row in typed("board", *words, "--json", "--home", home).json["standings"]}


def test_a_row_a_model_and_fit_newest_first(played_demo: Path, played_twice: Path) -> None:
    items = validated(played_twice)
    times = [item["fitted_at"] for item in items]
    assert times == sorted(times, reverse=True)
    rated = {time: {i["model"]: i["rating"] for i in items if i["fitted_at"] == time} for time in times}
    assert rated[times[0]] == standings(played_twice)
    assert len(rated[times[0]]) == 6
    before = typed("board", "--json", "--home", played_demo).json["fitted_at"]
    assert rated[before] == standings(played_demo)
    assert len(rated[before]) == 5


def test_one_model_over_time_has_bars_on_one_scale(played_twice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    items = [item for item in validated(played_twice, "sim-elm") if item["lower"] is not None]
    assert {item["model"] for item in items} == {"sim-elm"}
    assert len(items) >= 2
    shown = typed("ratings", "sim-elm", "--home", played_twice).out.splitlines()
    lines = [line for line in shown if "●" in line and "screened" not in line]
    assert len(lines) == len(items)
    places = [line.index("●") for line in lines]
    by_rating = sorted(range(len(items)), key=lambda i: items[i]["rating"])
    assert [places[i] for i in by_rating] == sorted(places)
    for line, item in zip(lines, items, strict=True):
        assert f" {item['rating']:.0f} " in line
        assert f"{item['lower']:.0f} to {item['upper']:.0f}" in line


def test_rows_of_the_screened_list_say_so(played_twice: Path) -> None:
    """The first fits of a tournament are of screening alone."""
    text = typed("ratings", "sim-elm", "--home", played_twice).out
    assert re.search(r" screened +\d+ ", text)
    assert "no common scale with the validated list" in text
    assert "screened" not in typed("ratings", "guest", "--scope", "language=fr", "--home", played_twice).out


@pytest.mark.parametrize("words", [["--policy", "drop"], ["--method", "joint"], ["--scope", "language=nl"]])
def test_every_stored_fit_has_its_own_history(played_twice: Path, words: list[str]) -> None:
    newest = validated(played_twice, "guest", *words)[0]
    board = typed("board", *words, "--json", "--home", played_twice).json
    assert newest["rating"] == standings(played_twice, *words)["guest"]
    assert all(newest[name] == board[name] for name in ("method", "policy", "scope", "fitted_at", "judge"))


def test_a_long_list_goes_on_where_it_stopped(played_twice: Path) -> None:
    whole = typed("ratings", "--json", "--home", played_twice).json
    assert whole["next_cursor"] is None
    first = typed("ratings", "--limit", "8", "--json", "--home", played_twice).json
    rest = typed("ratings", "--cursor", first["next_cursor"], "--json", "--home", played_twice).json
    assert [*first["items"], *rest["items"]] == whole["items"]
    assert "--cursor" in typed("ratings", "--limit", "8", "--home", played_twice).err


def test_a_scope_that_nobody_rated_has_no_history(played_twice: Path) -> None:
    words = ("ratings", "sim-elm", "--scope", "language=fr", "--home", played_twice)
    assert typed(*words, "--json").json == {"items": [], "next_cursor": None}
    ran = typed(*words)
    assert (ran.code, ran.out.strip()) == (0, "no fit of this kind is stored with sim-elm in it")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sim-elmm"], "close: sim-elm"),
        (["--policy", "ties"], "tie, score, soft or drop"),
        (["--scope", "maths"], "category=X"),
        (["--judge", "nobody"], "sim-judge-biased"),
        (["--cursor", "nonsense"], "cursor"),
    ],
)
def test_a_bad_question_is_refused(played_twice: Path, words: list[str], said: str) -> None:
    assert said in typed("ratings", *words, "--home", played_twice).refusal
