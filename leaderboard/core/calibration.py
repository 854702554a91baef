"""From readings to a verdict: a win must survive the swap of positions.

Source: "Large Language Models are not Fair Evaluators" (FairEval): multiple evidence and balanced position calibration.
All arithmetic is exact, so that 0.1 + 0.2 against 0.3 is a tie.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

from leaderboard.core.types import Order, Outcome, Reading, Verdict, outcome_of

HALF = Fraction(1, 2)
POINTS: dict[Outcome, Fraction] = {Outcome.A: Fraction(1), Outcome.TIE: HALF, Outcome.B: Fraction(0)}


def mean_gap(readings: Sequence[Reading]) -> Fraction | None:
    """Mean of score(a) - score(b), exactly, on the template's own scale; None without readings."""
    if not readings:
        return None
    return sum((reading.gap for reading in readings), Fraction(0)) / len(readings)


def order_outcome(readings: Sequence[Reading]) -> Outcome | None:
    """Outcome of one order: the sign of its mean gap, never the plurality of its samples; None without readings."""
    gap = mean_gap(readings)
    return None if gap is None else outcome_of(gap)


def asked_readings(readings: Sequence[Reading], orders: Collection[Order], k: int) -> list[Reading]:
    """The readings that the protocol asks for: its orders, and no sample beyond k (C at k = 3 is not C at k = 1)."""
    return [reading for reading in readings if reading.order in orders and reading.sample <= k]


def in_order(readings: Sequence[Reading], order: Order) -> list[Reading]:
    return [reading for reading in readings if reading.order is order]


def diversity(readings: Sequence[Reading]) -> float | None:
    """BPDE: entropy (natural log, 0 to ln 3) of win, tie and loss over single readings; None without readings."""
    if not readings:
        return None
    total = len(readings)
    shares = (count / total for count in Counter(reading.outcome for reading in readings).values())
    return abs(math.fsum(-share * math.log(share) for share in shares))


def calibrate(readings: Sequence[Reading], orders: frozenset[Order], k: int) -> Verdict:
    """The verdict of a pairing from the readable samples of the orders that were asked for, up to k in each.

    With both orders asked: consistent when both order outcomes are equal, else a tie under policy `tie`.
    With one order asked: that order's outcome, `consistent` None. Incomplete when an asked order has nothing readable.
    `thin` says that a decided pairing rests on fewer than half of k samples in some order.
    """
    if not orders:
        raise ValueError("a verdict needs at least one order")
    counted = asked_readings(readings, orders, k)
    by_order = {order: in_order(counted, order) for order in Order if order in orders}
    samples = min(len(found) for found in by_order.values())
    outcomes = {order: order_outcome(found) for order, found in by_order.items()}
    if samples == 0:
        return Verdict(
            state="incomplete",
            outcome_ab=outcomes.get(Order.AB),
            outcome_ba=outcomes.get(Order.BA),
            bpde=diversity(counted),
        )
    return _decided(by_order, outcomes, counted, samples, thin=2 * samples < k)


def _decided(
    by_order: dict[Order, list[Reading]],
    outcomes: dict[Order, Outcome | None],
    counted: list[Reading],
    samples: int,
    thin: bool,
) -> Verdict:
    found = [outcome for outcome in outcomes.values() if outcome is not None]
    gap = _mean([gap for gap in map(mean_gap, by_order.values()) if gap is not None])
    agreed = len(set(found)) == 1
    return Verdict(
        state="decided",
        outcome=found[0] if agreed else Outcome.TIE,
        outcome_score=outcome_of(gap),
        score_soft=_mean([POINTS[outcome] for outcome in found]),
        consistent=agreed if len(found) == len(Order) else None,
        outcome_ab=outcomes.get(Order.AB),
        outcome_ba=outcomes.get(Order.BA),
        gap=gap,
        bpde=diversity(counted),
        samples=samples,
        thin=thin,
    )


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def single_pass(reading: Reading | None) -> Verdict:
    """Verdict of a screening pass: the outcome as read, `consistent` None; incomplete when the reply was unreadable."""
    if reading is None:
        return Verdict(state="incomplete")
    return calibrate([reading], frozenset({reading.order}), max(reading.sample, 1))


def tied_by_identity() -> Verdict:
    """Two identical answers: a tie that no judge was asked for, so `consistent` is None and it has no part in C."""
    return Verdict(state="decided", outcome=Outcome.TIE, outcome_score=Outcome.TIE, score_soft=HALF, gap=Fraction(0))


def _points(outcome: Outcome | None) -> Fraction | None:
    return None if outcome is None else POINTS[outcome]


def inconsistent_is_tie(verdict: Verdict) -> Fraction | None:
    """1, 1/2, 0 when both orders agree, else 1/2."""
    return _points(verdict.outcome)


def mean_score_decides(verdict: Verdict) -> Fraction | None:
    """1, 1/2, 0 by the sum of the two orders' mean gaps; each order weighs the same whatever its number of samples."""
    return _points(verdict.outcome_score)


def mean_of_orders(verdict: Verdict) -> Fraction | None:
    """Mean of the two order outcomes: 0, 1/4, 1/2, 3/4 or 1."""
    return verdict.score_soft


def inconsistent_is_dropped(verdict: Verdict) -> Fraction | None:
    """Consistent pairings only; what was never swapped (a single pass, identical answers) stays as it is."""
    return None if verdict.consistent is False else _points(verdict.outcome)


POLICIES: dict[str, Callable[[Verdict], Fraction | None]] = {
    "tie": inconsistent_is_tie,
    "score": mean_score_decides,
    "soft": mean_of_orders,
    "drop": inconsistent_is_dropped,
}
