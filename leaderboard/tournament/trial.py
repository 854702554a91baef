"""The judge on trial: from stored readings to the figures of `core.bias`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from leaderboard.core.bias import JudgedPairing, bias_report
from leaderboard.core.protocol import BOTH_ORDERS, PROTOCOLS
from leaderboard.core.types import Order, Reading

if TYPE_CHECKING:
    from leaderboard.history.records import BiasRow


def judge_report(rows: Sequence[BiasRow], threshold: float) -> dict[str, object]:
    """All bias figures of one judge fingerprint over its validation readings."""
    return bias_report(
        judged_pairings(rows),
        orders=_orders(rows),
        k=max((row.asked for row in rows), default=1),
        threshold=threshold,
    )


def judged_pairings(rows: Iterable[BiasRow]) -> list[JudgedPairing]:
    """Readings gathered by pairing; unreadable ones are counted, never read."""
    groups: dict[str, list[BiasRow]] = defaultdict(list)
    for row in rows:
        groups[row.pairing].append(row)
    return [_judged(group) for group in groups.values()]


def _judged(group: Sequence[BiasRow]) -> JudgedPairing:
    first = group[0]
    return JudgedPairing(
        pairing=first.pairing,
        prompt_id=first.prompt_id,
        category=first.category or "general",
        language=first.language or "unknown",
        model_a=first.model_a,
        model_b=first.model_b,
        readings=tuple(reading for row in group if (reading := _reading(row)) is not None),
        unreadable=sum(row.state == "unreadable" for row in group),
    )


def _reading(row: BiasRow) -> Reading | None:
    if row.score_a is None or row.score_b is None:
        return None
    return Reading(Order.AB if row.shown_first == "a" else Order.BA, row.sample, row.score_a, row.score_b)


def _orders(rows: Sequence[BiasRow]) -> frozenset[Order]:
    """The orders that any protocol in use may have asked for: one that draws its order may have asked for either."""
    named = {row.protocol for row in rows} & set(PROTOCOLS)
    either = any(PROTOCOLS[name].both_orders or PROTOCOLS[name].drawn for name in named)
    return BOTH_ORDERS if either or not named else frozenset({Order.AB})
