"""Bradley-Terry: worked examples, public data, and what must hold whatever the data."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.calibration import POLICIES, calibrate
from leaderboard.core.fits import SCALE, Convergence, How, assemble, ranks
from leaderboard.core.matrix import battles_from_columns, battles_from_rows, win_matrix
from leaderboard.core.protocol import BOTH_ORDERS
from leaderboard.core.ratings import METHODS, rate
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged, bradley_terry, centre, components, newton
from leaderboard.core.types import Order, SlotScores, to_reading
from leaderboard.errors import BadInput

EXAMPLES = json.loads((Path(__file__).parents[1] / "golden" / "bradley_terry.json").read_text())


def named(example):
    return example["desc"][:40]


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_worked_examples(example):
    wins = np.array(example["wins"], dtype=float)
    theta = bradley_terry(wins, example["prior"])
    assert theta == pytest.approx(example["theta"], abs=1e-8)
    if example["elo"]:
        assert 1000 + SCALE * centre(theta, components(wins)) == pytest.approx(example["elo"], abs=1e-7)


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e["prior"] == 0], ids=named)
def test_newton_finds_the_same_maximum(example):
    assert newton(np.array(example["wins"], dtype=float)).theta == pytest.approx(example["theta"], abs=1e-8)


@pytest.mark.parametrize("won", [1, 100, 10**6])
def test_the_phantom_keeps_any_sweep_finite(won):
    """The score equation of the winner: won * P(lose) = prior * (q - 1/2), by symmetry with the loser."""
    theta = bradley_terry(np.array([[0, won], [0, 0]], dtype=float))
    chance, phantom = 1 / (1 + math.exp(theta[1] - theta[0])), 1 / (1 + math.exp(-theta[0]))
    assert won * (1 - chance) == pytest.approx(0.5 * (phantom - 0.5), rel=1e-5)


def test_a_long_ladder_without_upsets_converges():
    """Every model beat all below it 2,000 times: here the spectral steps stall."""
    theta = bradley_terry(np.triu(np.full((8, 8), 2000.0), 1))
    assert (np.diff(theta) < -7).all()
    assert theta == pytest.approx(-theta[::-1], abs=1e-4)


@pytest.mark.parametrize(("delta", "tie", "drop"), [(0, 0.5, 1), (1, 0.39529859, 1), (2, 0.21394706, 1)])
def test_what_the_policies_make_of_a_judge_with_position_bias(delta, tie, drop):
    """A judge without ties, independent calls, true difference .5: `tie` shrinks, `drop` doubles whatever the bias."""
    first, second = (1 / (1 + math.exp(-0.5 - side * delta)) for side in (1, -1))
    expected = {"tie": tie, "drop": drop}
    won, lost = dict.fromkeys(expected, 0.0), dict.fromkeys(expected, 0.0)
    for ab, chance_ab in (("1", first), ("2", 1 - first)):
        for ba, chance_ba in (("2", second), ("1", 1 - second)):
            pair = [to_reading(Order.AB, 1, SlotScores.won_by(ab)), to_reading(Order.BA, 1, SlotScores.won_by(ba))]
            verdict = calibrate(pair, BOTH_ORDERS, 1)
            for policy in expected:
                if (worth := POLICIES[policy](verdict)) is not None:
                    won[policy] += chance_ab * chance_ba * float(worth)
                    lost[policy] += chance_ab * chance_ba * float(1 - worth)
    for policy, logit in expected.items():
        theta = bradley_terry(np.array([[0, won[policy]], [lost[policy], 0]]), prior=0)
        assert theta[0] - theta[1] == pytest.approx(logit, abs=1e-8)


def test_citations_between_statistical_journals(case_path):
    rows = []
    for row in csv.DictReader(case_path("bt-textbook/citations.csv").open()):
        rows += [(None, row["player1"], row["player2"], 1.0)] * int(row["wins1"])
        rows += [(None, row["player1"], row["player2"], 0.0)] * int(row["wins2"])
    fit = fit_bt(battles_from_rows(rows), How(prior=0, anchor="Biometrika"))
    assert dict(zip(fit.models, fit.theta, strict=True)) == {
        "Biometrika": 0,
        "Comm Statist": pytest.approx(-2.94907, abs=5e-6),
        "JASA": pytest.approx(-0.47957, abs=5e-6),
        "JRSS-B": pytest.approx(0.26895, abs=5e-6),
    }
    assert set(fit.interval_reason) == {"no prompt ids"}


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (0, {"gpt-4": 1394.11, "claude-v1": 1301.33, "llama-13b": 641.19}),
        (0.5, {"gpt-4": 1388.52, "claude-v1": 1297.88, "llama-13b": 644.58}),
    ],
)
def test_a_star_of_31_models_under_policy_tie(public_pairings, prior, expected):
    rows = [
        (judged.prompt_id, judged.model_a, judged.model_b, float(worth))
        for judged in public_pairings("mtbench/gpt-4-0613.jsonl")
        if (worth := POLICIES["tie"](calibrate(judged.readings, BOTH_ORDERS, 1))) is not None
    ]
    fit = fit_bt(battles_from_rows(rows), How(prior=prior, anchor="vicuna-13b-v1.3"))
    rating = dict(zip(fit.models, fit.ratings, strict=True))
    assert (len(rating), fit.n_prompts, rating["vicuna-13b-v1.3"]) == (31, 80, 1000)
    assert {model: round(rating[model], 2) for model in expected} == expected
    if prior == 0:
        best = fit.models.index("gpt-4")
        assert (round(fit.lower[best], 2), round(fit.upper[best], 2)) == (1297.70, 1490.52)


@pytest.mark.parametrize(
    ("wins", "named"),
    [
        ([[0, 2, 1], [0, 0, 1], [0, 1, 0]], "'x' never lost"),
        ([[0, 1, 3, 0], [1, 0, 0, 2], [0, 0, 0, 1], [0, 0, 1, 0]], "the group of 'x' never lost"),
        ([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 5], [0, 0, 0, 0]], "'z' never lost"),
    ],
)
def test_without_prior_a_missing_maximum_names_a_model(wins, named):
    with pytest.raises(NoFiniteMaximum, match=named):
        bradley_terry(np.array(wins, dtype=float), 0, ["x", "y", "z", "u"][: len(wins)])


def test_without_prior_components_are_fitted_apart():
    wins = np.zeros((5, 5))
    wins[:2, :2], wins[2:4, 2:4] = [[0, 3], [1, 0]], [[0, 1], [1, 0]]
    assert bradley_terry(wins, 0) == pytest.approx([math.log(3) / 2, -math.log(3) / 2, 0, 0, 0])


def test_a_negative_prior_is_refused():
    with pytest.raises(ValueError, match="negative"):
        bradley_terry(np.zeros((2, 2)), -1)


def test_components_are_numbered_by_size():
    wins = np.zeros((6, 6))
    wins[0, 5] = wins[2, 3] = wins[3, 4] = 1
    assert components(wins) == (1, 2, 0, 0, 0, 1)
    assert components(np.zeros((0, 0))) == ()


@pytest.mark.parametrize(
    ("ratings", "component", "expected"),
    [
        ((1000, 1100, 900), (0, 0, 0), (2, 1, 3)),
        ((1100, 1100 + 5e-7, 900), (0, 0, 0), (1, 1, 3)),
        ((1100, 1100 + 5e-6, 900), (0, 0, 0), (2, 1, 3)),
        ((1000, 1000, 1000), (0, 0, 0), (1, 1, 1)),
        ((1100, 900, 1050, 950), (0, 0, 1, 1), (1, 2, 1, 2)),  # ranks count within a component
        ((1100, None, 900), (0, 1, 0), (1, None, 2)),
        ((), (), ()),
    ],
)
def test_ranks(ratings, component, expected):
    assert ranks(ratings, component) == expected


def round_robin(models, prompts, better):
    """One battle for every pair and prompt; `better(prompt, a, b)` is a's share."""
    pairs = [(a, b) for i, a in enumerate(models) for b in models[i + 1 :]]
    return [(f"p{p}", a, b, better(p, a, b)) for p in range(prompts) for a, b in pairs]


def test_a_model_on_few_prompts_has_no_interval_whatever_the_others_have():
    rows = round_robin("abc", 40, lambda p, a, b: float((p + ord(a) + ord(b)) % 3 > 0))
    rows += [(f"p{p}", "a", "x", 0.0) for p in range(3)]
    fit = fit_bt(battles_from_rows(rows), How())
    assert fit.interval_reason == (None, None, None, "needs 10 prompts, has 3")
    assert (fit.lower[3], fit.upper[3]) == (None, None)
    assert ["thin_prompts" in flags for flags in fit.flags] == [False, False, False, True]


def test_an_interval_without_width_is_none_with_its_reason_save_the_anchors():
    """b beats c and loses to a on every prompt: its clustered error is 0, which is no certainty."""
    rows = round_robin("abc", 24, lambda p, a, b: 1.0)
    fit = fit_bt(battles_from_rows(rows), How())
    assert fit.interval_reason[1] == "the same on every prompt: no spread to see"
    assert (fit.lower[1], fit.upper[1]) == (None, None)
    anchored = fit_bt(battles_from_rows(rows), How(anchor="b"))
    assert (anchored.lower[1], anchored.upper[1]) == (1000.0, 1000.0)


def test_a_fit_says_what_it_rests_on():
    rows = round_robin("abc", 12, lambda p, a, b: 1.0 if a == "a" else 0.5 if p % 2 else 0.0)
    rows += [(f"p{p}", "s", "t", p % 2) for p in range(4)]
    fit = fit_bt(battles_from_rows(rows, models=["z"]), How())
    by_model = {model: i for i, model in enumerate(fit.models)}
    assert fit.component == (0, 0, 0, 1, 1, 2)
    assert fit.n_components == 2
    assert (fit.n_battles, fit.n_prompts, fit.prompts) == (40, 12, (12, 12, 12, 4, 4, 0))
    assert fit.ranks == (1, 3, 2, 1, 1, None)
    assert fit.flags[by_model["a"]] == ("unbeaten", "thin", "thin_prompts")
    assert fit.flags[by_model["b"]] == ("thin", "thin_prompts")
    assert fit.flags[by_model["z"]] == ("no_matches",)
    assert fit.interval_reason == (None, None, None, *["needs 10 prompts, has 4"] * 2, "no matches")
    assert [bound is None for bound in fit.upper] == [False] * 3 + [True] * 3
    assert sum(fit.ratings[:3]) == pytest.approx(3000)
    assert fit.ratings[3:] == (pytest.approx(1000), pytest.approx(1000), None)
    assert (fit.records[by_model["b"]].wins, fit.records[by_model["b"]].ties) == (0, 6)


def test_a_model_that_loses_all_is_winless():
    rows = round_robin("ab", 40, lambda p, a, b: 1.0)
    fit = fit_bt(battles_from_rows(rows), How())
    assert fit.flags == (("unbeaten",), ("winless",))
    assert all(math.isfinite(rating) for rating in fit.ratings)


def test_ties_alone_make_nobody_unbeaten():
    fit = fit_bt(battles_from_rows(round_robin("ab", 40, lambda p, a, b: 0.5)), How())
    assert fit.flags == ((), ())


def test_the_anchor_is_exactly_1000_without_an_interval_of_its_own():
    rows = round_robin("abc", 20, lambda p, a, b: 1.0 if p % 3 else 0.0)
    fit = fit_bt(battles_from_rows(rows), How(anchor="b"))
    assert (fit.ratings[1], fit.lower[1], fit.upper[1]) == (1000, 1000, 1000)
    assert fit.lower[0] < fit.ratings[0] < fit.upper[0]


@pytest.mark.parametrize("anchor", ["nobody", "z"])
def test_an_anchor_without_a_battle_is_refused(anchor):
    with pytest.raises(BadInput, match=anchor):
        fit_bt(battles_from_rows([("p", "a", "b", 1.0)], models=["z"]), How(anchor=anchor))


@pytest.mark.parametrize("models", [[], ["a"], ["a", "b"]])
def test_a_field_without_battles_has_no_ratings(models):
    fit = fit_bt(battles_from_rows([], models=models), How())
    assert fit.ratings == (None,) * len(models)
    assert fit.ranks == fit.lower == fit.ratings


ROWS = st.lists(
    st.tuples(
        st.integers(0, 14).map("p{}".format),
        st.permutations("abcdef"),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    ).map(lambda drawn: (drawn[0], drawn[1][0], drawn[1][1], drawn[2])),
    min_size=1,
    max_size=60,
)


def figures(fit):
    """By model: all that a reader sees; 0 for what is missing, so that it can be compared with a tolerance."""
    columns = (fit.ratings, fit.lower, fit.upper, fit.ranks, fit.prompts)
    return {model: [float(value or 0) for value in row] for model, *row in zip(fit.models, *columns, strict=True)}


def close(found, expected):
    return all(found[model] == pytest.approx(expected[model], abs=1e-6) for model in expected)


@settings(max_examples=50, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    plain, shuffled = (fit_bt(battles_from_rows(r), How()) for r in (rows, random.sample(rows, len(rows))))
    assert close(figures(shuffled), figures(plain))
    assert shuffled.seed == plain.seed


@settings(max_examples=50, deadline=None)
@given(ROWS, st.permutations("uvwxyz"))
def test_renaming_models_renames_the_ratings(rows, names):
    new = dict(zip("abcdef", names, strict=True))
    renamed = fit_bt(battles_from_rows([(p, new[a], new[b], s) for p, a, b, s in rows]), How())
    assert close(
        figures(renamed), {new[model]: row for model, row in figures(fit_bt(battles_from_rows(rows), How())).items()}
    )


@settings(max_examples=50, deadline=None)
@given(ROWS)
def test_naming_the_other_model_first_changes_nothing(rows):
    mirrored = fit_bt(battles_from_rows([(p, b, a, 1 - s) for p, a, b, s in rows]), How())
    assert close(figures(mirrored), figures(fit_bt(battles_from_rows(rows), How())))


@settings(max_examples=50, deadline=None)
@given(ROWS)
def test_reversed_outcomes_turn_the_ratings_round(rows):
    plain, reversed_ = (
        bradley_terry(win_matrix(battles_from_rows(r, models="abcdef")))
        for r in (rows, [(p, b, a, s) for p, a, b, s in rows])
    )
    assert reversed_ == pytest.approx(-plain, abs=1e-8)


@settings(max_examples=50, deadline=None)
@given(ROWS, st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=20))
def test_strangers_leave_the_others_where_they_are(rows, scores):
    strangers = [("p0", "y", "z", score) for score in scores]
    plain, joined = (figures(fit_bt(battles_from_rows(r), How())) for r in (rows, rows + strangers))
    assert close(joined, plain)


def veterans(models=8, prompts=60, seed=0):
    """A round robin on every prompt: 420 verdicts a model."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(models)]
    return round_robin(
        names, prompts, lambda p, a, b: float(rng.random() < 1 / (1 + math.exp((int(a[1]) - int(b[1])) / 4)))
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("beaten_by", ["v0", "v7"])
def test_a_newcomer_with_one_loss_moves_no_veteran(seed, beaten_by):
    """As differences between veterans, and anchored on one: by less than a tenth of the standard error."""
    rows = veterans(seed=seed)
    newcomer = [("p0", "w", beaten_by, 0.0)]
    for anchor in (None, "v3"):
        before, after = (fit_bt(battles_from_rows(r), How(anchor=anchor)) for r in (rows, rows + newcomer))
        moved = after.theta[:8] - before.theta
        variance = np.diag(before.covariance)
        errors = np.sqrt(variance[:, None] + variance[None, :] - 2 * before.covariance) + 1e-12
        assert (np.abs(moved[:, None] - moved[None, :]) / errors).max() < 0.1
        if anchor:
            assert moved[3] == 0
            assert (np.abs(moved) <= 0.1 * np.sqrt(np.clip(variance, 0, None))).all()


@settings(max_examples=50, deadline=None)
@given(ROWS, st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=20))
def test_strangers_move_no_strength(rows, scores):
    """Each component has a level of its own, prior or not."""
    strangers = [("q", "y", "z", score) for score in scores]
    plain, joined = (fit_bt(battles_from_rows(r, models="abcdef"), How()) for r in (rows, rows + strangers))
    assert joined.theta[:6] == pytest.approx(plain.theta, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_times_the_counts_leave_the_plain_maximum(seed):
    rows = veterans(prompts=20, seed=seed)
    heavy = battles_from_columns(*map(list, zip(*rows, strict=True)), weight=[1000.0] * len(rows))
    light = fit_bt(battles_from_rows(rows), How(prior=0))
    assert fit_bt(heavy, How(prior=0)).theta == pytest.approx(light.theta, rel=1e-13, abs=1e-13)
    assert fit_bt(heavy, How(prior=0)).covariance == pytest.approx(light.covariance, rel=1e-9, abs=1e-12)


def test_the_registry_rates_by_name():
    battles = battles_from_rows(veterans(prompts=12))
    assert (rate(battles, How()).theta == fit_bt(battles, How()).theta).all()
    assert {"bt", "joint", "elo"} == set(METHODS)


def with_weight(rows, weight, more=()):
    everything = [*rows, *more]
    columns = map(list, zip(*everything, strict=True))
    return battles_from_columns(*columns, weight=[*[weight] * len(rows), *[0.0] * len(more)])


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_0_change_nothing(method):
    rows = veterans(prompts=12)
    one, other = rows[0][1:3]
    dead = [(f"dead{i}", *pair, 1.0) for i in range(40) for pair in ((one, other), (other, "x"))]
    how = How(method=method, policy=None if method == "joint" else "tie")
    plain, found = rate(with_weight(rows, 2.0), how), rate(with_weight(rows, 2.0, dead), how)
    there = [found.models.index(model) for model in plain.models]
    assert found.theta[there] == pytest.approx(plain.theta, abs=1e-12)
    assert (found.n_battles, found.n_prompts) == (plain.n_battles, plain.n_prompts)
    for name in ("records", "flags", "prompts", "interval_reason"):
        assert [getattr(found, name)[i] for i in there] == list(getattr(plain, name)), name
    assert found.flags[found.models.index("x")] == ("no_matches",)


@pytest.mark.parametrize("light", [1.0, 1e-9])
def test_weights_that_are_far_apart_converge(light):
    """The heaviest that a file may have beside the usual ones; warnings would fail here."""
    rng = np.random.default_rng(5)
    for rows in (20, 200):
        pairs = [sorted(rng.choice(8, 2, replace=False).tolist()) for _ in range(rows)]
        battles = battles_from_columns(
            [f"p{i}" for i in rng.integers(0, 30, rows)],
            [f"m{a}" for a, _ in pairs],
            [f"m{b}" for _, b in pairs],
            (rng.integers(0, 3, rows) / 2).tolist(),
            weight=rng.choice([light, 1e6], rows),
        )
        fit = rate(battles, How())
        assert fit.convergence.residual <= 1e-6 * battles.weight.sum()


def test_no_fit_with_a_number_that_is_none():
    battles = battles_from_rows([("p", "a", "b", 1.0)])
    parts = {"wins": np.array([[0, 1.0], [0, 0]]), "component": (0, 0), "spread": None}
    with pytest.raises(NotConverged, match="elo did not converge: no finite strength of 'b'"):
        assemble(
            battles,
            How(method="elo"),
            theta=np.array([0, np.nan]),
            convergence=Convergence(solver="x", residual=0.0),
            **parts,
        )
