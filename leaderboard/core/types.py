"""The words of the tournament as frozen values. Positions are `first`/`second`, models are `a`/`b`.

`to_reading` is the only place where a position becomes a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Literal


class Order(StrEnum):
    """Which model the judge saw first."""

    AB = "ab"
    BA = "ba"

    @property
    def flipped(self) -> Order:
        return Order.BA if self is Order.AB else Order.AB

    @property
    def shown_first(self) -> Literal["a", "b"]:
        return "a" if self is Order.AB else "b"


class Outcome(StrEnum):
    """Who was better, in model coordinates."""

    A = "a"
    B = "b"
    TIE = "tie"

    @property
    def mirrored(self) -> Outcome:
        return {Outcome.A: Outcome.B, Outcome.B: Outcome.A, Outcome.TIE: Outcome.TIE}[self]


class Stage(StrEnum):
    """Screening is a single pass (sample 0), validation sees both orders (samples 1..k)."""

    SCREENING = "screening"
    VALIDATION = "validation"


Winner = Literal["1", "2", "tie"]


@dataclass(frozen=True, slots=True)
class SlotScores:
    """What a judge's reply says, in positions. A reply that only names a winner counts as 1:0, 0:1 or 0.5:0.5."""

    first: Decimal
    second: Decimal
    scored: bool = True

    @property
    def winner(self) -> Winner:
        if self.first == self.second:
            return "tie"
        return "1" if self.first > self.second else "2"

    @classmethod
    def won_by(cls, winner: Winner) -> SlotScores:
        points = {"1": ("1", "0"), "2": ("0", "1"), "tie": ("0.5", "0.5")}[winner]
        return cls(Decimal(points[0]), Decimal(points[1]), scored=False)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply without a verdict. Never a tie, a loss or a number."""

    reason: str


Parsed = SlotScores | Unreadable


@dataclass(frozen=True, slots=True)
class Reading:
    """One parsed judge reply in model coordinates; scores are on the template's own scale."""

    order: Order
    sample: int
    score_a: Decimal
    score_b: Decimal

    @property
    def gap(self) -> Fraction:
        return Fraction(self.score_a) - Fraction(self.score_b)

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.gap)


def outcome_of(gap: Fraction) -> Outcome:
    """The sign of score(a) - score(b), exactly."""
    if gap == 0:
        return Outcome.TIE
    return Outcome.A if gap > 0 else Outcome.B


def to_reading(order: Order, sample: int, slots: SlotScores) -> Reading:
    """Cross from positions to models: under `ab` the first position is model a, under `ba` it is model b."""
    if order is Order.AB:
        return Reading(order, sample, slots.first, slots.second)
    return Reading(order, sample, slots.second, slots.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the models answer: one or more user turns. `position` is the order of import."""

    id: str
    turns: tuple[str, ...]
    system: str | None = None
    category: str = "general"
    group: str | None = None
    language: str = "en"
    reference: str | None = None
    visibility: Literal["public", "private"] = "public"
    position: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A model's reply to a prompt: one text a turn."""

    prompt_id: str
    model: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Prompt x two models x judge; `model_a` < `model_b` by code point, always."""

    prompt_id: str
    model_a: str
    model_b: str

    def __post_init__(self) -> None:
        if not self.model_a < self.model_b:
            raise ValueError(f"model_a must sort before model_b, got {self.model_a!r} and {self.model_b!r}")

    @classmethod
    def of(cls, prompt_id: str, one: str, other: str) -> Pairing:
        return cls(prompt_id, *sorted((one, other)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome of a pairing, derived from its readings (see `core.calibration`).

    `outcome` is under policy `tie`, `outcome_score` under `score`, `score_soft` is model a's share under `soft`.
    `consistent` is None where an order is missing or was never asked for. `samples` is the fewest readable samples
    among the orders that the protocol asks for.
    """

    state: Literal["decided", "incomplete"]
    outcome: Outcome | None = None
    outcome_score: Outcome | None = None
    score_soft: Fraction | None = None
    consistent: bool | None = None
    outcome_ab: Outcome | None = None
    outcome_ba: Outcome | None = None
    gap: Fraction | None = None
    bpde: float | None = None
    samples: int = 0
    thin: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """How litellm reaches a model, and what is really sent to it.

    `wanted` is what the operator asked for. `sent` is what the provider takes of it and None until it is resolved;
    `not_sent` names each refused parameter with the reason. `takes_n`: one request may ask for several samples.
    """

    litellm: str
    api_base: str | None = None
    api_key_env: str | None = None
    api_version: str | None = None
    region: str | None = None
    wanted: Mapping[str, object] = field(default_factory=dict)
    strict: bool = False
    sent: Mapping[str, object] | None = None
    not_sent: Mapping[str, str] = field(default_factory=dict)
    takes_n: bool = False
    price: Price | None = None
    price_source: str | None = None
    price_as: str | None = None
    simulated: bool = False
    resolved_at: str | None = None
    checked_at: str | None = None
    check_error: str | None = None


ModelState = Literal["active", "asleep", "paused", "retired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A contestant: an endpoint, or imported answers with none. `seat` is its fixed place in the screening draw."""

    id: str
    endpoint: Endpoint | None
    system: str | None = None
    family: str | None = None
    state: ModelState = "active"
    reason: str | None = None
    seat: int | None = None
    created_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """An endpoint + a template family + a rubric. `fingerprint` hashes all of it; protocol and samples stay outside."""

    id: str
    endpoint: Endpoint
    template: str = "scoring_evidence"
    rubric: str | None = None
    system: str | None = None
    family: str | None = None
    protocol: str = "mec_bpc"
    samples: int = 3
    state: ModelState = "active"
    reason: str | None = None
    fingerprint: str | None = None
    created_at: str = ""
