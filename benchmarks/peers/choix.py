"""choix: the solver that this program uses too, by itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def dense(folder: Path, size: Size, rounds: int) -> Work:
    """From numbered models: nothing is read or checked, so this is about the least that a fit can cost."""
    import choix as library
    import numpy as np

    from benchmarks.peers.field import SCALE, win_counts

    columns = {name: np.load(folder / f"{name}.npy") for name in ("a", "b", "winner")}

    def work() -> Floats:
        points: Floats = SCALE * library.ilsr_pairwise_dense(win_counts(size, columns))
        return points

    return work


def listed(folder: Path, size: Size, rounds: int) -> Work:
    """(winner, loser) twice for a win, once each way for a tie: its lists have no weights."""
    import choix as library
    import numpy as np

    from benchmarks.peers.field import SCALE

    columns = (np.load(folder / f"{name}.npy").tolist() for name in ("a", "b", "winner"))
    twice = {0: lambda a, b: ((a, b), (b, a)), 1: lambda a, b: ((a, b),) * 2, 2: lambda a, b: ((b, a),) * 2}
    pairs = [pair for a, b, winner in zip(*columns, strict=True) for pair in twice[winner](a, b)]

    def work() -> Floats:
        points: Floats = SCALE * library.ilsr_pairwise(size.models, pairs)
        return points

    return work
