"""Elo: worked example, another program, and what belongs to a rating that depends on the order of rows."""

from dataclasses import replace

import evalica
import numpy as np
import pytest

from leaderboard.core.elo import fit_elo
from leaderboard.core.fits import How
from leaderboard.core.matrix import Battles
from leaderboard.errors import BadInput

ELO = How(method="elo")
ROWS = [(0, 1, 1.0), (1, 2, 0.5), (0, 2, 1.0), (2, 1, 0.0), (1, 0, 1.0)]


def played(rows, models="xyz", **columns):
    a, b, share = (np.array(column) for column in zip(*rows, strict=True))
    return Battles(models=tuple(models), a=a, b=b, score=share, **columns)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ROWS, (1013.82769652, 1018.10612039, 968.06618309)),
        (ROWS[::-1], (1017.33793216, 1011.10935464, 971.5527132)),
    ],
    ids=["as played", "reversed"],
)
def test_worked_example(rows, expected):
    fit = fit_elo(played(rows), ELO)
    assert fit.ratings == pytest.approx(expected, abs=1e-8)
    winners = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    xs, ys = (["xyz"[row[side]] for row in rows] for side in (0, 1))
    peer = evalica.elo(xs, ys, [winners[row[2]] for row in rows], initial=1000, base=10, scale=400, k=32)
    assert fit.ratings == pytest.approx([peer.scores[model] for model in "xyz"], abs=1e-8)


def test_it_says_that_it_depends_on_the_order():
    fit = fit_elo(played(ROWS, "xyzu", cluster=np.arange(5)), ELO)
    assert (fit.covariance, fit.how.prior) == (None, None)
    assert fit.interval_reason == (*("depends on the order of the battles",) * 3, "no matches")
    assert ["order_dependent" in flags for flags in fit.flags] == [True, True, True, False]
    assert fit.ranks == (2, 1, 3, None)
    assert (fit.separation.rank_lower, fit.convergence.steps) == ((None,) * 4, 5)


@pytest.mark.parametrize(("k", "start"), [(32, 1000), (4, 1500), (100, 0)])
def test_the_start_stays_the_mean_of_each_component(k, start):
    rng = np.random.default_rng(1)
    rows = [(i, (i + 1) % 3, rng.choice([0, 0.5, 1])) for i in rng.integers(0, 3, 300)] + [(3, 4, 1.0)] * 20
    fit = fit_elo(played(rows, "xyzst"), replace(ELO, k=k, start=start))
    assert np.mean(fit.ratings[:3]) == pytest.approx(start, abs=1e-8)
    assert np.mean(fit.ratings[3:]) == pytest.approx(start, abs=1e-8)


def test_an_anchor_stands_at_1000_and_moves_its_component_alone():
    rows = [*ROWS, (3, 4, 1.0)]
    plain = fit_elo(played(rows, "xyzst"), ELO)
    fit = fit_elo(played(rows, "xyzst"), replace(ELO, anchor="y"))
    assert fit.ratings[1] == 1000
    assert np.diff(fit.ratings[:3]) == pytest.approx(np.diff(plain.ratings[:3]), abs=1e-9)
    assert fit.ratings[3:] == plain.ratings[3:]
    with pytest.raises(BadInput, match="cannot anchor on 'nobody'"):
        fit_elo(played(rows, "xyzst"), replace(ELO, anchor="nobody"))


def test_a_weight_multiplies_k():
    one = fit_elo(played([(0, 1, 1.0)], "xy", weight=np.array([0.25])), ELO)
    assert one.ratings == (pytest.approx(1004), pytest.approx(996))


def test_a_hopeless_battle_moves_nothing_and_overflows_nothing():
    fit = fit_elo(played([(0, 1, 1.0), (1, 0, 0.0)], "xy"), replace(ELO, k=1e6))
    assert fit.ratings == (pytest.approx(501_000), pytest.approx(-499_000))
