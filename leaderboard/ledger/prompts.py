"""The prompts, in the order of their import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as changed

from sqlalchemy import Connection, RowMapping, func, insert, select

from leaderboard.core.types import Prompt
from leaderboard.ledger import registry, schema
from leaderboard.ledger.codec import from_json, to_json
from leaderboard.ledger.ids import folded, tidy_id

NOUN = registry.Noun("prompt", schema.prompts)

_IN_BODY = ("turns", "system", "category", "group", "language", "reference", "visibility")


def add_many(tx: Connection, prompts: Sequence[Prompt]) -> list[Prompt]:
    """Add prompts after those that are there, all or none, and return them as stored: ids tidied, positions given.

    Conflict names the first id that is, or looks like, one that is registered or stands earlier in `prompts`.
    """
    start = _next_position(tx)
    placed = [changed(prompt, id=tidy_id(prompt.id), position=start + place) for place, prompt in enumerate(prompts)]
    taken = registry.twins(tx, NOUN, [prompt.id for prompt in placed])
    for prompt in placed:
        registry.refuse_twin(NOUN, prompt.id, taken)
        taken[folded(prompt.id)] = prompt.id
    rows = [_values(prompt) for prompt in placed]
    if rows:
        tx.execute(insert(schema.prompts), rows)
    return [_prompt(row) for row in rows]


def first_clash(tx: Connection, ids: Sequence[str]) -> tuple[int, str] | None:
    """The place in `ids` of the first id that cannot be added, and the id it repeats or looks like."""
    taken = registry.twins(tx, NOUN, ids)
    for place, each in enumerate(ids):
        form = folded(each)
        if form in taken:
            return place, taken[form]
        taken[form] = each
    return None


def get(tx: Connection, prompt_id: str) -> Prompt:
    """The prompt of this id. NotFound lists close ids."""
    return _prompt(registry.fetch_row(tx, NOUN, prompt_id))


def count(tx: Connection) -> int:
    """How many prompts there are."""
    return tx.execute(select(func.count()).select_from(schema.prompts)).scalar_one()


def all(tx: Connection) -> list[Prompt]:
    """Every prompt by position."""
    rows = tx.execute(select(schema.prompts).order_by(schema.prompts.c.position)).mappings()
    return [_prompt(row) for row in rows]


def _next_position(tx: Connection) -> int:
    highest = tx.execute(select(func.max(schema.prompts.c.position))).scalar()
    return 0 if highest is None else highest + 1


def _values(prompt: Prompt) -> registry.Values:
    body = to_json({name: getattr(prompt, name) for name in _IN_BODY})
    return {"id": prompt.id, "folded": folded(prompt.id), "position": prompt.position, "body": body}


def _prompt(row: RowMapping | registry.Values) -> Prompt:
    body = from_json(row["body"])
    turns = tuple(body.pop("turns"))
    return Prompt(id=row["id"], position=row["position"], turns=turns, **body)
