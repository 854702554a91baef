"""How far two orders agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations


def kendall_tau(order: Sequence[str], truth: Mapping[str, float]) -> float | None:
    """Kendall's tau of an order (best first) against known strengths, in [-1, 1]; None below two names.

    Pairs of equal strength count as neither agreeing nor disagreeing, in tau-a's denominator n (n - 1) / 2.
    Source: Kendall (1938), "A New Measure of Rank Correlation". Raises KeyError for a name without a strength.
    """
    pairs = list(combinations(order, 2))
    if not pairs:
        return None
    agreeing = sum(truth[better] > truth[worse] for better, worse in pairs)
    disagreeing = sum(truth[better] < truth[worse] for better, worse in pairs)
    return (agreeing - disagreeing) / len(pairs)
