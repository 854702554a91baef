"""How many pairings it takes to see a difference, before anything is played."""

from __future__ import annotations

import math
from typing import Literal

Of = Literal["all", "decided"]
LEAST = 1e-9


def pairings_needed(
    difference: float, *, of: Of = "all", decided: float = 1.0, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Pairings N for a two-sided test of wins against losses; not rounded, so that callers round up.

    `difference` g: share won minus share lost, in (0, 1], of `all` pairings or of the `decided` ones. `decided` D: the
    share of pairings whose winner survives the swap, in (0, 1]. Of all pairings
    N = (z(1 - alpha / 2) sqrt(D) + z(power) sqrt(D - g²))² / g²; of the decided ones the same with D = 1, divided by D,
    because ties and inconsistent pairings are played as well.
    Source: Connor (1987), Biometrics 43, 207-211, sample size of a paired test (McNemar). Prompts must not be shared
    between pairings: where they are, N is to be multiplied by the design effect. Raises ValueError out of range.
    """
    _within(difference=difference, decided=decided, power=power, alpha=alpha)
    if of == "decided":
        return pairings_needed(difference, power=power, alpha=alpha) / decided
    if difference > decided:
        raise ValueError(f"a difference of {difference:g} needs more decided pairings than a share of {decided:g}")
    certain, likely = _normal_quantile(1 - alpha / 2), _normal_quantile(power)
    return (certain * math.sqrt(decided) + likely * math.sqrt(decided - difference**2)) ** 2 / difference**2


def _within(**shares: float) -> None:
    for name, share in shares.items():
        if not LEAST <= share <= 1 or (name in {"power", "alpha"} and share > 1 - LEAST):
            raise ValueError(f"{name} must lie between 0 and 1, and no nearer to them than {LEAST:g}, got {share:g}")


def _normal_quantile(share: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)
