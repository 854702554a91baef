"""Shares of a judge with intervals that know about shared prompts, and the gate on swap consistency C.

The prompt is the cluster everywhere: all pairings, orders and samples of a prompt stand or fall together.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.core.intervals import LEVEL, t_quantile

GATE_PROMPTS = 30
GATE_PAIRINGS = 100

Sums = Mapping[str, tuple[float, float]]
"""By prompt: (sum of what counts, sum of what it is counted among)."""

GateState = Literal["pass", "fail", "unclear"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A share over clusters: sum of tops / sum of bottoms, its clustered s.e. (None below two clusters)."""

    value: float
    n: float
    clusters: int
    se: float | None

    def interval(self) -> tuple[float, float] | None:
        """95 %, t(G - 1), inside [0, 1]; None below two clusters, and at 0 or 1, where no spread can be seen."""
        if self.se is None or self.value in (0, 1):
            return None
        width = t_quantile(LEVEL, self.clusters - 1) * self.se
        return max(0.0, self.value - width), min(1.0, self.value + width)


def sums_by_prompt(counted: Iterable[tuple[str, float, float]]) -> dict[str, tuple[float, float]]:
    """(prompt, top, bottom) summed by prompt, prompts in a fixed order."""
    tops: dict[str, float] = defaultdict(float)
    bottoms: dict[str, float] = defaultdict(float)
    for prompt, top, bottom in counted:
        tops[prompt] += top
        bottoms[prompt] += bottom
    return {prompt: (tops[prompt], bottoms[prompt]) for prompt in sorted(tops)}


def clustered_ratio(sums: Sums) -> Ratio:
    """The ratio estimator with its linearised, prompt-clustered s.e., factor G / (G - 1).

    Source: Cochran, Sampling Techniques, chapter 6. Raises ValueError when the bottoms sum to 0.
    """
    total = math.fsum(bottom for _, bottom in sums.values())
    if total == 0:
        raise ValueError("nothing to take a share of")
    value = math.fsum(top for top, _ in sums.values()) / total
    residuals = [(top - value * bottom) / total for top, bottom in sums.values()]
    return Ratio(value, total, len(sums), clustered_error(residuals))


def clustered_error(residuals: list[float]) -> float | None:
    """sqrt(G / (G - 1) * sum of squared residuals), one residual a cluster; None below two clusters."""
    clusters = len(residuals)
    if clusters < 2:
        return None
    return math.sqrt(clusters / (clusters - 1) * math.fsum(u * u for u in residuals))


def wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval for a share of n (which may be an effective, fractional n); it holds the share."""
    shrink = 1 + quantile**2 / n
    middle = (share + quantile**2 / (2 * n)) / shrink
    width = quantile * math.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n)) / shrink
    return min(share, max(0.0, middle - width)), max(share, min(1.0, middle + width))


def design_effect(ratio: Ratio) -> float:
    """max(1, clustered variance / binomial variance); 1 where there is no spread to compare."""
    binomial = ratio.value * (1 - ratio.value) / ratio.n
    if ratio.se is None or binomial == 0:
        return 1.0
    return max(1.0, ratio.se**2 / binomial)


@dataclass(frozen=True, slots=True)
class Consistency:
    """C = consistent / pairings readable in both orders, on order outcomes.

    `lower`, `upper`: Wilson with n / deff and t(G - 1), None below two prompts; `plain_*`: Wilson with n and 1.96.
    """

    value: float
    lower: float | None
    upper: float | None
    plain_lower: float
    plain_upper: float
    deff: float
    n: int
    prompts: int


def swap_consistency(judged: Iterable[tuple[str, bool]]) -> Consistency | None:
    """C from (prompt, consistent) of the pairings readable in both orders; None when there are none."""
    return consistency_of(sums_by_prompt((prompt, float(consistent), 1.0) for prompt, consistent in judged))


def consistency_of(sums: Sums) -> Consistency | None:
    """C from (consistent pairings, pairings readable in both orders) of each prompt; None when there are none."""
    if not sums:
        return None
    ratio = clustered_ratio(sums)
    deff = design_effect(ratio)
    lower = upper = None
    if ratio.clusters > 1:
        lower, upper = wilson(ratio.value, ratio.n / deff, t_quantile(LEVEL, ratio.clusters - 1))
    plain = wilson(ratio.value, ratio.n, t_quantile(LEVEL, math.inf))
    return Consistency(ratio.value, lower, upper, *plain, deff, round(ratio.n), ratio.clusters)


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether C reaches the bar. `reason` says why it is unclear."""

    state: GateState
    c: float | None
    lower: float | None
    upper: float | None
    n: int
    deff: float | None
    threshold: float
    reason: str | None = None


def gate(consistency: Consistency | None, threshold: float) -> Gate:
    """`pass` when the interval of C lies at or above the bar, `fail` when below, else `unclear`; nothing is rounded.

    Unclear too under 30 prompts or 100 complete pairings. Raises ValueError for a bar outside [0, 1].
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"the bar for C must lie between 0 and 1, got {threshold}")
    if consistency is None:
        return Gate("unclear", None, None, None, 0, None, threshold, "no pairing is readable in both orders")
    state, reason = _judged(consistency, threshold)
    found = consistency
    return Gate(state, found.value, found.lower, found.upper, found.n, found.deff, threshold, reason)


def _judged(found: Consistency, threshold: float) -> tuple[GateState, str | None]:
    if found.prompts < GATE_PROMPTS:
        return "unclear", f"needs {GATE_PROMPTS} prompts, has {found.prompts}"
    if found.n < GATE_PAIRINGS:
        return "unclear", f"needs {GATE_PAIRINGS} pairings readable in both orders, has {found.n}"
    if found.lower is not None and found.lower >= threshold:
        return "pass", None
    if found.upper is not None and found.upper < threshold:
        return "fail", None
    return "unclear", "the interval of C holds the bar"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Equal pairs of single readings of a pairing: within an order (noise) and across the orders (noise and bias).

    `excess` = same-order minus cross-order share: the inconsistency that the swap adds, with its interval (95 %,
    clustered by prompt, t(G - 1)). None where there is no pair to compare, the interval also below two prompts.
    """

    same_equal: int
    same_pairs: int
    cross_equal: int
    cross_pairs: int
    excess_lower: float | None
    excess_upper: float | None

    @property
    def same_order(self) -> float | None:
        return self.same_equal / self.same_pairs if self.same_pairs else None

    @property
    def cross_order(self) -> float | None:
        return self.cross_equal / self.cross_pairs if self.cross_pairs else None

    @property
    def excess(self) -> float | None:
        if self.same_order is None or self.cross_order is None:
            return None
        return self.same_order - self.cross_order


def agreement(counted: Iterable[tuple[str, tuple[int, int], tuple[int, int]]]) -> Agreement:
    """From (prompt, (equal, all) pairs within an order, (equal, all) pairs across the orders) of each pairing."""
    listed = list(counted)
    same = sums_by_prompt((prompt, *within) for prompt, within, _ in listed)
    cross = sums_by_prompt((prompt, *across) for prompt, _, across in listed)
    (same_equal, same_pairs), (cross_equal, cross_pairs) = _totals(same), _totals(cross)
    lower = upper = None
    if same_pairs and cross_pairs and (width := _excess_width(same, cross)) is not None:
        excess = same_equal / same_pairs - cross_equal / cross_pairs
        lower, upper = excess - width, excess + width
    return Agreement(same_equal, same_pairs, cross_equal, cross_pairs, lower, upper)


def _totals(sums: Sums) -> tuple[int, int]:
    return round(sum(top for top, _ in sums.values())), round(sum(bottom for _, bottom in sums.values()))


def _excess_width(same: Sums, cross: Sums) -> float | None:
    """Half an interval of the difference of two shares over the same prompts."""
    left, right = clustered_ratio(same), clustered_ratio(cross)
    error = clustered_error(
        [
            (same[prompt][0] - left.value * same[prompt][1]) / left.n
            - (cross[prompt][0] - right.value * cross[prompt][1]) / right.n
            for prompt in same
        ]
    )
    return None if error is None else t_quantile(LEVEL, len(same) - 1) * error


def sign_test(one: int, other: int) -> float | None:
    """Exact two-sided binomial p-value of one against other at even odds; None when both are 0."""
    from scipy.special import bdtr

    if one + other == 0:
        return None
    return min(1.0, 2 * float(bdtr(min(one, other), one + other, 0.5)))
