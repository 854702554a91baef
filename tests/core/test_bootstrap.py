"""The prompt bootstrap, a check on the sandwich."""

import numpy as np
import pytest

from leaderboard.core.bootstrap import CELLS_AT_ONCE, percentile_bounds, prompt_bootstrap
from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.fits import SCALE, How
from leaderboard.core.matrix import Battles, battles_from_rows
from leaderboard.core.strengths import NoFiniteMaximum


def on_shared_prompts(models=8, prompts=60, battles=1200, seed=1):
    """Battles whose prompts favour some models, so that those of a prompt go together."""
    rng = np.random.default_rng(seed)
    strength, favour = np.linspace(-1, 1, models), rng.normal(0, 1, (prompts, models))
    a = rng.integers(0, models, battles)
    b = (a + rng.integers(1, models, battles)) % models
    prompt = rng.integers(0, prompts, battles)
    lead = strength[a] - strength[b] + favour[prompt, a] - favour[prompt, b]
    won = rng.random(battles) < 1 / (1 + np.exp(-lead))
    return Battles(tuple(f"m{i}" for i in range(models)), a, b, won.astype(float), cluster=prompt)


@pytest.mark.parametrize("how", [How(), How(prior=0), How(anchor="m3")])
def test_the_width_is_that_of_the_sandwich(how):
    battles = on_shared_prompts()
    fit = fit_bt(battles, how)
    lower, upper = percentile_bounds(prompt_bootstrap(battles, how, rounds=2000, seed=7))
    others = [i for i, model in enumerate(fit.models) if model != how.anchor]
    found = (upper - lower)[others]
    expected = np.array([(fit.upper[i] - fit.lower[i]) / SCALE for i in others])
    assert found == pytest.approx(expected, rel=0.1)
    assert (lower <= fit.theta).all()
    assert (fit.theta <= upper).all()


def test_the_same_seed_gives_the_same_digits():
    battles = on_shared_prompts()
    one, again, other = (prompt_bootstrap(battles, How(), rounds=20, seed=seed) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


def test_more_rounds_begin_with_the_same_ones():
    battles = on_shared_prompts()
    assert prompt_bootstrap(battles, How(), rounds=5) == pytest.approx(prompt_bootstrap(battles, How(), rounds=50)[:5])


def test_rounds_beyond_one_portion_are_all_there():
    """Sixty models are rated 277 rounds at a time."""
    assert CELLS_AT_ONCE // 60**2 == 277
    drawn = prompt_bootstrap(on_shared_prompts(models=60, battles=3000), How(), rounds=300)
    assert drawn.shape == (300, 60)
    assert np.isfinite(drawn).all()
    assert len(np.unique(drawn[:, 0])) == 300


def test_rounds_are_centred_as_the_fit():
    rows = [(f"p{p}", a, b, float((p + ord(a)) % 3 > 0)) for p in range(12) for a, b in ("ab", "bc", "yz")]
    battles = battles_from_rows(rows, models=["none"])
    for prior in (0.0, 0.5):
        drawn = prompt_bootstrap(battles, How(prior=prior), rounds=10)
        assert drawn[:, [0, 1, 2]].sum(axis=1) == pytest.approx(np.zeros(10), abs=1e-9)
        assert drawn[:, [4, 5]].sum(axis=1) == pytest.approx(np.zeros(10), abs=1e-9)
        assert not drawn[:, 3].any()
    anchored = prompt_bootstrap(battles, How(anchor="b"), rounds=10)
    assert not anchored[:, 1].any()
    assert anchored[:, 4:].sum(axis=1) == pytest.approx(np.zeros(10), abs=1e-9)


def test_a_sweep_stays_finite_in_every_round():
    rows = [(f"p{p}", "a", "b", 1.0) for p in range(3000)] + [("p0", "b", "c", 0.5)]
    assert np.isfinite(prompt_bootstrap(battles_from_rows(rows), How(), rounds=20)).all()


def test_weights_of_rows_count():
    battles = on_shared_prompts()
    double = Battles(battles.models, battles.a, battles.b, battles.score, np.full(len(battles), 2.0), battles.cluster)
    drawn = prompt_bootstrap(double, How(prior=1.0), rounds=10)
    assert drawn == pytest.approx(prompt_bootstrap(battles, How(prior=0.5), rounds=10), abs=1e-8)


def test_the_order_of_rows_and_rows_of_weight_0_change_nothing():
    battles = on_shared_prompts()
    drawn = prompt_bootstrap(battles, How(), rounds=10)
    assert prompt_bootstrap(battles.where(slice(None, None, -1)), How(), rounds=10) == pytest.approx(drawn, abs=1e-9)
    dead = Battles(battles.models, np.array([0]), np.array([1]), np.array([1.0]), cluster=np.array([999]))
    columns = {name: np.append(getattr(battles, name), getattr(dead, name)) for name in ("a", "b", "score", "cluster")}
    weighed = Battles(battles.models, weight=np.append(np.ones(len(battles)), 0), **columns)
    assert prompt_bootstrap(weighed, How(), rounds=10) == pytest.approx(drawn, abs=1e-9)


@pytest.mark.parametrize(
    ("rows", "how", "error"),
    [
        ([(None, "a", "b", 1.0)], How(), ValueError),
        ([("p", "a", "b", 1.0)], How(method="elo"), ValueError),
        ([("p", "a", "b", 1.0)], How(prior=0), NoFiniteMaximum),
    ],
)
def test_what_cannot_be_repeated_is_refused(rows, how, error):
    with pytest.raises(error):
        prompt_bootstrap(battles_from_rows(rows), how, rounds=2)


def test_no_battles_no_strengths():
    assert prompt_bootstrap(battles_from_rows([]), How(), rounds=3).shape == (3, 0)
