"""What commands print: one JSON value on stdout, or tables; talk goes to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

RIGHT, FOLDED, CUT = ">", "~", "…"
PICTURES = {**{code: 0x2400 + code for code in range(32)}, 127: 0x2421, **dict.fromkeys(range(128, 160), 0xFFFD)}
GAP = 2
FACT = 18
NARROWEST = 8
NO_LIMIT = 10_000


def print_json(value: object) -> None:
    """Exactly one JSON value, never NaN or Infinity."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain) + "\n")


def _plain(value: object) -> object:
    if isinstance(value, Decimal | Fraction):
        return float(value)
    if isinstance(value, set | frozenset | tuple):
        return sorted(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


def print_items(items: Sequence[object]) -> None:
    """A list as every list looks: items and a cursor."""
    print_json({"items": list(items), "next_cursor": None})


def console() -> Console:
    """Stdout. A file or a pipe has no width, so nothing is cut or folded there unless COLUMNS says so."""
    from rich.console import Console

    unlimited = None if sys.stdout.isatty() or "COLUMNS" in os.environ else NO_LIMIT
    return Console(highlight=False, emoji=False, width=unlimited)


def talk(text: str) -> None:
    """Talk beside the result."""
    sys.stderr.write(text + "\n")


def say(text: str) -> None:
    """Text for people, folded between words at the edge of the screen."""
    console().print(text, markup=False)


def headline(text: str) -> None:
    console().print(text, markup=False, style="bold")


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """A line each: what it is, and its value, folded beside it. None is left out."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True, min_width=FACT)
    grid.add_column(overflow="fold")
    for name, value in pairs:
        if value is not None:
            grid.add_row(name, Text(visible(str(value))))
    console().print(grid)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, keep_empty: bool = False) -> None:
    """A plain table, as wide as the screen allows. None shows as a dash, a column of nothing else is left out.

    The end of a column's name says how it behaves: `>` right-aligned, `~` folded and `…` cut when room is short.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names, cells = _texts(columns, list(rows), keep_empty=keep_empty)
    screen = console()
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name, width in zip(names, _widths(names, cells, screen.width), strict=True):
        grid.add_column(
            _label(name),
            justify="right" if name.endswith(RIGHT) else "left",
            overflow="ellipsis" if name.endswith(CUT) else "fold",
            no_wrap=not name.endswith(FOLDED),
            min_width=width,
            max_width=width,
        )
    for row in cells:
        grid.add_row(*map(Text, row))
    screen.print(grid)


def _texts(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, keep_empty: bool
) -> tuple[list[str], list[list[str]]]:
    """The columns that are shown, and their texts row by row."""
    shown = [i for i in range(len(columns)) if keep_empty or any(row[i] is not None for row in rows)]
    texts = [["–" if row[i] is None else visible(str(row[i])) for i in shown] for row in rows]
    return [columns[i] for i in shown], texts


def visible(text: str) -> str:
    """The text on one line, its control characters as pictures: none of them may steer the terminal."""
    return text.translate(PICTURES)


def _label(name: str) -> str:
    return name[:-1] if name.endswith((RIGHT, FOLDED, CUT)) else name


def _widths(names: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """As wide as the texts; where that is too much, the widest of the columns that may fold or be cut gives way."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, texts)) for texts in zip(map(_label, names), *rows, strict=True)]
    elastic = [i for i, name in enumerate(names) if name.endswith((FOLDED, CUT))]
    excess = sum(widths) + GAP * (len(widths) - 1) - room
    while excess > 0 and any(widths[i] > NARROWEST for i in elastic):
        widths[max(elastic, key=lambda i: widths[i])] -= 1
        excess -= 1
    return widths


def room_beside(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
    """How much of the screen such a table leaves free for one more column."""
    names, texts = _texts(columns, rows, keep_empty=False)
    return console().width - sum(width + GAP for width in _widths(names, texts, NO_LIMIT))


def usd(amount: float | Decimal | None, unpriced: int = 0) -> str:
    """Dollars for people; unknown prices are said, not shown as free."""
    if amount is None:
        return "price unknown"
    text = f"${float(amount):,.4f}" if float(amount) < 1 else f"${float(amount):,.2f}"
    return f"{text} + {unpriced} without a price" if unpriced else text


def counted(number: int, noun: str) -> str:
    """`1 prompt`, `2 prompts`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
