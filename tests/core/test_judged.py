"""Verdicts as arrays: the policies must say what they say of single verdicts."""

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from leaderboard.core.calibration import POLICIES, calibrate, single_pass, tied_by_identity
from leaderboard.core.judged import MISSING, SHARES, Judged, by_order, under_policy
from leaderboard.core.matrix import SCORES
from leaderboard.core.protocol import BOTH_ORDERS
from leaderboard.core.types import Order, SlotScores, to_reading

GAPS = [None, -3, -1, 0, 1, 3]
"""Of one order, a's score minus b's; None: nothing readable. Two sizes, so that `score` differs from `tie`."""


def reading(order, gap):
    first = gap if order is Order.AB else -gap
    return to_reading(order, 1, SlotScores(Decimal(5 + first), Decimal(5)))


def verdicts():
    """Every combination of order outcomes, single passes, an unreadable one, and two identical answers."""
    swapped = [
        calibrate(
            [reading(order, gap) for order, gap in zip(Order, gaps, strict=True) if gap is not None], BOTH_ORDERS, 1
        )
        for gaps in product(GAPS, GAPS)
    ]
    passes = [single_pass(reading(order, gap)) for order in Order for gap in GAPS if gap is not None]
    return [*swapped, *passes, single_pass(None), tied_by_identity()]


def code(outcome):
    return MISSING if outcome is None else 2 * SCORES[outcome.value]


def column(values):
    return np.array(list(values), dtype=np.int8)


def judged(found, **options):
    """The verdicts as pairings of a and b, each on a prompt of its own."""
    return Judged(
        models=("a", "b"),
        a=np.zeros(len(found), dtype=np.int16),
        b=np.ones(len(found), dtype=np.int16),
        prompt=np.arange(len(found)),
        outcome=column(code(verdict.outcome) for verdict in found),
        outcome_score=column(code(verdict.outcome_score) for verdict in found),
        soft=column(MISSING if v.score_soft is None else int(4 * v.score_soft) for v in found),
        consistent=column(MISSING if v.consistent is None else int(v.consistent) for v in found),
        ab=column(code(verdict.outcome_ab) for verdict in found),
        ba=column(code(verdict.outcome_ba) for verdict in found),
        **options,
    )


def test_both_places_know_the_same_policies():
    assert list(SHARES) == list(POLICIES)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_gives_every_verdict_the_same_worth_in_bulk(policy):
    found = verdicts()
    expected = {
        number: float(worth) for number, verdict in enumerate(found) if (worth := POLICIES[policy](verdict)) is not None
    }
    battles = under_policy(judged(found), policy)
    assert dict(zip(battles.cluster.tolist(), battles.score.tolist(), strict=True)) == expected


def test_an_unknown_policy_is_refused():
    with pytest.raises(KeyError):
        under_policy(judged(verdicts()), "plurality")


def test_every_readable_order_is_a_battle_of_its_own():
    found = verdicts()
    expected = {
        (number, side): SCORES[outcome.value]
        for number, verdict in enumerate(found)
        for side, outcome in ((1, verdict.outcome_ab), (-1, verdict.outcome_ba))
        if outcome is not None
    }
    battles = by_order(judged(found))
    rows = zip(battles.cluster.tolist(), battles.first.tolist(), battles.score.tolist(), strict=True)
    assert {(prompt, first): score for prompt, first, score in rows} == expected
    assert len(battles) == len(expected)


def test_what_belongs_to_a_pairing_goes_with_it():
    found = [tied_by_identity(), calibrate([reading(Order.AB, 1), reading(Order.BA, -1)], BOTH_ORDERS, 1)]
    both = judged(
        found, weight=np.array([2.0, 3.0]), judge=np.array([0, 1]), judges=("x", "y"), covariate=np.array([0.5, 1])
    )
    dropped, ordered = under_policy(both, "drop"), by_order(both)
    assert (dropped.weight.tolist(), dropped.judge.tolist(), dropped.covariate.tolist()) == ([2], [0], [0.5])
    assert (ordered.weight.tolist(), ordered.judge.tolist(), ordered.covariate.tolist()) == ([3, 3], [1, 1], [1, 1])
    assert dropped.judges == ordered.judges == ("x", "y")


def test_a_part_of_the_verdicts():
    part = judged(verdicts()).where(np.array([0, 7]))
    assert (len(part), part.prompt.tolist(), part.weight) == (2, [0, 7], None)
