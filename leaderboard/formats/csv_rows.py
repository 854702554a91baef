"""CSV with a header, read row by row: every row knows the line that it begins on."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from leaderboard.errors import BadInput
from leaderboard.formats.jsonl import read_text

LONGEST_CELL = 64 * 1024 * 1024


def read_rows(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """(line from 1, cells by column); the header first, as line 0 with empty cells. Empty lines are passed over.

    Raises BadInput with file and line where the file stops being CSV, for two columns of a name, and for a row of more
    or fewer cells than the header.
    """
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(io.StringIO(read_text(file), newline=""), strict=True)
    header: list[str] | None = None
    line = 1
    try:
        for row in rows:
            if header is None:
                header = _header(file, row)
                yield 0, dict.fromkeys(header, "")
            elif row:
                if len(row) != len(header):
                    raise BadInput(f"{file}, line {line}: {len(row)} fields, the header has {len(header)}")
                yield line, dict(zip(header, row, strict=True))
            line = rows.line_num + 1
    except csv.Error as error:
        raise BadInput(f"{file}, line {line}: {error}") from None


def _header(file: Path, row: Sequence[str]) -> list[str]:
    names = [name.strip() for name in row]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise BadInput(f"{file}, line 1: the column {doubled!r} stands twice")
    return names
