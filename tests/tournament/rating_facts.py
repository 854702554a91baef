"""Verdicts as the history hands them to the fits, made by hand: rows of (prompt, a, b, outcome under ab, under ba)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from leaderboard.core.judged import MISSING, Judged
from leaderboard.history.records import PromptFacts, RatingFacts

CODES = {"a": 2, "tie": 1, "b": 0, None: MISSING}
Order = str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One pairing; an order that is None was not readable, or not asked for where `single`."""

    prompt: str
    a: str
    b: str
    ab: Order
    ba: Order
    single: bool = False
    nano_usd: int = 0
    simulated: bool = False
    lengths: tuple[int, int] = (0, 0)

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """Outcome, outcome_score, soft, consistent; see `core.judged.Judged`."""
        ab, ba = CODES[self.ab], CODES[self.ba]
        if self.single:
            read = ab if ba == MISSING else ba
            return read, read, MISSING if read == MISSING else 2 * read, MISSING
        if MISSING in (ab, ba):
            return MISSING, MISSING, MISSING, MISSING
        return (ab if ab == ba else 1), (ab + ba > 2) + (ab + ba >= 2), ab + ba, int(ab == ba)


def facts(rows: Iterable[Row], prompts: Sequence[PromptFacts] = (), models: Iterable[str] = ()) -> RatingFacts:
    """The facts of these rows, in their order; prompts that are not described belong to nothing."""
    listed = list(rows)
    described: Mapping[str, PromptFacts] = {prompt.id: prompt for prompt in prompts}
    ids = sorted({row.prompt for row in listed})
    names = tuple(sorted({*models, *(row.a for row in listed), *(row.b for row in listed)}))
    outcome, score, soft, consistent = (np.array([row.codes[i] for row in listed], dtype=np.int8) for i in range(4))
    return RatingFacts(
        judged=Judged(
            models=names,
            a=np.array([names.index(row.a) for row in listed], dtype=np.int32),
            b=np.array([names.index(row.b) for row in listed], dtype=np.int32),
            prompt=np.array([ids.index(row.prompt) for row in listed], dtype=np.int32),
            outcome=outcome,
            outcome_score=score,
            soft=soft,
            consistent=consistent,
            ab=np.array([CODES[row.ab] for row in listed], dtype=np.int8),
            ba=np.array([CODES[row.ba] for row in listed], dtype=np.int8),
        ),
        prompts=tuple(described.get(name, PromptFacts(name)) for name in ids),
        nano_usd=np.array([row.nano_usd for row in listed], dtype=np.int64),
        simulated=np.array([row.simulated for row in listed], dtype=bool),
        length_a=np.array([row.lengths[0] for row in listed], dtype=np.int64),
        length_b=np.array([row.lengths[1] for row in listed], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Draws outcomes: the stronger model wins more often; `first` is the pull to the answer shown first, `longer` to
    the longer one, in logits. The same seed gives the same rows."""

    strength: Mapping[str, float]
    first: float = 0.0
    longer: float = 0.0
    ties: float = 0.1
    seed: int = 0
    length: Mapping[str, int] = field(default_factory=dict)

    def rows(self, prompts: Iterable[str], *, single: bool = False) -> list[Row]:
        """A round robin on every prompt."""
        rng, names = random.Random(self.seed), sorted(self.strength)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        return [self._row(rng, prompt, a, b, single) for prompt in prompts for a, b in pairs]

    def _row(self, rng: random.Random, prompt: str, a: str, b: str, single: bool) -> Row:
        lengths = tuple(round(self.length.get(name, 100) * rng.uniform(0.7, 1.4)) for name in (a, b))
        gap = self.strength[a] - self.strength[b] + self.longer * float(np.log(lengths[0] / lengths[1]))
        ab, ba = self._outcome(rng, gap + self.first), self._outcome(rng, gap - self.first)
        row = Row(prompt, a, b, ab, ba, lengths=(lengths[0], lengths[1]))
        dropped = {"ab": None} if rng.random() < 0.5 else {"ba": None}
        return replace(row, single=True, **dropped) if single else row

    def _outcome(self, rng: random.Random, gap: float) -> str:
        if rng.random() < self.ties:
            return "tie"
        return "a" if rng.random() < 1 / (1 + np.exp(-gap)) else "b"


def ids(count: int) -> list[str]:
    return [f"p{number:03}" for number in range(count)]


def described(count: int) -> list[PromptFacts]:
    """Prompts in two categories and two languages; every fifth is in a group."""
    return [
        PromptFacts(
            name,
            category=("facts", "style")[number % 2],
            language=("en", "nl")[number // 2 % 2],
            group="hard" if number % 5 == 0 else None,
        )
        for number, name in enumerate(ids(count))
    ]
