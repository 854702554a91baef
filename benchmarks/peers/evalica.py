"""evalica: Bradley-Terry in Rust, intervals by resampling rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def names(folder: Path, size: Size, rounds: int) -> Work:
    """From two arrays of names and a list of winners."""
    import evalica as library

    a, b, winners = _arrays(folder)
    spelled = _spelled(size)
    xs, ys = spelled[a], spelled[b]
    del a, b
    return lambda: _in_order(library.bradley_terry(xs, ys, winners).scores, size.names)


def numbers(folder: Path, size: Size, rounds: int) -> Work:
    """From models that somebody has numbered already, with the index given: its shortest way."""
    import evalica as library
    import pandas as pd

    a, b, winners = _arrays(folder)
    index = pd.RangeIndex(size.models)
    return lambda: _in_order(library.bradley_terry(a, b, winners, index=index).scores, index)


def bootstrap(folder: Path, size: Size, rounds: int) -> Work:
    """Percentiles: its default (BCa) refits once for each row that is left out."""
    import evalica as library
    import numpy as np

    a, b, winners = _arrays(folder)
    spelled = _spelled(size)
    xs, ys = spelled[a], spelled[b]

    def work() -> Floats:
        found = library.bootstrap(
            library.bradley_terry, xs, ys, winners, n_resamples=rounds, bootstrap_method="percentile", random_state=0
        )
        if not np.isfinite(found.low).all():
            raise ArithmeticError("an interval is not finite")
        return _in_order(found.result.scores, size.names)

    return work


def _arrays(folder: Path) -> Any:
    """Numbered models, and the winners as a list of its codes: it reads a list faster than an array.

    pandas would import the other module on the clock.
    """
    import numpy as np
    import pyarrow.pandas_compat  # noqa: F401

    a, b, winner = (np.load(folder / f"{name}.npy") for name in ("a", "b", "winner"))
    return a, b, winner.tolist()


def _spelled(size: Size) -> Any:
    import numpy as np

    return np.array(size.names, dtype=object)


def _in_order(scores: Any, index: Any) -> Floats:
    import numpy as np

    from benchmarks.peers.field import SCALE

    strengths: Floats = SCALE * np.log(scores.loc[index].to_numpy())
    return strengths
