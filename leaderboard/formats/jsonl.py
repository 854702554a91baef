"""JSON lines, read by line feed alone: characters like U+2028 inside a text do not end a record."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
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


class _Doubled(dict[str, object]):
    """An object in which a key stands more than once; the last one counts."""

    keys_twice: frozenset[str]


def read_objects(file: Path, *, once: Collection[str] = ()) -> Iterator[tuple[int, dict[str, object]]]:
    """(line number from 1, object) for every line that is not blank.

    Raises BadInput with file and line, also where an object has a key of `once` twice.
    """
    for number, line in enumerate(read_text(file).split("\n"), 1):
        if line.strip():
            value = _object(f"{file}, line {number}", line)
            if isinstance(value, _Doubled) and (twice := sorted(value.keys_twice & set(once))):
                raise BadInput(f"{file}, line {number}: the key {twice[0]!r} stands twice")
            yield number, value


def _object(place: str, line: str) -> dict[str, object]:
    try:
        value = json.loads(line, parse_constant=_not_json, object_pairs_hook=_counted)
    except json.JSONDecodeError as error:
        raise BadInput(f"{place}: not a JSON object, is the line cut? ({error.msg}, column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place}: not a JSON object ({error})") from None
    if not isinstance(value, dict):
        raise BadInput(f'{place}: expected an object like {{"text": …}}')
    return value


def _not_json(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _counted(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled, names = _Doubled(found), [name for name, _ in pairs]
    doubled.keys_twice = frozenset(name for name in found if names.count(name) > 1)
    return doubled
