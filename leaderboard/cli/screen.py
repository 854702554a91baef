"""What commands print: one JSON value on stdout, or tables; talk goes to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


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
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def talk(text: str) -> None:
    """Talk beside the result."""
    sys.stderr.write(text + "\n")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """A plain table; columns whose name ends in `>` are aligned to the right. None shows as a dash."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for name in columns:
        grid.add_column(name.rstrip(">"), justify="right" if name.endswith(">") else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text("–" if cell is None else str(cell)) for cell in row))
    console().print(grid)


def usd(amount: float | Decimal | None, unpriced: int = 0) -> str:
    """Dollars for people; unknown prices are said, not shown as free."""
    if amount is None:
        return "price unknown"
    text = f"${float(amount):,.4f}" if float(amount) < 1 else f"${float(amount):,.2f}"
    return f"{text} + {unpriced} without a price" if unpriced else text
