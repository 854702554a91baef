"""Sums of score rows over prompts: what the joint model's clustered errors are made of.

A table (prompts, columns) is filled by one pass of `bincount` where it is small enough to be kept whole; else sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaderboard.core.as_seen import Rows
from leaderboard.core.davidson import Expected

if TYPE_CHECKING:
    from typing import Any

    from leaderboard.core.matrix import Bools, Floats, Indices

DENSE = 10_000_000
"""Entries up to which a table is kept whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """On how many prompts there are battles: `own` of each model, `component` of any model of each model's component,
    `judge` with a known position of each judge, `all` at all.
    """

    own: tuple[int, ...]
    component: tuple[int, ...]
    judge: tuple[int, ...]
    all: int


def clustered(
    rows: Rows, cluster: Indices, found: Expected, free: Bools, component: Sequence[int], dense: int = DENSE
) -> tuple[Floats, Reach]:
    """Sum over prompts of u u' (free, free), u a prompt's summed scores in all free parameters; and the reach.

    `found`: what is expected of each row.
    """
    import numpy as np

    lead, tie = rows.weighted(rows.lead - found.lead), rows.weighted(rows.ties - found.tie)
    prompts, judges = int(cluster.max(initial=-1)) + 1, rows.judges
    theta, touched = _models(rows, cluster, prompts, lead, dense)
    beta = np.zeros(prompts) if rows.covariate is None else np.bincount(cluster, lead * rows.covariate, prompts)
    parts = [
        theta,
        _sums(cluster, rows.judge, (prompts, judges), lead * rows.known, dense),
        _sums(cluster, rows.judge, (prompts, judges), tie, dense),
        beta[:, None],
    ]
    summed = np.block([[_product(one, other) for other in parts] for one in parts])[np.ix_(free, free)]
    placed = _sums(cluster, rows.judge, (prompts, judges), rows.known, dense)
    return summed, _reach(touched, placed, component)


def _sums(cluster: Indices, column: Indices, shape: tuple[int, int], values: Floats | Bools, dense: int) -> Any:
    import numpy as np
    from scipy.sparse import coo_array

    if shape[0] * shape[1] > dense:
        return coo_array((values.astype(float), (cluster, column)), shape=shape).tocsr()
    return np.bincount(_number(cluster, column, shape[1]), values, shape[0] * shape[1]).reshape(shape)


def _models(rows: Rows, cluster: Indices, prompts: int, lead: Floats, dense: int) -> tuple[Any, Any]:
    """Scores by prompt and model, + for first and - for second; and which models each prompt has."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array

    shape = (prompts, rows.models)
    if shape[0] * shape[1] > dense:
        at = (np.concatenate([cluster, cluster]), np.concatenate([rows.first, rows.second]))
        theta = coo_array((np.concatenate([lead, -lead]), at), shape=shape).tocsr()
        return theta, csr_array((np.ones(len(theta.data)), theta.indices, theta.indptr), shape=shape)
    summed, touched = np.zeros(shape[0] * shape[1]), np.zeros(shape[0] * shape[1], dtype=bool)
    for column, sign in ((rows.first, 1), (rows.second, -1)):
        number = _number(cluster, column, rows.models)
        summed += sign * np.bincount(number, lead, len(summed))
        touched[number] = True
    return summed.reshape(shape), touched.reshape(shape)


def _number(cluster: Indices, column: Indices, width: int) -> Indices:
    if width == 1:
        return cluster
    number = cluster.astype("int64")
    number *= width
    number += column
    return number


def _product(one: Any, other: Any) -> Floats:
    from scipy.sparse import issparse

    product = one.T @ other
    found: Floats = product.toarray() if issparse(product) else product
    return found


def _reach(touched: Any, placed: Any, component: Sequence[int]) -> Reach:
    import numpy as np

    numbers = np.asarray(component)
    by_component = np.zeros(len(numbers), dtype=int)
    for number in np.unique(numbers):
        members = np.flatnonzero(numbers == number)
        by_component[members] = _filled(touched[:, members])
    own, judges = (np.asarray((table > 0).sum(axis=0)).ravel() for table in (touched, placed))
    return Reach(tuple(own.tolist()), tuple(by_component.tolist()), tuple(judges.tolist()), _filled(touched))


def _filled(table: Any) -> int:
    """How many rows of a table hold anything."""
    import numpy as np

    return int(np.count_nonzero(table.sum(axis=1)))
