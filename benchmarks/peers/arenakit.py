"""arenakit: Bradley-Terry by minorisation and maximisation, from one object a battle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from benchmarks.peers.cases import Work
    from benchmarks.peers.field import Floats, Size


def from_objects(folder: Path, size: Size, rounds: int) -> Work:
    battles = _objects(_rows(folder))
    return lambda: _fitted(battles, size)


def from_rows(folder: Path, size: Size, rounds: int) -> Work:
    import arenakit  # noqa: F401  (not on the clock)

    rows = _rows(folder)
    return lambda: _fitted(_objects(rows), size)


def bootstrap(folder: Path, size: Size, rounds: int) -> Work:
    """Whole prompts resampled."""
    import numpy as np
    from arenakit import Arena
    from arenakit import bootstrap as resampled

    battles = _objects(_rows(folder))

    def work() -> Floats:
        found = resampled(Arena(battles), n_resamples=rounds, cluster="item")
        if not np.isfinite(found.score_ci()).all():
            raise ArithmeticError("an interval is not finite")
        return _points(found.point)

    return work


def _rows(folder: Path) -> list[tuple[str, str, str, str]]:
    import pyarrow.parquet as pq

    table = pq.read_table(folder / "battles.parquet")
    names = ("model_a", "model_b", "winner", "prompt_id")
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def _objects(rows: list[tuple[str, str, str, str]]) -> list[Any]:
    from arenakit import Battle

    return [Battle(model_a=a, model_b=b, winner=winner, item_id=prompt) for a, b, winner, prompt in rows]


def _fitted(battles: list[Any], size: Size) -> Floats:
    from arenakit import Arena, fit_bt

    arena = Arena(battles)
    if list(arena.models) != size.names:
        raise ArithmeticError("models are missing or in another order")
    return _points(fit_bt(arena.counts()).scores)


def _points(scores: Floats) -> Floats:
    from benchmarks.peers.field import SCALE

    return SCALE * scores
