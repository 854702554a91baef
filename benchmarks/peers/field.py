"""The battles that everybody rates: drawn once with a seed, written once, read by each case in its own process."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[np.integer]]

SEED = 20
CHUNK = 1_000_000
TIES = 0.15
SCALE = 400 / math.log(10)
PRIORS = (0.0, 0.5)
TIE, A_WON, B_WON = 0, 1, 2
WINNERS = ("tie", "model_a", "model_b")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is rated. Prompts are shared between the battles."""

    name: str
    models: int
    battles: int
    prompts: int

    @property
    def names(self) -> list[str]:
        return [f"model-{number:03d}" for number in range(self.models)]


SIZES = {
    size.name: size
    for size in (
        Size("small", 20, 10_000, 500),
        Size("arena", 130, 1_700_000, 5_000),
        Size("large", 500, 10_000_000, 20_000),
    )
}


def write(size: Size, folder: Path) -> None:
    """`battles.parquet` with names, the same as numbered arrays, and the exact ratings `reference-PRIOR.npy`."""
    import numpy as np

    chunks = list(drawn(size))
    columns = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    _write_names(size, chunks, folder / "battles.parquet")
    for name in ("a", "b"):
        np.save(folder / f"{name}.npy", columns[name].astype(np.int64))
    np.save(folder / "winner.npy", columns["winner"].astype(np.uint8))
    wins = win_counts(size, columns)
    for prior in PRIORS:
        np.save(folder / f"reference-{prior}.npy", exact_ratings(wins, prior))


def drawn(size: Size) -> Iterator[Columns]:
    """Battles of models with normal strengths, in chunks: numbered `a`, `b`, `prompt`, and `winner`."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    strength = rng.normal(0, 1, size.models)
    for start in range(0, size.battles, CHUNK):
        rows = min(CHUNK, size.battles - start)
        a = rng.integers(0, size.models, rows)
        b = (a + rng.integers(1, size.models, rows)) % size.models
        a_won = rng.random(rows) < 1 / (1 + np.exp(strength[b] - strength[a]))
        winner = np.where(rng.random(rows) < TIES, TIE, np.where(a_won, A_WON, B_WON))
        yield {
            "a": a.astype(np.int16),
            "b": b.astype(np.int16),
            "winner": winner.astype(np.int8),
            "prompt": rng.integers(0, size.prompts, rows).astype(np.int32),
        }


def _write_names(size: Size, chunks: list[Columns], path: Path) -> None:
    """Columns of plain strings, as a person's file has them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = {
        "model_a": ("a", size.names),
        "model_b": ("b", size.names),
        "winner": ("winner", list(WINNERS)),
        "prompt_id": ("prompt", [f"prompt-{number:05d}" for number in range(size.prompts)]),
    }
    with pq.ParquetWriter(path, pa.schema([(name, pa.string()) for name in words])) as file:
        for chunk in chunks:
            spelled = {name: pa.array(values).take(pa.array(chunk[column])) for name, (column, values) in words.items()}
            file.write_table(pa.table(spelled))


def win_counts(size: Size, columns: Columns) -> Floats:
    """Shape (n, n): how often i beat j, a tie counting half to each."""
    import numpy as np

    n = size.models
    a, b = columns["a"].astype(np.int64), columns["b"].astype(np.int64)
    share = np.array([0.5, 1.0, 0.0])[columns["winner"]]
    won = np.bincount(a * n + b, share, n * n) + np.bincount(b * n + a, 1 - share, n * n)
    return won.astype(float).reshape(n, n)


def exact_ratings(wins: Floats, prior: float) -> Floats:
    """Bradley and Terry's maximum by Newton's method, written apart from the product so that it can be wrong alone.

    `prior`: battles of each model against an average stranger, half of them won. Elo points with mean 1000.
    """
    import numpy as np

    met, took = wins + wins.T, wins.sum(axis=1)
    theta = np.zeros(len(wins))
    for _ in range(100):
        chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
        average = 1 / (1 + np.exp(-theta))
        slope = took - (met * chance).sum(axis=1) + prior * (0.5 - average)
        bend = met * chance * chance.T
        curvature = np.diag(bend.sum(axis=1) + prior * average * (1 - average)) - bend
        step = np.linalg.lstsq(curvature, slope, rcond=None)[0] if prior == 0 else np.linalg.solve(curvature, slope)
        theta = theta + step
        if np.abs(step).max() < 1e-12:
            return elo(theta)
    raise ArithmeticError("the reference did not converge")


def elo(theta: Floats) -> Floats:
    """Logits in any origin as Elo points with mean 1000."""
    points: Floats = 1000 + SCALE * (theta - theta.mean())
    return points
