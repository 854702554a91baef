"""The judge on trial: does it see the answers or their places? Every figure from the readings, nothing assumed.

Positions are `first` and `second`, models are `a` and `b`. A pairing of identical answers is outside: nobody was asked.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from leaderboard.core.bias_reasons import NO_READINGS, Json, reasons
from leaderboard.core.calibration import asked_readings, calibrate, in_order
from leaderboard.core.consistency import (
    Agreement,
    Consistency,
    Gate,
    agreement,
    clustered_ratio,
    gate,
    sign_test,
    sums_by_prompt,
    swap_consistency,
)
from leaderboard.core.fits import Effect, How
from leaderboard.core.joint import fit_joint
from leaderboard.core.matrix import SCORES, battles_from_columns
from leaderboard.core.types import Order, Outcome, Reading, Verdict

Position = Literal["first", "second", "tie"]

POSITION_EFFECT = ("logit", "se", "se_model", "lower", "upper", "elo", "p_value", "reason")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPairing:
    """A pairing with what its judge replied: `readings` are the readable ones, `unreadable` counts the others.

    `identical`: both answers are the same text, so it was tied without a judge and has no part in any figure.
    """

    pairing: str
    prompt_id: str
    category: str
    language: str
    model_a: str
    model_b: str
    readings: tuple[Reading, ...]
    unreadable: int = 0
    identical: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A judged pairing, the readings that its protocol asks for, and the verdict they make."""

    pairing: JudgedPairing
    readings: tuple[Reading, ...]
    verdict: Verdict

    @property
    def prompt(self) -> str:
        return self.pairing.prompt_id

    @property
    def both(self) -> bool:
        return self.verdict.consistent is not None

    @property
    def decisive(self) -> bool:
        return self.verdict.consistent is True and self.verdict.outcome is not Outcome.TIE


def position_of(outcome: Outcome, order: Order) -> Position:
    """Which position an outcome favours under an order."""
    if outcome is Outcome.TIE:
        return "tie"
    return "first" if outcome.value == order.shown_first else "second"


def bias_report(pairings: Sequence[JudgedPairing], *, orders: frozenset[Order], k: int, threshold: float) -> Json:
    """All figures of one judge over its validation pairings, ready for JSON; the caller adds judge and fingerprint.

    `orders` and `k` are what the protocol asks for, `threshold` is the bar for C. What cannot be given is None, and
    `reasons` says why under the key's path. Shares lie in [0, 1]; intervals are 95 %, clustered by prompt.
    """
    cases = judged_cases(pairings, orders, k)
    both = [case for case in cases if case.both]
    consistency, flips, effect = _consistency(both), flip_table(both), position_effect(cases)
    report: Json = {
        "samples": k,
        **_counts(cases),
        "swap_table": swap_table(cases),
        "flips": flips,
        "c": _c(consistency),
        **_decided(both),
        "gate": _gate(gate(consistency, threshold)),
        "agreement": _agreement(agreement(_equal_pairs(case) for case in cases)),
        "first_position": first_position(both),
        "sign_test": _sign_tests(flips),
        "position_effect": {key: getattr(effect, key) for key in POSITION_EFFECT},
        "bpde": bpde(cases),
        "order_conflicts": sum(not case.verdict.consistent for case in both),
        "labels": None,
        "by": {"category": _by(cases, "category"), "language": _by(cases, "language"), "score_gap": None},
    }
    lacking = effect.reason or ""
    return report | {"reasons": reasons(report, both_orders=len(orders) == len(Order), no_effect=lacking)}


def judged_cases(pairings: Sequence[JudgedPairing], orders: frozenset[Order], k: int) -> list[Case]:
    """The pairings that a judge was asked for, with their verdicts."""
    asked = [pairing for pairing in pairings if not pairing.identical]
    return [
        Case(pairing, tuple(asked_readings(pairing.readings, orders, k)), calibrate(pairing.readings, orders, k))
        for pairing in asked
    ]


def _counts(cases: Sequence[Case]) -> Json:
    readable = sum(len(case.readings) for case in cases)
    return {
        "readings": readable + sum(case.pairing.unreadable for case in cases),
        "readable": readable,
        "pairings": len(cases),
        "pairings_both": sum(case.both for case in cases),
    }


def swap_table(cases: Sequence[Case]) -> dict[str, int]:
    """Pairings by what became of them when the answers changed places."""
    rows = ("consistent_a", "consistent_b", "consistent_tie", "inconsistent", "incomplete")
    counted = Counter(_swap_row(case.verdict) for case in cases)
    return {row: counted[row] for row in rows}


def _swap_row(verdict: Verdict) -> str:
    if verdict.consistent is None:
        return "incomplete"
    return f"consistent_{verdict.outcome}" if verdict.consistent else "inconsistent"


def flip_table(both: Sequence[Case]) -> dict[str, int]:
    """Inconsistent pairings by the position that gained: won twice, or won once and tied once."""
    counted = Counter(chain.from_iterable(_flip_rows(case.verdict) for case in both))
    rows = ("to_first", "to_second", "tie_against_win", "tie_toward_first", "tie_toward_second")
    return {row: counted[row] for row in rows}


def _flip_rows(verdict: Verdict) -> list[str]:
    outcomes = ((verdict.outcome_ab, Order.AB), (verdict.outcome_ba, Order.BA))
    found = [position_of(outcome, order) for outcome, order in outcomes if outcome is not None]
    gained = next((position for position in found if position != "tie"), "tie")
    if verdict.consistent:
        return []
    return ["tie_against_win", f"tie_toward_{gained}"] if "tie" in found else [f"to_{gained}"]


def _sign_tests(flips: dict[str, int]) -> Json:
    """First-first against second-second, exactly; `lean` adds the pairings that tied in one order.

    Both ignore shared prompts, so they describe and do not decide.
    """
    to_first, to_second = flips["to_first"], flips["to_second"]
    lean_first, lean_second = to_first + flips["tie_toward_first"], to_second + flips["tie_toward_second"]
    return {
        "to_first": to_first,
        "to_second": to_second,
        "p_value": sign_test(to_first, to_second),
        "lean_first": lean_first,
        "lean_second": lean_second,
        "lean_p_value": sign_test(lean_first, lean_second),
    }


def first_position(both: Sequence[Case]) -> Json:
    """P(first wins) over single readings of pairings readable in both orders; ties left out, their share beside it."""
    counts: Counter[str] = Counter()
    by_case = []
    for case in both:
        places = Counter(position_of(reading.outcome, reading.order) for reading in case.readings)
        counts.update(places)
        by_case.append((case.prompt, float(places["first"]), float(places["first"] + places["second"])))
    total, decided = counts.total(), counts["first"] + counts["second"]
    ratio = clustered_ratio(sums_by_prompt(by_case)) if decided else None
    lower, upper = (ratio.interval() if ratio else None) or (None, None)
    return {
        "first": counts["first"],
        "second": counts["second"],
        "tie": counts["tie"],
        "share": ratio.value if ratio else None,
        "lower": lower,
        "upper": upper,
        "se": ratio.se if ratio and lower is not None else None,
        "tie_share": counts["tie"] / total if total else None,
    }


def position_effect(cases: Sequence[Case]) -> Effect:
    """The judge's pull to the first position in the joint model with its default prior; see `core.joint`.

    A row is the outcome of an order that has a readable reply, of incomplete pairings too.
    """
    import numpy as np

    rows = sorted(
        (case.prompt, case.pairing.model_a, case.pairing.model_b, SCORES[outcome], sign)
        for case in cases
        for outcome, sign in ((case.verdict.outcome_ab, 1), (case.verdict.outcome_ba, -1))
        if outcome is not None
    )
    if not rows:
        return Effect(logit=None, reason=NO_READINGS)
    prompts, model_a, model_b, score, first = zip(*rows, strict=True)
    battles = replace(
        battles_from_columns(prompts, model_a, model_b, score),
        first=np.asarray(first, dtype=np.int8),
    )
    return fit_joint(battles, How(method="joint")).judges[0].first_position


def bpde(cases: Sequence[Case]) -> Json:
    """Entropy of single readings over the `n` pairings that have any: mean, maximum, how many have 0."""
    found = [case.verdict.bpde for case in cases if case.verdict.bpde is not None]
    zero = found.count(0.0)
    return {
        "mean": math.fsum(found) / len(found) if found else None,
        "max": max(found, default=None),
        "zero": zero,
        "zero_share": zero / len(found) if found else None,
        "n": len(found),
    }


def _equal_pairs(case: Case) -> tuple[str, tuple[int, int], tuple[int, int]]:
    ab, ba = (Counter(r.outcome for r in in_order(case.readings, order)) for order in (Order.AB, Order.BA))
    same = sum(math.comb(n, 2) for n in (*ab.values(), *ba.values()))
    across = sum(n * ba[outcome] for outcome, n in ab.items())
    pairs = math.comb(ab.total(), 2) + math.comb(ba.total(), 2)
    return case.prompt, (same, pairs), (across, ab.total() * ba.total())


def _consistency(both: Sequence[Case]) -> Consistency | None:
    return swap_consistency((case.prompt, case.verdict.consistent is True) for case in both)


def _c(found: Consistency | None) -> Json:
    keys = ("value", "lower", "upper", "deff", "plain_lower", "plain_upper", "n", "prompts")
    return {key: getattr(found, key) if found else None for key in keys}


def _decided(both: Sequence[Case]) -> Json:
    decisive = sum(case.decisive for case in both)
    return {
        "decided_share": decisive / len(both) if both else None,
        "n_valid": sum(case.verdict.consistent is True for case in both),
        "n_decided": decisive,
    }


def _gate(found: Gate) -> Json:
    return {"threshold": found.threshold, "state": found.state, "reason": found.reason}


def _agreement(found: Agreement) -> Json:
    keys = ("same_order", "cross_order", "excess", "excess_lower", "excess_upper")
    pairs = ("same_equal", "same_pairs", "cross_equal", "cross_pairs")
    return {key: getattr(found, key) for key in (*keys, *pairs)}


def _by(cases: Sequence[Case], trait: Literal["category", "language"]) -> list[Json]:
    """The main figures for each value of a trait; shown without a gate."""
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        groups[getattr(case.pairing, trait)].append(case)
    return [{trait: value, **_slice(groups[value])} for value in sorted(groups)]


def _slice(cases: Sequence[Case]) -> Json:
    both = [case for case in cases if case.both]
    return {
        **_counts(cases),
        "swap_table": swap_table(cases),
        "c": _c(_consistency(both)),
        **_decided(both),
        "first_position": first_position(both),
    }
