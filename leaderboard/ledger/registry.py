"""What models, judges and prompts have in common: an id that nothing else looks like, and one row each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, Table, insert, select, update

from leaderboard.errors import Conflict, NotFound
from leaderboard.ledger.ids import folded, tidy_id

CHUNK = 500
SHOWN = 5

T = TypeVar("T")
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Noun:
    """A kind of registered thing: its word in messages and its table (`id`, `folded`, …)."""

    word: str
    table: Table


def insert_row(tx: Connection, noun: Noun, values: Values) -> None:
    """A new row. Conflict names the id that is the same or looks the same."""
    refuse_twin(noun, values["id"], twins(tx, noun, [values["id"]]))
    tx.execute(insert(noun.table).values(**values, folded=folded(values["id"])))


def refuse_twin(noun: Noun, wanted: str, taken: dict[str, str]) -> None:
    """Conflict if `taken` (folded form -> id) holds this id or a look-alike of it."""
    twin = taken.get(folded(wanted))
    if twin == wanted:
        raise Conflict(f"{noun.word} {wanted!r} exists already")
    if twin is not None:
        raise Conflict(f"{wanted!r} looks like the {noun.word} {twin!r}, which exists already: choose another id")


def twins(tx: Connection, noun: Noun, ids: Iterable[str]) -> dict[str, str]:
    """Registered ids that share a folded form with one of these, by that form."""
    forms = sorted({folded(each) for each in ids})
    found: dict[str, str] = {}
    for part in chunks(forms):
        rows = tx.execute(select(noun.table.c.folded, noun.table.c.id).where(noun.table.c.folded.in_(part)))
        found.update({row.folded: row.id for row in rows})
    return found


def fetch_row(tx: Connection, noun: Noun, wanted: str) -> RowMapping:
    """The row with exactly this id (tidied). NotFound lists the closest ids."""
    table = noun.table
    row = tx.execute(select(table).where(table.c.id == tidy_id(wanted))).mappings().first()
    if row is None:
        raise NotFound(_missing(tx, noun, wanted))
    return row


def fetch_rows(tx: Connection, noun: Noun, states: Sequence[str] | None = None) -> Sequence[RowMapping]:
    """All rows, or those in one of these states, oldest first."""
    table = noun.table
    query = select(table).order_by(table.c.created_at, table.c.id)
    if states is not None:
        query = query.where(table.c.state.in_(states))
    return tx.execute(query).mappings().all()


def update_row(tx: Connection, noun: Noun, values: Values) -> None:
    """Replace the row of this id and count its version up. NotFound lists the closest ids."""
    table = noun.table
    row = fetch_row(tx, noun, values["id"])
    tx.execute(update(table).where(table.c.id == row["id"]).values(**values, version=row["version"] + 1))


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterable[Sequence[T]]:
    """The items in runs short enough to be bound in one statement."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _missing(tx: Connection, noun: Noun, wanted: str) -> str:
    known = {folded(name): name for name in tx.execute(select(noun.table.c.id)).scalars()}
    if not known:
        return f"no {noun.word} {wanted!r}: there is none yet"
    close = difflib.get_close_matches(folded(wanted), known, n=3)
    names = [known[form] for form in close] or sorted(known.values())[:SHOWN]
    more = "" if close or len(known) <= SHOWN else ", …"
    return f"no {noun.word} {wanted!r}; {'close' if close else 'known'}: {', '.join(names)}{more}"
