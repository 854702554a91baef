"""Battles as arrays, and the win matrix that every fit starts from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.types import Outcome

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.intp]

SCORES: dict[str, float] = {Outcome.A.value: 1.0, Outcome.TIE.value: 0.5, Outcome.B.value: 0.0}

Row = tuple[str | None, str, str, float]
"""(prompt id, model a, model b, a's share)."""


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """One row a battle. `a`, `b` index `models`; `score` is a's share in [0, 1]; `weight` multiplies the row.

    `cluster` numbers the rows' prompts from 0, or is None where prompts are unknown: then there are no intervals.
    """

    models: tuple[str, ...]
    a: Indices
    b: Indices
    score: Floats
    weight: Floats
    cluster: Indices | None

    def __post_init__(self) -> None:
        if (self.a == self.b).any():
            raise ValueError(f"{self.models[int(self.a[self.a == self.b][0])]!r} cannot meet itself")
        if not ((self.score >= 0) & (self.score <= 1)).all():
            raise ValueError("a score must lie between 0 and 1")
        if not ((self.weight >= 0) & (self.weight < float("inf"))).all():
            raise ValueError("a weight must be a finite number, 0 or more")

    def __len__(self) -> int:
        return len(self.a)


def battles_from_columns(
    prompts: Sequence[str | None] | None,
    model_a: Sequence[str],
    model_b: Sequence[str],
    score: Sequence[float] | Floats,
    *,
    weight: Sequence[float] | Floats | None = None,
    models: Iterable[str] = (),
) -> Battles:
    """Battles from equally long columns. `models` adds contestants that may have no battle.

    Models are numbered by id, so neither the order of rows nor who is named first changes a fit. One unknown prompt
    makes all clusters unknown. Raises ValueError for a self-battle, a score outside [0, 1] or a bad weight.
    """
    import numpy as np

    if not len(model_a) == len(model_b) == len(score):
        raise ValueError(f"columns differ in length: {len(model_a)}, {len(model_b)}, {len(score)}")
    names = tuple(sorted({*models, *model_a, *model_b}))
    return Battles(
        models=names,
        a=_numbered(model_a, names),
        b=_numbered(model_b, names),
        score=np.asarray(score, dtype=float),
        weight=np.ones(len(score)) if weight is None else np.asarray(weight, dtype=float),
        cluster=None if prompts is None or None in (known := set(prompts)) else _numbered(prompts, sorted(known)),  # type: ignore[type-var]
    )


def battles_from_rows(rows: Iterable[Row], models: Iterable[str] = ()) -> Battles:
    """Battles from (prompt id, model a, model b, a's share); see `battles_from_columns`."""
    listed = list(rows)
    prompts, model_a, model_b, score = ([row[column] for row in listed] for column in range(4))
    return battles_from_columns(prompts, model_a, model_b, score, models=models)  # type: ignore[arg-type]


def _numbered(values: Sequence[str | None], names: Sequence[str | None]) -> Indices:
    import numpy as np

    number = {name: index for index, name in enumerate(names)}
    return np.fromiter(map(number.__getitem__, values), dtype=np.intp, count=len(values))


def win_matrix(battles: Battles) -> Floats:
    """Shape (n, n): entry i, j is the sum of i's shares against j, each times its row's weight."""
    import numpy as np

    n = len(battles.models)
    won = np.bincount(battles.a * n + battles.b, battles.weight * battles.score, n * n)
    lost = np.bincount(battles.b * n + battles.a, battles.weight * (1 - battles.score), n * n)
    wins: Floats = (won + lost).astype(float).reshape(n, n)
    return wins


@dataclass(frozen=True, slots=True)
class Record:
    """A model's battles by outcome: a share above one half is a win, below it a loss. Weights do not count here."""

    n: int
    wins: int
    losses: int
    ties: int


def records(battles: Battles) -> tuple[Record, ...]:
    """One record a model, in the order of `battles.models`."""
    import numpy as np

    n = len(battles.models)
    better, worse = battles.score > 0.5, battles.score < 0.5
    wins = np.bincount(battles.a[better], minlength=n) + np.bincount(battles.b[worse], minlength=n)
    losses = np.bincount(battles.a[worse], minlength=n) + np.bincount(battles.b[better], minlength=n)
    played = np.bincount(battles.a, minlength=n) + np.bincount(battles.b, minlength=n)
    columns = (played, wins, losses, played - wins - losses)
    return tuple(Record(*(int(column[i]) for column in columns)) for i in range(n))
