"""This program, from a Parquet file on disk with names in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def point(folder: Path, size: Size, rounds: int) -> Work:
    return _rated(folder, prompts=False)


def interval(folder: Path, size: Size, rounds: int) -> Work:
    return _rated(folder, prompts=True)


def _rated(folder: Path, *, prompts: bool) -> Work:
    """Imports first what the product imports when it needs it."""
    import choix  # noqa: F401
    import numpy as np
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401
    import scipy.special  # noqa: F401

    from leaderboard.core.fits import How
    from leaderboard.core.ratings import rate
    from leaderboard.formats.battle_files import read_battles

    def work() -> Floats:
        fit = rate(read_battles(folder / "battles.parquet", prompts=prompts).battles, How())
        if prompts and None in fit.lower:
            raise ArithmeticError("a model has no interval")
        return np.array(fit.ratings, dtype=float)

    return work
