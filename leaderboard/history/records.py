"""What goes into the history and comes out of it, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

Row = dict[str, Any]

Board = Literal["validated", "screened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """A model's row in a fit. Ratings and bounds in Elo points; None where they cannot be given, with the reason.

    `rank` counts within the component from 1; None without a match. `usd_per_verdict` is None where a price is unknown.
    """

    model: str
    rating: float | None
    lower: float | None = None
    upper: float | None = None
    interval_reason: str | None = None
    rank: int | None = None
    rank_lower: int | None = None
    rank_upper: int | None = None
    rank_reason: str | None = None
    n: int = 0
    component: int | None = None
    flags: tuple[str, ...] = ()
    wins: int = 0
    losses: int = 0
    ties: int = 0
    usd_per_verdict: Decimal | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRecord:
    """One estimation of ratings. `board` is the list it makes, `gate` the judge's swap-consistency gate.

    `head` is any JSON that belongs above the list; its `notes` (texts for the reader) are shown with the board.
    """

    id: str
    fitted_at: str
    run: str | None
    judge: str | None
    fingerprint: str | None
    scope: str = "overall"
    board: Board
    method: str
    policy: str
    prior: float | None
    anchor: str | None = None
    n_battles: int
    n_prompts: int
    components: int
    simulated: bool
    gate: Mapping[str, object] | None = None
    head: Mapping[str, object] = field(default_factory=dict)
    standings: tuple[StandingRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A published copy of the history: `id` is the file's stem, `bytes` its size."""

    id: str
    path: Path
    published_at: datetime
    bytes: int


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A model's text for one turn, and the call that brought it."""

    turn: int
    text: str
    call: str


@dataclass(frozen=True, slots=True)
class VerdictColumns:
    """Decided verdicts of one judge and stage, column by column, ordered by (prompt_id, model_a, model_b).

    `outcome` is under policy `tie`. `judging_usd` is what the readings behind a model's verdicts cost, `answering_usd`
    what its answers cost; None where a price is unknown.
    """

    prompt_id: list[str]
    model_a: list[str]
    model_b: list[str]
    outcome: list[str]
    simulated: list[bool]
    judging_usd: dict[str, Decimal | None]
    answering_usd: dict[str, Decimal | None]


@dataclass(frozen=True, slots=True)
class BiasRow:
    """One reading of a validation pairing, with what the bias report groups by. Scores are None when unreadable."""

    pairing: str
    prompt_id: str
    category: str | None
    language: str | None
    model_a: str
    model_b: str
    shown_first: Literal["a", "b"]
    sample: int
    state: Literal["read", "unreadable"]
    score_a: Decimal | None
    score_b: Decimal | None
    protocol: str
    asked: int
