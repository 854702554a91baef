"""What people see: tables that fit the screen, boards that can be compared, progress that moves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from leaderboard.cli.board import figure, print_board
from leaderboard.cli.progress import Lines
from leaderboard.cli.screen import (
    NO_LIMIT,
    counted,
    facts,
    headline,
    print_json,
    room_beside,
    say,
    table,
    talk,
    usd,
    visible,
)
from leaderboard.cli.standings import APART
from leaderboard.cli.status import duration
from tests.cli.terminal import started, typed

READS = ["board", "bias", "runs", "status", "models list", "judges list", "prompts list", "prompts stats"]
READS += ["board --control length", "ratings", "ratings sim-elm"]
READS += ["models show sim-elm", "judges show sim-judge-biased", "run --dry-run", "sql 'select text from answers'"]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", READS)
def test_nothing_is_wider_than_the_screen(
    played_demo: Path, monkeypatch: pytest.MonkeyPatch, command: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    words = [command.split(" ", 1)[0], command.split("'")[1]] if "'" in command else command.split()
    shown = typed(*words, "--home", played_demo)
    assert shown.code == 0
    assert max(cell_len(line) for line in shown.out.splitlines()) <= width


@pytest.mark.parametrize("command", ["runs", "models list", "judges list", "prompts list"])
def test_at_80_columns_a_row_takes_a_line(played_demo: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    narrow = typed(*command.split(), "--home", played_demo).out.splitlines()
    monkeypatch.setenv("COLUMNS", "300")
    assert len(narrow) == len(typed(*command.split(), "--home", played_demo).out.splitlines())


def test_a_pipe_gets_whole_lines(played_demo: Path, tmp_path: Path) -> None:
    """What is searched with grep may not be folded."""
    prompt = typed("prompts", "list", "--json", "--home", played_demo).json["items"][0]
    shown = started("prompts", "list", "--home", played_demo, cwd=tmp_path).out
    assert " ".join(prompt["turns"][0].split())[:150] in shown


def test_rows_of_the_board_share_what_they_share_once(played_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = typed("board", "--home", played_demo).out
    assert shown.count("simulated") == 1
    assert "all: thin_prompts, simulated" in shown
    bars = [line.index("●") for line in shown.splitlines() if "●" in line]
    assert len(bars) == 5
    assert bars == sorted(bars, reverse=True)


def standing(model: str, rating: float | None, reach: float | None, **more: Any) -> dict[str, Any]:
    ends = {"lower": None, "upper": None} if rating is None or reach is None else _ends(rating, reach)
    counts = {"wins": 7, "losses": 10, "ties": 0, "usd_per_verdict": None, "interval_reason": None, "rank": 1}
    ranks = dict.fromkeys(
        ("rank_lower", "rank_upper", "tier", "p_top1", "expected_next", "more_pairings", "more_reason")
    )
    return {"model": model, "rating": rating, "component": 0, "flags": [], **ends, **counts, **ranks, **more}


def _ends(rating: float, reach: float) -> dict[str, float]:
    return {"lower": rating - reach, "upper": rating + reach}


def board_of(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"judge": "j", "simulated": False, "gate": None, "head": {}, "method": "bt", "policy": "tie"}
    counts = {"n_battles": 1, "n_prompts": 1, "board": "validated", "screened": [], "notes": []}
    rest = {"scope": "overall", "as_of": None, "judges": [], "side_by_side": None, "control": None, "old": None}
    return {**head, **counts, **rest, "standings": list(rows), **more}


def shown_board(capsys: pytest.CaptureFixture[str], *rows: dict[str, Any], **more: Any) -> list[str]:
    print_board(board_of(*rows, **more))
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_a_board_without_ratings_or_prices_has_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    shown = shown_board(capsys, standing("a", 1000, 10), standing("b", None, None, rank=None, flags=["no_matches"]))
    assert re.search(r"^–  b +– .*no_matches$", shown[-1])
    assert "USD/verdict" not in "".join(shown)


def test_why_no_row_has_an_interval_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    why = "needs 10 prompts, has 3"
    shown = shown_board(capsys, *(standing(name, 1000, None, interval_reason=why) for name in "abc"))
    assert [line for line in shown if why in line] == [f"no intervals: {why}"]


def test_groups_that_never_met_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    apart = shown_board(capsys, standing("a", 1000, 10), standing("b", 1000, 10, component=1))
    titles = [line for line in apart if line.startswith("Validated")]
    assert titles == ["Validated, group 1 of 2", "Validated, group 2 of 2"]
    assert apart.index(titles[0]) < row_of(apart, "a") < apart.index(titles[1]) < row_of(apart, "b")
    assert APART in " ".join(apart)
    together = shown_board(capsys, standing("a", 1000, 10), standing("b", 1000, 10))
    assert "Validated" in together
    assert APART not in " ".join(together)


def row_of(lines: list[str], model: str) -> int:
    return next(place for place, line in enumerate(lines) if re.match(rf"^[\d–]+ .*\b{model}\b", line))


def test_each_group_has_a_scale_of_its_own(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second group spans a hundredth of the first one, and its bars fill their place as well."""
    monkeypatch.setenv("COLUMNS", "120")
    wide = [standing("a", 2000, 10), standing("b", 0, 10)]
    near = [standing("c", 1010, 1, component=1), standing("d", 990, 1, component=1)]
    unrated = standing("e", None, None, rank=None, component=2)
    shown = shown_board(capsys, *wide, *near, unrated)
    bars = [line.index("●") for line in shown if "●" in line]
    assert bars[0] - bars[1] > 15
    assert bars[2] - bars[3] > 15
    assert row_of(shown, "e") > row_of(shown, "d")
    assert "Validated, group 2 of 2" in shown


def test_a_bar_is_to_scale(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends of the scale are the outermost ends, a rating in the middle stands in the middle."""
    monkeypatch.setenv("COLUMNS", "120")
    shown = shown_board(capsys, standing("a", 1100, 100), standing("b", 1000, 50), standing("c", 900, 100))
    bars = [re.findall(r"[─●]+", line) for line in shown[-3:]]
    assert [len(bar[0]) for bar in bars] == [13, 7, 13]
    assert [line.index("●") - shown[-1].index("─") for line in shown[-3:]] == [18, 12, 6]


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ({"c": None, "n": None}, "swap consistency C  –"),
        ({"c": None, "n": 0}, "swap consistency C  –"),
        ({"c": 1.0, "n": 1}, "swap consistency C  1.000 of 1 pairing"),
        ({"c": 0.5, "n": 8, "lower": 0.25, "upper": 0.75}, "swap consistency C  0.500 [0.250, 0.750] of 8 pairings"),
    ],
)
def test_the_head_counts_what_is_there(capsys: pytest.CaptureFixture[str], gate: dict[str, Any], said: str) -> None:
    shown = shown_board(capsys, gate={"threshold": 0.85, "state": "unclear", **gate})
    assert shown[1] == said


def test_figures_of_the_trial_stay_on_their_lines(played_demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No interval and no label breaks in two at 60 columns."""
    shown = {}
    for columns in ("60", "300"):
        monkeypatch.setenv("COLUMNS", columns)
        shown[columns] = [line.rstrip() for line in typed("bias", "--home", played_demo).out.splitlines()]
    assert shown["60"] == shown["300"]


def test_a_board_of_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    assert any("Validated" in line for line in shown_board(capsys))


def test_ids_are_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    name = "[bold red]:smile:[/]"
    assert any(name in line for line in shown_board(capsys, standing(name, 1000, 10)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", "a␊b"),
        ("\x1b[2J", "␛[2J"),
        ("\x00\x7f\x9b", "␀␡\ufffd"),
        ("plain é 模 \u2028", "plain é 模 \u2028"),
        *((f"a{mark}b", "a\ufffdb") for mark in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e"),
        *((f"a{mark}b", "a\ufffdb") for mark in "\u2066\u2067\u2068\u2069\x80\x85\x9f"),
    ],
)
def test_no_text_steers_the_terminal(text: str, shown: str) -> None:
    assert visible(text) == shown


EVIL = "a\x1b[31m\u202eb\x9b2J\x07"
HARMLESS = "a␛[31m\ufffdb\ufffd2J␇"


@pytest.mark.parametrize("show", [say, headline, talk, lambda text: facts([(text, text)]), Lines().note])
def test_whatever_is_printed_steers_nothing(capsys: pytest.CaptureFixture[str], show: Callable[[str], None]) -> None:
    show(EVIL)
    printed = "".join(capsys.readouterr())
    assert HARMLESS in printed
    assert not set(EVIL) & set(printed) - set(HARMLESS)


def test_lines_stay_lines(capsys: pytest.CaptureFixture[str]) -> None:
    for show in (say, talk):
        show("\none\ntwo\x1b")
    assert [*capsys.readouterr()] == ["\none\ntwo␛\n"] * 2


def test_json_is_the_same_value_and_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({EVIL: ["é 模 \x7f"]})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {EVIL: ["é 模 \x7f"]}
    assert "é 模" in printed
    assert not set(EVIL + "\x7f") & set(printed) - set(HARMLESS)


def test_escape_codes_in_stored_texts_are_printed_as_pictures(played_demo: Path) -> None:
    shown = typed("sql", "select chr(27) || '[31m' as c", "--home", played_demo).out
    assert "\x1b" not in shown
    assert "␛[31m" in shown


def test_columns_give_way_where_they_may(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    table(("id", "folded~", "cut…", "n>"), [("x" * 12, "f" * 30, "c" * 30, 1)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("x" * 12)
    assert "".join(line[14:].split()[0] for line in lines[2:]) == "f" * 30
    assert lines[2].rstrip().endswith("…  1")


LLAMA = "openrouter/meta-llama/llama-3.1-405b-instruct"
JUDGES = ("judge!", "state", "reached by…", "template…", "protocol", "k>", "hash…", "why~")


def test_an_id_stays_whole_while_other_columns_can_give_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "the-judge-with-a-long-name"
    for columns, whole in ((80, True), (60, False)):
        monkeypatch.setenv("COLUMNS", str(columns))
        table(JUDGES, [(name, "active", LLAMA, "comparing_evidence", "mec_bpc", 3, "83665777", None)])
        lines = capsys.readouterr().out.splitlines()
        assert (name in lines[2]) is whole
        assert "mec_bpc" in lines[2]
        assert max(map(cell_len, lines)) <= columns


def test_judges_fit_a_screen_with_whole_ids(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("llama-405b-with-evidence", "second"):
        added = typed("judges", "add", name, "--litellm", LLAMA, "--home", bare)
        assert added.code == 0, added.err
    shown = typed("judges", "list", "--home", bare).out
    assert "llama-405b-with-evidence " in shown
    assert "openrout" in shown


def test_folded_texts_break_between_words_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    table(("id!", "why~", "cut…"), [("x" * 12, "SOME_API_KEY_VARIABLE is not set", "c" * 30)])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[2].split() == ["x" * 12, "SOME_API_KEY_VARIABLE", "ccccccc…"]
    assert lines[3].split() == ["is", "not", "set"]


def test_a_column_without_values_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    table(("a", "b", "c>"), [(1, None, None), (2, None, 3)])
    assert capsys.readouterr().out.splitlines()[0].split() == ["a", "c"]
    table(("a", "b"), [(1, None)], keep_empty=True)
    assert "–" in capsys.readouterr().out


def test_room_beside_counts_wide_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert room_beside(("a", "none"), [("模型", None)]) == 80 - 4 - 2
    monkeypatch.delenv("COLUMNS")
    assert room_beside(("a",), [("x",)]) == NO_LIMIT - 3


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (usd(None), "price unknown"),
        (usd(0), "$0.0000"),
        (usd(1234.5), "$1,234.50"),
        (usd(0.5, 2), "$0.5000 + 2 without a price"),
        (counted(1, "prompt"), "1 prompt"),
        (counted(0, "prompt"), "0 prompts"),
        (duration(59), "59 s"),
        (duration(1800), "30 min"),
        (duration(7200), "2 h"),
        (duration(3 * 86400), "3 days"),
        (figure(None, {}), "–"),
        (figure(0.5, {}), "0.500"),
        (figure(0.5, {"lower": 0.25, "upper": 0.75}), "0.500 [0.250, 0.750]"),
    ],
)
def test_figures_for_people(shown: str, expected: str) -> None:
    assert shown == expected
