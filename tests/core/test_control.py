"""Control for length: the covariate, and a judge that likes long answers."""

from dataclasses import replace

import numpy as np
import pytest

from leaderboard.core.control import log_difference, standardised
from leaderboard.core.fits import How
from leaderboard.core.joint import fit_joint
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
