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

RIGHT, FOLDED, CUT, KEPT = ">", "~", "…", "!"
ABOVE_ASCII = [*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""Control characters, and those that turn the direction of writing: a text could look like another one."""

PICTURES = {**{code: 0x2400 + code for code in range(32)}, 127: 0x2421, **dict.fromkeys(ABOVE_ASCII, 0xFFFD)}
ESCAPES = {code: f"\\u{code:04x}" for code in (127, *ABOVE_ASCII)}
GAP = 2
FACT, WIDEST_FACT = 18, 28
NARROWEST = 8
NO_LIMIT = 10_000


def print_json(value: object) -> None:
    """Exactly one JSON value, never NaN or Infinity; what could steer a terminal is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    sys.stdout.write(text.translate(ESCAPES) + "\n")


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
    sys.stderr.write(visible_lines(text) + "\n")


def say(text: str) -> None:
    """Text for people, folded between words at the edge of the screen."""
    console().print(visible_lines(text), markup=False)


def headline(text: str) -> None:
    console().print(visible_lines(text), markup=False, style="bold")


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """A line each: what it is, and its value, folded beside it. None is left out."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(min_width=FACT, max_width=WIDEST_FACT, overflow="fold")
    grid.add_column(overflow="fold")
    for name, value in pairs:
        if value is not None:
            grid.add_row(Text(visible(name)), Text(visible(str(value))))
    console().print(grid)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, keep_empty: bool = False) -> None:
    """A plain table, as wide as the screen allows. None shows as a dash, a column of nothing else is left out.

    The end of a column's name says how it behaves: `>` right-aligned; when room is short `…` is cut, `~` is folded, and
    `!` is folded last, when nothing else can give way.
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
            no_wrap=not name.endswith((FOLDED, KEPT)),
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


def visible_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    return "\n".join(map(visible, text.split("\n")))


def _label(name: str) -> str:
    return name[:-1] if name.endswith((RIGHT, FOLDED, CUT, KEPT)) else name


def _widths(names: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """As wide as the texts; where that is too much, columns give way by kind: cut, then folded, then kept ones.

    Folded columns break between words for as long as that is enough.
    """
    from rich.cells import cell_len

    columns = list(zip(map(_label, names), *rows, strict=True))
    widths = [max(map(cell_len, texts)) for texts in columns]
    words = [max(cell_len(word) for text in texts for word in [*text.split(), ""]) for texts in columns]
    narrowest = [NARROWEST] * len(names)
    excess = sum(widths) + GAP * (len(widths) - 1) - room
    for kind, floors in ((CUT, narrowest), (FOLDED, words), (FOLDED, narrowest), (KEPT, words), (KEPT, narrowest)):
        excess = _narrow(widths, [i for i, name in enumerate(names) if name.endswith(kind)], floors, excess)
    return widths


def _narrow(widths: list[int], columns: Sequence[int], floors: Sequence[int], excess: int) -> int:
    """Take the excess away from these columns, always from the widest that is above its floor; what is left of it."""
    while excess > 0:
        elastic = [i for i in columns if widths[i] > max(floors[i], NARROWEST)]
        if not elastic:
            break
        widths[max(elastic, key=lambda i: widths[i])] -= 1
        excess -= 1
    return excess


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
