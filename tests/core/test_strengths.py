"""How the maximum is found, and what happens where it is not."""

import re

import numpy as np
import pytest

from leaderboard.core.fits import How
from leaderboard.core.matrix import battles_from_columns
from leaderboard.core.ratings import rate
from leaderboard.core.strengths import CHOIX, NEWTON, NotConverged, bradley_terry, distance, newton, residual, solve

WORKED = np.array([[0, 8, 9.5], [4, 0, 8], [1.5, 4, 0]])
SWEEPS = np.triu(np.full((8, 8), 2000.0), 1)
"""Everybody beat all below 2,000 times."""


@pytest.mark.parametrize(
    ("wins", "prior", "solver"),
    [(WORKED, 0, CHOIX), (WORKED, 0.5, CHOIX), (SWEEPS, 0.5, NEWTON), (np.zeros((2, 2)), 0.5, CHOIX)],
)
def test_the_solver_is_the_one_that_found_it(wins, prior, solver):
    found = solve(wins, prior)
    assert (found.solver, found.steps is None) == (solver, solver == CHOIX)
    assert residual(wins, found.theta, prior) < 1e-8


def test_a_fit_names_its_solver_and_how_near_it_came():
    sweep = battles_from_columns(None, ["a"], ["b"], [1.0], weight=[1e6])
    convergence = rate(sweep, How()).convergence
    assert (convergence.solver, convergence.steps > 0) == (NEWTON, True)
    assert convergence.residual < 1e-8


def test_without_prior_one_hard_component_is_named():
    wins = np.zeros((5, 5))
    wins[:3, :3], wins[3:, 3:] = WORKED, [[0, 1e7], [1, 0]]
    found = solve(wins, 0)
    assert found.theta[3] - found.theta[4] == pytest.approx(np.log(1e7))
    assert found.theta[:3] == pytest.approx(bradley_terry(WORKED, 0))


@pytest.mark.parametrize("prior", [0, 0.5])
def test_a_thousand_times_the_counts_is_the_same_maximum(prior):
    assert bradley_terry(WORKED * 1000, prior * 1000) == pytest.approx(bradley_terry(WORKED, prior), abs=1e-13)


@pytest.mark.parametrize(("off", "named"), [(0, None), (1e-4, "'y'"), (np.nan, "'x'")])
def test_what_is_not_the_maximum_is_noticed(off, named):
    theta = bradley_terry(WORKED, 0)
    missed = distance(WORKED, theta + np.array([0, off, 0]), ["x", "y", "z"])
    assert missed is None if named is None else named in missed


@pytest.mark.parametrize(
    "wins",
    [
        pytest.param([[0, 1.0], [0, 0]], id="no finite maximum"),
        pytest.param([[0, 1e308], [1e308, 0]], id="sums beyond all numbers"),
    ],
)
def test_newton_says_how_far_it_stayed(wins):
    with pytest.raises(NotConverged, match=r"Newton ended after \d+ steps, .* logits from the maximum, at 'x'"):
        newton(np.array(wins), ["x", "y"])


def test_a_fit_of_impossible_weights_is_refused_instead_of_returned():
    battles = battles_from_columns(["p", "q"], ["a", "b"], ["b", "a"], [1.0, 1.0], weight=[1e308, 1e308])
    with pytest.raises(NotConverged, match=re.escape("Bradley-Terry did not converge")):
        rate(battles, How())


@pytest.mark.parametrize("prior", [-1, np.inf, np.nan])
def test_a_prior_is_a_finite_number_from_0(prior):
    with pytest.raises(ValueError, match="prior"):
        bradley_terry(np.zeros((2, 2)), prior)
