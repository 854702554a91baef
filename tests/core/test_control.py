"""Control for length: the covariate, and a judge that likes long answers."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.simulated_judging import Design, drawn
from leaderboard.core.control import log_difference, standardised
from leaderboard.core.fits import How
from leaderboard.core.joint import CONTROL_PRIOR_TELLS, fit_joint
from leaderboard.core.judged import by_order
from leaderboard.core.matrix import Battles

ROWS = 30_000
PLAIN, CONTROLLED = How(method="joint"), How(method="joint", control="length")


def judged_for_length(beta, seed=1, rows=ROWS):
    """Five models of equal steps; the weak write long. Each prompt asks for a length of its own."""
    rng = np.random.default_rng(seed)
    theta = np.linspace(0.8, -0.8, 5)
    a = rng.integers(0, 5, rows)
    b = (a + rng.integers(1, 5, rows)) % 5
    prompt = rng.integers(0, 80, rows)
    lengths = [np.exp(5 + 0.25 * model + 0.3 * (prompt % 7) + rng.normal(0, 0.6, rows)).astype(int) for model in (a, b)]
    x = standardised(log_difference(*lengths))
    first = rng.choice(np.array([-1, 1], dtype=np.int8), rows)
    d = theta[a] - theta[b] + beta * x + 0.5 * first
    ahead, drawn = np.exp(d / 2), rng.random(rows)
    z = ahead + 1 / ahead + 0.4
    share = np.where(drawn < ahead / z, 1.0, np.where(drawn < (ahead + 0.4) / z, 0.5, 0.0))
    return theta, Battles(models=tuple("abcde"), a=a, b=b, score=share, cluster=prompt, first=first, covariate=x)


@pytest.mark.parametrize("beta", [0.8, -0.5])
def test_a_judge_with_a_taste_for_length_is_found_out_and_the_ratings_corrected(beta):
    theta, battles = judged_for_length(beta)
    plain, controlled = fit_joint(battles, PLAIN), fit_joint(battles, CONTROLLED)
    found = controlled.control
    assert found.logit == pytest.approx(beta, abs=4 * found.se)
    assert found.lower < found.logit < found.upper
    assert found.p_value < 1e-6
    off_plain, off_controlled = (np.abs(fit.theta - theta).max() for fit in (plain, controlled))
    assert off_controlled < 0.07 < 0.18 < off_plain
    assert plain.control is None


def test_a_judge_without_the_taste_has_no_effect():
    _, battles = judged_for_length(0.0)
    found = fit_joint(battles, CONTROLLED).control
    assert abs(found.logit) < 3 * found.se
    assert found.p_value > 0.01


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"covariate": np.zeros(ROWS)}, "no two answers differ in length"), ({"cluster": None}, "the model's own error")],
)
def test_what_cannot_be_said_of_the_effect_has_a_reason(change, reason):
    found = fit_joint(replace(judged_for_length(0.5)[1], **change), CONTROLLED).control
    assert reason in found.reason
    assert (found.lower, found.p_value) == (None, None)


def test_where_nothing_differs_the_ratings_are_the_plain_ones():
    battles = replace(judged_for_length(0.5)[1], covariate=np.zeros(ROWS))
    assert fit_joint(battles, CONTROLLED).theta == pytest.approx(fit_joint(battles, PLAIN).theta, abs=1e-9)


@pytest.mark.parametrize(("covariate", "match"), [(None, "no covariate"), (np.full(ROWS, np.nan), "finite")])
def test_a_covariate_that_is_none_is_refused(covariate, match):
    with pytest.raises(ValueError, match=match):
        fit_joint(replace(judged_for_length(0.5)[1], covariate=covariate), CONTROLLED)


def test_the_covariate_is_a_ratio_of_lengths_over_its_typical_size():
    long, short = np.array([200, 100, 400, 0, 7]), np.array([100, 200, 100, 50, 0])
    difference = log_difference(long, short)
    assert np.isnan(difference).tolist() == [False, False, False, True, True]
    assert difference[:3].tolist() == pytest.approx([np.log(2), -np.log(2), np.log(4)])
    assert log_difference(short, long)[:3].tolist() == (-difference[:3]).tolist()
    x = standardised(difference[:3])
    assert np.mean(x**2) == pytest.approx(1)
    assert x.tolist() == pytest.approx([x[0], -x[0], 2 * x[0]])


@pytest.mark.parametrize("differences", [[], [0.0], [0.0, 0.0]])
def test_without_a_difference_the_covariate_is_nothing(differences):
    assert standardised(np.array(differences)).tolist() == differences


def equals(longer, rng, *, beta=1.0):
    """Two equal models on 60 prompts in both orders; `longer` (60,): what x is longer by, which the judge likes."""
    first, prompt = np.tile(np.array([1, -1], dtype=np.int8), 60), np.repeat(np.arange(60), 2)
    x = standardised(longer[prompt])
    heard = beta * x + 0.5 * first + rng.logistic(size=120)
    share, a = np.where(heard > 0.3, 1.0, np.where(heard < -0.3, 0.0, 0.5)), np.zeros(120, dtype=int)
    return Battles(("x", "y"), a, a + 1, share, first=first, cluster=prompt, covariate=x)


def longer_but_on(few, rng):
    return np.where(np.arange(60) < few, rng.choice([-1.0, 0.5], 60), 1.0)


@pytest.mark.parametrize(
    ("few", "told"), [(1, False), (3, False), (5, False), (30, True)], ids=["1", "3", "5", "half of them"]
)
def test_an_effect_of_length_that_few_prompts_bear_has_no_interval_and_separates_nobody(few, told):
    rng = np.random.default_rng(3)
    for _ in range(10):
        fit = fit_joint(equals(longer_but_on(few, rng), rng), CONTROLLED)
        found = fit.control
        assert found.logit is not None
        assert [value is not None for value in (found.se, found.lower, found.upper, found.p_value)] == [told] * 4
        assert [lower is not None for lower in fit.lower] == [told] * 2
        if not told:
            few_tell = "prompts tell strength and what is controlled for apart, needs 10" in found.reason
            assert few_tell or found.reason == CONTROL_PRIOR_TELLS
            assert fit.interval_reason == (found.reason, found.reason)
            assert not fit.separation.better.any()
            assert fit.judges[0].first_position.lower is not None


@pytest.mark.parametrize("jitter", [0.0005, 0.001, 0.03])
def test_an_effect_of_length_that_the_prior_divides_from_strength_has_no_interval(jitter):
    rng = np.random.default_rng(4)
    for _ in range(10):
        fit = fit_joint(equals(1 + rng.normal(0, jitter, 60), rng), CONTROLLED)
        assert (fit.control.se, fit.control.lower, fit.control.p_value) == (None,) * 3
        assert fit.control.reason == CONTROL_PRIOR_TELLS
        assert fit.interval_reason == (CONTROL_PRIOR_TELLS,) * 2


@pytest.mark.parametrize(("models", "prompts"), [(4, 24), (8, 24), (8, 10)])
@pytest.mark.parametrize(("own", "varied"), [(0.3, 0.2), (0.5, 0.5)])
def test_usual_lengths_keep_their_effect_and_all_intervals(models, prompts, own, varied):
    """`own`: how far the habits of the models reach; `varied`: from prompt to prompt, both in logs of characters."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        design = Design(theta=tuple(np.linspace(1, -1, models)), prompts=prompts, pairs_a_prompt=None, delta=(0.6,))
        battles = by_order(drawn(design, rng).judged)
        log_length = 6 + own * np.linspace(-1, 1, models) + varied * rng.normal(size=(prompts, models))
        difference = log_length[battles.cluster, battles.a] - log_length[battles.cluster, battles.b]
        fit = fit_joint(replace(battles, covariate=standardised(difference)), CONTROLLED)
        assert fit.control.reason is None
        assert fit.control.p_value is not None
        assert None not in fit.lower
