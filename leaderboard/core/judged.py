"""Verdicts as arrays: what the policies make of a million pairings at once.

`core.calibration` settles one pairing from its readings, exactly; here the settled outcomes stand side by side. Both
speak of the same policies, and a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leaderboard.core.matrix import Battles, at_rows, taken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leaderboard.core.matrix import Floats, Indices

    Codes = NDArray[np.int8]

MISSING = -1
"""The code of an outcome that is not there."""

BY_ROW = (
    "a",
    "b",
    "prompt",
    "outcome",
    "outcome_score",
    "soft",
    "consistent",
    "ab",
    "ba",
    "weight",
    "judge",
    "covariate",
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Judged:
    """One row a pairing. `a`, `b` index `models`, `prompt` numbers prompts from 0 (None: unknown).

    `outcome` (policy tie), `outcome_score`, `ab`, `ba` (the two orders' outcomes): twice a's share, MISSING (-1) where
    there is none; `soft`: four times a's share under policy soft, or MISSING; `consistent`: 1, 0, or MISSING where an
    order is missing or was never asked for. `covariate`: a's value minus b's.
    """

    models: tuple[str, ...]
    a: Indices
    b: Indices
    prompt: Indices | None
    outcome: Codes
    outcome_score: Codes
    soft: Codes
    consistent: Codes
    ab: Codes
    ba: Codes
    weight: Floats | None = None
    judge: Indices | None = None
    judges: tuple[str | None, ...] = (None,)
    covariate: Floats | None = None

    def __len__(self) -> int:
        return len(self.a)

    def where(self, rows: Any) -> Judged:
        """The same field with these rows alone: a mask or indices."""
        return at_rows(self, BY_ROW, rows)


def _tie(judged: Judged) -> tuple[Codes, int]:
    return judged.outcome, 2


def _score(judged: Judged) -> tuple[Codes, int]:
    return judged.outcome_score, 2


def _soft(judged: Judged) -> tuple[Codes, int]:
    return judged.soft, 4


def _drop(judged: Judged) -> tuple[Codes, int]:
    import numpy as np

    dropped: Codes = np.where(judged.consistent == 0, np.int8(MISSING), judged.outcome)
    return dropped, 2


SHARES: dict[str, Callable[[Judged], tuple[Codes, int]]] = {"tie": _tie, "score": _score, "soft": _soft, "drop": _drop}
"""By policy: each pairing's worth for a as whole parts (MISSING: counts for nothing), and how many parts make one."""


def under_policy(judged: Judged, policy: str) -> Battles:
    """The decided pairings as battles, worth what the policy says. Incomplete ones are left out."""
    import numpy as np

    parts, whole = SHARES[policy](judged)
    rows = np.flatnonzero(parts != MISSING)
    return Battles(
        models=judged.models,
        a=judged.a[rows],
        b=judged.b[rows],
        score=(parts[rows] / whole).astype(np.float32),
        weight=taken(judged.weight, rows),
        cluster=taken(judged.prompt, rows),
        judge=taken(judged.judge, rows),
        judges=judged.judges,
        covariate=taken(judged.covariate, rows),
    )


def by_order(judged: Judged) -> Battles:
    """Every readable order outcome as a battle of its own, for the joint model: both orders of a pairing are two rows.

    A pairing of identical answers has no order outcome and no row: no judge was asked.
    """
    import numpy as np

    shown = [(judged.ab, 1), (judged.ba, -1)]
    found = [(np.flatnonzero(codes != MISSING), codes, sign) for codes, sign in shown]
    rows = np.concatenate([at for at, _, _ in found])
    return Battles(
        models=judged.models,
        a=judged.a[rows],
        b=judged.b[rows],
        score=np.concatenate([codes[at] / np.float32(2) for at, codes, _ in found]),
        weight=taken(judged.weight, rows),
        cluster=taken(judged.prompt, rows),
        first=np.concatenate([np.full(len(at), sign, dtype=np.int8) for at, _, sign in found]),
        judge=taken(judged.judge, rows),
        judges=judged.judges,
        covariate=taken(judged.covariate, rows),
    )
