"""Ratings with clustered 95 % intervals, against a point fit by choix on the same counts."""

from __future__ import annotations

import numpy as np

from benchmarks.measuring import cpu_of
from leaderboard.core.matrix import Battles, win_matrix
from leaderboard.core.ratings import fit_bt

SIZES = ((20, 10_000, 500), (130, 1_700_000, 2_000))


def measure() -> list[dict[str, object]]:
    return [_at(models, battles, prompts) for models, battles, prompts in SIZES]


def _at(models: int, battles: int, prompts: int) -> dict[str, object]:
    import choix

    played = drawn(models, battles, prompts)
    bare = cpu_of(lambda: choix.ilsr_pairwise_dense(win_matrix(played), alpha=0.01, max_iter=1000), repeats=3)
    whole = cpu_of(lambda: fit_bt(played), repeats=3)
    return {
        "what": f"{models} models, {battles} battles: fit and clustered intervals, against choix's point fit",
        "cpu_s": whole,
        "bare_cpu_s": bare,
        "ratio": whole / bare,
    }


def drawn(models: int, battles: int, prompts: int) -> Battles:
    """Battles of models with known strengths, prompts shared."""
    rng = np.random.default_rng(0)
    strength = np.linspace(-1.5, 1.5, models)
    a = rng.integers(0, models, battles)
    b = (a + rng.integers(1, models, battles)) % models
    won = rng.random(battles) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return Battles(
        models=tuple(f"m{i:03d}" for i in range(models)),
        a=a.astype(np.intp),
        b=b.astype(np.intp),
        score=won.astype(float),
        weight=np.ones(battles),
        cluster=rng.integers(0, prompts, battles).astype(np.intp),
    )
