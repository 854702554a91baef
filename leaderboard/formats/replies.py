"""Judge replies from a file: what each says, in positions."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from leaderboard.core.templates import READERS
from leaderboard.core.types import Parsed, Unreadable
from leaderboard.errors import BadInput
from leaderboard.formats.jsonl import read_objects


def parse_replies(file: Path, template: str | None) -> Iterator[dict[str, object]]:
    """One result a line, in order. `template` wins over a line's own. The whole file is checked before the first."""
    rows = [
        (row.get("id"), _template(f"{file}, line {number}", row, template), _text(f"{file}, line {number}", row))
        for number, row in read_objects(file)
    ]
    for name, reader, text in rows:
        yield {"id": name, **described(READERS[reader](text))}


def _template(place: str, row: dict[str, object], template: str | None) -> str:
    name = template or row.get("template")
    if name is None:
        raise BadInput(f"{place}: no template; add the field or --template")
    if not isinstance(name, str) or name not in READERS:
        raise BadInput(f"{place}: unknown template {name!r}; known: {', '.join(sorted(READERS))}")
    return name


def _text(place: str, row: dict[str, object]) -> str | None:
    text = row.get("text")
    if "text" not in row or not isinstance(text, str | None):
        raise BadInput(f"{place}: text must be there, a text or null")
    return text


def described(parsed: Parsed) -> dict[str, object]:
    """`scores` are [first, second] where the reply gave numbers, `winner` is a position or a tie."""
    if isinstance(parsed, Unreadable):
        return {"invalid": True, "scores": None, "winner": None, "reason": parsed.reason}
    scores = [_number(parsed.first), _number(parsed.second)] if parsed.scored else None
    return {"invalid": False, "scores": scores, "winner": parsed.winner, "reason": None}


def _number(score: Decimal) -> int | float:
    return int(score) if score == int(score) else float(score)
