"""arena-rank: Bradley-Terry by L-BFGS in jax, a sandwich that takes each battle for independent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def interval(folder: Path, size: Size, rounds: int) -> Work:
    """From a frame of names; jax has started. The first call compiles, as in every process that is started anew."""
    import jax.numpy
    import numpy as np
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    jax.numpy.zeros(1).block_until_ready()
    frame = pd.read_parquet(folder / "battles.parquet", columns=["model_a", "model_b", "winner"])

    def work() -> Floats:
        data = PairDataset.from_pandas(frame)
        found = BradleyTerry(n_competitors=data.n_competitors).compute_ratings_and_cis(data)
        if not np.isfinite(np.asarray(found["rating_lower"])).all() or found["competitors"] != size.names:
            raise ArithmeticError("an interval is not finite, or models are missing")
        return np.asarray(found["ratings"])

    return work
