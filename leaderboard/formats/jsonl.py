"""JSON lines, read by line feed alone: characters like U+2028 inside a text do not end a record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from leaderboard.errors import BadInput


def read_text(file: Path) -> str:
    """The file as UTF-8. Raises BadInput that names it when it cannot be read."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = file.read_bytes()[: error.start].count(b"\n") + 1
        raise BadInput(f"{file}, line {line}: not UTF-8 text") from None


def read_objects(file: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """(line number from 1, object) for every line that is not blank. Raises BadInput with file and line."""
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            yield number, _object(file, number, line)


def _object(file: Path, number: int, line: str) -> dict[str, object]:
    try:
        value = json.loads(line, parse_constant=_not_json)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}, line {number}: not a JSON object, is the line cut? ({error})") from None
    if not isinstance(value, dict):
        raise BadInput(f'{file}, line {number}: expected an object like {{"text": …}}')
    return value


def _not_json(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
