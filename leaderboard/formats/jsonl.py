"""JSON lines, read by line feed alone: characters like U+2028 inside a text do not end a record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from leaderboard.errors import BadInput


def read_text(file: Path) -> str:
    """The file as UTF-8. Raises BadInput that names it, and the line, when it cannot be read."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{file}, line {content[: error.start].count(10) + 1}: not UTF-8 text") from None


def read_objects(file: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """(line number from 1, object) for every line that is not blank. Raises BadInput with file and line."""
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            yield number, _object(f"{file}, line {number}", line)


def _object(place: str, line: str) -> dict[str, object]:
    try:
        value = json.loads(line, parse_constant=_not_json)
    except json.JSONDecodeError as error:
        raise BadInput(f"{place}: not a JSON object, is the line cut? ({error.msg}, column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place}: not a JSON object ({error})") from None
    if not isinstance(value, dict):
        raise BadInput(f'{place}: expected an object like {{"text": …}}')
    return value


def _not_json(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
