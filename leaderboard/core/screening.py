"""How much the screening plays, and who goes on to validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.core.fits import Fit
from leaderboard.core.intervals import DRAWS
from leaderboard.core.separation import top_chances

PAIRINGS_A_MODEL = 115
ENOUGH_A_MODEL = 100


@dataclass(frozen=True, slots=True)
class Keep:
    """Who goes on. `kept` by strength of claim; P is the approximate chance to belong to the k best, None unmeasured.

    `left_out`: below eps. `cut_by_cap`: had a claim, but there was no room. `everybody`: too little was planned to
    leave anybody out. `notes`: sentences for the run's record.
    """

    kept: tuple[str, ...]
    left_out: Mapping[str, float | None]
    cut_by_cap: Mapping[str, float | None]
    chances: Mapping[str, float | None]
    everybody: bool
    notes: tuple[str, ...]


def pairings_per_pair(n_models: int) -> int:
    """Screening pairings planned for each pair of n models: about 115 a model; 0 when there is no pair."""
    return math.ceil(PAIRINGS_A_MODEL / (n_models - 1)) if n_models > 1 else 0


def pairings_per_model(n_models: int, n_prompts: int) -> int:
    """Screening pairings planned for each model: at most one a prompt with every other model."""
    return min(pairings_per_pair(n_models), n_prompts) * max(n_models - 1, 0)


def chances(fit: Fit, k: int, seed: int | None = None) -> dict[str, float | None]:
    """Chance of each model to be among the k best of the main (largest) component.

    None for models without an interval or in another component: nothing says how they compare.
    """
    found = zip(fit.models, fit.component, top_chances(fit, k, seed=seed, among_measured=True), strict=True)
    return {model: chance if number == 0 else None for model, number, chance in found}


def keep_rule(fit: Fit, k: int, cap: int, eps: float, planned_per_model: int, seed: int | None = None) -> Keep:
    """The models that go on to validation, of all models of the screening fit.

    Kept: the k best ratings of the main component; then, up to `cap` in all, models that nothing measures and models
    whose chance to be among the k best is at least `eps`, by that chance. When fewer than 100 pairings were planned for
    some model (`planned_per_model`: the fewest, readable or not) everybody has a claim. `seed` of the draws: the fit's.
    Raises ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"top k must be at least 1, got {k}")
    chance = chances(fit, k, seed)
    best = _best(fit, k)
    everybody = planned_per_model < ENOUGH_A_MODEL
    claims = [model for model in _by_claim(fit, chance, best) if everybody or _has_claim(chance[model], eps)]
    room = max(cap - len(best), 0)
    kept = (*best, *claims[:room])
    cut = {model: chance[model] for model in claims[room:]}
    left = {model: chance[model] for model in fit.models if model not in kept and model not in cut}
    notes = _notes(left, cut, everybody, planned_per_model, cap, eps)
    return Keep(kept, left, cut, chance, everybody, notes)


def _best(fit: Fit, k: int) -> list[str]:
    rated = [
        (-rating, model)
        for model, rating, number in zip(fit.models, fit.ratings, fit.component, strict=True)
        if rating is not None and number == 0
    ]
    return [model for _, model in sorted(rated)[:k]]


def _has_claim(chance: float | None, eps: float) -> bool:
    return chance is None or chance >= eps


def _by_claim(fit: Fit, chance: Mapping[str, float | None], best: list[str]) -> list[str]:
    """Everybody but the best: the unmeasured first, then by chance, then by rating."""
    rating = dict(zip(fit.models, fit.ratings, strict=True))

    def claim(model: str) -> tuple[float, float, str]:
        p, points = chance[model], rating[model]
        return (-math.inf if p is None else -p, math.inf if points is None else -points, model)

    return sorted((model for model in fit.models if model not in best), key=claim)


def _notes(
    left: Mapping[str, float | None],
    cut: Mapping[str, float | None],
    everybody: bool,
    planned: int,
    cap: int,
    eps: float,
) -> tuple[str, ...]:
    notes = []
    if everybody:
        notes.append(f"everybody is kept: {planned} pairings planned a model, fewer than {ENOUGH_A_MODEL}")
    if cut:
        notes.append(f"cut by the cap of {cap}: {_listed(cut)}")
    if left:
        notes.append(f"left out, chance of the top below {eps:g}: {_listed(left)}")
    return tuple(notes)


def _listed(chance: Mapping[str, float | None]) -> str:
    return ", ".join(f"{model} ({_worded(p)})" for model, p in chance.items())


def _worded(chance: float | None) -> str:
    if chance is None:
        return "no interval"
    return f"{chance:.4f}" if chance >= 1 / DRAWS else f"below {1 / DRAWS}"
