"""Simulated judges: they count what stands in the two answers, lean towards a position, err, and reply as asked."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from leaderboard.providers.simulated_phrases import Language
from leaderboard.providers.simulated_quality import Features, read_features

Lean = Literal["1", "2", "tie"]

OPENING = re.compile(r"^<<\w+ ([0-9a-f]{16})>>$", re.MULTILINE)
CENTER = 7.0
STEEPNESS = 0.6
CONCLUSION_FIRST = re.compile(r"begin (your reply|je reactie)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bench:
    """A judge's habits in logits: `bias` towards the first, `tie_width`, `noise` (scale of logistic noise).

    `malformed` is the share of replies that nobody can read.
    """

    bias: float = 0.0
    tie_width: float = 0.3
    noise: float = 1.0
    malformed: float = 0.0


@dataclass(frozen=True, slots=True)
class Case:
    """A judge's prompt taken apart: the two answers, and the form of reply that it asks for."""

    first: str
    second: str
    language: Language
    scoring: bool
    conclusion_first: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A reply; `text` None where the provider would send no content."""

    text: str | None
    finish_reason: str = "stop"


def read_case(prompt: str) -> Case | None:
    """The answers between their section lines; None if the prompt shows no two answers."""
    opening = OPENING.search(prompt)
    if opening is None:
        return None
    first, second = (_section(prompt, name, opening[1]) for name in ("answer_1", "answer_2"))
    if first is None or second is None:
        return None
    orders = prompt.rsplit(f"<</answer_2 {opening[1]}>>", 1)[-1]
    dutch = "Kandidaat 1" in orders or "KANDIDAAT_1" in orders
    scoring = "Score of the Assistant 1" in orders or "Score van Kandidaat 1" in orders
    return Case(first, second, "nl" if dutch else "en", scoring, bool(CONCLUSION_FIRST.search(orders)))


def _section(prompt: str, name: str, mark: str) -> str | None:
    found = re.search(rf"^<<{name} {mark}>>\n(.*?)^<</{name} {mark}>>$", prompt, re.MULTILINE | re.DOTALL)
    return found[1] if found else None


def logistic(rng: random.Random) -> float:
    """A draw of the standard logistic distribution."""
    share = rng.uniform(1e-9, 1 - 1e-9)
    return math.log(share / (1 - share))


def perceived_gap(bench: Bench, first: Features, second: Features, noise: float) -> float:
    """How much better the first position looks to this judge, in logits."""
    return first.quality - second.quality + bench.bias + bench.noise * noise


def lean_of(bench: Bench, gap: float) -> Lean:
    if abs(gap) < bench.tie_width:
        return "tie"
    return "1" if gap > 0 else "2"


def judge(bench: Bench, prompt: str, rng: random.Random) -> Said:
    """One sample of this judge's reply to a judge prompt."""
    case = read_case(prompt)
    if case is None:
        return Said("There are no two answers here to compare.")
    unreadable, noise = rng.random() < bench.malformed, logistic(rng)
    first, second = read_features(case.first), read_features(case.second)
    gap = perceived_gap(bench, first, second, noise)
    lean = lean_of(bench, gap)
    evidence = _evidence(case.language, first, second)
    conclusion = _conclusion(case, lean, gap)
    if unreadable:
        return rng.choice(MALFORMED)(evidence, conclusion)
    parts = [conclusion, evidence] if case.conclusion_first else [evidence, conclusion]
    return Said("\n\n".join(parts))


def scores_of(lean: Lean, gap: float) -> tuple[float, float]:
    """Two scores from 1 to 10 in tenths around 7, equal exactly for a tie, the winner's higher."""
    if lean == "tie":
        return CENTER, CENTER
    half = max(0.1, round(STEEPNESS * abs(gap) / 2 * 10) / 10)
    high, low = round(min(10.0, CENTER + half), 1), round(max(1.0, CENTER - half), 1)
    return (high, low) if lean == "1" else (low, high)


def _conclusion(case: Case, lean: Lean, gap: float) -> str:
    if case.scoring:
        return _score_lines(case.language, scores_of(lean, gap))
    return WINNER_LINES[case.language][lean]


WINNER_LINES: Mapping[Language, Mapping[Lean, str]] = {
    "en": {"1": "Assistant 1", "2": "Assistant 2", "tie": "Tie"},
    "nl": {"1": "WINNAAR: KANDIDAAT_1", "2": "WINNAAR: KANDIDAAT_2", "tie": "WINNAAR: GELIJKSPEL"},
}


def _score_lines(language: Language, scores: tuple[float, float]) -> str:
    first, second = (f"{score:g}" for score in scores)
    if language == "nl":
        pair = (first.replace(".", ","), second.replace(".", ","))
        return f"Score van Kandidaat 1: {pair[0]}\nScore van Kandidaat 2: {pair[1]}"
    return f"Score of the Assistant 1: {first}\nScore of the Assistant 2: {second}"


SORTS_NL = {
    "step": "stap",
    "example": "voorbeeld",
    "effect": "gevolg",
    "contrast": "tegenstelling",
    "reason": "reden",
    "calculation": "berekening",
}


def _evidence(language: Language, first: Features, second: Features) -> str:
    """What was counted, a paragraph for each answer."""
    describe = _described_nl if language == "nl" else _described_en
    return "\n".join(describe(position, features) for position, features in ((1, first), (2, second)))


def _described_en(position: int, found: Features) -> str:
    sorts = _listed([f"{count} {sort}" for sort, count in sorted(found.points.items())], "and")
    errors = _listed(found.errors, "and")
    return (
        f"Answer {position} makes {found.point_count} points{f' ({sorts})' if sorts else ''}. "
        f"{f'It contains {len(found.errors)} errors: {errors}. ' if errors else 'Nothing in it is wrong. '}"
        f"It has {found.words} words in {_register(found, 'an informal', 'a formal', 'a plain')} register."
    )


def _described_nl(position: int, found: Features) -> str:
    named = [f"{count} keer {SORTS_NL[sort]}" for sort, count in sorted(found.points.items())]
    sorts, errors = _listed(named, "en"), _listed(found.errors, "en")
    return (
        f"Antwoord {position} maakt {found.point_count} punten{f' ({sorts})' if sorts else ''}. "
        f"{f'Er staan {len(found.errors)} fouten in: {errors}. ' if errors else 'Er staat niets onjuists in. '}"
        f"Het telt {found.words} woorden en is {_register(found, 'informeel', 'formeel', 'gewoon')} van toon."
    )


def _listed(parts: Sequence[str], joiner: str) -> str:
    return f" {joiner} ".join(", ".join(parts).rsplit(", ", 1)) if parts else ""


def _register(found: Features, informal: str, formal: str, plain: str) -> str:
    if found.informal > found.formal:
        return informal
    return formal if found.formal > found.informal else plain


def _undecided(evidence: str, conclusion: str) -> Said:
    return Said("Both answers have something going for them, and it depends on what one is looking for.")


def _cut_short(evidence: str, conclusion: str) -> Said:
    return Said(evidence[: max(20, len(evidence) * 2 // 3)], "length")


def _off_scale(evidence: str, conclusion: str) -> Said:
    return Said(f"{evidence}\n\n1: 85 %\n2: 60 %")


def _silent(evidence: str, conclusion: str) -> Said:
    return Said(None)


def _evidence_only(evidence: str, conclusion: str) -> Said:
    return Said(evidence)


MALFORMED: tuple[Callable[[str, str], Said], ...] = (_undecided, _cut_short, _off_scale, _silent, _evidence_only)
