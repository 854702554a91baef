"""What goes into the history and comes out of it, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leaderboard.core.judged import Judged

Row = dict[str, Any]

Board = Literal["validated", "screened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRow:
    """A model's row in a fit. Ratings and bounds in Elo points; None where they cannot be given, with the reason.

    `rank` counts within the component from 1; None without a match. `usd_per_verdict` is None where a price is unknown.
    `tier`: from 1. `p_top1`, `p_topk`: chances, approximate. `expected_next`: expected share (0 to 1) against the model
    ranked next below in the same component. `more_pairings`: on new prompts, to separate the two; None with
    `more_reason`.
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
    tier: int | None = None
    p_top1: float | None = None
    p_topk: float | None = None
    expected_next: float | None = None
    more_pairings: int | None = None
    more_reason: str | None = None


@dataclass(frozen=True, slots=True)
class FitKey:
    """Which stored fit of a judge is meant. `scope`: `overall`, `category=X`, `language=X`, `group=X`.

    `policy` is None with method `joint`, which takes every order outcome as it is; `control="length"` goes with it.
    """

    scope: str = "overall"
    method: str = "bt"
    policy: str | None = "tie"
    control: str | None = None


OVERALL = FitKey()
"""The board that is shown unless another is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRecord:
    """One estimation of ratings. `board` is the list it makes, `gate` the judge's swap-consistency gate.

    `head` is any JSON that belongs above the list; its `notes` (texts for the reader) are shown with the board.
    `policy`, `control`: see FitKey. `failure` says why a fit could not be made: it has no standings, and the last one
    that was made stays the board.
    """

    id: str
    fitted_at: str
    run: str | None
    judge: str | None
    fingerprint: str | None
    scope: str = "overall"
    board: Board
    method: str
    policy: str | None
    prior: float | None
    anchor: str | None = None
    control: str | None = None
    n_battles: int
    n_prompts: int
    components: int
    simulated: bool
    gate: Mapping[str, object] | None = None
    head: Mapping[str, object] = field(default_factory=dict)
    standings: tuple[StandingRow, ...] = ()
    failure: str | None = None

    @property
    def key(self) -> FitKey:
        return FitKey(self.scope, self.method, self.policy, self.control)


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
class PromptFacts:
    """What a prompt's verdicts can be grouped by; None where the prompt does not say."""

    id: str
    category: str | None = None
    language: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RatingFacts:
    """Every verdict of a judge's fingerprint and stage, incomplete ones among them, by ascending verdict id.

    `judged.prompt` indexes `prompts`. By row: `nano_usd` is what its readings cost in 1e-9 USD, -1 where unknown;
    `simulated`; `length_a`, `length_b`: characters of each model's newest answer, all turns, 0 where there is no text
    (None: not asked for).
    """

    judged: Judged
    prompts: tuple[PromptFacts, ...]
    nano_usd: NDArray[np.int64]
    simulated: NDArray[np.bool_]
    length_a: NDArray[np.int64] | None = None
    length_b: NDArray[np.int64] | None = None


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
