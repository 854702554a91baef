"""The columns of a battles file, each distinct text once and a number a row.

Two ways lead to the same columns. The quick one never makes an object a row, and gives up at the first thing that it
does not understand. The careful one reads row by row, knows the line of each, and is asked only then.
"""

from __future__ import annotations

import csv
import json
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboard.errors import BadInput
from leaderboard.formats.csv_rows import read_rows
from leaderboard.formats.jsonl import read_objects

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int16] | NDArray[np.int32]
    Floats = NDArray[np.float64]

NUMBERS: dict[str, float] = {"weight": 1.0, "length_a": 0.0, "length_b": 0.0}
"""Columns of numbers, and what an empty cell stands for."""

ONLY_SAMENESS = frozenset({"prompt_id"})
"""Columns whose texts nobody reads: there may be a million of them."""

BLOCK = 16 * 1024 * 1024


class Unusual(Exception):
    """The quick reader does not understand the file; the careful one will say why, or read it."""


class BadRow(Exception):
    """What is wrong with a row, by its number from 0."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(text)
        self.row, self.text = row, text


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of texts: `codes` (rows,) index `values`; -1 where the cell is empty. No blank text is a value."""

    codes: Codes
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What a file holds of the columns that were wanted. `place(row)` names a row, for example `line 7`.

    `place` is None after a quick reading of text: where a row begins is not known then.
    """

    rows: int
    texts: Mapping[str, Coded]
    numbers: Mapping[str, Floats | Coded]
    found: Sequence[str]
    place: Callable[[int], str] | None = None


Reader = Callable[[Path, Collection[str]], Columns]
"""(file, names of the columns that are of use) -> those of them that the file has."""


# -- quick ------------------------------------------------------------------------------------------------------------


def quick_parquet(file: Path, wanted: Collection[str]) -> Columns:
    """Column by column, so that no more than one is in memory as it was stored."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(file)
        here = _usable(file, schema, wanted)
        stored = parquet.ParquetFile(file, read_dictionary=[name for name, kind in here if pa.types.is_string(kind)])
        columns = ((name, stored.read([name], use_threads=False).column(0)) for name, _ in here)
        texts, numbers = _sorted_out(columns)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"{file}: not a Parquet file that can be read ({_first_line(error)})") from None
    return Columns(stored.metadata.num_rows, texts, numbers, schema.names, place=lambda row: f"row {row + 1}")


def _usable(file: Path, schema: Any, wanted: Collection[str]) -> list[tuple[str, Any]]:
    """The wanted columns and what is stored in them. BadInput for two of a name, and for lists and the like."""
    import pyarrow as pa

    here = [(field.name, field.type) for field in schema if field.name in wanted]
    for name, kind in here:
        if schema.names.count(name) > 1:
            raise BadInput(f"{file}: the column {name!r} stands twice")
        if pa.types.is_nested(kind):
            raise BadInput(f"{file}: the column {name!r} holds {kind}, not texts or numbers")
    return here


def quick_csv(file: Path, wanted: Collection[str]) -> Columns:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = _header(file)
    if _has_an_odd_quote(file):
        raise Unusual
    here = [name for name in names if name in wanted]
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        table = arrow_csv.read_csv(
            file,
            read_options=arrow_csv.ReadOptions(use_threads=False),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=here,
                column_types={name: pa.float64() if name in NUMBERS else text for name in here},
                null_values=[""],
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise Unusual from error
    return _from_table(table, names)


def _header(file: Path) -> list[str]:
    """The names in the first row, where they need no second look."""
    with file.open("rb") as stream:
        first = stream.readline()
    try:
        names = next(csv.reader([first.decode("utf-8-sig")], strict=True), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise Unusual from error
    if not names or len(set(names)) < len(names) or any(name != name.strip() for name in names):
        raise Unusual
    return names


def _has_an_odd_quote(file: Path) -> bool:
    """A quote that nobody closes: Arrow takes all lines from there on for one cell, and says nothing."""
    with file.open("rb") as stream:
        return sum(block.count(b'"') for block in iter(lambda: stream.read(BLOCK), b"")) % 2 == 1


def quick_jsonl(file: Path, wanted: Collection[str]) -> Columns:
    """The kinds of values are those of the first line; a file that changes its mind later is unusual."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    first = _first_object(file)
    schema = pa.schema([(name, _kind(pa, name, first.get(name))) for name in sorted(wanted)])
    try:
        table = arrow_json.read_json(
            file,
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=BLOCK),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise Unusual from error
    filled = [name for name in table.column_names if table[name].null_count < len(table)]
    return _from_table(table.select(filled), [*first, *(name for name in filled if name not in first)])


def _first_object(file: Path) -> dict[str, object]:
    with file.open("rb") as stream:
        line = next((line for line in stream if line.strip()), b"")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unusual from error
    if not isinstance(value, dict):
        raise Unusual
    return value


def _kind(arrow: Any, name: str, value: object) -> Any:
    if name in NUMBERS or (name == "winner" and isinstance(value, int | float)):
        return arrow.float64()
    return arrow.int64() if isinstance(value, int) and not isinstance(value, bool) else arrow.string()


def _from_table(table: Any, found: Sequence[str]) -> Columns:
    import pyarrow as pa

    try:
        texts, numbers = _sorted_out((name, table[name]) for name in table.column_names)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise Unusual from error
    return Columns(len(table), texts, numbers, found)


def _sorted_out(columns: Iterator[tuple[str, Any]]) -> tuple[dict[str, Coded], dict[str, Floats | Coded]]:
    """The texts, and the numbers; numbers that were stored as texts stay texts for now."""
    import pyarrow as pa

    texts: dict[str, Coded] = {}
    numbers: dict[str, Floats | Coded] = {}
    for name, column in columns:
        if name not in NUMBERS:
            texts[name] = _coded(column, named=name not in ONLY_SAMENESS)
        elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            numbers[name] = _filled(column.cast(pa.float64()), NUMBERS[name])
        else:
            numbers[name] = _coded(column, named=True)
    return texts, numbers


def _filled(column: Any, empty: float) -> Floats:
    """The numbers, `empty` where a cell is."""
    import numpy as np

    parts = [np.where(_valid(chunk), _stored(chunk, np.float64), empty) for chunk in column.chunks]
    return np.concatenate([np.empty(0), *parts])


def _stored(values: Any, dtype: Any) -> Any:
    """The numbers of an Arrow array; where one is null, anything. Arrow's own way loads pandas if it is installed."""
    import numpy as np

    end = values.offset + len(values)
    return np.frombuffer(values.buffers()[1], dtype=dtype, count=end)[values.offset :] if end else np.empty(0, dtype)


def _valid(values: Any) -> Any:
    """Which cells of an Arrow array are not null."""
    import numpy as np

    if not values.null_count:
        return np.ones(len(values), dtype=bool)
    bits = np.unpackbits(np.frombuffer(values.buffers()[0], dtype=np.uint8), bitorder="little")
    return bits[values.offset : values.offset + len(values)].astype(bool)


def _coded(column: Any, *, named: bool) -> Coded:
    import numpy as np
    import pyarrow as pa
    from pyarrow import compute

    encoded = (column if pa.types.is_dictionary(column.type) else column.dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return Coded(np.empty(0, dtype=np.int16), ())
    values = encoded.chunk(0).dictionary.cast(pa.string())
    lengths = compute.utf8_length(compute.utf8_trim_whitespace(values))
    filled = _valid(lengths) & (_stored(lengths, np.int32) > 0)
    number = np.append(np.where(filled, np.cumsum(filled) - 1, -1), -1).astype(smallest(len(values)))
    codes, begin = np.empty(len(encoded), dtype=number.dtype), 0
    for chunk in encoded.chunks:
        codes[begin : begin + len(chunk)] = number[_indices(chunk)]
        begin += len(chunk)
    texts = (text for text, kept in zip(values.to_pylist() if named else (), filled, strict=False) if kept)
    return Coded(codes, tuple(texts))


def smallest(count: int) -> Any:
    """The smallest type that numbers so many things and has room for -1."""
    import numpy as np

    return np.int16 if count <= np.iinfo(np.int16).max else np.int32


def _indices(chunk: Any) -> Any:
    """Where each cell's text stands, -1 where there is none."""
    import numpy as np
    import pyarrow as pa

    found = chunk.indices.cast(pa.int32())
    stored = _stored(found, np.int32)
    return np.where(_valid(found), stored, -1) if found.null_count else stored


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:200]


# -- careful ----------------------------------------------------------------------------------------------------------


def careful_csv(file: Path, wanted: Collection[str]) -> Columns:
    return _gathered(file, read_rows(file), wanted)


def careful_jsonl(file: Path, wanted: Collection[str]) -> Columns:
    return _gathered(file, read_objects(file), wanted)


def _gathered(file: Path, rows: Iterator[tuple[int, Mapping[str, object]]], wanted: Collection[str]) -> Columns:
    lines = array("q")
    found: dict[str, None] = {}
    coders = {name: _Coder() for name in sorted(wanted)}
    for line, row in rows:
        if not row.keys() <= found.keys():
            found.update(dict.fromkeys(row))
        if line:
            lines.append(line)
            for name, coder in coders.items():
                value = row.get(name)
                coder.add(value if type(value) is str and value.strip() else _text(file, line, name, value))
    coded = {name: coder.column() for name, coder in coders.items() if name in found}
    return Columns(
        rows=len(lines),
        texts={name: column for name, column in coded.items() if name not in NUMBERS},
        numbers={name: column for name, column in coded.items() if name in NUMBERS},
        found=list(found),
        place=lambda row: f"line {lines[row]}",
    )


class _Coder:
    """Numbers the texts of a column as they come."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._number: dict[str, int] = {}

    def add(self, text: str | None) -> None:
        self._codes.append(-1 if text is None else self._number.setdefault(text, len(self._number)))

    def column(self) -> Coded:
        import numpy as np

        return Coded(np.array(self._codes, dtype=smallest(len(self._number))), tuple(self._number))


def _text(file: Path, line: int, name: str, value: object) -> str | None:
    """A cell as text; None when there is nothing in it. A list of texts is what FastChat calls a judge."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "/".join(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float | None):
        raise BadInput(f"{file}, line {line}: {name} must be a text or a number")
    return None if value is None or not str(value).strip() else str(value)
