"""The tournament's own models and prompts, as a snapshot has them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from leaderboard.errors import NotFound
from leaderboard.history.records import PromptFacts
from leaderboard.tournament.standing import Contestant

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader

MOST_ROWS = 10**7
MODELS = "SELECT id, family, simulated, state FROM models"
PROMPTS = "SELECT id, category, language, prompt_group FROM prompts"
CLOSE = 3
SHOWN = 8


def models_of(reader: SnapshotReader) -> dict[str, Contestant]:
    """What is known of each model, by id."""
    return {
        name: Contestant(family=family, simulated=bool(simulated), active=state == "active")
        for name, family, simulated, state in reader.sql(MODELS, MOST_ROWS)["rows"]
    }


def prompts_of(reader: SnapshotReader) -> list[PromptFacts]:
    """What each prompt's verdicts can be grouped by."""
    return [PromptFacts(*row) for row in reader.sql(PROMPTS, MOST_ROWS)["rows"]]


def require_model(reader: SnapshotReader, model: str, more: Iterable[str] = ()) -> None:
    """NotFound with close names unless the model is registered, or among `more`."""
    known = {*models_of(reader), *more}
    if model in known:
        return
    close = difflib.get_close_matches(model, known, n=CLOSE)
    names = ", ".join(close or sorted(known)[:SHOWN]) or "none"
    raise NotFound(f"no model {model!r}; {'close' if close else 'known'}: {names}")
