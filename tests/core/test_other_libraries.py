"""The worked examples by libraries that share no code with this one."""

import json
import math
from pathlib import Path

import evalica
import numpy as np
import pytest
import statsmodels.api as sm

from leaderboard.core.intervals import clustered_spread, information
from leaderboard.core.matrix import battles_from_rows, win_matrix
from leaderboard.core.strengths import bradley_terry, components

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "clustered_errors.json").read_text())
WINNER = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}


def worked():
    cells = [(i, j) for i in range(3) for j in range(3)]
    rows = [(i, j, 1.0) for i, j in cells for _ in range(GOLDEN["decided"][i][j])]
    rows += [(i, j, 0.5) for i, j in cells if i > j for _ in range(GOLDEN["ties"][i][j])]
    return [(k % 7, f"m{i}", f"m{j}", share) for k, (i, j, share) in enumerate(rows)]


EXAMPLES = {
    "three models with ties": worked(),
    "three to one": [(k, "m0", "m1", float(k < 3)) for k in range(4)],
}


@pytest.mark.parametrize("rows", EXAMPLES.values(), ids=EXAMPLES)
def test_strengths_by_evalica(rows):
    _, a, b, share = zip(*rows, strict=True)
    found = evalica.bradley_terry(a, b, [WINNER[s] for s in share], tolerance=1e-12, limit=10_000).scores
    theta = np.log([found[model] for model in sorted({*a, *b})])
    assert bradley_terry(win_matrix(battles_from_rows(rows)), 0) == pytest.approx(theta - theta.mean(), abs=1e-8)


def regression(rows, cov_type, **options):
    """A logistic regression without intercept on who met whom; m1 is the zero."""
    clusters, a, b, share = zip(*rows, strict=True)
    names = [model for model in sorted({*a, *b}) if model != "m1"]
    met = np.array([[(x == name) - (y == name) for name in names] for x, y in zip(a, b, strict=True)], dtype=float)
    keywords = {"groups": np.array(clusters), **options} if options else {}
    return sm.GLM(np.array(share), met, family=sm.families.Binomial()).fit(
        cov_type=cov_type, cov_kwds=keywords or None, tol=1e-14, maxiter=200
    )


@pytest.mark.parametrize("rows", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("small_sample", [False, True])
def test_clustered_errors_by_statsmodels(rows, small_sample):
    """Its correction is G / (G - 1) times (rows - 1) / (rows - parameters); ours has the first alone."""
    battles = battles_from_rows((str(cluster), a, b, share) for cluster, a, b, share in rows)
    wins = win_matrix(battles)
    theta, anchor = bradley_terry(wins, 0), 1
    spread = clustered_spread(battles, theta, components(wins), prior=0, anchor=anchor, small_sample=small_sample)
    peer = regression(rows, "cluster", use_correction=small_sample)
    more = (len(rows) - 1) / (len(rows) - len(peer.params)) if small_sample else 1
    others = [i for i in range(len(theta)) if i != anchor]
    assert (theta - theta[anchor])[others] == pytest.approx(peer.params, abs=1e-8)
    assert spread.covariance[np.ix_(others, others)] == pytest.approx(peer.cov_params() / more, abs=1e-8)


@pytest.mark.parametrize("rows", EXAMPLES.values(), ids=EXAMPLES)
def test_model_errors_by_statsmodels(rows):
    wins = win_matrix(battles_from_rows((str(cluster), a, b, share) for cluster, a, b, share in rows))
    covariance = np.linalg.inv(information(wins, bradley_terry(wins, 0), 0) + 1 / len(wins))
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert math.sqrt(variance) == pytest.approx(regression(rows, "nonrobust").bse[0], abs=1e-7)
