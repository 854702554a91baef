"""Battles as the judge saw them: which model stood first, what came of it, and the same counted by cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from leaderboard.core.davidson import Table
from leaderboard.core.matrix import Battles, at_rows

if TYPE_CHECKING:
    from typing import Any

    from leaderboard.core.matrix import Bools, Floats, Indices

MOST_CELLS = 4_000_000
BY_ROW = ("first", "second", "judge", "known", "lead", "weight", "cluster", "covariate")


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """One row a battle, all columns (r,). `first` was seen first where `known`, else the two stand as given.

    `lead`: 1/2 where first won, -1/2 where second did, 0 for a tie. `covariate`: first's value minus second's.
    """

    models: int
    judges: int
    first: Indices
    second: Indices
    judge: Indices
    known: Bools
    lead: Floats
    weight: Floats | None
    cluster: Indices | None
    covariate: Floats | None

    @cached_property
    def ties(self) -> Floats:
        """1 for a tie, else 0."""
        found: Floats = (self.lead == 0).astype(float)
        return found

    def where(self, rows: Bools) -> Rows:
        """The same with these rows alone."""
        return at_rows(self, BY_ROW, rows)

    def weighted(self, values: Floats) -> Floats:
        """Values by row, each times its row's weight."""
        return values if self.weight is None else values * self.weight

    @cached_property
    def _cells(self) -> tuple[Indices, Indices]:
        """Which cells there are, as numbers that say judge, position and models; and the place of each row's cell."""
        import numpy as np

        n, number = self.models, self.judge.astype(np.int64)
        for size, column in ((2, self.known), (n, self.first), (n, self.second)):
            number *= size
            number += column
        space = 2 * self.judges * n * n
        if space > MOST_CELLS:
            found, place = np.unique(number, return_inverse=True)
            return found, place
        met = np.bincount(number, minlength=space) > 0
        return np.flatnonzero(met), (np.cumsum(met) - 1)[number]

    @property
    def cell(self) -> Indices:
        """Of each row, where its cell stands in `table`."""
        return self._cells[1]

    @cached_property
    def table(self) -> Table:
        """The counts by cell: everything a fit without covariate needs, whatever the number of rows."""
        import numpy as np

        numbers, cell = self._cells
        n, size = self.models, len(numbers)
        return Table(
            models=n,
            judges=self.judges,
            first=numbers // n % n,
            second=numbers % n,
            judge=numbers // (2 * n * n),
            known=(numbers // (n * n) % 2).astype(float),
            weight=np.bincount(cell, self.weight, minlength=size).astype(float),
            lead=np.bincount(cell, self.weighted(self.lead), minlength=size).astype(float),
            ties=np.bincount(cell, self.weighted(self.ties), minlength=size).astype(float),
        )

    @property
    def by_row(self) -> Table:
        """The table with its covariate: what was observed stands by row."""
        import numpy as np

        weight = np.ones(len(self.lead)) if self.weight is None else self.weight
        return replace(
            self.table,
            weight=weight,
            lead=self.weighted(self.lead),
            ties=self.weighted(self.ties),
            cell=self.cell,
            covariate=self.covariate,
        )


def as_seen(battles: Battles, *, controlled: bool) -> Rows:
    """The rows that weigh something, with the model first that was shown first.

    ValueError for a score that is no win, tie or loss.
    """
    import numpy as np

    battles = battles.weighty()
    lead = np.asarray(battles.score, dtype=float) - 0.5
    if (odd := (lead != 0) & (np.abs(lead) != 0.5)).any():
        share = float(battles.score[odd][0])
        raise ValueError(f"the joint model takes wins, ties and losses as they are, not a share of {share:g}")
    first = np.zeros(len(battles), dtype=np.int8) if battles.first is None else np.asarray(battles.first)
    turned = first < 0
    return Rows(
        models=len(battles.models),
        judges=len(battles.judges),
        first=np.where(turned, battles.b, battles.a),
        second=np.where(turned, battles.a, battles.b),
        judge=np.zeros(len(battles), dtype=np.int8) if battles.judge is None else np.asarray(battles.judge),
        known=first != 0,
        lead=np.where(turned, -lead, lead),
        weight=None if battles.weight is None else np.asarray(battles.weight, dtype=float),
        cluster=battles.cluster,
        covariate=_covariate(battles, turned) if controlled else None,
    )


def _covariate(battles: Battles, turned: Bools) -> Any:
    import numpy as np

    if battles.covariate is None:
        raise ValueError("there is no covariate to control for")
    values = np.asarray(battles.covariate, dtype=float)
    if not np.isfinite(values).all():
        raise ValueError("a covariate must be a finite number")
    return np.where(turned, -values, values)
