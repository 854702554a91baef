"""Sums of scores over prompts: what errors clustered by prompt are made of.

A table (prompts, columns) is kept whole where it is small, else sparse.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from leaderboard.core.matrix import numbers_met

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Floats, Indices

WHOLE_CELLS = 1_000_000
CELLS_A_ROW = 3
"""A table is kept whole up to the size that its sparse form would have."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """On how many prompts there are battles: `own` of each model, `component` of any model of each model's component
    (its G), `all` at all; `judge` of each judge with a known position, in the joint model.
    """

    own: tuple[int, ...]
    component: tuple[int, ...]
    all: int
    judge: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSums:
    """`outer`: the sum over prompts of u u', u a prompt's summed scores in the parameters; and the prompts' reach."""

    outer: Floats
    reach: Reach


class Part(NamedTuple):
    """Some rows, all (r,): what to add to `plus` and take from `minus` on `prompt`."""

    prompt: Indices
    plus: Indices
    minus: Indices
    score: Floats


class ByModel(NamedTuple):
    """Tables (prompts, models): the summed scores, and where a model has a row at all. Both whole or both sparse."""

    sums: Any
    met: Any


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """The prompts that occur: `count`, and where the numbers they go by have gaps, their `place` from 0 without any."""

    count: int
    place: Indices | None

    @classmethod
    def among(cls, cluster: Indices) -> Prompts:
        """Of a column of prompt numbers."""
        import numpy as np

        met = numbers_met(cluster)
        count = int(met.sum())
        return cls(count, None if count == len(met) else np.cumsum(met) - 1)

    def places(self, cluster: Indices) -> Indices:
        """The place of each row's prompt."""
        import numpy as np

        return cluster.astype(np.intp) if self.place is None else self.place.take(cluster)


def by_model(parts: Iterable[Part], shape: tuple[int, int], rows: int) -> ByModel:
    """The table of rows that come in parts, `rows` in all; parts keep ten million of them small."""
    return _whole(parts, shape) if _is_small(shape, rows) else _sparse(parts, shape)


def by_column(prompt: Indices, column: Indices, values: Floats | Bools, shape: tuple[int, int]) -> Any:
    """The table of rows that each have one column: `values` (r,) summed, whole or sparse."""
    import numpy as np
    from scipy.sparse import coo_array

    if not _is_small(shape, len(prompt)):
        return coo_array((values.astype(float), (prompt, column)), shape=shape).tocsr()
    cell = prompt if shape[1] == 1 else prompt * shape[1] + column
    return np.bincount(cell, values, shape[0] * shape[1]).reshape(shape)


def product(one: Any, other: Any) -> Floats:
    """one' other, of tables in either form."""
    from scipy.sparse import issparse

    found = one.T @ other
    dense: Floats = found.toarray() if issparse(found) else found
    return dense


def reach(met: Any, component: Sequence[int]) -> Reach:
    """From the table of who has a row where. `component`: of each model, numbered from 0."""
    import numpy as np
    from scipy.sparse import issparse

    numbers = np.asarray(component, dtype=int)
    own = np.bincount(met.indices, minlength=len(numbers)) if issparse(met) else np.count_nonzero(met, axis=0)
    filled = np.count_nonzero(np.diff(met.indptr)) if issparse(met) else np.count_nonzero(met.any(axis=1))
    together = _of_components(met, numbers)[numbers]
    return Reach(tuple(own.tolist()), tuple(together.tolist()), int(filled))


def _of_components(met: Any, numbers: Indices) -> Indices:
    """Shape (components,): on how many prompts each has a row."""
    import numpy as np
    from scipy.sparse import csc_array, issparse

    n, count = len(numbers), int(numbers.max(initial=-1)) + 1
    if issparse(met):
        inside = csc_array((np.ones(n), (np.arange(n), numbers)), shape=(n, count))
        together: Indices = np.diff((met @ inside).tocsc().indptr)
        return together
    filled = [np.count_nonzero(met[:, numbers == number].any(axis=1)) for number in range(count)]
    return np.asarray(filled, dtype=int)


def _is_small(shape: tuple[int, int], rows: int) -> bool:
    return shape[0] * shape[1] <= max(WHOLE_CELLS, CELLS_A_ROW * rows)


def _whole(parts: Iterable[Part], shape: tuple[int, int]) -> ByModel:
    import numpy as np

    sums, met = np.zeros(shape), np.zeros(shape, dtype=bool)
    for part in parts:
        begins = part.prompt * shape[1]
        for model, change in ((part.plus, part.score), (part.minus, -part.score)):
            cell = begins + model.astype(np.intp)
            np.add.at(sums.reshape(-1), cell, change)
            met.reshape(-1)[cell] = True
    return ByModel(sums, met)


def _sparse(parts: Iterable[Part], shape: tuple[int, int]) -> ByModel:
    """The same where prompts are many and each has few models: one prompt a battle, say."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array

    rows = list(parts)
    prompt = np.concatenate([part.prompt for part in rows] * 2, dtype=np.int32, casting="unsafe")
    model = np.concatenate(
        [part.plus for part in rows] + [part.minus for part in rows], dtype=np.int32, casting="unsafe"
    )
    score = np.concatenate([part.score for part in rows] + [-part.score for part in rows])
    sums = coo_array((score, (prompt, model)), shape=shape).tocsr()
    return ByModel(sums, csr_array((np.ones(len(sums.data)), sums.indices, sums.indptr), shape=shape))
