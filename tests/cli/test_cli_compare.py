"""`leaderboard compare`: an answer in the first line, an exit code for scripts, and all figures as JSON."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from leaderboard.cli.compare import answer, print_comparison, reasons
from tests.cli.terminal import strict_json, typed

BEST, WORST = "sim-hazel", "sim-birch"
NEAR = ("sim-elm", "sim-alder")
KEYS = {
    *("a", "b", "judge", "scope", "method", "policy", "list", "difference", "lower", "upper", "se", "df", "p_value"),
    *(
        "expected_score",
        "min_effect",
        "decision",
        "reason",
        "c",
        "direct",
        "fits",
        "by",
        "settle",
        "simulated",
        "notes",
    ),
}


@pytest.mark.parametrize(
    ("words", "code", "decision"),
    [
        ([BEST, WORST], 0, "a"),
        ([WORST, BEST], 3, "b"),
        ([*NEAR], 4, "not_settled"),
        ([BEST, WORST, "--min-effect", "5000"], 4, "not_settled"),
        ([BEST, WORST, "--scope", "language=nl"], 4, "not_settled"),
    ],
)
def test_the_exit_code_is_the_decision(played_demo: Path, words: list[str], code: int, decision: str) -> None:
    as_json = typed("compare", *words, "--json", "--home", played_demo)
    found = strict_json(as_json.out)
    assert (as_json.code, found["decision"], as_json.err) == (code, decision, "")
    assert set(found) >= KEYS
    as_text = typed("compare", *words, "--home", played_demo)
    assert as_text.code == code
    assert as_text.out.splitlines()[0] == answer(found)


def test_both_views_are_one_comparison(played_demo: Path) -> None:
    there, back = (
        strict_json(typed("compare", *words, "--json", "--home", played_demo).out)
        for words in ((BEST, WORST), (WORST, BEST))
    )
    assert back["difference"] == pytest.approx(-there["difference"])
    assert (back["lower"], back["upper"]) == pytest.approx((-there["upper"], -there["lower"]))
    assert back["expected_score"] == pytest.approx(1 - there["expected_score"])
    assert back["direct"]["wins"] == there["direct"]["losses"]
    assert answer(back) == answer(there)


def test_the_difference_is_that_of_the_board(played_demo: Path) -> None:
    """The board's fit was stored; the comparison makes it again."""
    ratings = {row["model"]: row["rating"] for row in typed("board", "--json", "--home", played_demo).json["standings"]}
    found = strict_json(typed("compare", *NEAR, "--json", "--home", played_demo).out)
    assert found["difference"] == pytest.approx(ratings[NEAR[0]] - ratings[NEAR[1]], abs=1e-6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sim-elm", "sim-elm"], "itself"),
        (["sim-elm", "sim-elmm"], "close: sim-elm"),
        (["nobody-like-this", "sim-elm"], "known: sim-alder"),
        ([*NEAR, "--min-effect", "-1"], "error: --min-effect -1"),
        ([*NEAR, "--min-effect", "nan"], "error: --min-effect nan"),
        ([*NEAR, "--scope", "maths"], "category=X"),
        ([*NEAR, "--scope", "language=fr"], "language=nl"),
        ([*NEAR, "--judge", "nobody"], "sim-judge-biased"),
    ],
)
def test_a_bad_question_is_refused(played_demo: Path, words: list[str], said: str) -> None:
    assert said in typed("compare", *words, "--home", played_demo).refusal


def test_every_fit_has_an_interval_beside_the_line_of_no_difference(
    played_demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = typed("compare", *NEAR, "--home", played_demo).out.splitlines()
    drawn = [line for line in lines if "●" in line]
    assert len(drawn) == 5
    assert len({line.index("│") for line in drawn}) == 1


# -- the first line ----------------------------------------------------------------------------------------------------


def found(decision: str = "not_settled", **more: Any) -> dict[str, Any]:
    settle = {"pairings": 140, "prompts_unused": 200, "usd": 1.2, "reason": None, **more.pop("settle", {})}
    figures = {"difference": 85.0, "lower": 20.0, "upper": 150.0, "p_value": 0.0104, "reason": None, "min_effect": 0.0}
    return {"a": "m1", "b": "m2", "decision": decision, "settle": settle, **figures, **more}


OPEN = {"lower": -20.0, "p_value": 0.2, "reason": "the 95 % interval holds 0 Elo"}
NO_INTERVAL = {"lower": None, "upper": None, "p_value": None, "reason": "needs 10 prompts, has 3"}
OPENING = "Not settled: m1 minus m2 is +85 Elo [-20, 150], p = 0.2"
NOT_PLANNED = {"pairings": None, "usd": None}


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        (found("a"), "m1 is better than m2: +85 Elo [20, 150], p = 0.01"),
        (found("b", difference=-85.0, lower=-150.0, upper=-20.0), "m2 is better than m1: +85 Elo [20, 150], p = 0.01"),
        (found("a", p_value=1e-9), "m1 is better than m2: +85 Elo [20, 150], p < 0.001"),
        (
            found("a", min_effect=10.0),
            "m1 is better than m2: +85 Elo [20, 150], p (no difference) = 0.01",
        ),
        (
            found(**OPEN),
            f"{OPENING}; about 140 more pairings on new prompts would settle it in 80 % of the cases, $1.20",
        ),
        (
            found(**OPEN, settle={"prompts_unused": 7, "usd": None, "pairings": 8}),
            f"{OPENING}; about 8 more pairings on new prompts would settle it in 80 % of the cases, price unknown "
            "(7 unused prompts)",
        ),
        (
            found(**NO_INTERVAL, settle={**NOT_PLANNED, "reason": NO_INTERVAL["reason"]}),
            "Not settled: m1 minus m2 is +85 Elo; needs 10 prompts, has 3",
        ),
        (
            found(**OPEN, settle={**NOT_PLANNED, "reason": "too near"}),
            f"{OPENING}; the 95 % interval holds 0 Elo; too near",
        ),
        (
            found(**{**NO_INTERVAL, "difference": None, "reason": "no matches: m1"}, settle=NOT_PLANNED),
            "Not settled: no matches: m1",
        ),
    ],
)
def test_the_answer_is_one_sentence(comparison: dict[str, Any], said: str) -> None:
    assert answer(comparison) == said


def shown(capsys: pytest.CaptureFixture[str], **more: Any) -> list[str]:
    """The comparison on the screen, line by line."""
    fit = {"method": "bt", "policy": "tie", **{name: found()[name] for name in ("difference", "lower", "upper")}}
    rest = {
        "judge": "j",
        "simulated": False,
        "method": "bt",
        "policy": "tie",
        "list": "validated",
        "scope": "overall",
        "expected_score": 0.62,
        "direct": {"n": 3, "wins": 1, "losses": 1, "ties": 1},
        "c": {"value": 0.9, "lower": 0.8, "upper": 0.95, "state": "pass"},
        "fits": [fit | {"p_value": 0.01, "reason": None}],
        "by": {},
        "notes": [],
    }
    print_comparison(found(more.pop("decision", "a"), **{**rest, **more}))
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({}, r"expected score +0\.62, under this judge and policy$"),
        ({"method": "joint", "policy": None}, r"expected score +0\.62, under this judge$"),
        ({}, r"met each other +3: won 1, lost 1, tied 1$"),
        (
            {"direct": {"n": 0, "wins": 0, "losses": 0, "ties": 0}},
            r"met each other +never: all that is known comes through others$",
        ),
        ({}, r"swap consistency C +0\.900 \[0\.800, 0\.950\], gate: pass$"),
        ({"scope": "language=nl"}, r"swap consistency C +0\.900 .*gate: pass \(over all scopes\)$"),
        ({}, r"fit .* p$"),
        ({"min_effect": 30.0}, r"fit .* p \(no difference\)$"),
    ],
)
def test_the_figures_say_what_they_rest_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, more: dict[str, Any], line: str
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert any(re.match(line, each) for each in shown(capsys, **more))


def test_models_that_nothing_links_have_nothing_through_others(capsys: pytest.CaptureFixture[str]) -> None:
    never = {"n": 0, "wins": 0, "losses": 0, "ties": 0}
    lines = shown(capsys, **{**NO_INTERVAL, "decision": "not_settled", "difference": None, "direct": never})
    assert any(re.match(r"met each other +never$", line) for line in lines)


def test_what_is_decided_needs_nothing_to_settle_it(played_demo: Path) -> None:
    text = typed("compare", BEST, WORST, "--home", played_demo).out
    assert not re.search(r"^(to settle it|why not settled)", text, re.M)


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ([], []),
        ([("coding", "needs 10 prompts, has 3"), ("maths", "needs 10 prompts, has 7"), ("style", "no matches: m1")], [
            "needs 10 prompts: coding (3); maths (7)",
            "no matches: m1: style",
        ]),
        ([("coding", "needs 10 prompts, has 3")], ["needs 10 prompts: coding (3)"]),
        ([(fit, "needs 10 prompts, has 6") for fit in ("bt, policy tie", "joint")], [
            "no intervals: needs 10 prompts, has 6"
        ]),
        ([("coding", None)], []),
    ],
)  # fmt: skip
def test_reasons_are_said_once(given: list[tuple[str, str | None]], lines: list[str]) -> None:
    assert reasons(given) == lines


@pytest.mark.parametrize("words", [[], ["--scope", "language=nl"], ["--min-effect", "20"]])
def test_a_comparison_fits_a_narrow_screen(
    played_demo: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = typed("compare", *NEAR, *words, "--home", played_demo).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(any(re.match(rf"{name} .* [+-]\d", line) for line in lines) for name in ("bt, policy drop", "category"))


def test_a_newcomer_has_no_difference_and_is_not_settled(demo_home: Path) -> None:
    added = typed("models", "add", "new", "--litellm", "sim/contestant", "--param", "skill=1", "--home", demo_home)
    assert added.code == 0
    assert typed("snapshot", "--home", demo_home).code == 0
    ran = typed("compare", "new", "sim-elm", "--home", demo_home)
    assert ran.code == 4
    assert re.match(r"Not settled: no matches: new", ran.out)
