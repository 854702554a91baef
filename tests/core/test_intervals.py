"""Standard errors, quantiles and the chance of a rank, against worked examples."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from leaderboard.core.intervals import (
    Spread,
    centred,
    clustered_spread,
    half_widths,
    information,
    rank_draws,
    sandwich,
    score_sums,
    symmetric_root,
    t_quantile,
)
from leaderboard.core.matrix import Battles, battles_from_columns, battles_from_rows, win_matrix
from leaderboard.core.strengths import bradley_terry, components

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "clustered_errors.json").read_text())
PAIRS = list(combinations(range(3), 2))


def worked_rows():
    cells = [(i, j) for i in range(3) for j in range(3)]
    decided = [(i, j, 1.0) for i, j in cells for _ in range(GOLDEN["decided"][i][j])]
    return decided + [(i, j, 0.5) for i, j in cells if i > j for _ in range(GOLDEN["ties"][i][j])]


def worked_battles(clusters):
    return battles_from_rows((str(k % clusters), f"m{i}", f"m{j}", s) for k, (i, j, s) in enumerate(worked_rows()))


def spread_of(battles, **options):
    wins = win_matrix(battles)
    prior = options.pop("prior", 0)
    return clustered_spread(battles, bradley_terry(wins, prior), components(wins), prior=prior, **options)


def difference_errors(covariance):
    return [math.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]) for i, j in PAIRS]


@pytest.mark.parametrize("case", GOLDEN["cases"])
def test_clustered_errors_of_the_worked_example(case):
    spread = spread_of(worked_battles(case["clusters"]), small_sample=case["small_sample"])
    assert spread.prompts == (case["clusters"],) * 3
    if case["errors"]:
        assert np.sqrt(np.diag(spread.covariance)) == pytest.approx(case["errors"], abs=1e-8)
    if case["differences"]:
        assert difference_errors(spread.covariance) == pytest.approx(case["differences"], abs=1e-8)


def test_differences_over_their_errors():
    battles = worked_battles(7)
    theta = bradley_terry(win_matrix(battles), 0)
    errors = difference_errors(spread_of(battles).covariance)
    found = [(theta[i] - theta[j]) / error for (i, j), error in zip(PAIRS, errors, strict=True)]
    assert found == pytest.approx(GOLDEN["t"], abs=1e-5)


def test_model_errors_of_the_worked_example():
    """The centred inverse of the information, lifted along the common level that no battle sets."""
    wins = win_matrix(worked_battles(7))
    covariance = centred(np.linalg.inv(information(wins, bradley_terry(wins, 0), 0) + 1 / 3))
    assert np.sqrt(np.diag(covariance)) == pytest.approx(GOLDEN["model"], abs=1e-8)


def test_rows_repeated_inside_their_cluster_add_no_certainty():
    """Ten copies of every battle, on the same prompts, say nothing new; battle by battle they would."""
    once = worked_rows()
    rows = [(str(k % 7), f"m{i}", f"m{j}", s) for k, (i, j, s) in enumerate(once)]
    copied = spread_of(battles_from_rows(rows * 10)).covariance
    assert copied == pytest.approx(spread_of(battles_from_rows(rows)).covariance)


def test_a_weight_counts_as_so_many_rows():
    weights = [1 + k % 3 for k in range(35)]
    rows = [(str(k % 7), f"m{i}", f"m{j}", s) for k, (i, j, s) in enumerate(worked_rows())]
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    weighted = battles_from_columns(*map(list, zip(*rows, strict=True)), weight=weights)
    assert spread_of(weighted).covariance == pytest.approx(spread_of(battles_from_rows(repeated)).covariance)


def test_the_anchor_has_no_error_and_the_others_that_of_their_difference():
    battles = worked_battles(7)
    anchored = spread_of(battles, anchor=1).covariance
    errors = difference_errors(spread_of(battles).covariance)
    assert np.sqrt(np.clip(np.diag(anchored), 0, None)) == pytest.approx([errors[0], 0, errors[2]])


def test_components_have_their_own_prompts_and_no_covariance_across():
    rows = [(f"p{k}", "a", "b", k % 2) for k in range(12)] + [(f"p{k}", "c", "d", k % 2) for k in range(5)]
    spread = spread_of(battles_from_rows(rows, models=["e"]), prior=0.5)
    assert spread.prompts == (12, 12, 5, 5, 0)
    assert spread.own == (12, 12, 5, 5, 0)
    assert not spread.covariance[:2, 2:].any()
    alone = spread_of(battles_from_rows(rows[:12]), prior=0.5)
    assert spread.covariance[:2, :2] == pytest.approx(alone.covariance)
    assert [width is None for width in half_widths(spread)] == [False, False, True, True, True]


@pytest.mark.parametrize("prompts", [0, 1])
def test_fewer_than_two_prompts_show_no_spread(prompts):
    spread = spread_of(battles_from_rows([("p", "a", "b", 0.5)] * prompts, models="ab"), prior=0.5)
    assert not spread.covariance.any()
    assert half_widths(spread) == (None, None)


def test_without_prompts_there_is_no_clustered_spread():
    with pytest.raises(ValueError, match="prompt ids"):
        spread_of(battles_from_rows([(None, "a", "b", 0.5)]), prior=0.5)


@pytest.mark.parametrize(
    ("level", "df", "expected"),
    [(0.95, 6, 2.446912), (0.95, 79, 1.990450), (1 - 0.05 / 3, 6, 3.28746), (0.95, math.inf, 1.959964)],
)
def test_quantiles(level, df, expected):
    assert t_quantile(level, df) == pytest.approx(expected, abs=1e-5)


def test_half_widths_are_t_times_error():
    assert half_widths(Spread(np.diag([0.04, 0.0]), (10, 10), (10, 10))) == (pytest.approx(2.262157 * 0.2), 0.0)
    assert half_widths(Spread(np.diag([0.04, 0.0]), (12, 12), (9, 9))) == (None, None)


def test_centring_takes_the_common_level_out():
    rng = np.random.default_rng(0)
    covariance = (root := rng.normal(size=(4, 4))) @ root.T
    assert centred(covariance + 5) == pytest.approx(centred(covariance))
    assert centred(covariance).sum(axis=1) == pytest.approx(np.zeros(4), abs=1e-12)


def test_the_root_is_symmetric_and_squares_to_the_covariance():
    covariance = spread_of(worked_battles(7)).covariance
    root = symmetric_root(covariance)
    assert root == pytest.approx(root.T)
    assert root @ root == pytest.approx(covariance, abs=1e-12)


def worked_draws(k, **options):
    battles = worked_battles(35)
    covariance = spread_of(battles, small_sample=False).covariance
    return rank_draws(bradley_terry(win_matrix(battles), 0), covariance, (k,), **options)[0]


@pytest.mark.parametrize("seed", range(3))
def test_chance_of_the_first_rank_with_normal_draws(seed):
    assert worked_draws(1, df=None, seed=seed) == pytest.approx(GOLDEN["first"], abs=0.01)


def test_chances_of_the_k_best_add_up_to_k():
    for k in (0, 1, 2, 3, 4):
        assert worked_draws(k, df=6, seed=1).sum() == pytest.approx(min(k, 3))


def test_the_draws_belong_to_their_seed():
    one, again, other = (worked_draws(1, df=6, seed=seed) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


def test_few_prompts_make_the_draws_wider():
    assert worked_draws(1, df=2, seed=1)[0] < worked_draws(1, df=None, seed=1)[0] - 0.02


def test_equal_ratings_without_spread_share_the_first_rank():
    assert rank_draws(np.zeros(3), np.zeros((3, 3)), (1,), df=9, seed=0)[0].tolist() == [1, 1, 1]


def thin_field(prompts, models=200, components=1, seed=0):
    """One battle a prompt and a few more: models of one component meet inside it alone."""
    rng = np.random.default_rng(seed)
    rows = prompts + prompts // 4
    a = rng.integers(0, models, rows)
    b = (a + components * rng.integers(1, models // components, rows)) % models
    prompt = np.concatenate([np.arange(prompts), rng.integers(0, prompts, prompts // 4)])
    return Battles(tuple(f"m{i:03}" for i in range(models)), a, b, rng.integers(0, 3, rows) / 2, cluster=prompt)


@pytest.mark.parametrize(
    "battles",
    [
        pytest.param(thin_field(300, models=20), id="dense"),
        pytest.param(thin_field(300, models=20, components=2), id="dense, two components"),
        pytest.param(thin_field(9000), id="sparse"),
        pytest.param(thin_field(9000, components=2), id="sparse, two components"),
    ],
)
def test_sums_by_prompt_are_the_same_in_either_form(battles):
    """Against a plain loop over rows. The sparse form is taken where a dense table would be too large."""
    n, theta = len(battles.models), np.linspace(-1, 1, len(battles.models))
    component = components(win_matrix(battles))
    sums, seen = np.zeros((battles.n_prompts, n)), np.zeros((battles.n_prompts, n), dtype=bool)
    for prompt, a, b, score in zip(battles.cluster, battles.a, battles.b, battles.score, strict=True):
        off = score - 1 / (1 + math.exp(theta[b] - theta[a]))
        sums[prompt, a] += off
        sums[prompt, b] -= off
        seen[prompt, [a, b]] = True
    found = score_sums(battles, theta, component)
    assert found.outer == pytest.approx(sums.T @ sums, abs=1e-9)
    assert list(found.reach.own) == seen.sum(axis=0).tolist()
    expected = [int(seen[:, np.equal(component, number)].any(axis=1).sum()) for number in component]
    assert list(found.reach.component) == expected


def test_gaps_between_prompt_numbers_and_rows_of_no_weight_do_not_count():
    rows = worked_rows()
    a, b, score = (np.array(column) for column in zip(*rows, strict=True))
    plain = Battles(("x", "y", "z"), a, b, score, cluster=np.arange(35) % 7)
    gaps = Battles(
        ("x", "y", "z"),
        np.append(a, 0),
        np.append(b, 1),
        np.append(score, 1.0),
        weight=np.append(np.ones(35), 0),
        cluster=np.append(np.arange(35) % 7 * 1_000_000, 5),
    )
    found, expected = spread_of(gaps), spread_of(plain)
    assert (found.prompts, found.own) == (expected.prompts, expected.own)
    assert found.covariance == pytest.approx(expected.covariance)


def test_no_inverse_no_number():
    assert np.isnan(sandwich(np.zeros((2, 2)), np.eye(2), 5, singular=False)).all()


def test_ties_of_the_kth_place_all_count():
    assert rank_draws(np.array([1.0, 0, 0, -1]), np.zeros((4, 4)), (2,), df=None, seed=0)[0].tolist() == [1, 1, 1, 0]
