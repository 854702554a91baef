"""Prompts from JSONL, CSV or FastChat question files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Prompt
from leaderboard.errors import BadInput
from leaderboard.formats.csv_rows import read_rows
from leaderboard.formats.jsonl import read_objects
from leaderboard.ledger.ids import folded, storable, tidy_id

Numbered = Iterator[tuple[int, Mapping[str, object]]]
TEXT_FIELDS = ("turns", "text", "prompt")
ID_FIELDS = ("id", "question_id", "uid")
FIELDS = frozenset(
    {*TEXT_FIELDS, *ID_FIELDS, "system", "category", "group", "language", "reference", "visibility"},
)
LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True)
class NumberedPrompt:
    """A prompt and the line of the file that it begins on."""

    line: int
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class PromptFile:
    """The prompts of a file in order, how many lines repeated an earlier one, and fields that mean nothing here."""

    prompts: list[NumberedPrompt]
    repeated: int
    unused: list[str]


def read_prompts(file: Path) -> PromptFile:
    """Every prompt of the file. Raises BadInput that names file and line of the first bad or doubled one.

    A line that repeats an earlier id with the same content is counted and dropped.
    """
    found: dict[str, NumberedPrompt] = {}
    repeated, unused = 0, set[str]()
    for line, row in READERS.get(file.suffix.lower(), read_objects)(file):
        try:
            item = NumberedPrompt(line, _prompt(row))
            twin = found.setdefault(folded(item.prompt.id), item)
            _refuse_other(item, twin)
        except BadInput as error:
            raise BadInput(f"{file}, line {line}: {error}") from None
        repeated += twin is not item
        unused |= set(row) - FIELDS
    if not found:
        raise BadInput(f"{file}: no prompts in it")
    return PromptFile(list(found.values()), repeated, sorted(unused))


def _refuse_other(item: NumberedPrompt, twin: NumberedPrompt) -> None:
    if item.prompt.id != twin.prompt.id:
        raise BadInput(f"the id {item.prompt.id!r} looks like {twin.prompt.id!r} on line {twin.line}")
    if item.prompt != twin.prompt:
        raise BadInput(f"the id {item.prompt.id!r} stands on line {twin.line} with another content")


def _read_csv(file: Path) -> Numbered:
    """(first line of the row, its fields that are not empty)."""
    for line, row in read_rows(file):
        if line:
            yield line, {name: value for name, value in row.items() if value != ""}
        elif not set(row) & set(TEXT_FIELDS):
            none, found = ", ".join(TEXT_FIELDS), ", ".join(row)[:200]
            raise BadInput(f"{file}, line 1: none of the columns {none}; found: {found}")


READERS: dict[str, Callable[[Path], Numbered]] = {".csv": _read_csv}


def _prompt(row: Mapping[str, object]) -> Prompt:
    turns = _turns(row)
    visibility = _label(row, "visibility") or "public"
    if visibility not in {"public", "private"}:
        raise BadInput(f"visibility must be public or private, not {visibility!r}")
    return Prompt(
        id=tidy_id(_id(row) or f"prompt-{content_hash(turns)[:12]}"),
        turns=turns,
        system=_text(row, "system"),
        category=_label(row, "category") or "general",
        group=_label(row, "group"),
        language=(_label(row, "language") or "en").lower(),
        reference=_reference(row),
        visibility=visibility,  # type: ignore[arg-type]
    )


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
        raise BadInput(f"give one of {', '.join(TEXT_FIELDS)}; found {' and '.join(given) or 'none'}")
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


def _label(row: Mapping[str, object], name: str) -> str | None:
    """A short text on one line; an empty one is none."""
    text = (_text(row, name) or "").strip()
    if not text.isprintable() or len(text) > LONGEST_LABEL:
        raise BadInput(f"{name} must be one line of at most {LONGEST_LABEL} characters")
    return text or None
