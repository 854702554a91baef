"""Scopes: the whole field, or what was judged on the prompts of one category, language or group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leaderboard.errors import NotFound
from leaderboard.history.records import PromptFacts, RatingFacts

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Indices

OVERALL = "overall"
TRAITS = ("category", "language", "group")


def scopes_of_prompt(prompt: PromptFacts) -> list[str]:
    """The scopes, besides the whole field, that a prompt belongs to."""
    found = [(trait, getattr(prompt, trait)) for trait in TRAITS]
    return [f"{trait}={value}" for trait, value in found if value is not None]


def scopes_of(*facts: RatingFacts) -> list[str]:
    """Every language, group and category that occurs in the verdicts, by name."""
    return sorted({scope for part in facts for prompt in part.prompts for scope in scopes_of_prompt(prompt)})


def belongs(prompt: PromptFacts, scope: str) -> bool:
    return scope == OVERALL or scope in scopes_of_prompt(prompt)


def known_scope(scope: str, known: list[str]) -> str:
    """The scope itself. NotFound names those that there are."""
    if scope != OVERALL and scope not in known:
        raise NotFound(f"scope: no verdicts in {scope!r}; there are: {', '.join([OVERALL, *known])}")
    return scope


def in_scope(facts: RatingFacts, scope: str) -> RatingFacts:
    """The verdicts on the scope's prompts, in the same field. NotFound for a scope without a verdict."""
    import numpy as np

    known_scope(scope, scopes_of(facts))
    inside = np.array([belongs(prompt, scope) for prompt in facts.prompts], dtype=bool)
    return facts if inside.all() else with_rows(facts, inside[prompt_numbers(facts)])


def with_rows(facts: RatingFacts, rows: Bools) -> RatingFacts:
    """The same field with these verdicts alone."""
    return replace(
        facts,
        judged=facts.judged.where(rows),
        nano_usd=facts.nano_usd[rows],
        simulated=facts.simulated[rows],
        length_a=None if facts.length_a is None else facts.length_a[rows],
        length_b=None if facts.length_b is None else facts.length_b[rows],
    )


def prompt_numbers(facts: RatingFacts) -> Indices:
    """By row: the prompt's place in `facts.prompts`."""
    if facts.judged.prompt is None:
        raise ValueError("verdicts of the history have prompts")
    return facts.judged.prompt
