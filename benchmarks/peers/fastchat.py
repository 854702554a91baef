"""The two methods of FastChat's leaderboards, written anew after what they do; FastChat itself is not needed.

The first (fschat 0.2.36): logistic regression on a dense design, every battle twice, a tie as one win and one loss,
with scikit-learn's default penalty. The later one: distinct (a, b, outcome) rows with their counts, by L-BFGS-B, and a
multinomial bootstrap of those counts.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def dense(folder: Path, size: Size, rounds: int) -> Work:
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    a, b, winner = (np.load(folder / f"{name}.npy") for name in ("a", "b", "winner"))

    def work() -> Floats:
        row = np.arange(len(a))
        once = np.zeros((len(a), size.models))
        once[row, a], once[row, b] = math.log(10), -math.log(10)
        won = np.concatenate([winner != 2, winner == 1])
        fitted = LogisticRegression(fit_intercept=False).fit(np.concatenate([once, once]), won)
        points: Floats = 400 * fitted.coef_[0]
        return points

    return work


def aggregated(folder: Path, size: Size, rounds: int) -> Work:
    frame = _frame(folder)
    return lambda: _maximum(*_counted(frame), size.models)


def bootstrap(folder: Path, size: Size, rounds: int) -> Work:
    import numpy as np

    frame = _frame(folder)

    def work() -> Floats:
        cells, counts = _counted(frame)
        drawn = np.random.default_rng(0).multinomial(int(counts.sum()), counts / counts.sum(), rounds)
        found = np.array([_maximum(cells[kept > 0], kept[kept > 0], size.models) for kept in drawn])
        if not np.isfinite(np.quantile(found, [0.025, 0.975], axis=0)).all():
            raise ArithmeticError("an interval is not finite")
        return _maximum(cells, counts, size.models)

    return work


def _frame(folder: Path) -> Any:
    """Also imports what `_maximum` needs, so that this is not on the clock."""
    import pandas as pd
    import scipy.optimize
    import scipy.special  # noqa: F401

    return pd.read_parquet(folder / "battles.parquet", columns=["model_a", "model_b", "winner"])


def _counted(frame: Any) -> tuple[Any, Any]:
    """Distinct rows (a, b, twice a's share) and how often each is there."""
    import numpy as np
    import pandas as pd

    rows = np.full((len(frame), 3), 1, dtype=np.int32)
    numbered = pd.factorize(pd.concat([frame["model_a"], frame["model_b"]]), sort=True)[0]
    rows[:, 0], rows[:, 1] = numbered[: len(frame)], numbered[len(frame) :]
    rows[frame["winner"] == "model_a", 2] = 2
    rows[frame["winner"] == "model_b", 2] = 0
    return np.unique(rows, axis=0, return_counts=True)


def _maximum(cells: Any, counts: Any, models: int) -> Floats:
    import numpy as np
    from scipy.optimize import minimize
    from scipy.special import expit

    a, b, share = cells[:, 0], cells[:, 1], cells[:, 2] / 2

    def loss(theta: Floats) -> tuple[float, Floats]:
        chance = expit(theta[a] - theta[b])
        surprise = np.log(chance) * share + np.log(1 - chance) * (1 - share)
        pull = counts * (chance - share)
        slope = np.bincount(a, pull, models) - np.bincount(b, pull, models)
        return -float((counts * surprise).sum()), slope.astype(float)

    found = minimize(loss, np.zeros(models), jac=True, method="L-BFGS-B", options={"maxiter": 100, "gtol": 1e-6})
    points: Floats = 400 / math.log(10) * found.x
    return points
