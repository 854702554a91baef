"""The columns of a battles file, each distinct text once and a number a row.

Two ways lead to the same columns. The quick one never makes an object a row, and gives up at the first thing that it
does not understand. The careful one reads row by row, knows the line of each, and is asked only then.
"""

from __future__ import annotations

import csv
import json
import math
import re
import unicodedata
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboard.errors import BadInput
from leaderboard.formats.csv_rows import read_rows
from leaderboard.formats.jsonl import read_objects
from leaderboard.ledger.ids import storable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int16] | NDArray[np.int32]
    Floats = NDArray[np.float64]

NUMBERS: dict[str, float] = {"weight": 1.0, "length_a": 0.0, "length_b": 0.0}
"""Columns of numbers, and what an empty cell stands for."""

ONLY_SAMENESS = frozenset({"prompt_id"})
"""Columns whose texts nobody reads: there may be a million of them, and they may stay Arrow's."""

TIDIED = frozenset({"prompt_id", "judge", "category", "language"})
"""Columns whose texts are taken in Unicode NFC without surrounding white space. Models are tidied by who reads them."""

NOTHING_TO_TIDY = r"^[!-~]([ -~]*[!-~])?$"
NOT_JSON = re.compile(rb"(?:NaN|Inf(?:inity)?)\s*[],}]")
BLOCK = 16 * 1024 * 1024


class Unusual(Exception):
    """The quick reader does not understand the file; the careful one will say why, or read it."""


class BadRow(Exception):
    """What is wrong with a row, by its number from 0."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(text)
        self.row, self.text = row, text


class BadValue(Exception):
    """What is wrong with an entry of a column's dictionary, by its number from 0."""

    def __init__(self, place: int, text: str) -> None:
        super().__init__(text)
        self.place, self.text = place, text


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of texts: `codes` (rows,) index `values`; -1 where the cell is empty. No blank text is a value.

    `values` is an Arrow array, if anything, in columns of ONLY_SAMENESS; `in_order` knows what to do with it.
    """

    codes: Codes
    values: Sequence[str]


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
    except BadRow as bad:
        raise BadInput(f"{file}, row {bad.row + 1}: {bad.text}") from None
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
    """The kinds of values are those of the first line; a file that changes its mind later is unusual.

    Arrow itself refuses a column of `wanted` that stands twice in an object.
    """
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
    if _objects(file) != len(table):
        raise Unusual
    filled = [name for name in table.column_names if table[name].null_count < len(table)]
    return _from_table(table.select(filled), [*first, *(name for name in filled if name not in first)])


def _objects(file: Path) -> int:
    """How many lines the file has. Unusual unless each is UTF-8, begins and ends with a brace, and has no NaN or Inf.

    Arrow passes over all of that. With such lines no object goes over two: between two members of one there is a comma.
    """
    lines = 0
    for block in _whole_lines(file):
        count = block.count(b"\n")
        braced = block.startswith(b"{") and block.endswith((b"}\n", b"}\r\n"))
        between = block.count(b"}\n{") + (block.count(b"}\r\n{") if b"\r" in block else 0)
        if not braced or between != count - 1 or _has_nan(block) or not _is_utf8(block):
            raise Unusual
        lines += count
    return lines


def _whole_lines(file: Path) -> Iterator[bytes]:
    """The file in parts that end with a line feed, as if the last line had one."""
    with file.open("rb") as stream:
        while block := stream.read(BLOCK):
            block += stream.readline()
            yield block if block.endswith(b"\n") else block + b"\n"


def _has_nan(block: bytes) -> bool:
    """Whether a number is not JSON; texts that look so count too, for the careful reader to tell."""
    return (b"NaN" in block or b"Inf" in block) and NOT_JSON.search(block) is not None


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


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
            texts[name] = _coded(column, name)
        elif pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            numbers[name] = _filled(column.cast(pa.float64(), safe=False), NUMBERS[name])
        else:
            numbers[name] = _coded(column, name)
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


def _coded(column: Any, name: str) -> Coded:
    """The column by its texts. BadRow: a number that is none, or bytes that are no text."""
    import numpy as np
    import pyarrow as pa

    encoded = (column if pa.types.is_dictionary(column.type) else column.dictionary_encode()).unify_dictionaries()
    if not encoded.num_chunks:
        return Coded(np.empty(0, dtype=np.int16), ())
    try:
        values = _as_texts(encoded.chunk(0).dictionary, name)
    except BadValue as bad:
        raise BadRow(_first_cell(encoded, bad.place), bad.text) from None
    numbers, texts = _numbered(values, name)
    number = np.append(numbers, -1).astype(smallest(len(numbers)))
    codes, begin = np.empty(len(encoded), dtype=number.dtype), 0
    for chunk in encoded.chunks:
        codes[begin : begin + len(chunk)] = number[_indices(chunk)]
        begin += len(chunk)
    return Coded(codes, texts)


def _first_cell(encoded: Any, place: int) -> int:
    """The first row that holds this entry of the dictionary."""
    import numpy as np

    return int((np.concatenate([_indices(chunk) for chunk in encoded.chunks]) == place).argmax())


def _as_texts(values: Any, name: str) -> Any:
    """A dictionary's entries as Arrow strings."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        values = pa.array(
            [_in_words(value, name, place) for place, value in enumerate(values.to_pylist())], pa.string()
        )
    return _checked(values, name)


def _in_words(value: float | None, name: str, place: int) -> str | None:
    if value is None:
        return None
    if not math.isfinite(value):
        raise BadValue(place, f"{name} is {value}, neither a text nor a finite number")
    return number_as_text(value)


def _checked(values: Any, name: str) -> Any:
    """As strings that are UTF-8: Arrow takes a file's word for it."""
    import pyarrow as pa

    try:
        return values.cast(pa.large_string()).cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        cells = values.cast(pa.large_binary()).to_pylist()
        place = next(i for i, cell in enumerate(cells) if cell is not None and not _is_utf8(cell))
        raise BadValue(place, f"{name} is not UTF-8 text") from None


def tidy(text: str) -> str:
    """In Unicode NFC without surrounding white space."""
    return unicodedata.normalize("NFC", text).strip()


def number_as_text(value: float) -> str:
    """7.0 names what 7 names."""
    return str(int(value)) if value.is_integer() else str(value)


def _numbered(values: Any, name: str) -> tuple[Any, Sequence[str]]:
    """The number of each entry, -1 for a blank one, and what is numbered: entries that are one when tidied, once."""
    import numpy as np
    from pyarrow import compute

    if name in ONLY_SAMENESS and compute.all(compute.match_substring_regex(values, NOTHING_TO_TIDY)).as_py():
        filled = _valid(values)
        return np.where(filled, np.cumsum(filled) - 1, -1), values.drop_null()
    return _merged(values.to_pylist(), name)


def _merged(values: Sequence[str | None], name: str) -> tuple[list[int], tuple[str, ...]]:
    texts = [tidy(text) if text and name in TIDIED else text for text in values]
    number: dict[str, int] = {}
    numbers = [number.setdefault(text, len(number)) if text and text.strip() else -1 for text in texts]
    return numbers, tuple(number)


def in_order(column: Coded) -> Codes:
    """The codes when texts are numbered in their order (by code point)."""
    import numpy as np
    from pyarrow import compute

    if isinstance(column.values, tuple):
        ordered = sorted(range(len(column.values)), key=column.values.__getitem__)
    else:
        ordered = _stored(compute.sort_indices(column.values), np.uint64)
    number = np.full(len(column.values) + 1, -1, dtype=column.codes.dtype)
    number[ordered] = np.arange(len(ordered))
    found: Codes = number[column.codes]
    return found


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
    return _gathered(file, read_objects(file, once=wanted), wanted)


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
    try:
        coded = {name: coder.column(name) for name, coder in coders.items() if name in found}
    except BadRow as bad:
        raise BadInput(f"{file}, line {lines[bad.row]}: {bad.text}") from None
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

    def column(self, name: str) -> Coded:
        import numpy as np

        if name in TIDIED:
            self._refuse_halves(name)
        numbers, values = _merged(list(self._number), name)
        number = np.array([*numbers, -1], dtype=smallest(len(numbers)))
        return Coded(number[np.array(self._codes, dtype=np.intp)], values)

    def _refuse_halves(self, name: str) -> None:
        """JSON can write half a character, which no file and no screen can hold."""
        for text, code in self._number.items():
            if storable(text)[1]:
                raise BadRow(self._codes.index(code), f"{name} {text[:80]!r} has half a character")


def _text(file: Path, line: int, name: str, value: object) -> str | None:
    """A cell as text; None when there is nothing in it. A list of texts is what FastChat calls a judge."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "/".join(value)
    if isinstance(value, float) and math.isfinite(value):
        value = number_as_text(value)
    if isinstance(value, bool | float) or not isinstance(value, str | int | None):
        kinds = "a finite number, 0 or more" if name in NUMBERS else "a text or a finite number"
        raise BadInput(f"{file}, line {line}: {name} must be {kinds}")
    return None if value is None or not str(value).strip() else str(value)
