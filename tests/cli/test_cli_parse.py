"""`leaderboard parse`: judge replies from a file, a JSON line each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.templates import READERS
from tests.cli.terminal import ROOT, strict_json, typed

CASES = ROOT.parent / "shared" / "cases" / "parse_cases.jsonl"
ROWS = [
    {"id": 1, "template": "scoring", "text": "Score of the Assistant 1: 8\nScore of the Assistant 2: 7.5"},
    {"id": "two", "template": "scoring_nl", "text": "Score van Kandidaat 1: 7,5\nScore van Kandidaat 2: 7,5"},
    {"template": "comparing", "text": "Both are fine.\u2028\u0085\nAssistant 2"},
    {"id": None, "template": "comparing_nl", "text": "WINNAAR: GELIJKSPEL"},
    {"id": [4], "template": "arena_brackets", "text": "[[A>>B]]", "why": "an extra field"},
    {"id": 6, "template": "scoring_evidence", "text": None},
    {"id": 7, "template": "comparing_evidence", "text": "I cannot choose \x00 \ud83d"},
]
SAID: list[dict[str, Any]] = [
    {"id": 1, "invalid": False, "scores": [8, 7.5], "winner": "1"},
    {"id": "two", "invalid": False, "scores": [7.5, 7.5], "winner": "tie"},
    {"id": None, "invalid": False, "scores": None, "winner": "2"},
    {"id": None, "invalid": False, "scores": None, "winner": "tie"},
    {"id": [4], "invalid": False, "scores": None, "winner": "1"},
    {"id": 6, "invalid": True, "scores": None, "winner": None},
    {"id": 7, "invalid": True, "scores": None, "winner": None},
]


def parsed(*words: str | Path) -> list[dict[str, Any]]:
    ran = typed("parse", *words)
    assert (ran.code, ran.err) == (0, "")
    return [strict_json(line) for line in ran.out.removesuffix("\n").split("\n")]


def test_each_line_says_what_the_reply_says(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    found = parsed("replies.jsonl")
    assert [{name: value for name, value in line.items() if name != "reason"} for line in found] == SAID
    assert all(set(line) == {"id", "invalid", "scores", "winner", "reason"} for line in found)
    assert all(bool(line["reason"]) == line["invalid"] for line in found)


def test_the_option_wins_over_the_lines(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"text": "[[B]]", "template": "scoring"}\n{"text": "[[A]]"}\n\n')
    assert [line["winner"] for line in parsed("replies.jsonl", "--template", "arena_brackets")] == ["2", "1"]


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        ('{"text": "8 7", "template": "scoring"}\n{"text": "8 7", "template": "scorng"}', [], ["line 2", "'scorng'"]),
        ('{"text": "8 7"}', [], ["line 1", "--template"]),
        ('{"text": "8 7"}', ["--template", "scorng"], ["'scorng'", *READERS]),
        ('{"text": "8 7", "template": 3}', [], ["line 1", "3"]),
        ('{"text": "8 7", "template": "scoring"}\n{"text": 8, "template": "scoring"}', [], ["line 2", "text"]),
        ('{"text": "8 7", "template": "scoring"}\n{"text": "8', [], ["line 2"]),
    ],
)
def test_a_bad_file_is_refused_before_anything_is_printed(
    tmp_path: Path, content: str, words: list[str], said: list[str]
) -> None:
    (tmp_path / "replies.jsonl").write_text(content)
    refusal = typed("parse", "replies.jsonl", *words).refusal
    assert all(part in refusal for part in ["replies.jsonl", *said])


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not beside this checkout")
def test_the_shared_cases_are_all_right() -> None:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").split("\n") if line]
    found = parsed(CASES)
    wrong = [case["id"] for case, line in zip(cases, found, strict=True) if not _is_right(case, line)]
    assert (len(cases), wrong) == (44, [])


def _is_right(case: dict[str, Any], line: dict[str, Any]) -> bool:
    allowed = [case["expected"], *case.get("also_ok", [])]
    return line["id"] == case["id"] and any(one.items() <= line.items() for one in allowed)
