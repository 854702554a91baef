"""Simulated contestants: a latent skill becomes a text whose points and errors can be counted."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.providers.simulated_phrases import PHRASES, Language, Phrases, language_of
from leaderboard.providers.simulated_quality import read_features

PROMPT_NOISE = 0.5
FARTHEST = 4.0
MOST_ERRORS = 6
MOST_POINTS = 27
PARAGRAPH = 5
MOST_WORDS = 8
OPENS = re.compile(r"(first|eerst)\b", re.IGNORECASE)
CLOSES = re.compile(r"(finally|ten slotte|in summary|kortom)\b", re.IGNORECASE)
STYLES = ("plain", "formal", "informal")


@dataclass(frozen=True, slots=True)
class Contestant:
    """`skill` in logits (about -2.5 to 2.5), `style` one of `STYLES`; `seed` draws another field of texts."""

    skill: float = 0.0
    style: str = "plain"
    seed: int = 0


def rng_of(*parts: object) -> random.Random:
    """A generator that depends on the parts and on nothing else, the same on every machine."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def latent_quality(contestant: Contestant, prompt: str, index: int = 0) -> float:
    """How good this contestant's answer to this prompt is: its skill plus N(0, 0.5)."""
    draw = rng_of("quality", contestant.seed, contestant.skill, contestant.style, index, prompt)
    return max(-FARTHEST, min(FARTHEST, contestant.skill + draw.gauss(0, PROMPT_NOISE)))


def write_answer(contestant: Contestant, prompt: str, index: int = 0) -> str:
    """An answer in the prompt's language and about its words; its countable quality is within 0.1 of the latent one."""
    rng = rng_of("text", contestant.seed, contestant.skill, contestant.style, index, prompt)
    draft = Draft.begin(prompt, rng)
    target = latent_quality(contestant, prompt, index)
    chosen = _nearest(draft, target, contestant.style, rng)
    return _laid_out(chosen, rng)


@dataclass(frozen=True, slots=True)
class Draft:
    """Filled sentences to choose from; each list in the order in which they are taken."""

    points: list[str]
    slips: list[str]
    asides: list[str]
    chatter: list[str]
    formal: list[str]

    @classmethod
    def begin(cls, prompt: str, rng: random.Random) -> Draft:
        language = language_of(prompt)
        phrases = PHRASES[language]
        words = salient_words(prompt, language)
        filled = (_filled(part, words, rng) for part in _parts(phrases))
        return cls(*filled)


def _parts(phrases: Phrases) -> Iterator[tuple[Sequence[str], bool]]:
    yield phrases.points, True
    yield phrases.slips, False
    yield phrases.asides, True
    yield phrases.chatter, True
    yield phrases.formal, True


def _filled(part: tuple[Sequence[str], bool], words: Sequence[str], rng: random.Random) -> list[str]:
    """The templates in drawn order with words and numbers put in; `right` says whether the sums are right."""
    templates, right = part
    return [_fill(template, words, right, rng) for template in rng.sample(templates, len(templates))]


def _fill(template: str, words: Sequence[str], right: bool, rng: random.Random) -> str:
    first, second = rng.sample(words, 2)
    a, b = rng.randint(3, 9), rng.randint(3, 12)
    product = a * b if right else a * b + rng.choice((-3, -2, -1, 1, 2, 3))
    return template.format(w=first, v=second, a=a, b=b, c=product)


def salient_words(prompt: str, language: Language) -> list[str]:
    """The prompt's eight longest words; at least two, from a stock if need be."""
    phrases = PHRASES[language]
    words = re.findall(r"[^\W\d_]{5,20}", prompt.lower())
    kept = [word for word in dict.fromkeys(words) if word not in phrases.common]
    longest = sorted(kept, key=len, reverse=True)[:MOST_WORDS]
    return longest if len(longest) >= 2 else longest + list(phrases.topic)


def _nearest(draft: Draft, target: float, style: str, rng: random.Random) -> list[str]:
    """The choice of sentences whose counted quality comes nearest to the target."""
    frame = draft.asides[: rng.randint(1, 3)] + (draft.formal if style == "formal" else [])
    usual = {"informal": 3}.get(style, 0)
    wanted_errors = round(max(0.0, min(MOST_ERRORS, rng.gauss(1.2 - 0.6 * target, 0.7))))
    options = [
        (errors, chatter, points)
        for errors in range(MOST_ERRORS + 1)
        for chatter in range(5)
        for points in range(1, MOST_POINTS + 1)
    ]
    worth = _Worth.of(draft, frame)
    best = min(
        options,
        key=lambda option: (
            round(max(0.05, abs(worth.of_option(option) - target)), 6),
            abs(option[0] - wanted_errors) + abs(option[1] - usual),
            option,
        ),
    )
    errors, chatter, points = best
    return frame + draft.slips[:errors] + draft.chatter[:chatter] + draft.points[:points]


@dataclass(frozen=True, slots=True)
class _Worth:
    """Running sums of what each sentence adds to the counted quality; sentences add up."""

    frame: float
    slips: list[float]
    chatter: list[float]
    points: list[float]

    @classmethod
    def of(cls, draft: Draft, frame: Sequence[str]) -> _Worth:
        empty = read_features("").quality
        lists = (draft.slips, draft.chatter, draft.points)
        return cls(read_features(" ".join(frame)).quality, *(_running(sentences, empty) for sentences in lists))

    def of_option(self, option: tuple[int, int, int]) -> float:
        errors, chatter, points = option
        return self.frame + self.slips[errors] + self.chatter[chatter] + self.points[points]


def _running(sentences: Sequence[str], empty: float) -> list[float]:
    sums = [0.0]
    for sentence in sentences:
        sums.append(sums[-1] + read_features(sentence).quality - empty)
    return sums


def _laid_out(sentences: Sequence[str], rng: random.Random) -> str:
    """The sentences in drawn order behind an opening one, a paragraph for every five."""
    opening, rest = sentences[0], list(sentences[1:])
    rng.shuffle(rest)
    ordered = [opening, *sorted(rest, key=_place)]
    paragraphs = [ordered[start : start + PARAGRAPH] for start in range(0, len(ordered), PARAGRAPH)]
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _place(sentence: str) -> int:
    if OPENS.match(sentence):
        return 0
    return 2 if CLOSES.match(sentence) else 1
