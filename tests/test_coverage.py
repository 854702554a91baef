"""Do the intervals hold what they promise? Small seeded versions of `python -m benchmarks.coverage`."""

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.simulated_judging import Design, drawn, mixed, single_passes
from leaderboard.core.judged import MISSING

SEED = 7


@pytest.mark.parametrize("case", coverage.COVERED)
def test_intervals_hold_the_estimators_own_target(case):
    """300 data sets of eight models: the Monte Carlo error of the share is about half a point."""
    found = coverage.coverage(coverage.COVERED[case], 300, SEED)
    assert 0.93 <= found["covered"] <= 0.97


@pytest.mark.parametrize("case", [case for case in coverage.COVERED if not case.startswith("iid")])
def test_intervals_that_ignore_shared_prompts_are_too_short(case):
    found = coverage.coverage(coverage.COVERED[case], 150, SEED)
    assert found["covered_by_battle"] < 0.9 < found["covered"]
    assert found["elo_by_battle"] < found["elo"]


@pytest.mark.parametrize(("case", "runs"), [("8 equal models, 30 prompts", 400), ("30 equal models, 30 prompts", 200)])
def test_equal_models_are_hardly_ever_separated(case, runs):
    """Five percent is the promise; normal draws of the largest difference break it."""
    found = coverage.false_separations(coverage.EQUAL[case], runs, SEED)
    assert found["bonferroni_t"] <= 0.06 < found["normal_max_t"]


@pytest.mark.parametrize(("case", "plain"), [("C delta 1, unbalanced", 0.75), ("D delta 2, unbalanced", 0.45)])
def test_the_joint_model_sees_through_a_judge_that_prefers_a_position(case, plain):
    found = dict(coverage.bias(coverage.REGIMES[case], 20, SEED))
    assert found["single pass, bt"]["tau"] < plain
    assert found["single pass, joint"]["tau"] >= 0.9


def test_a_single_pass_knows_one_order_and_half_and_half_knows_both_of_half():
    found = drawn(Design(theta=(0.5, 0.0, -0.5), prompts=40, pairs_a_prompt=None), np.random.default_rng(SEED))
    single, half = single_passes(found), mixed(found)
    assert ((single.ab == MISSING) ^ (single.ba == MISSING)).all()
    assert (single.consistent == MISSING).all()
    both = (half.ab != MISSING) & (half.ba != MISSING)
    assert both.sum() == len(half) / 2
    assert (half.consistent[both] == (half.ab == half.ba)[both]).all()
