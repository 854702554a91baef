"""What a simulated judge sees in an answer: things that can be counted in the text, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.providers.simulated_phrases import CONTRADICTION, EQUATION, FORMAL, INFORMAL, POINT_MARKS

POINT = 0.25
ERROR = -0.4
CHATTER = -0.1
FORMALITY = 0.05
WORD = 0.001
MOST_WORDS = 400
BASE = -2.0
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Features:
    """Counts over one answer. `points` by sort of point; `errors` as short quotations with the correction."""

    points: Mapping[str, int]
    errors: tuple[str, ...]
    informal: int
    formal: int
    words: int

    @property
    def point_count(self) -> int:
        return sum(self.points.values())

    @property
    def quality(self) -> float:
        """In logits; about 0 for an answer of seven points, no error and plain words."""
        return (
            BASE
            + POINT * self.point_count
            + ERROR * len(self.errors)
            + CHATTER * self.informal
            + FORMALITY * self.formal
            + WORD * min(self.words, MOST_WORDS)
        )


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE_END.split(text) if part.strip()]


def read_features(text: str) -> Features:
    """Count the points (each distinct sentence once), the errors, the register and the length."""
    sentences = sentences_of(text)
    errors = tuple(error for sentence in sentences for error in errors_in(sentence))
    sorts = (sort_of_point(sentence) for sentence in dict.fromkeys(sentence.casefold() for sentence in sentences))
    return Features(
        points=Counter(sort for sort in sorts if sort),
        errors=errors,
        informal=len(INFORMAL.findall(text)),
        formal=len(FORMAL.findall(text)),
        words=len(text.split()),
    )


def sort_of_point(sentence: str) -> str | None:
    """The sort of point that a sentence makes; None if it makes none, or says something wrong."""
    if any(True for _ in errors_in(sentence)):
        return None
    for sort, mark in POINT_MARKS.items():
        if mark.search(sentence):
            return sort
    return "calculation" if EQUATION.search(sentence) else None


def errors_in(sentence: str) -> list[str]:
    """Wrong sums, found by computing them, and statements that contradict themselves."""
    wrong = [_correction(found) for found in EQUATION.finditer(sentence) if _computed(found) != int(found[4])]
    return wrong + [f'"{found[0]}"' for found in CONTRADICTION.finditer(sentence)]


def _computed(equation: re.Match[str]) -> int:
    left, sign, right = int(equation[1]), equation[2], int(equation[3])
    return {"+": left + right, "-": left - right}.get(sign, left * right)


def _correction(equation: re.Match[str]) -> str:
    return f"{equation[0]} (= {_computed(equation)})"
