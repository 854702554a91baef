"""Davidson's model of wins and ties, with what the judge does of its own accord.

The judge saw `first` and `second`; d = theta_first - theta_second + delta_judge + beta * x, and with
Z = e^(d/2) + e^(-d/2) + nu_judge the chances are e^(d/2) / Z (first wins), e^(-d/2) / Z (second), nu / Z (a tie).
Source: Davidson (1970), JASA 65, 317-328; the position effect: Davidson and Beaver (1977), Biometrics 33, 693-702.
It is an exponential family in (theta, delta, log nu, beta): concave, so Newton's steps find the one maximum.

All parameters stand in one vector: theta (n), delta (J), log nu (J), beta (1), for n models and J judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leaderboard.core.strengths import NoFiniteMaximum, NotConverged

if TYPE_CHECKING:
    from leaderboard.core.matrix import Bools, Floats, Indices

STEPS = 200
CLOSE = 1e-9
FLAT = 1e-7
FAR = 0.1
MOST = 700.0
SINGULAR = "its parameters cannot be told apart; weights may be too large or too far apart, or a prior is missing"
TOO_LARGE = "the weights are too large, or too far apart, to reckon with"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table:
    """What was observed, by cell: rows of the same two models, judge and position.

    `first`, `second`, `judge` (m,) index models and judges; `known` (m,) is 1 where `first` was seen first and 0 where
    nobody knows. `weight`, `lead` (half of first's wins minus second's) and `ties` are sums over a cell, all (m,); with
    a `covariate` (first's value minus second's) they are of single rows, all (r,), and `cell` says whose.
    """

    models: int
    judges: int
    first: Indices
    second: Indices
    judge: Indices
    known: Floats
    weight: Floats
    lead: Floats
    ties: Floats
    cell: Indices | None = None
    covariate: Floats | None = None

    @property
    def size(self) -> int:
        """How many parameters there are, used or not."""
        return self.models + 2 * self.judges + 1

    def by_cell(self, values: Floats) -> Floats:
        """Sums over the observations of each cell."""
        import numpy as np

        if self.cell is None:
            return values
        return np.bincount(self.cell, values, minlength=len(self.first)).astype(float, copy=False)

    def by_judge(self, values: Floats) -> Floats:
        """Sums of cells' values over each judge."""
        import numpy as np

        return np.bincount(self.judge, values, minlength=self.judges).astype(float, copy=False)

    def contrasts(self, values: Floats) -> Floats:
        """Shape (J, n): cells' values summed by judge, + for the first model and - for the second."""
        import numpy as np

        at, size = self.judge * self.models, self.judges * self.models
        summed = np.bincount(at + self.first, values, minlength=size)
        summed = summed - np.bincount(at + self.second, values, minlength=size)
        return summed.astype(float, copy=False).reshape(self.judges, self.models)

    def split(self, vector: Floats) -> tuple[Floats, Floats, Floats, float]:
        """theta, delta, log nu, beta."""
        n, judges = self.models, self.judges
        return vector[:n], vector[n : n + judges], vector[n + judges : n + 2 * judges], float(vector[-1])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Held:
    """What keeps parameters from running away: `prior` / 2 phantom wins each way on theta, `ridge` (P,) 1 / variance.

    `level` (n, n) lifts the directions of theta that nothing sets: the common level of each component.
    """

    prior: float
    ridge: Floats
    level: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The penalised log-likelihood at a vector, its gradient (P,) and information (P, P), minus the Hessian."""

    value: float
    gradient: Floats
    information: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where Newton ended, and after how many steps."""

    vector: Floats
    point: Point
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """By observation: the expected lead (P(first) - P(second)) / 2, the chance of a tie, and log Z."""

    lead: Floats
    tie: Floats
    log_z: Floats

    def at(self, cell: Indices) -> Expected:
        """The same by row, where `cell` says whose cell a row is of."""
        return Expected(self.lead[cell], self.tie[cell], self.log_z[cell])


def expected(table: Table, vector: Floats) -> tuple[Floats, Expected]:
    """d and what follows from it, by observation; nothing overflows for any finite d."""
    import numpy as np

    theta, delta, log_nu, beta = table.split(vector)
    d = theta[table.first] - theta[table.second] + delta[table.judge] * table.known
    nu = np.exp(np.minimum(log_nu, MOST))[table.judge]
    if table.cell is not None:
        d, nu = d[table.cell], nu[table.cell]
    if table.covariate is not None:
        d = d + beta * table.covariate
    half = np.abs(d) / 2
    ratio = np.exp(-half)
    tie = nu * ratio
    ratio *= ratio
    z = 1 + ratio + tie
    tie /= z
    lead = np.copysign((1 - ratio) / (2 * z), d)
    return d, Expected(lead, tie, half + np.log(z))


def evaluate(table: Table, vector: Floats, held: Held) -> Point:
    """Value, gradient and information at a vector. Parameters that are not used have log nu = -inf or 0 elsewhere."""
    import numpy as np

    d, found = expected(table, vector)
    log_nu, tied = table.split(vector)[2], table.by_judge(table.by_cell(table.ties))
    value = float(table.lead @ d - table.weight @ found.log_z) + float(tied[tied > 0] @ log_nu[tied > 0])
    lead, tie = table.lead - table.weight * found.lead, table.ties - table.weight * found.tie
    gradient = np.zeros(table.size)
    by_cell = table.by_cell(lead)
    gradient[: table.models] = table.contrasts(by_cell).sum(axis=0)
    gradient[table.models : -1] = np.r_[table.by_judge(by_cell * table.known), table.by_judge(table.by_cell(tie))]
    if table.covariate is not None:
        gradient[-1] = lead @ table.covariate
    return _penalised(Point(value, gradient, _information(table, found)), vector, table.models, held)


def _information(table: Table, found: Expected) -> Floats:
    """Sum of the variances of (lead, tie) over the observations, as the parameters see them."""
    import numpy as np

    lead = table.weight * ((1 - found.tie) / 4 - found.lead**2)
    both = -table.weight * found.lead * found.tie
    cell_lead, cell_both = table.by_cell(lead), table.by_cell(both)
    cell_tie = table.by_cell(table.weight * found.tie * (1 - found.tie))
    n, known = table.models, table.known
    delta, log_nu = slice(n, n + table.judges), slice(n + table.judges, n + 2 * table.judges)
    informed = np.zeros((table.size, table.size))
    informed[:n, :n] = laplacian(table, cell_lead)
    informed[delta, :n], informed[log_nu, :n] = table.contrasts(cell_lead * known), table.contrasts(cell_both)
    informed[delta, delta] = np.diag(table.by_judge(cell_lead * known))
    informed[log_nu, delta] = np.diag(table.by_judge(cell_both * known))
    informed[log_nu, log_nu] = np.diag(table.by_judge(cell_tie))
    if table.covariate is not None:
        informed[-1, :-1] = _with_covariate(table, lead * table.covariate, both * table.covariate)
        informed[-1, -1] = lead @ table.covariate**2
    lower = np.tril(informed)
    full: Floats = lower + np.tril(informed, -1).T
    return full


def even_information(table: Table) -> Floats:
    """What one observation of each kind tells at even chances: its range is what can be estimated at all."""
    import numpy as np

    nothing = np.zeros(len(table.weight))
    return _information(replace(table, weight=np.ones(len(table.weight))), Expected(nothing, nothing, nothing))


def laplacian(table: Table, values: Floats) -> Floats:
    """Shape (n, n): the sum over cells of value * (e_first - e_second)(e_first - e_second)'."""
    import numpy as np

    n = table.models
    met = np.bincount(table.first * n + table.second, values, minlength=n * n).reshape(n, n)
    met = met + met.T
    found: Floats = np.diag(met.sum(axis=1)) - met
    return found


def _with_covariate(table: Table, lead: Floats, both: Floats) -> Floats:
    import numpy as np

    cell_lead, cell_both = table.by_cell(lead), table.by_cell(both)
    theta = table.contrasts(cell_lead).sum(axis=0)
    row: Floats = np.r_[theta, table.by_judge(cell_lead * table.known), table.by_judge(cell_both)]
    return row


def _penalised(point: Point, vector: Floats, models: int, held: Held) -> Point:
    import numpy as np
    from scipy.special import expit, log_expit

    theta, ridged = vector[:models], np.where(held.ridge > 0, vector, 0.0)
    phantom = held.prior / 2 * float((log_expit(theta) + log_expit(-theta)).sum())
    gradient = point.gradient - held.ridge * ridged
    gradient[:models] += held.prior * (0.5 - expit(theta))
    informed = point.information + np.diag(held.ridge)
    informed[:models, :models] += np.diag(held.prior * expit(theta) * expit(-theta)) + held.level
    return Point(point.value + phantom - float(held.ridge @ ridged**2) / 2, gradient, informed)


def maximise(table: Table, start: Floats, free: Bools, held: Held, names: Sequence[str]) -> Maximum:
    """Newton from `start` over the `free` parameters, steps halved while they lower the likelihood.

    Raises NoFiniteMaximum, naming a model (or else another of the parameters' `names`), where the likelihood is flat
    and the steps go on; NotConverged if they never end, or where nothing says which way to go.
    """
    import numpy as np

    vector, point = start, evaluate(table, start, held)
    used, bound = np.ix_(free, free), FLAT * min(1.0, float(table.weight.sum()) / max(1, len(table.weight)))
    for step in range(1, STEPS + 1):
        move = np.zeros(table.size)
        move[free] = _solved(point.information[used], point.gradient[free])
        size = float(np.abs(move).max())
        if not np.isfinite(size):
            raise NotConverged(f"the joint model did not converge: {TOO_LARGE}")
        if size <= CLOSE:
            return Maximum(vector, point, step)
        if size > FAR and np.abs(point.gradient[free]).max() < bound:
            raise NoFiniteMaximum(f"no finite maximum without a prior: {_runaway(move, table, names)} has no bound")
        vector, point = _climbed(table, vector, point, move, held)
    raise NotConverged(f"the joint model did not converge in {STEPS} Newton steps")


def _solved(informed: Floats, gradient: Floats) -> Floats:
    import numpy as np

    try:
        return np.linalg.solve(informed, gradient).astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        raise NotConverged(f"the joint model did not converge: {SINGULAR}") from None


def _climbed(table: Table, vector: Floats, point: Point, move: Floats, held: Held) -> tuple[Floats, Point]:
    import numpy as np

    noise = 1e-12 * abs(point.value)
    there = evaluate(table, vector + move, held)
    while not there.value >= point.value - noise and np.abs(move).max() > CLOSE:
        move = move / 2
        there = evaluate(table, vector + move, held)
    return vector + move, there


def _runaway(move: Floats, table: Table, names: Sequence[str]) -> str:
    import numpy as np

    size = np.abs(move)
    models = size[: table.models]
    return names[int(models.argmax() if models.max(initial=0.0) > FAR / 10 else size.argmax())]
