"""`leaderboard board`: which fit is meant, what is stored and what is derived, and how a list looks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from leaderboard.cli.board import effect_words, print_board
from leaderboard.cli.fit_options import fit_key
from leaderboard.cli.standings import legend, rank_interval, turned
from leaderboard.core.fits import SCALE
from leaderboard.core.settling_reasons import NOT_HERE, TOO_NEAR
from leaderboard.errors import BadInput
from leaderboard.history.records import FitKey
from tests.cli.terminal import typed
from tests.cli.test_cli_screen import board_of, standing

Words = tuple[str, str | None, str | None, str | None]  # scope, method, policy, control


def board(home: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = typed("board", *words, "--json", "--home", home).json
    return found


def shown(home: Path, *words: str) -> str:
    ran = typed("board", *words, "--home", home)
    assert ran.code == 0, ran.err
    return ran.out


# -- which fit ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("overall", None, None, None), FitKey()),
        (("overall", "bt", "drop", None), FitKey(policy="drop")),
        (("overall", None, "soft", None), FitKey(policy="soft")),
        (("overall", "elo", None, None), FitKey(method="elo")),
        (("overall", "joint", None, None), FitKey(method="joint", policy=None)),
        (("overall", None, None, "length"), FitKey(method="joint", policy=None, control="length")),
        (("overall", "joint", None, "length"), FitKey(method="joint", policy=None, control="length")),
        (("category=a=b", None, None, None), FitKey("category=a=b")),
        (("group=x", "bt", "tie", None), FitKey("group=x")),
    ],
)
def test_options_mean_a_fit(words: Words, key: FitKey) -> None:
    assert fit_key(*words) == key


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("overall", "glicko", None, None), "--method 'glicko': must be bt, joint or elo"),
        (("overall", None, "ties", None), "--policy 'ties': must be tie, score, soft or drop"),
        (("overall", None, None, "style"), "--control 'style': must be length"),
        (("overall", "joint", "tie", None), "--policy tie: method joint takes every order as it is"),
        (("overall", None, "tie", "length"), "--policy tie: --control goes with method joint"),
        (("overall", "bt", None, "length"), "leave --method bt out"),
        (("maths", None, None, None), "--scope 'maths': must be overall, category=X, language=X or group=X"),
        (("topic=maths", None, None, None), "--scope 'topic=maths'"),
        (("language=", None, None, None), "--scope 'language='"),
    ],
)
def test_words_that_mean_no_fit_are_refused_with_the_choices(words: Words, said: str) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        fit_key(*words)


def test_the_option_reaches_the_board(played_demo: Path) -> None:
    assert "must be tie, score, soft or drop" in typed("board", "--policy", "ties", "--home", played_demo).refusal


# -- stored and derived ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "method", "policy", "scope"),
    [
        ([], "bt", "tie", "overall"),
        (["--policy", "drop"], "bt", "drop", "overall"),
        (["--method", "joint"], "joint", None, "overall"),
        (["--scope", "language=nl"], "bt", "tie", "language=nl"),
        (["--scope", "category=math", "--policy", "soft"], "bt", "soft", "category=math"),
        (["--scope", "language=en", "--method", "joint"], "joint", None, "language=en"),
        (["--method", "elo"], "elo", "tie", "overall"),
    ],
)
def test_every_fit_has_a_board(
    played_demo: Path, words: list[str], method: str, policy: str | None, scope: str
) -> None:
    found = board(played_demo, *words)
    assert (found["method"], found["policy"], found["scope"]) == (method, policy, scope)
    assert len(found["standings"]) == 5
    assert found["judge"] == "sim-judge-biased"


def test_a_derived_board_has_the_keys_of_a_stored_one(played_demo: Path) -> None:
    stored, derived = board(played_demo), board(played_demo, "--scope", "language=en", "--policy", "drop")
    assert set(derived) == set(stored)
    assert {"method": "bt", "policy": "tie", "control": None} in stored["fits"]
    assert "language=en" in stored["scopes"]


def test_the_past_is_what_was_stored(played_demo: Path) -> None:
    fitted_at = board(played_demo)["fitted_at"]
    assert board(played_demo, "--as-of", fitted_at)["standings"] == board(played_demo)["standings"]
    assert "2020-01-01" in typed("board", "--as-of", "2020-01-01", "--home", played_demo).refusal
    refusal = typed("board", "--as-of", fitted_at, "--scope", "language=en", "--policy", "drop", "--home", played_demo)
    assert "stored: overall, bt, tie" in refusal.refusal
    assert "error: --as-of: not a time" in typed("board", "--as-of", "yesterday", "--home", played_demo).refusal


def test_a_scope_without_a_verdict_is_refused_with_those_that_have_some(played_demo: Path) -> None:
    assert "language=nl" in typed("board", "--scope", "language=fr", "--home", played_demo).refusal


# -- how it looks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("words", [[], ["--control", "length"], ["--scope", "category=math"]])
def test_whole_ids_and_ratings_on_any_screen(
    played_demo: Path, monkeypatch: pytest.MonkeyPatch, width: int, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = shown(played_demo, *words)
    assert max(map(cell_len, text.splitlines())) <= width
    if width >= 80:
        for row in board(played_demo, *words)["standings"]:
            assert re.search(rf"{row['model']} +{row['rating']:.0f}\b", text)


def test_columns_without_room_stand_below(played_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One table where there is room for all, else what lies ahead has a table of its own."""
    for width, tables in (("80", 2), ("200", 1)):
        monkeypatch.setenv("COLUMNS", width)
        lines = shown(played_demo).split("\nBeside ")[0].splitlines()
        assert sum(line.startswith("───") for line in lines) == tables
        assert sum("≈P(best)" in line for line in lines) == 2  # the column, and what it means


def test_the_head_says_what_the_figures_are(played_demo: Path) -> None:
    text, found = shown(played_demo), board(played_demo)
    effect = found["judges"][0]["first_position"]
    assert re.search(r"^ratings +bt, policy tie, 100 verdicts on 10 prompts *$", text, re.M)
    assert re.search(r"^scope +overall *$", text, re.M)
    assert re.search(rf"^as of +{found['as_of']} *$", text, re.M)
    assert found["head"]["intervals"] in text
    assert f"{effect['logit']:+.3f} logits [{effect['lower']:+.3f}, {effect['upper']:+.3f}]" in text
    assert f"= {effect['elo']:+.0f} Elo, p {effect['p_value']:.2g}" in text


def test_the_other_fits_stand_beside_it(played_demo: Path) -> None:
    text = shown(played_demo).split("\nBeside ")[1]
    rows = board(played_demo)["side_by_side"]["fits"]
    assert [row["policy"] for row in rows] == ["score", "soft", "drop", None]
    for row, name in zip(rows, ("bt, policy score", "bt, policy soft", "bt, policy drop", "joint"), strict=True):
        assert re.search(rf"^{name} +{row['kendall_tau']:.3f}", text, re.M)
    assert "Beside" not in shown(played_demo, "--policy", "drop")


def test_length_control_stands_beside_the_plain_ratings(played_demo: Path) -> None:
    found = board(played_demo, "--control", "length")
    plain = board(played_demo, "--method", "joint")
    assert [row["rating"] for row in found["standings"]] == [row["rating"] for row in plain["standings"]]
    text = shown(played_demo, "--control", "length")
    effect = found["control"]["effect"]
    assert effect["elo"] == pytest.approx(SCALE * effect["logit"])
    assert re.search(rf"^effect of length +{re.escape(effect_words(effect))}", text, re.M)
    for row in found["standings"]:
        there = row["controlled"]
        assert re.search(rf"{row['model']} .* {there['rating']:.0f} \[", text)
        ranks = rank_interval(there)
        assert re.search(rf"{row['model']} .* {there['rank']}, {ranks}  ", text)


def controlled(model: str, plain: tuple[float, int, int], held: tuple[float, int, int], **more: Any) -> dict[str, Any]:
    """A row with rating, lowest and highest rank, plain and at equal length."""
    names = ("rating", "rank_lower", "rank_upper")
    there = dict(zip(names, held, strict=True)) | {"lower": None, "upper": None, "rank": held[1]}
    rating, lower, upper = plain
    return standing(model, rating, 10, rank_lower=lower, rank_upper=upper, controlled=there, **more)


HELD = {
    "name": "length",
    "effect": {"logit": 0.5, "lower": 0.1, "upper": 0.9, "elo": 86.9, "p_value": 0.02, "reason": None},
    "rows": 40,
    "left_out": 0,
}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", (1100, 1, 1), (900, 1, 2)), ("b", (900, 2, 2), (1100, 1, 2))], "a – b"),
        ([("a", (1100, 1, 2), (900, 2, 2)), ("b", (900, 1, 2), (1100, 1, 1))], "a – b"),
        ([("a", (1100, 1, 2), (900, 1, 2)), ("b", (900, 1, 2), (1100, 1, 2))], "none of the models"),
        ([("a", (1100, 1, 1), (1050, 1, 1)), ("b", (900, 2, 2), (950, 2, 2))], "none of the models"),
    ],
)
@pytest.mark.usefixtures("wide")
def test_pairs_that_length_turns_round_are_named_if_they_are_apart_in_one_of_the_two(
    capsys: pytest.CaptureFixture[str], rows: list[tuple[str, Any, Any]], said: str
) -> None:
    lines = drawn(capsys, *(controlled(*row) for row in rows), control=HELD, method="joint", policy=None)
    assert any(re.match(rf"turned round by it +{said}", line) for line in lines)
    assert any(re.match(r"effect of length +\+0.500 logits \[\+0.100, \+0.900\]", line) for line in lines)


def test_groups_are_not_turned_round() -> None:
    rows = [controlled("a", (1100, 1, 1), (900, 1, 2)), controlled("b", (900, 2, 2), (1100, 1, 2), component=1)]
    assert turned(rows) == []


def test_the_judge_is_the_same_in_every_scope(played_demo: Path) -> None:
    """Nobody takes C of all prompts for that of a scope."""
    names = ("swap consistency C", "gate at", "P(first wins)")
    for words, ends in (([], False), (["--scope", "language=nl"], True)):
        shown_lines = [line.rstrip() for line in shown(played_demo, *words).splitlines()]
        lines = [line for line in shown_lines if line.startswith(names)]
        assert len(lines) == 3
        assert [line.endswith(", over all scopes") for line in lines] == [ends] * 3


def test_rank_intervals_are_not_explained_where_there_are_none(played_demo: Path) -> None:
    assert "rank intervals" in shown(played_demo)
    assert "rank intervals" not in shown(played_demo, "--scope", "category=math")


@pytest.mark.parametrize(("policy", "said"), [("tie", "under this judge and policy."), (None, "under this judge.")])
def test_a_fit_without_a_policy_names_none(policy: str | None, said: str) -> None:
    [text] = legend([standing("a", 1000, 50, p_top1=0.5)], policy=policy)
    assert said in text
    assert "in a comparison of their own" in text


@pytest.mark.usefixtures("wide")
def test_a_difference_too_near_to_nothing_is_a_mark_with_a_line_below(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        standing("a", 1100, 50, **ahead(0.5, 0.51, None, TOO_NEAR)),
        standing("b", 1090, 50, **ahead(0.4, 0.6, 9)),
        standing("c", 1000, 50, **ahead(0.1, None, None, "nobody is ranked below")),
    ]
    lines = drawn(capsys, *rows)
    assert [line for line in lines if TOO_NEAR in line] == [f"† {TOO_NEAR}"]
    assert [line.split()[-1] for line in lines if re.search(r" [abc] +\d", line)] == ["†", "9", "–"]


def drawn(capsys: pytest.CaptureFixture[str], *rows: dict[str, Any], **more: Any) -> list[str]:
    print_board(board_of(*rows, **more))
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def ahead(p: float | None, expected: float | None, more: int | None, why: str | None = None) -> dict[str, Any]:
    return {"p_top1": p, "expected_next": expected, "more_pairings": more, "more_reason": why}


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.usefixtures("wide")
def test_a_row_says_how_it_stands_to_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    best = standing("a", 1100, 50, tier=1, rank=1, rank_lower=1, rank_upper=2, **ahead(0.999, 0.64, 40))
    same = standing("b", 1000, 50, tier=1, rank=2, rank_lower=1, rank_upper=2, **ahead(0.42, 0.9, 7, "no room"))
    last = standing(
        "c", 700, 50, tier=2, rank=3, rank_lower=3, rank_upper=3, **ahead(0.001, None, None, "nobody below")
    )
    lines = drawn(capsys, best, same, last)
    rows = [next(line for line in lines if re.search(rf" {name} ", line)).split() for name in "abc"]
    assert rows[0][:4] == ["1", "1", "1–2", "a"]
    assert rows[1][:3] == ["2", "1–2", "b"]  # the tier is named where it begins
    assert rows[2][:4] == ["2", "3", "3", "c"]
    assert rows[0][-4:] == [">0.99", "0.64", "40", "–"]
    assert rows[1][-5:] == ["0.42", "0.90", "7", "no", "room"]
    assert rows[2][-4:] == ["<0.01", "–", "–", "–"]


@pytest.mark.usefixtures("wide")
def test_what_all_rows_share_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    why = "no spread to see"
    rows = [standing(name, 1000, 50, tier=1, **ahead(0.3, 0.5, None, why)) for name in "ab"]
    lines = drawn(capsys, *rows)
    assert [line for line in lines if why in line] == [f"more pairings: {why}"]
    assert "one tier: nobody is surely worse than the best" in lines
    assert not any(line.startswith("tier") for line in lines)


@pytest.mark.usefixtures("wide")
def test_more_pairings_than_there_are_prompts_are_starred(capsys: pytest.CaptureFixture[str]) -> None:
    fits = standing("a", 1100, 50, tier=1, **ahead(0.9, 0.6, 9))
    does_not = standing("b", 1000, 50, tier=1, **ahead(0.1, 0.5, 90, NOT_HERE))
    lines = drawn(capsys, fits, does_not)
    assert [cell for line in lines for cell in line.split() if cell in {"9", "90", "9*", "90*"}] == ["9", "90*"]
    assert f"* {NOT_HERE}: fewer are left" in lines


def test_an_old_board_says_since_when_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    old = {"since": "2026-03-01", "reason": "no solver converged"}
    assert any(re.match(r"OLD +since 2026-03-01: no solver converged", line) for line in drawn(capsys, old=old))
    assert not any(line.startswith("OLD") for line in drawn(capsys))


def test_several_judges_have_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = {"logit": None, "reason": "nobody knows who was shown first"}
    some = {"logit": 0.5, "lower": None, "upper": None, "elo": 86.9, "p_value": None, "reason": "needs 10 prompts"}
    judges = [{"judge": "j1", "first_position": some}, {"judge": "j2", "first_position": nothing}]
    lines = drawn(capsys, judges=judges)
    assert any(re.match(r"position, j1 +\+0.500 logits = \+87 Elo, needs 10 prompts", line) for line in lines)
    assert any(re.match(r"position, j2 +– \(nobody knows", line) for line in lines)


@pytest.mark.usefixtures("wide")
def test_reversed_pairs_are_named_and_the_rest_counted(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [{"a": f"m{i}", "b": f"n{i}", "here": 1.0, "there": -1.0} for i in range(5)]
    fits = [
        {"method": "joint", "policy": None, "kendall_tau": 0.9, "tau_reason": None, "models": 9, "reversed": pairs},
        {"method": "bt", "policy": "drop", "kendall_tau": None, "tau_reason": "too few", "models": 0, "reversed": []},
    ]
    lines = drawn(capsys, side_by_side={"fits": fits})
    assert any(re.match(r"joint +0.900 +– +m0 – n0, m1 – n1, m2 – n2, 2 more", line) for line in lines)
    assert any(re.match(r"bt, policy drop +– +too few +none", line) for line in lines)


def test_the_screened_list_names_its_own_fit(capsys: pytest.CaptureFixture[str]) -> None:
    below = {"method": "joint", "policy": None}
    lines = drawn(capsys, standing("a", 1000, 10), screened=[standing("z", 900, 10)], screened_fit=below)
    assert lines.index("Validated") < lines.index("Screened only, provisional (joint)")


def test_with_nobody_validated_the_screened_list_is_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    lines = drawn(capsys, standing("a", 1000, 10), board="screened", method="joint", policy=None)
    assert "Screened only, provisional" in lines
    assert "Validated" not in lines
