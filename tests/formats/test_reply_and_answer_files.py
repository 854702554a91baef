"""Answers and judge replies from JSONL files."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.core.types import Prompt, SlotScores, Unreadable
from leaderboard.errors import BadInput
from leaderboard.formats.answer_files import read_answers
from leaderboard.formats.jsonl import read_objects, read_text
from leaderboard.formats.replies import described, parse_replies

PROMPTS = {"one": Prompt(id="one", turns=("a",)), "2": Prompt(id="2", turns=("a", "b"))}


def lines(folder: Path, *rows: object) -> Path:
    file = folder / "rows.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"prompt_id": "one", "text": "x"}, {"one": ("x",)}),
        ({"prompt_id": " one ", "text": ""}, {"one": ("",)}),
        ({"prompt_id": "one", "turns": ["x"]}, {"one": ("x",)}),
        ({"prompt_id": 2, "turns": ["x", ""]}, {"2": ("x", "")}),
        ({"prompt_id": "one", "text": "x", "turns": None}, {"one": ("x",)}),
        ({"prompt_id": "one", "text": "x\u2028y\x85z"}, {"one": ("x\u2028y\x85z",)}),
    ],
)
def test_answers(tmp_path: Path, row: object, expected: dict[str, tuple[str, ...]]) -> None:
    assert read_answers(lines(tmp_path, row), PROMPTS) == expected
    assert read_answers(lines(tmp_path, row, row), PROMPTS) == expected


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"prompt_id": "ONE", "text": "x"}, "there is no prompt 'ONE'"),
        ({"prompt_id": "", "text": "x"}, "empty"),
        ({"prompt_id": None, "text": "x"}, "prompt_id is missing"),
        ({"prompt_id": True, "text": "x"}, "prompt_id is missing"),
        ({"prompt_id": "one", "turns": []}, "'one' has 1 turns, its answer 0"),
        ({"prompt_id": "one", "turns": "x"}, "turns a list"),
        ({"prompt_id": "one", "turns": [None]}, "turns a list"),
        ({"prompt_id": "2", "text": "x"}, "'2' has 2 turns, its answer 1"),
        ({"prompt_id": "one", "text": "y"}, "a second answer to 'one'"),
    ],
)
def test_bad_answers_are_named_by_line(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_answers(lines(tmp_path, {"prompt_id": "one", "text": "x"}, row), PROMPTS)
    assert "rows.jsonl, line 2: " in str(caught.value)
    assert said in str(caught.value)


def test_blank_lines_count_but_hold_nothing(tmp_path: Path) -> None:
    assert [number for number, _ in read_objects(lines(tmp_path, "", {"a": 1}, " \t", "\r", {"b": 2}))] == [2, 5]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"\xef\xbb\xbfhello")
    assert read_text(tmp_path / "t") == "hello"


@pytest.mark.parametrize(
    ("parsed", "expected"),
    [
        (Unreadable("why"), {"invalid": True, "scores": None, "winner": None, "reason": "why"}),
        (SlotScores.won_by("tie"), {"invalid": False, "scores": None, "winner": "tie", "reason": None}),
        (
            SlotScores(Decimal("8.0"), Decimal("7.25")),
            {"invalid": False, "scores": [8, 7.25], "winner": "1", "reason": None},
        ),
    ],
)
def test_what_a_reply_says(parsed: SlotScores | Unreadable, expected: dict[str, object]) -> None:
    assert described(parsed) == expected
    assert json.dumps(described(parsed)) == json.dumps(expected)


def test_a_reply_without_its_text_is_refused(tmp_path: Path) -> None:
    """A field with a slip of the pen in its name would look like a judge that says nothing."""
    with pytest.raises(BadInput, match="line 1: text must be there"):
        list(parse_replies(lines(tmp_path, {"txt": "8 7", "template": "scoring"}), None))
