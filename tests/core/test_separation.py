"""Which models differ for sure, and what would settle the rest."""

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.fits import How
from leaderboard.core.intervals import clustered_spread
from leaderboard.core.matrix import battles_from_rows, win_matrix
from leaderboard.core.separation import (
    bonferroni_t,
    difference,
    separation,
    t_statistics,
    to_settle,
    top_chances,
    worth_in_pairings,
)
from leaderboard.core.settling_reasons import NOT_HERE
from leaderboard.core.strengths import bradley_terry, components

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "clustered_errors.json").read_text())
PAIRS = list(combinations(range(3), 2))


def worked(clusters=7):
    cells = [(i, j) for i in range(3) for j in range(3)]
    rows = [(i, j, 1.0) for i, j in cells for _ in range(GOLDEN["decided"][i][j])]
    rows += [(i, j, 0.5) for i, j in cells if i > j for _ in range(GOLDEN["ties"][i][j])]
    return battles_from_rows((str(k % clusters), f"m{i}", f"m{j}", share) for k, (i, j, share) in enumerate(rows))


def separated(battles, **changes):
    """Separation of the worked example, which has too few prompts for a fit to claim an interval."""
    wins = win_matrix(battles)
    theta, component = bradley_terry(wins, 0), components(wins)
    spread = clustered_spread(battles, theta, component, prior=0)
    everybody = {"played": [True] * 3, "sure": [True] * 3, "ranks": (1, 2, 3)}
    given = {"component": component, "prompts": spread.prompts} | everybody | changes
    return separation(theta, spread.covariance, **given)


def test_the_bound_of_three_models_on_seven_prompts():
    assert bonferroni_t(3, 6) == pytest.approx(GOLDEN["bound"], abs=1e-5)


def test_the_worked_example_separates_the_first_from_the_last():
    battles = worked()
    wins = win_matrix(battles)
    theta = bradley_terry(wins, 0)
    spread = clustered_spread(battles, theta, components(wins), prior=0)
    t = t_statistics(theta, spread.covariance)
    assert [t[pair] for pair in PAIRS] == pytest.approx([GOLDEN["t"][k] for k in (0, 1, 2)], abs=1e-5)
    found = separated(battles)
    assert list(zip(found.rank_lower, found.rank_upper, strict=True)) == [tuple(pair) for pair in GOLDEN["ranks"]]
    assert np.argwhere(found.better).tolist() == [[0, 2]]
    assert found.tiers == (1, 1, 2)


@pytest.mark.parametrize(
    ("changes", "lower", "upper", "tiers"),
    [
        pytest.param({"sure": [True, True, False]}, (1, 1, None), (3, 3, None), (1, 1, None), id="no interval"),
        pytest.param({"component": (0, 0, 1)}, (1, 1, 1), (2, 2, 1), (1, 1, 1), id="another component"),
        pytest.param(
            {"played": [True, True, False], "sure": [True, True, False], "ranks": (1, 2, None)},
            (1, 1, None),
            (2, 2, None),
            (1, 1, None),
            id="no battle",
        ),
        pytest.param({"ranks": (1, 2, 2)}, (1, 1, 2), (2, 3, 3), (1, 1, 1), id="equal ratings stay in one tier"),
        pytest.param({"ranks": (1, 1, 3)}, (1, 1, 2), (2, 3, 3), (1, 1, 1), id="both of equal leaders must be better"),
    ],
)
def test_who_counts_in_ranks_and_tiers(changes, lower, upper, tiers):
    found = separated(worked(), **changes)
    assert (found.rank_lower, found.rank_upper, found.tiers) == (lower, upper, tiers)


def test_a_tier_starts_at_the_first_model_separated_from_the_leader_of_the_last():
    theta, spread = np.array([3.0, 2.6, 1.9, 1.7, 0.0]), 0.04 * np.eye(5)
    found = separation(theta, spread, (0,) * 5, (40,) * 5, [True] * 5, [True] * 5, (1, 2, 3, 4, 5))
    assert found.tiers == (1, 1, 2, 2, 3)


def ladder(prompts=40, models="abcdef", seed=0, step=0.6):
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(len(models)) for j in range(i + 1, len(models))]
    return [
        (f"p{p}", models[i], models[j], float(rng.random() < 1 / (1 + math.exp(-step * (j - i)))))
        for p in range(prompts)
        for i, j in pairs
    ]


def fitted(rows, models=(), **how):
    return fit_bt(battles_from_rows(rows, models=models), How(**how))


def ladders():
    strangers = [(f"p{p}", "y", "z", float(p % 4 > 0)) for p in range(40)]
    few = [(f"p{p}", "a", "x", 0.0) for p in range(3)]
    return fitted(ladder() + strangers + few, models=["none"])


def test_components_never_separate_and_never_rank_across():
    fit = ladders()
    inside = np.equal.outer(fit.component, fit.component)
    assert not fit.separation.better[~inside].any()
    at = {model: i for i, model in enumerate(fit.models)}
    assert (fit.ranks[at["y"]], fit.separation.tiers[at["y"]]) == (1, 1)
    assert fit.separation.rank_upper[at["z"]] == 2
    assert difference(fit, at["a"], at["y"]).reason == "no chain of battles links the two"


def test_a_model_without_interval_has_no_rank_interval_and_says_why():
    fit = ladders()
    for model, reason in {"x": "needs 10 prompts, has 3", "none": "no matches"}.items():
        i = fit.models.index(model)
        shown = (fit.separation.rank_lower[i], fit.separation.rank_upper[i], fit.separation.tiers[i])
        assert (shown, fit.rank_reason[i]) == ((None, None, None), reason)
        assert not fit.separation.better[i].any()
        assert not fit.separation.better[:, i].any()


def test_without_prompts_nobody_is_separated():
    fit = fitted([(None, a, b, score) for _, a, b, score in ladder()])
    assert not fit.separation.better.any()
    assert set(fit.rank_reason) == {"no prompt ids"}
    assert set(top_chances(fit, 1)) == {None}
    assert difference(fit, 0, 1) == replace(difference(fit, 0, 1), se=None, p_value=None, reason="no prompt ids")


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(10, 60), st.sampled_from([0.0, 0.3, 1.5]), st.sampled_from([None, "c"]))
def test_no_rank_interval_excludes_the_rank(seed, prompts, step, anchor):
    fit = fitted(ladder(prompts, seed=seed, step=step), anchor=anchor)
    for rank, low, high in zip(fit.ranks, fit.separation.rank_lower, fit.separation.rank_upper, strict=True):
        assert low is None or low <= rank <= high


def test_equal_ratings_share_rank_interval_and_tier():
    rows = [(f"p{p}", *pair, 0.5) for p in range(60) for pair in ("ab", "bc", "ca")]
    rows += [(f"p{p}", model, "z", float(p % 10 > 0)) for p in range(60) for model in "abc"]
    fit = fitted(rows)
    assert fit.ranks == (1, 1, 1, 4)
    assert len({(fit.separation.rank_lower[i], fit.separation.rank_upper[i]) for i in range(3)}) == 1
    assert fit.separation.tiers == (1, 1, 1, 2)


@pytest.mark.parametrize("anchor", ["a", "f"])
def test_the_anchor_changes_no_separation(anchor):
    plain, anchored = fitted(ladder()), fitted(ladder(), anchor=anchor)
    assert plain.separation.better.any()
    assert (plain.separation.better == anchored.separation.better).all()
    assert plain.separation.rank_lower == anchored.separation.rank_lower


def test_chances_of_the_top_add_up_and_follow_the_ratings():
    fit = fitted(ladder())
    for k in (1, 3):
        chances = top_chances(fit, k)
        assert sum(chances) == pytest.approx(k)
        assert chances == top_chances(fit, k)
    assert top_chances(fit, 1)[0] > 0.8 > 0.2 > top_chances(fit, 1)[1]
    assert top_chances(fit, 6) == (1.0,) * 6


def test_nobody_has_a_chance_where_a_model_without_interval_may_be_the_best():
    """b and c lead on nine prompts each; a alone has an interval, and is last."""
    rows = [(f"p{p}", "a", "b" if p < 9 else "c", float(p % 9 < 2)) for p in range(18)]
    fit = fitted(rows)
    assert (fit.ranks, [end is None for end in fit.lower]) == ((3, 1, 1), [False, True, True])
    assert top_chances(fit, 1) == (None, None, None)
    assert top_chances(fit, 1, among_measured=True) == (1.0, None, None)


def test_a_difference_is_tested_by_t_on_the_prompts_of_the_component():
    fit = fitted(ladder())
    found = difference(fit, 0, 1)
    turned = difference(fit, 1, 0)
    assert (found.df, found.reason) == (39, None)
    assert found.upper - found.logit == pytest.approx(2.022691 * found.se, rel=1e-5)
    assert (turned.logit, turned.p_value) == (-found.logit, found.p_value)
    assert (found.p_value < 0.05) == (found.lower > 0)


def test_two_models_alone_are_worth_their_own_pairings():
    rows = [(f"p{p}", "a", "b", float(p % 3 > 0)) for p in range(60)]
    assert worth_in_pairings(fitted(rows), 0, 1) == pytest.approx(60)
    round_robin = [(f"p{p}", a, b, 0.5) for p in range(60) for a, b in combinations("abcdef", 2)]
    assert worth_in_pairings(fitted(round_robin), 0, 1) == pytest.approx(60 * 6 / 2)


@pytest.mark.parametrize(
    ("lost", "unused", "expected", "reason"),
    [
        pytest.param(25, None, 239, None, id="unsettled"),
        pytest.param(25, 1000, 239, None, id="prompts enough"),
        pytest.param(25, 238, 239, NOT_HERE, id="too few prompts"),
        pytest.param(25, 0, 239, NOT_HERE, id="an empty pool"),
        pytest.param(10, 0, 0, None, id="settled already"),
        pytest.param(29, None, None, "the difference is too near to nothing to plan for", id="below half an error"),
    ],
)
def test_what_it_takes_to_settle(lost, unused, expected, reason):
    """N ((t + z) / |difference / error|)^2 - N with two models and N = 60: 60 ((2.0010 + .8416) / 1.2742)^2 - 60."""
    fit = fitted([(f"p{p}", "a", "b", float(p >= lost)) for p in range(60)], prior=0)
    found = to_settle(fit, 0, 1, unused)
    assert (found.pairings, found.reason) == (expected, reason)
    assert found.worth == pytest.approx(60)


def test_nobody_can_say_what_settles_models_without_intervals():
    fit = ladders()
    found = to_settle(fit, fit.models.index("a"), fit.models.index("x"))
    assert (found.pairings, found.worth, found.reason) == (None, None, "needs 10 prompts, has 3")
