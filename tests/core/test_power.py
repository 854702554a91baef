"""How many pairings a difference needs: worked figures, and a simulation of the test that they are for."""

import math

import numpy as np
import pytest

from leaderboard.core.power import pairings_needed


@pytest.mark.parametrize(
    ("decided", "of_all", "of_decided"),
    [(1, 8719, 8719), (0.9, 7847, 9688), (0.85, 7411, 10258), (0.8, 6975, 10899), (0.5, 4359, 17438)],
)
def test_a_difference_of_three_percent(decided, of_all, of_decided):
    assert math.ceil(pairings_needed(0.03, decided=decided)) == of_all
    assert math.ceil(pairings_needed(0.03, of="decided", decided=decided)) == of_decided


@pytest.mark.parametrize(("decided", "exact"), [(1, 8718.619), (0.8, 6974.424)])
def test_before_rounding(decided, exact):
    assert pairings_needed(0.03, decided=decided) == pytest.approx(exact, abs=5e-4)


def test_so_many_pairings_show_the_difference_as_often_as_promised():
    """4,000 data sets of the planned size: wins against losses, normal test at the 5 % level."""
    difference, decided = 0.15, 0.7
    pairings = math.ceil(pairings_needed(difference, decided=decided))
    shares = [(decided + difference) / 2, (decided - difference) / 2, 1 - decided]
    won, lost, _ = np.random.default_rng(3).multinomial(pairings, shares, size=4000).T
    seen = np.abs(won - lost) / np.sqrt(won + lost) > 1.959964
    assert seen.mean() == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize(
    "asked",
    [
        {"difference": 0},
        {"difference": 1.5},
        {"difference": 0.03, "decided": 0},
        {"difference": 0.5, "decided": 0.4},
        {"difference": 0.03, "power": 1},
        {"difference": 0.03, "alpha": 0},
        {"difference": math.nan},
        {"difference": 1e-160},
        {"difference": 0.03, "alpha": 1e-17},
        {"difference": 0.03, "power": 1 - 1e-12},
    ],
)
def test_what_cannot_be_is_refused(asked):
    with pytest.raises(ValueError, match=r"between 0 and 1|more decided"):
        pairings_needed(**asked)
