"""Prompts from JSONL, CSV or FastChat question files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Prompt
from leaderboard.errors import BadInput
from leaderboard.formats.jsonl import read_objects, read_text
from leaderboard.ledger.ids import folded, storable, tidy_id

Numbered = Iterator[tuple[int, Mapping[str, object]]]
TEXT_FIELDS = ("turns", "text", "prompt")
ID_FIELDS = ("id", "question_id", "uid")


@dataclass(frozen=True, slots=True)
class NumberedPrompt:
    """A prompt and the line of the file that it stands on."""

    line: int
    prompt: Prompt


def read_prompts(file: Path) -> list[NumberedPrompt]:
    """Every prompt of the file, in order. Raises BadInput that names file and line of the first bad or doubled one.

    A line that repeats an earlier id with the same content is dropped.
    """
    reader = READERS.get(file.suffix.lower(), read_objects)
    found: dict[str, NumberedPrompt] = {}
    for line, row in reader(file):
        item = NumberedPrompt(line, _prompt(file, line, row))
        earlier = found.setdefault(folded(item.prompt.id), item)
        if earlier.prompt != item.prompt:
            raise BadInput(
                f"{file}, line {line}: the id {item.prompt.id!r} is that of line {earlier.line}, or looks like it"
            )
    if not found:
        raise BadInput(f"{file}: no prompts in it")
    return list(found.values())


def _read_csv(file: Path) -> Numbered:
    rows = csv.DictReader(io.StringIO(read_text(file), newline=""), strict=True)
    try:
        for row in rows:
            if None in row or None in row.values():
                raise BadInput(f"{file}, line {rows.line_num}: more or fewer fields than the header")
            yield rows.line_num, {name: value for name, value in row.items() if value != ""}
    except csv.Error as error:
        raise BadInput(f"{file}, line {rows.line_num}: {error}") from None


READERS: dict[str, Callable[[Path], Numbered]] = {".csv": _read_csv}


def _prompt(file: Path, line: int, row: Mapping[str, object]) -> Prompt:
    try:
        turns = _turns(row)
        visibility = _text(row, "visibility") or "public"
        if visibility not in {"public", "private"}:
            raise BadInput(f"visibility must be public or private, not {visibility!r}")
        return Prompt(
            id=tidy_id(_id(row) or f"prompt-{content_hash(turns)[:12]}"),
            turns=turns,
            system=_text(row, "system"),
            category=_text(row, "category") or "general",
            group=_text(row, "group"),
            language=(_text(row, "language") or "en").lower(),
            reference=_reference(row),
            visibility=visibility,  # type: ignore[arg-type]
        )
    except BadInput as error:
        raise BadInput(f"{file}, line {line}: {error}") from None


def _id(row: Mapping[str, object]) -> str | None:
    for name in ID_FIELDS:
        value = row.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise BadInput(f"{name} must be a text or a whole number")
        return str(value)
    return None


def _turns(row: Mapping[str, object]) -> tuple[str, ...]:
    given = [name for name in TEXT_FIELDS if row.get(name) is not None]
    if len(given) != 1:
        raise BadInput(f"give one of {', '.join(TEXT_FIELDS)}, found {', '.join(given) or 'none'}")
    value = row[given[0]]
    turns = value if isinstance(value, list) else [value]
    if not turns or not all(isinstance(turn, str) and turn.strip() for turn in turns):
        raise BadInput(f"{given[0]} must be a text, or a list of texts, none of them empty")
    return tuple(storable(str(turn))[0] for turn in turns)


def _reference(row: Mapping[str, object]) -> str | None:
    value = row.get("reference")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return storable("\n\n".join(value))[0] or None
    return _text(row, "reference")


def _text(row: Mapping[str, object], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name} must be a text")
    return storable(value)[0] if value else None
