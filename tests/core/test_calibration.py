"""From readings to a verdict, as a table of cases and as properties."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.calibration import (
    POLICIES,
    calibrate,
    diversity,
    mean_gap,
    order_outcome,
    single_pass,
    tied_by_identity,
)
from leaderboard.core.protocol import BOTH_ORDERS
from leaderboard.core.types import Order, Outcome, Reading, SlotScores, to_reading

AB, BA = Order.AB, Order.BA
A, B, TIE = Outcome.A, Outcome.B, Outcome.TIE


def readings(order, *pairs, start=1):
    """Readings of one order from pairs of scores (first shown, second shown)."""
    slots = [SlotScores(Decimal(str(first)), Decimal(str(second))) for first, second in pairs]
    return [to_reading(order, start + i, slot) for i, slot in enumerate(slots)]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(8, 7)], A),
        ([(7, 8)], B),
        ([(7, 7)], TIE),
        ([(9, 5), (6, 7), (6, 7)], A),  # two of three say b, the mean says a: never the plurality
        ([("0.1", "0.3"), ("0.2", 0)], TIE),  # in floats .1 - .3 + .2 is not 0
        ([("7.0001", 7)], A),  # four places are kept
        ([], None),
    ],
)
def test_the_mean_gap_decides_an_order(pairs, expected):
    assert order_outcome(readings(AB, *pairs)) is expected


def test_the_mean_gap_is_exact():
    assert mean_gap(readings(AB, (8, 7), (7, 7), (7, 7))) == Fraction(1, 3)
    assert mean_gap([]) is None


@pytest.mark.parametrize(
    ("ab", "ba", "outcome", "consistent", "score", "soft"),
    [
        ((9, 7), (6, 8), A, True, A, 1),
        ((7, 9), (8, 6), B, True, B, 0),
        ((7, 7), (6, 6), TIE, True, TIE, Fraction(1, 2)),
        ((9, 7), (8, 6), TIE, False, TIE, Fraction(1, 2)),  # the first shown won twice, by the same gap
        ((9, 6), (8, 7), TIE, False, A, Fraction(1, 2)),  # the same, but the gaps favour a
        ((7, 9), (6, 9), TIE, False, A, Fraction(1, 2)),  # the second shown won twice; the gaps favour a
        ((7, 7), (9, 5), TIE, False, B, Fraction(1, 4)),  # a tie in one order only is inconsistent too
        ((9, 5), (7, 7), TIE, False, A, Fraction(3, 4)),
    ],
)
def test_a_win_must_survive_the_swap(ab, ba, outcome, consistent, score, soft):
    """Scores as shown: under `ba` the first number is model b's."""
    verdict = calibrate(readings(AB, ab) + readings(BA, ba), BOTH_ORDERS, 1)
    assert verdict.state == "decided"
    assert (verdict.outcome, verdict.consistent) == (outcome, consistent)
    assert (verdict.outcome_score, verdict.score_soft) == (score, soft)


def test_each_order_weighs_one_half_whatever_its_number_of_samples():
    """Pooled, the six points for a in three samples would beat the five for b in one."""
    verdict = calibrate(readings(AB, (9, 7), (9, 7), (9, 7)) + readings(BA, (9, 4)), BOTH_ORDERS, 3)
    assert verdict.outcome_score is B
    assert verdict.gap == Fraction(2 - 5, 2)
    assert (verdict.samples, verdict.thin) == (1, True)


@pytest.mark.parametrize(
    ("k", "read", "thin"), [(1, 1, False), (2, 1, False), (3, 1, True), (3, 2, False), (4, 2, False), (5, 2, True)]
)
def test_a_verdict_is_thin_below_half_of_the_samples(k, read, thin):
    verdict = calibrate(readings(AB, *[(8, 7)] * read) + readings(BA, *[(7, 8)] * k), BOTH_ORDERS, k)
    assert (verdict.samples, verdict.thin) == (read, thin)


@pytest.mark.parametrize("read", [AB, BA])
def test_a_missing_order_makes_no_verdict(read):
    verdict = calibrate(readings(read, (8, 7), (7, 7)), BOTH_ORDERS, 3)
    assert verdict.state == "incomplete"
    assert (verdict.outcome, verdict.outcome_score, verdict.score_soft, verdict.consistent) == (None,) * 4
    assert {policy(verdict) for policy in POLICIES.values()} == {None}
    assert (verdict.outcome_ab is None, verdict.outcome_ba is None) == (read is BA, read is AB)
    assert verdict.bpde == pytest.approx(math.log(2))


def test_one_order_asked_is_as_read_and_never_consistent_or_not():
    both = readings(AB, (8, 7), (6, 7), (9, 7)) + readings(BA, (9, 1))
    verdict = calibrate(both, frozenset({AB}), 3)
    assert (verdict.outcome, verdict.outcome_score, verdict.score_soft) == (A, A, 1)
    assert (verdict.consistent, verdict.outcome_ab, verdict.outcome_ba) == (None, A, None)
    assert verdict.gap == Fraction(2, 3)


def test_samples_beyond_k_do_not_count():
    several = readings(AB, (8, 7), (1, 9)) + readings(BA, (7, 8), (9, 1))
    assert calibrate(several, BOTH_ORDERS, 1).outcome is A
    assert calibrate(several, BOTH_ORDERS, 2).outcome is B


def test_no_order_is_refused():
    with pytest.raises(ValueError, match="order"):
        calibrate([], frozenset(), 1)


@pytest.mark.parametrize(("order", "scores", "outcome"), [(AB, (8, 7), A), (BA, (8, 7), B), (AB, (5, 5), TIE)])
def test_a_single_pass_is_as_read(order, scores, outcome):
    (reading,) = readings(order, scores, start=0)
    verdict = single_pass(reading)
    assert (verdict.outcome, verdict.consistent, verdict.samples, verdict.bpde) == (outcome, None, 1, 0.0)


def test_an_unreadable_single_pass_is_incomplete():
    verdict = single_pass(None)
    assert (verdict.state, verdict.outcome, verdict.samples, verdict.bpde) == ("incomplete", None, 0, None)


def test_identical_answers_tie_outside_consistency():
    verdict = tied_by_identity()
    assert (verdict.state, verdict.outcome, verdict.consistent, verdict.bpde) == ("decided", TIE, None, None)
    assert {policy(verdict) for policy in POLICIES.values()} == {Fraction(1, 2)}


@pytest.mark.parametrize(
    ("ab", "ba", "expected"),
    [
        ((9, 7), (6, 8), {"tie": 1, "score": 1, "soft": 1, "drop": 1}),
        ((7, 7), (7, 7), {"tie": 0.5, "score": 0.5, "soft": 0.5, "drop": 0.5}),
        ((9, 5), (8, 7), {"tie": 0.5, "score": 1, "soft": 0.5, "drop": None}),
        ((7, 7), (9, 7), {"tie": 0.5, "score": 0, "soft": 0.25, "drop": None}),
    ],
)
def test_what_a_pairing_is_worth_under_each_policy(ab, ba, expected):
    verdict = calibrate(readings(AB, ab) + readings(BA, ba), BOTH_ORDERS, 1)
    assert {name: policy(verdict) for name, policy in POLICIES.items()} == expected


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([], None),
        ([A], 0.0),
        ([A] * 6, 0.0),
        ([A, B], math.log(2)),
        ([A, B, TIE] * 2, math.log(3)),
        ([A] * 5 + [TIE], 0.4505612088663),
    ],
)
def test_diversity_is_the_entropy_of_single_readings(outcomes, expected):
    points = {A: ("1", "0"), B: ("0", "1"), TIE: (".5", ".5")}
    single = [Reading(AB, i, *map(Decimal, points[outcome])) for i, outcome in enumerate(outcomes)]
    found = diversity(single)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert found is None or math.copysign(1, found) == 1  # never -0.0


SCORE = st.integers(2, 20).map(lambda halves: Decimal(halves) / 2)
READINGS = st.lists(st.builds(Reading, st.sampled_from(Order), st.integers(1, 4), SCORE, SCORE), max_size=10)


def renamed(reading):
    """The same reply, had model b been called a."""
    return Reading(reading.order.flipped, reading.sample, reading.score_b, reading.score_a)


@given(READINGS, st.integers(1, 4))
def test_swapping_the_names_mirrors_the_verdict(found, k):
    plain = calibrate(found, BOTH_ORDERS, k)
    mirrored = calibrate([renamed(reading) for reading in found], BOTH_ORDERS, k)
    assert (mirrored.state, mirrored.consistent, mirrored.samples) == (plain.state, plain.consistent, plain.samples)
    assert mirrored.bpde == (None if plain.bpde is None else pytest.approx(plain.bpde))
    if plain.state == "decided":
        assert mirrored.outcome is plain.outcome.mirrored
        assert mirrored.outcome_score is plain.outcome_score.mirrored
        assert (mirrored.gap, mirrored.score_soft) == (-plain.gap, 1 - plain.score_soft)
        assert mirrored.outcome_ab is plain.outcome_ba.mirrored


@given(READINGS, st.randoms(use_true_random=False))
def test_the_order_of_readings_does_not_matter(found, random):
    shuffled = random.sample(found, len(found))
    assert calibrate(shuffled, BOTH_ORDERS, 4) == calibrate(found, BOTH_ORDERS, 4)


@given(
    st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=3), st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=3)
)
def test_a_judge_that_always_prefers_the_first_makes_ties_only(ab, ba):
    """Whatever the gaps, the first shown wins every reading."""
    biased = [
        to_reading(order, i + 1, SlotScores(max(pair) + 1, min(pair)))
        for order, pairs in ((AB, ab), (BA, ba))
        for i, pair in enumerate(pairs)
    ]
    verdict = calibrate(biased, BOTH_ORDERS, 3)
    assert (verdict.outcome, verdict.consistent) == (TIE, False)


@given(READINGS, READINGS, st.integers(1, 4))
def test_the_policies_agree_wherever_the_orders_do(ab, ba, k):
    verdict = calibrate(ab + ba, BOTH_ORDERS, k)
    worth = {policy(verdict) for policy in POLICIES.values()}
    assert (len(worth) == 1) or verdict.consistent is False
