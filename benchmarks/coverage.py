"""`python -m benchmarks.coverage [--runs N] [--seed S] [--json]`: do the intervals hold what they promise?

Three tables. Coverage: how often a 95 % interval holds the estimator's own target, which is the same estimator on a
million requests of the same design (under policy `tie` that is not the latent strength). False separations: in how many
data sets of equal models any two are called different. Bias: Kendall tau to the truth where a judge prefers a position.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.simulated_judging import Design, Drawn, Floats, drawn, mixed, single_passes, unclustered
from leaderboard.core.agreement import kendall_tau
from leaderboard.core.fits import Fit, How
from leaderboard.core.intervals import symmetric_root
from leaderboard.core.judged import by_order, under_policy
from leaderboard.core.matrix import Battles
from leaderboard.core.ratings import rate
from leaderboard.core.separation import t_statistics

REQUESTS = 1_000_000
SPREAD = tuple(np.linspace(-1.0, 1.0, 8).tolist())
FIELD = tuple(np.linspace(-1.5, 1.5, 20).tolist())
MAX_T_DRAWS = 2_000
Row = dict[str, object]

COVERED: dict[str, Design] = {
    "iid: 800 pairings, each on a prompt of its own": Design(theta=SPREAD, prompts=800, pairs_a_prompt=1),
    "1200 pairings on 60 shared prompts": Design(theta=SPREAD, prompts=60, pairs_a_prompt=20, prompt_noise=1.0),
    "two passes, delta 1, 60 shared prompts": Design(
        theta=SPREAD, prompts=60, pairs_a_prompt=20, delta=(1.0,), prompt_noise=1.0
    ),
    "10 prompts, full round robin": Design(theta=SPREAD, prompts=10, pairs_a_prompt=None, prompt_noise=1.0),
}
EQUAL: dict[str, Design] = {
    f"{models} equal models, {prompts} prompts": Design(
        theta=(0.0,) * models, prompts=prompts, pairs_a_prompt=None, prompt_noise=1.0
    )
    for models, prompts in ((8, 30), (30, 30), (30, 80))
}
FEW = {"prompts": 400, "pairs_a_prompt": 15}
REGIMES: dict[str, Design] = {
    "A delta 0": Design(theta=FIELD, **FEW),
    "B delta 1, balanced": Design(theta=FIELD, delta=(1.0,), **FEW),
    "C delta 1, unbalanced": Design(theta=FIELD, delta=(1.0,), unbalanced=True, **FEW),
    "D delta 2, unbalanced": Design(theta=FIELD, delta=(2.0,), unbalanced=True, **FEW),
    "E delta 1, prompt noise 1": Design(theta=FIELD, delta=(1.0,), prompt_noise=1.0, **FEW),
    "F two judges, +1.5 and -1, unbalanced": Design(theta=FIELD, delta=(1.5, -1.0), unbalanced=True, **FEW),
}


def tie(found: Drawn) -> Battles:
    return under_policy(found.judged, "tie")


def once(found: Drawn) -> Battles:
    return under_policy(single_passes(found), "tie")


ESTIMATORS: dict[str, tuple[str, Callable[[Drawn], Battles]]] = {
    "single pass, bt": ("bt", once),
    "single pass, joint": ("joint", lambda found: by_order(single_passes(found))),
    "two passes, bt, tie": ("bt", tie),
    "two passes, bt, soft": ("bt", lambda found: under_policy(found.judged, "soft")),
    "two passes, bt, drop": ("bt", lambda found: under_policy(found.judged, "drop")),
    "two passes, joint": ("joint", lambda found: by_order(found.judged)),
    "half and half, bt": ("bt", lambda found: under_policy(mixed(found), "tie")),
    "half and half, joint": ("joint", lambda found: by_order(mixed(found))),
}


def coverage(design: Design, runs: int, seed: int) -> Row:
    """Share of 95 % intervals that hold the target, models averaged: clustered by prompt, and battle by battle."""
    passes = once if design.delta == (0.0,) else tie
    rng = np.random.default_rng(seed)
    # Unclustered: the target needs no interval, and a sandwich over a million clusters would only cost time.
    target = rate(replace(passes(drawn(design.larger(REQUESTS), rng)), cluster=None), How()).theta
    held = np.zeros((runs, 2))
    widths = np.zeros((runs, 2))
    for run in range(runs):
        battles = passes(drawn(design, rng))
        for place, shared in enumerate((battles, unclustered(battles))):
            held[run, place], widths[run, place] = _held(rate(shared, How()), target)
    return {
        "runs": runs,
        "covered": held[:, 0].mean(),
        "elo": widths[:, 0].mean(),
        "covered_by_battle": held[:, 1].mean(),
        "elo_by_battle": widths[:, 1].mean(),
        "monte_carlo_error": held[:, 0].std() / np.sqrt(runs),
    }


def _held(fit: Fit, target: Floats) -> tuple[float, float]:
    """Share of the models whose interval holds the target, and the mean width in Elo points."""
    points = How().start + (400 / np.log(10)) * target
    lower, upper = np.array(fit.lower, dtype=float), np.array(fit.upper, dtype=float)
    return float(((lower <= points) & (points <= upper)).mean()), float((upper - lower).mean())


def false_separations(design: Design, runs: int, seed: int) -> Row:
    """Share of data sets with any separated pair although all are equal: Bonferroni-t, and normal max-t beside it."""
    rng = np.random.default_rng(seed)
    bonferroni = max_t = 0
    for _ in range(runs):
        fit = rate(once(drawn(design, rng)), How())
        bonferroni += bool(fit.separation.better.any())
        max_t += _separated_by_max_t(fit, rng)
    return {"runs": runs, "bonferroni_t": bonferroni / runs, "normal_max_t": max_t / runs}


def _separated_by_max_t(fit: Fit, rng: np.random.Generator) -> bool:
    """The rule the product does not use: the largest |t| against its 95 % point under draws from N(0, V)."""
    covariance = fit.covariance
    assert covariance is not None
    one, other = np.triu_indices(len(covariance), 1)
    draws = rng.standard_normal((MAX_T_DRAWS, len(covariance))) @ symmetric_root(covariance)
    variance = np.diag(covariance)
    errors = np.sqrt(variance[one] + variance[other] - 2 * covariance[one, other])
    largest = np.abs((draws[:, one] - draws[:, other]) / errors).max(axis=1)
    return bool(np.abs(t_statistics(fit.theta, covariance)).max() > np.quantile(largest, 0.95))


def bias(design: Design, runs: int, seed: int) -> Iterator[tuple[str, Row]]:
    """By estimator: Kendall tau to the truth, slope of the estimate on the truth, and how often the best is first."""
    rng = np.random.default_rng(seed)
    truth = np.array(design.theta)
    found = {name: np.zeros((runs, 3)) for name in ESTIMATORS}
    consistent = np.zeros(runs)
    for run in range(runs):
        data = drawn(design, rng)
        consistent[run] = data.judged.consistent.mean()
        for name, (method, battles) in ESTIMATORS.items():
            theta = rate(replace(battles(data), cluster=None), How(method=method)).theta
            found[name][run] = (
                _tau(theta, truth),
                np.polyfit(truth, theta, 1)[0],
                theta.argmax() == truth.argmax(),
            )
    for name, figures in found.items():
        tau, slope, top = figures.mean(axis=0)
        yield name, {"runs": runs, "tau": tau, "slope": slope, "top_1": top, "c": consistent.mean()}


def _tau(theta: Floats, truth: Floats) -> float:
    """Kendall's tau of the estimated order to the true strengths."""
    order = [str(i) for i in np.argsort(-theta)]
    found = kendall_tau(order, {str(i): float(strength) for i, strength in enumerate(truth)})
    assert found is not None
    return found


def measure(runs: int, regime_runs: int, seed: int) -> Iterator[Row]:
    """The rows of the three tables, as they are found."""
    for name, design in COVERED.items():
        yield {"table": "coverage", "case": name} | coverage(design, runs, seed)
    for name, design in EQUAL.items():
        yield {"table": "false separations", "case": name} | false_separations(design, runs, seed)
    for name, design in REGIMES.items():
        for estimator, figures in bias(design, regime_runs, seed):
            yield {"table": "bias", "case": f"{name}: {estimator}"} | figures


def line(row: Row) -> str:
    """A row for people: its case, then its figures by name."""
    figures = (f"{name} {value:.3f}" for name, value in row.items() if isinstance(value, float))
    return f"{row['case']!s:62} {'   '.join(figures)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of intervals, false separations, and position bias.")
    parser.add_argument("--runs", type=int, default=1000, help="data sets for coverage and separations")
    parser.add_argument("--regime-runs", type=int, default=400, help="data sets for each bias regime")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    asked = parser.parse_args()
    rows = []
    for row in measure(asked.runs, asked.regime_runs, asked.seed):
        rows.append({name: float(value) if isinstance(value, float) else value for name, value in row.items()})
        if not asked.json:
            print(line(row), flush=True)
    if asked.json:
        print(json.dumps({"items": rows}))


if __name__ == "__main__":
    main()
