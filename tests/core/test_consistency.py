"""Shares, intervals, the gate and the tests of a judge's figures."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.consistency import (
    agreement,
    clustered_ratio,
    design_effect,
    gate,
    sign_test,
    sums_by_prompt,
    swap_consistency,
    wilson,
)


def judged(prompts, a_prompt, consistent):
    """`a_prompt` pairings on each of `prompts` prompts; `consistent(prompt, pairing)` tells which agree."""
    return [(f"p{p}", consistent(p, i)) for p in range(prompts) for i in range(a_prompt)]


@pytest.mark.parametrize(
    ("share", "n", "expected"),
    [
        (0.5, 10, (0.2366, 0.7634)),  # textbook values of Wilson's interval
        (0, 10, (0, 0.2775)),
        (1, 10, (0.7225, 1)),
    ],
)
def test_wilson(share, n, expected):
    assert wilson(share, n, 1.959964) == pytest.approx(expected, abs=1e-4)


@given(st.floats(0.01, 0.99), st.floats(1, 1e6), st.floats(0.5, 13))
def test_wilson_ends_where_the_share_is_just_as_far_as_the_quantile(share, n, quantile):
    for bound in wilson(share, n, quantile):
        assert abs(share - bound) == pytest.approx(quantile * math.sqrt(bound * (1 - bound) / n), rel=1e-4)


def test_a_clustered_share_by_hand():
    """Prompts with 3 of 4, 1 of 2 and 0 of 2: share 1/2, residuals 1, 0, -1, over 8, times 3/2."""
    ratio = clustered_ratio(sums_by_prompt([("p", 3, 4), ("q", 1, 2), ("r", 0, 2)]))
    assert (ratio.value, ratio.n, ratio.clusters) == (0.5, 8, 3)
    assert ratio.se == pytest.approx(math.sqrt(1.5 * 2 / 64))
    lower, upper = ratio.interval()
    assert (lower, upper) == (0, 1)  # t(2) = 4.3 goes beyond what a share can be


@pytest.mark.parametrize("sums", [[("p", 1, 2)], [("p", 2, 2), ("q", 2, 2)], [("p", 0, 2), ("q", 0, 2)]])
def test_no_interval_where_no_spread_can_be_seen(sums):
    assert clustered_ratio(sums_by_prompt(sums)).interval() is None


def test_a_share_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        clustered_ratio({"p": (0, 0)})


def test_prompts_that_stand_or_fall_as_one_make_a_design_effect():
    """40 prompts of 5 pairings each, all five alike: five pairings are worth one."""
    together = swap_consistency(judged(40, 5, lambda p, i: p % 2 == 0))
    assert together.deff == pytest.approx(5 * 40 / 39)
    assert together.upper - together.lower > 2 * (together.plain_upper - together.plain_lower)


def test_spread_inside_prompts_only_has_no_design_effect():
    apart = swap_consistency(judged(40, 2, lambda p, i: i == 0))
    assert (apart.value, apart.deff, apart.n, apart.prompts) == (0.5, 1, 80, 40)


def test_a_perfect_judge_has_no_design_effect_but_an_interval():
    perfect = swap_consistency(judged(40, 5, lambda p, i: True))
    assert (perfect.value, perfect.deff, perfect.upper) == (1, 1, 1)
    assert 0.97 < perfect.lower < 1


def test_one_prompt_has_no_clustered_interval():
    alone = swap_consistency(judged(1, 5, lambda p, i: i > 1))
    assert (alone.lower, alone.upper, alone.deff) == (None, None, 1)
    assert swap_consistency([]) is None


@pytest.mark.parametrize(
    ("prompts", "a_prompt", "agrees", "state"),
    [
        (40, 10, lambda p, i: True, "pass"),
        (40, 10, lambda p, i: i < 5, "fail"),
        (40, 10, lambda p, i: i < 9, "pass"),
        (40, 10, lambda p, i: i < 8 + p % 2, "unclear"),  # C = .85 exactly: the interval holds the bar
        (29, 10, lambda p, i: True, "unclear"),  # too few prompts
        (33, 3, lambda p, i: True, "unclear"),  # 99 pairings
        (50, 2, lambda p, i: False, "fail"),
    ],
)
def test_the_gate(prompts, a_prompt, agrees, state):
    found = gate(swap_consistency(judged(prompts, a_prompt, agrees)), 0.85)
    assert found.state == state
    assert (found.reason is None) is (state != "unclear")
    assert found.n == prompts * a_prompt


def test_the_bar_itself_passes_and_nothing_is_rounded():
    found = swap_consistency(judged(40, 10, lambda p, i: i < 9))
    assert gate(found, found.lower).state == "pass"
    assert gate(found, found.lower + 1e-12).state == "unclear"
    assert gate(found, found.upper).state == "unclear"
    assert gate(found, found.upper + 1e-12).state == "fail"


def test_no_pairing_is_unclear():
    assert (gate(None, 0.85).state, gate(None, 0.85).c, gate(None, 0.85).n) == ("unclear", None, 0)


@pytest.mark.parametrize("bar", [-0.1, 1.1, float("nan")])
def test_an_impossible_bar_is_refused(bar):
    with pytest.raises(ValueError, match="bar"):
        gate(None, bar)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(37, 58, 0.03960824), (121, 150, 0.0888), (198, 245, 0.0287), (0, 6, 2 / 64), (5, 5, 1), (0, 0, None)],
)
def test_the_sign_test_is_exact(one, other, expected):
    assert sign_test(one, other) == (None if expected is None else pytest.approx(expected, abs=5e-5))
    assert sign_test(one, other) == sign_test(other, one)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_sums_the_two_tails(one, other):
    n = one + other
    tail = sum(math.comb(n, i) for i in range(min(one, other) + 1)) / 2**n
    assert sign_test(one, other) == (None if n == 0 else pytest.approx(min(1, 2 * tail)))


def test_agreement_by_hand():
    """Shares 3/4 and 2/4; residuals by prompt 1/4 * (2 - 1.5) - 1/4 * (2 - 1) and its opposite."""
    found = agreement([("p", (2, 2), (2, 2)), ("q", (1, 2), (0, 2))])
    assert (found.same_order, found.cross_order, found.excess) == (0.75, 0.5, 0.25)
    width = 12.7062 * math.sqrt(2 * 2 * 0.125**2)
    assert (found.excess_lower, found.excess_upper) == pytest.approx((0.25 - width, 0.25 + width), abs=1e-4)


@pytest.mark.parametrize(
    ("counted", "same", "cross", "excess"),
    [
        ([], None, None, None),
        ([("p", (0, 0), (1, 1)), ("q", (0, 0), (0, 1))], None, 0.5, None),  # one sample an order
        ([("p", (3, 3), (0, 0)), ("q", (1, 3), (0, 0))], 2 / 3, None, None),  # one order
        ([("p", (3, 3), (9, 9))], 1, 1, 0),  # one prompt: a value without an interval
    ],
)
def test_agreement_gives_what_there_is(counted, same, cross, excess):
    found = agreement(counted)
    assert (found.same_order, found.cross_order, found.excess) == (same, cross, excess)
    assert (found.excess_lower, found.excess_upper) == (None, None)


@given(st.lists(st.tuples(st.sampled_from("pqrst"), st.booleans()), min_size=1, max_size=60), st.data())
def test_c_lies_in_its_interval_and_ignores_the_order_of_pairings(pairings, data):
    found = swap_consistency(pairings)
    assert swap_consistency(data.draw(st.permutations(pairings))) == found
    assert found.deff >= 1
    assert found.plain_lower <= found.value <= found.plain_upper
    if found.lower is not None:
        assert 0 <= found.lower <= found.value <= found.upper <= 1


def test_the_design_effect_is_one_without_spread():
    assert design_effect(clustered_ratio({"p": (0, 3), "q": (0, 5)})) == 1
