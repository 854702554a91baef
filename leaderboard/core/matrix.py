"""Battles as arrays, and the win matrix that every fit starts from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from leaderboard.core.types import Outcome

if TYPE_CHECKING:
    import numpy as np
    from _typeshed import DataclassInstance
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Indices = NDArray[np.integer[Any]]
    Signs = NDArray[np.int8]
    Bools = NDArray[np.bool_]

SCORES: dict[str, float] = {Outcome.A.value: 1.0, Outcome.TIE.value: 0.5, Outcome.B.value: 0.0}

T = TypeVar("T", bound="DataclassInstance")

ROWS_AT_ONCE = 1 << 19
"""Rows are summed in slices of this length, so that ten million rows of small types stay small."""

BY_ROW = ("a", "b", "score", "weight", "cluster", "first", "judge", "covariate")

Row = tuple[str | None, str, str, float]
"""(prompt id, model a, model b, a's share)."""


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """One row a battle. `a`, `b` index `models`; `score` is a's share in [0, 1]; `weight` multiplies the row (None: 1).

    `cluster` numbers the rows' prompts from 0 (gaps are fine), or is None where prompts are unknown: then there are no
    intervals. For the joint model: `first` is +1 where the judge saw a first, -1 where b, 0 where nobody knows (None:
    nowhere known); `judge` indexes `judges` (None: all rows are of the first one); `covariate` is a's value minus b's.
    Index columns may be of any integer type, the others of any number type: small ones keep ten million rows small.
    Raises ValueError for columns of different length, an index without a model, a self-battle, a score or a weight out
    of range.
    """

    models: tuple[str, ...]
    a: Indices
    b: Indices
    score: Floats
    weight: Floats | None = None
    cluster: Indices | None = None
    first: Signs | None = None
    judge: Indices | None = None
    judges: tuple[str | None, ...] = (None,)
    covariate: Floats | None = None

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name in BY_ROW if (column := getattr(self, name)) is not None}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")
        if not (_within(self.a, 0, len(self.models) - 1) and _within(self.b, 0, len(self.models) - 1)):
            raise ValueError(f"a and b must index the {len(self.models)} models")
        if (self.a == self.b).any():
            raise ValueError(f"{self.models[int(self.a[(self.a == self.b).argmax()])]!r} cannot meet itself")
        if not _within(self.score, 0, 1):
            raise ValueError("a score must lie between 0 and 1")
        if self.weight is not None and not _within(self.weight, 0, math.inf, open_end=True):
            raise ValueError("a weight must be a finite number, 0 or more")
        if self.cluster is not None and not _within(self.cluster, 0, math.inf):
            raise ValueError("prompts are numbered from 0")

    def __len__(self) -> int:
        return len(self.a)

    @property
    def n_prompts(self) -> int | None:
        """How many prompts have a battle; None where prompts are unknown."""
        return None if self.cluster is None else int(numbers_met(self.cluster).sum())

    def weighty(self) -> Battles:
        """The same field without the rows of weight 0: they are no evidence."""
        return self if self.weight is None or self.weight.all() else self.where(self.weight > 0)

    def where(self, rows: Any) -> Battles:
        """The same field with these rows alone: a mask or indices."""
        return at_rows(self, BY_ROW, rows)


def at_rows(table: T, columns: Iterable[str], rows: Any) -> T:
    """The same frozen value with these rows of its columns alone: a mask or indices. Absent columns stay absent."""
    return replace(table, **{name: taken(getattr(table, name), rows) for name in columns})


def taken(column: Any, rows: Any) -> Any:
    """These rows of a column, or None where there is no column."""
    return None if column is None else column[rows]


def _within(column: Any, least: float, most: float, *, open_end: bool = False) -> bool:
    """Whether all values lie in [least, most], or [least, most); NaN does not. No temporary columns."""
    if not len(column):
        return True
    largest = column.max()
    return bool(column.min() >= least and (largest < most if open_end else largest <= most))


def slices(rows: int) -> Iterator[slice]:
    """The rows in parts of at most ROWS_AT_ONCE."""
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, rows, ROWS_AT_ONCE))


def numbers_met(column: Indices) -> Bools:
    """Shape (largest number + 1,): which numbers the column holds."""
    import numpy as np

    met = np.zeros(int(column.max(initial=-1)) + 1, dtype=bool)
    for part in slices(len(column)):
        met[column[part]] = True
    return met


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
        weight=None if weight is None else np.asarray(weight, dtype=float),
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
    won, lost = np.zeros(n * n), np.zeros(n * n)
    for part in slices(len(battles)):
        pair = battles.a[part].astype(np.intp) * n + battles.b[part].astype(np.intp)
        score = battles.score[part].astype(float)
        weight = 1.0 if battles.weight is None else battles.weight[part]
        np.add.at(won, pair, weight * score)
        np.add.at(lost, pair, weight * (1 - score))
    wins: Floats = won.reshape(n, n) + lost.reshape(n, n).T
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

    lost_tied_won = np.zeros((len(battles.models), 3), dtype=np.intp)
    counts = lost_tied_won.reshape(-1)
    for part in slices(len(battles)):
        score = battles.score[part]
        outcome = (score >= 0.5).astype(np.intp) + (score > 0.5)
        counts += np.bincount(battles.a[part].astype(np.intp) * 3 + outcome, minlength=len(counts))
        counts += np.bincount(battles.b[part].astype(np.intp) * 3 + (2 - outcome), minlength=len(counts))
    return tuple(Record(lost + tied + won, won, lost, tied) for lost, tied, won in lost_tied_won.tolist())
