"""`leaderboard ratings`: rating over time, from the fits that were stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.cli.ratings import MOST_ROWS, OTHER_JUDGE, SCREENED, print_ratings
from leaderboard.history.pages import LONGEST_PAGE
from tests.cli.terminal import typed

SCREENED_TITLE = "Screened only, provisional"


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
    end = shown.index(SCREENED_TITLE) if SCREENED_TITLE in shown else len(shown)
    lines = [line for line in shown[:end] if "●" in line]
    assert len(lines) == len(items)
    places = [line.index("●") for line in lines]
    by_rating = sorted(range(len(items)), key=lambda i: items[i]["rating"])
    assert [places[i] for i in by_rating] == sorted(places)
    for line, item in zip(lines, items, strict=True):
        assert f" {item['rating']:.0f} " in line
        assert f"{item['lower']:.0f} to {item['upper']:.0f}" in line


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
    assert "language=fr" in typed("ratings", "sim-elm", "--scope", "language=fr", "--home", played_twice).refusal


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sim-elmm"], "close: sim-elm"),
        (["--policy", "ties"], "tie, score, soft or drop"),
        (["--scope", "maths"], "category=X"),
        (["--judge", "nobody"], "sim-judge-biased"),
        (["--cursor", "nonsense"], "error: --cursor"),
    ],
)
def test_a_bad_question_is_refused(played_twice: Path, words: list[str], said: str) -> None:
    assert said in typed("ratings", *words, "--home", played_twice).refusal


def test_as_many_rows_as_the_history_allows(played_twice: Path) -> None:
    assert MOST_ROWS == LONGEST_PAGE
    assert typed("ratings", "--limit", str(MOST_ROWS), "--json", "--home", played_twice).code == 0
    assert typed("ratings", "--limit", str(MOST_ROWS + 1), "--home", played_twice).code == 2


def item(second: int, rating: float, **more: Any) -> dict[str, Any]:
    ends = {"lower": rating - 20, "upper": rating + 20, "rank": 1, "rank_lower": 1, "rank_upper": 2, "n": 9}
    head = {"board": "validated", "model": "m", "judge": "j", "scope": "overall", "fingerprint": "a" * 64}
    return {"fitted_at": f"2026-03-01T10:00:0{second}.000001Z", "rating": rating, **ends, **head, **more}


def lines_of(capsys: pytest.CaptureFixture[str], *items: dict[str, Any]) -> list[str]:
    print_ratings({"items": list(items), "next_cursor": None}, "m", "bt, policy tie")
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_each_list_is_a_table_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever their times are: the two have no scale in common."""
    lists = ["screened", "validated", "screened", "validated"]
    lines = lines_of(capsys, *(item(9 - i, 1000.0 + i, board=board) for i, board in enumerate(lists)))
    assert [line for line in lines if line in {"Validated", SCREENED_TITLE}] == ["Validated", SCREENED_TITLE]
    assert [line[19:].split()[0] for line in lines if line.startswith("2026")] == ["1001", "1003", "1000", "1002"]
    assert lines[-1] == SCREENED
    alone = lines_of(capsys, item(1, 1000.0))
    assert SCREENED_TITLE not in alone
    assert SCREENED not in alone


def test_each_list_has_bars_of_its_own_scale(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both lists move by as much, at other heights: on one scale neither would fill its place."""
    monkeypatch.setenv("COLUMNS", "100")
    lists = [("validated", 1500.0), ("validated", 1400.0), ("screened", 900.0), ("screened", 800.0)]
    lines = lines_of(capsys, *(item(9 - i, rating, board=board) for i, (board, rating) in enumerate(lists)))
    drawn = [line.index("●") for line in lines if "●" in line]
    assert drawn[0] == drawn[2] > drawn[1] == drawn[3]


def test_another_fingerprint_is_marked_where_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [item(9 - i, 1000.0 + i, fingerprint=letter * 64) for i, letter in enumerate("bbaa")]
    lines = lines_of(capsys, *rows)
    shown = [line[19:].split()[0] for line in lines if line.startswith("2026")]
    assert shown == ["b" * 12, "1001", "a" * 12, "1003"]
    assert OTHER_JUDGE in lines
    same = lines_of(capsys, *(item(9 - i, 1000.0) for i in range(2)))
    assert not any("fingerprint" in line for line in same)
