"""Prompts from files: what is taken, what is refused, and that a line is what ends in a line feed."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.core.types import Prompt
from leaderboard.errors import BadInput
from leaderboard.formats.prompt_files import read_prompts


def written(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return file


def prompts_of(file: Path) -> list[Prompt]:
    return [item.prompt for item in read_prompts(file).prompts]


def refusal(file: Path) -> str:
    with pytest.raises(BadInput) as caught:
        read_prompts(file)
    return str(caught.value)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": "x", "text": "a"}, Prompt(id="x", turns=("a",))),
        ({"id": 7, "prompt": "a"}, Prompt(id="7", turns=("a",))),
        ({"id": " x ", "turns": ["a", "b"], "system": "s"}, Prompt(id="x", turns=("a", "b"), system="s")),
        ({"id": "x", "text": "a", "language": "NL"}, Prompt(id="x", turns=("a",), language="nl")),
        ({"id": "x", "text": "a", "category": " math ", "group": ""}, Prompt(id="x", turns=("a",), category="math")),
        ({"id": "x", "text": "a", "reference": "r"}, Prompt(id="x", turns=("a",), reference="r")),
        ({"id": "x", "text": "a", "reference": ["r", "s"]}, Prompt(id="x", turns=("a",), reference="r\n\ns")),
        ({"id": "x", "text": "a", "visibility": "private"}, Prompt(id="x", turns=("a",), visibility="private")),
        ({"id": "x", "text": "a", "category": None}, Prompt(id="x", turns=("a",))),
        (
            {"question_id": 81, "category": "writing", "turns": ["a", "b"], "reference": []},
            Prompt(id="81", turns=("a", "b"), category="writing"),
        ),
    ],
)
def test_fields(tmp_path: Path, row: dict[str, Any], expected: Prompt) -> None:
    assert prompts_of(written(tmp_path, "p.jsonl", json.dumps(row))) == [expected]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({}, "found none"),
        ({"text": "a", "turns": ["b"]}, "found turns and text"),
        ({"text": ""}, "text must be a text"),
        ({"text": " \n"}, "text must be a text"),
        ({"text": 3}, "text must be a text"),
        ({"turns": []}, "turns must be a text"),
        ({"turns": ["a", ""]}, "turns must be a text"),
        ({"turns": ["a", 3]}, "turns must be a text"),
        ({"id": True, "text": "a"}, "id must be"),
        ({"id": 1.5, "text": "a"}, "id must be"),
        ({"id": "\u200b", "text": "a"}, "invisible"),
        ({"text": "a", "visibility": "secret"}, "'secret'"),
        ({"text": "a", "category": 3}, "category must be a text"),
        ({"text": "a", "category": "two\nlines"}, "category must be one line"),
        ({"text": "a", "language": "x" * 101}, "language must be one line"),
        ({"text": "a", "reference": [1]}, "reference must be a text"),
    ],
)
def test_a_bad_field_is_named_with_its_line(tmp_path: Path, row: dict[str, Any], said: str) -> None:
    file = written(tmp_path, "p.jsonl", '{"id": "first", "text": "a"}\n\n' + json.dumps(row))
    assert refusal(file).startswith(f"{file}, line 3: ")
    assert said in refusal(file)


def test_a_prompt_without_an_id_is_named_by_its_content(tmp_path: Path) -> None:
    first, second, again = prompts_of(written(tmp_path, "p.jsonl", '{"text":"a"}\n{"text":"b"}\n{"turns":["c"]}'))
    assert first.id != second.id
    assert prompts_of(written(tmp_path, "q.jsonl", '{"turns": ["a"], "category": "x"}'))[0].id == first.id
    assert again.id.startswith("prompt-")


def test_repeats_are_counted_and_fields_without_meaning_named(tmp_path: Path) -> None:
    rows = [
        '{"id": "x", "text": "a"}',
        '{"text": "a", "id": "x"}',
        '{"id": "y", "text": "a", "source": 1, "langauge": 2}',
    ]
    found = read_prompts(written(tmp_path, "p.jsonl", "\n".join(rows)))
    assert ([item.line for item in found.prompts], found.repeated, found.unused) == ([1, 3], 1, ["langauge", "source"])


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("x", "x", "stands on line 1"),
        ("x", "X", "looks like 'x' on line 1"),
        ("café", "cafe\u0301", "stands on line 1"),
        ("ﬁ", "fi", "looks like"),
        ("x", "\u0445", "looks like"),
        (1, "1", "stands on line 1"),
    ],
)
def test_ids_that_are_or_look_the_same(tmp_path: Path, first: object, second: object, said: str) -> None:
    rows = [json.dumps({"id": first, "text": "a"}), json.dumps({"id": second, "text": "b"})]
    file = written(tmp_path, "p.jsonl", "\n".join(rows))
    assert refusal(file).startswith(f"{file}, line 2: the id ")
    assert said in refusal(file)


@pytest.mark.parametrize(
    ("content", "place", "said"),
    [
        (b'{"text": "a"}\n{"text": "b', "line 2", "cut"),
        (b'{"text": "a"}\n["b"]', "line 2", "object"),
        (b'{"text": "a", "id": Infinity}', "line 1", "Infinity"),
        (b'{"text": "a"}\n{"text": "caf\xe9"}', "line 2", "UTF-8"),
        (b"", "", "no prompts"),
        (b"\n  \n", "", "no prompts"),
    ],
)
def test_a_broken_file_is_refused_by_its_line(tmp_path: Path, content: bytes, place: str, said: str) -> None:
    file = written(tmp_path, "p.jsonl", content)
    assert str(file) in refusal(file)
    assert place in refusal(file)
    assert said in refusal(file)


SEPARATORS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(SEPARATORS), min_size=1).filter(str.strip)


@given(st.lists(texts, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_record_ends_at_a_line_feed_alone(tmp_path: Path, wanted: list[str], end: str, bom: bool) -> None:
    rows = [json.dumps({"id": str(i), "text": text}, ensure_ascii=False) for i, text in enumerate(wanted)]
    file = written(tmp_path, "p.jsonl", ("\ufeff" if bom else "") + end.join(rows) + end)
    assert [prompt.turns for prompt in prompts_of(file)] == [(text,) for text in wanted]


@given(st.lists(texts, min_size=1, max_size=5), st.booleans())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_a_spreadsheet_writes_comes_back(tmp_path: Path, wanted: list[str], bom: bool) -> None:
    """Quotes, commas, line ends and formulas inside a field."""
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "text", "category"])
    writer.writerows([str(i), text, ""] for i, text in enumerate(wanted))
    file = written(tmp_path, "p.csv", ("\ufeff" if bom else "") + sheet.getvalue())
    assert [prompt.turns for prompt in prompts_of(file)] == [(text,) for text in wanted]


def test_the_line_of_a_csv_row_is_where_it_begins(tmp_path: Path) -> None:
    file = written(tmp_path, "p.csv", 'id,text\nx,"two\nlines"\n\ny,b\n')
    assert [item.line for item in read_prompts(file).prompts] == [2, 5]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no prompts"),
        ("id,text\n", "no prompts"),
        ("id,text\nx", "line 2: 1 fields, the header has 2"),
        ("id,text\nx,a,b", "line 2: 3 fields, the header has 2"),
        ('id,text\nw,a\nx,"never closed\n\n', "line 3: "),
        ('id,text\nx,"a"b', "line 2: "),
        ("id,text,text\nx,a,b", "line 1: the column 'text' stands twice"),
        ("id;text\nx;a", "line 1: none of the columns turns, text, prompt; found: id;text"),
        ("id,text,visibility\nx,a,secret", "line 2: visibility"),
        ("id,text\nx,a\nx,b", "line 3: the id 'x' stands on line 2"),
        ("id,text\nx,", "line 2: give one of"),
    ],
)
def test_a_bad_csv_is_refused_by_its_line(tmp_path: Path, content: str, said: str) -> None:
    assert said in refusal(written(tmp_path, "p.CSV", content))


def test_a_long_field_is_no_trouble(tmp_path: Path) -> None:
    file = written(tmp_path, "p.csv", f'id,text\nx,"{"long, " * 100_000}"\n')
    assert len(prompts_of(file)[0].turns[0]) == 600_000


def test_awkward_characters_are_kept_or_replaced(tmp_path: Path) -> None:
    file = written(tmp_path, "p.jsonl", '{"id": "x", "text": "nul \\u0000 half \\ud83d pair \\ud83d\\ude00"}')
    assert prompts_of(file)[0].turns == ("nul \x00 half \ufffd pair \U0001f600",)
