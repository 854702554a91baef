"""A model's answers from a JSONL file: `prompt_id`, and `text` or `turns`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from leaderboard.core.types import Prompt
from leaderboard.errors import BadInput
from leaderboard.formats.jsonl import read_objects
from leaderboard.ledger.ids import tidy_id


def read_answers(file: Path, prompts: Mapping[str, Prompt]) -> dict[str, tuple[str, ...]]:
    """The texts of each prompt's answer, one a turn. An empty text is an answer.

    Raises BadInput that names file and line: an unknown prompt, a second answer, a wrong number of turns.
    """
    found: dict[str, tuple[str, ...]] = {}
    for line, row in read_objects(file):
        try:
            prompt = _prompt(row, prompts)
            texts = _texts(row, prompt)
            if found.setdefault(prompt.id, texts) != texts:
                raise BadInput(f"a second answer to {prompt.id!r}")
        except BadInput as error:
            raise BadInput(f"{file}, line {line}: {error}") from None
    if not found:
        raise BadInput(f"{file}: no answers in it")
    return found


def _prompt(row: Mapping[str, object], prompts: Mapping[str, Prompt]) -> Prompt:
    name = row.get("prompt_id")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise BadInput("prompt_id is missing")
    prompt = prompts.get(tidy_id(str(name)))
    if prompt is None:
        raise BadInput(f"there is no prompt {name!r}: import the prompts first")
    return prompt


def _texts(row: Mapping[str, object], prompt: Prompt) -> tuple[str, ...]:
    if (row.get("text") is None) == (row.get("turns") is None):
        raise BadInput("give either text or turns")
    value = row["turns"] if row.get("text") is None else [row["text"]]
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise BadInput("text must be a text, turns a list of texts")
    if len(value) != len(prompt.turns):
        raise BadInput(f"{prompt.id!r} has {len(prompt.turns)} turns, its answer {len(value)}")
    return tuple(value)
