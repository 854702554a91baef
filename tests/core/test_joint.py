"""The joint model: worked examples against other programs, public data, and what must hold whatever the data."""

from dataclasses import replace

import evalica
import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.as_seen import as_seen
from leaderboard.core.davidson import Held, evaluate, expected
from leaderboard.core.fits import SCALE, How
from leaderboard.core.joint import NO_FIRST, NO_PROMPTS, ONLY_TIES, fit_joint
from leaderboard.core.joint_errors import joint_score_sums
from leaderboard.core.matrix import Battles
from leaderboard.core.strengths import NoFiniteMaximum
from leaderboard.core.types import Order, Outcome

PLAIN, WITH_PRIOR = How(method="joint", prior=0.0), How(method="joint")
IN_ORDER = {  # (first, second): (first won, second won, ties)
    (0, 1): (14, 3, 3),
    (1, 0): (8, 8, 4),
    (0, 2): (16, 1, 3),
    (2, 0): (6, 11, 3),
    (1, 2): (12, 4, 4),
    (2, 1): (9, 6, 5),
}
WITHOUT_TIES = {pair: (won, lost, 0) for pair, (won, lost, _) in IN_ORDER.items()}
UNORDERED = {(0, 1): (7, 3, 2), (0, 2): (9, 1, 1), (1, 2): (6, 2, 4)}


def field(cells, *, first=1, prompts=None, models="xyz"):
    """Battles from {(a, b): (a won, b won, ties)}; row k is of prompt k modulo `prompts`, else of one of its own."""
    rows = [
        (a, b, share)
        for (a, b), counts in cells.items()
        for share, n in zip((1.0, 0.0, 0.5), counts, strict=True)
        for _ in range(n)
    ]
    a, b, share = (np.array(column) for column in zip(*rows, strict=True))
    number = np.arange(len(rows))
    return Battles(
        models=tuple(models), a=a, b=b, score=share, first=np.full(len(rows), first, dtype=np.int8),
        cluster=number if prompts is None else number % prompts,
    )  # fmt: skip


def simulated(seed, *, theta, delta=(0.0,), nu=0.5, rows=4000, prompts=50, beta=0.0):
    """Rows of judges with these position effects, all orders and pairs alike."""
    rng = np.random.default_rng(seed)
    theta, delta = np.asarray(theta), np.asarray(delta)
    a = rng.integers(0, len(theta), rows)
    b = (a + rng.integers(1, len(theta), rows)) % len(theta)
    first, judge = rng.choice(np.array([-1, 1], dtype=np.int8), rows), rng.integers(0, len(delta), rows)
    longer = rng.normal(0, 1, rows) + 0.8 * np.sign(a - b)
    d = theta[a] - theta[b] + delta[judge] * first + beta * longer
    ahead, drawn = np.exp(d / 2), rng.random(rows)
    z = ahead + 1 / ahead + nu
    return Battles(
        models=tuple(f"m{i}" for i in range(len(theta))), a=a, b=b, first=first, judge=judge,
        score=np.where(drawn < ahead / z, 1.0, np.where(drawn < (ahead + nu) / z, 0.5, 0.0)),
        judges=tuple(f"j{i}" for i in range(len(delta))), cluster=rng.integers(0, prompts, rows), covariate=longer,
    )  # fmt: skip


def joined(*fields):
    """Fields of other models and judges as one, prompts shared."""
    models = tuple(name for part in fields for name in part.models)
    judges = tuple(name for part in fields for name in part.judges)
    shifts = [(models.index(part.models[0]), judges.index(part.judges[0])) for part in fields]
    return Battles(
        models=models,
        judges=judges,
        a=np.concatenate([part.a + n for part, (n, _) in zip(fields, shifts, strict=True)]),
        b=np.concatenate([part.b + n for part, (n, _) in zip(fields, shifts, strict=True)]),
        judge=np.concatenate([part.judge + j for part, (_, j) in zip(fields, shifts, strict=True)]),
        **{
            name: np.concatenate([getattr(part, name) for part in fields])
            for name in ("score", "first", "cluster", "covariate")
        },
    )


def judged_by(one, other):
    """Rows of the same models, each field by a judge of its own."""
    return replace(
        one,
        judges=("one", "other"),
        judge=np.repeat([0, 1], [len(one), len(other)]),
        **{name: np.r_[getattr(one, name), getattr(other, name)] for name in ("a", "b", "score", "first", "cluster")},
    )


def effect(fit, judge=0):
    return fit.judges[judge].first_position


@pytest.mark.parametrize(
    ("cells", "theta", "delta", "nu"),
    [
        (IN_ORDER, (0.77234914, -0.14969569, -0.62265345), 0.80790412, 0.53321557),
        (WITHOUT_TIES, (0.76993255, -0.14430946, -0.62562309), 0.82812160, 0),
    ],
    ids=["with ties", "without ties"],
)
def test_worked_examples_with_position(cells, theta, delta, nu):
    fit = fit_joint(field(cells), PLAIN)
    assert fit.theta == pytest.approx(theta, abs=1e-8)
    assert effect(fit).logit == pytest.approx(delta, abs=1e-8)
    assert fit.judges[0].nu == pytest.approx(nu, abs=1e-8)
    assert effect(fit).elo == pytest.approx(delta * SCALE, abs=1e-5)


def test_errors_of_the_position_effect():
    fit = fit_joint(field(IN_ORDER), PLAIN)
    found, g = effect(fit), fit.n_prompts
    assert found.se_model == pytest.approx(0.23996, abs=5e-6)
    assert found.se * np.sqrt((g - 1) / g) == pytest.approx(0.23736, abs=5e-6)
    assert found.lower < found.logit < found.upper
    assert found.p_value == pytest.approx(0.00095, abs=5e-6)


def log_linear(battles):
    """Counts of the three outcomes by ordered pair as Poisson with a level for each pair: (design, counts)."""
    seen = as_seen(battles, controlled=False).table
    won = {"first": (seen.weight - seen.ties) / 2 + seen.lead, "second": (seen.weight - seen.ties) / 2 - seen.lead}
    design, counts = [], []
    for cell in range(len(seen.first)):
        contrast = np.zeros(3)
        contrast[seen.first[cell]], contrast[seen.second[cell]] = 0.5, -0.5
        for outcome, sign in (("first", 1), ("second", -1), ("tie", 0)):
            level = np.eye(len(seen.first))[cell]
            design.append(np.r_[sign * contrast[:2], sign * 0.5, outcome == "tie", level])
            counts.append(seen.ties[cell] if outcome == "tie" else won[outcome][cell])
    return np.array(design), np.array(counts)


@pytest.mark.parametrize("cells", [IN_ORDER, WITHOUT_TIES], ids=["with ties", "without ties"])
def test_the_same_as_a_log_linear_model(cells):
    battles = field(cells)
    design, counts = log_linear(battles)
    used = counts > 0 if cells is WITHOUT_TIES else np.ones(len(counts), dtype=bool)
    columns = np.delete(design, 3, axis=1) if cells is WITHOUT_TIES else design
    glm = sm.GLM(counts[used], columns[used], family=sm.families.Poisson()).fit(tol=1e-13, maxiter=100)
    fit = fit_joint(battles, PLAIN)
    assert fit.theta[:2] - fit.theta[2] == pytest.approx(glm.params[:2], abs=1e-8)
    assert effect(fit).logit == pytest.approx(glm.params[2], abs=1e-8)
    assert effect(fit).se_model == pytest.approx(glm.bse[2], abs=1e-7)
    if cells is IN_ORDER:
        assert fit.judges[0].nu == pytest.approx(np.exp(glm.params[3]), abs=1e-8)


def test_clustered_errors_are_those_of_a_logistic_regression():
    """Without ties the model is one: statsmodels clusters the same scores, without G / (G - 1)."""
    battles = field(WITHOUT_TIES, prompts=12)
    signs = np.eye(3)[battles.a] - np.eye(3)[battles.b]
    design = np.c_[signs[:, :2], np.ones(len(battles))]
    peer = sm.GLM(battles.score, design, family=sm.families.Binomial()).fit(
        tol=1e-13, cov_type="cluster", cov_kwds={"groups": battles.cluster, "use_correction": False}
    )
    fit = fit_joint(battles, replace(PLAIN, anchor="z"))
    assert fit.theta[:2] == pytest.approx(peer.params[:2], abs=1e-8)
    assert np.sqrt(np.diag(fit.covariance)[:2] * 11 / 12) == pytest.approx(peer.bse[:2], abs=1e-7)
    assert effect(fit).se * np.sqrt(11 / 12) == pytest.approx(peer.bse[2], abs=1e-7)


def test_without_position_it_is_davidsons_model():
    fit = fit_joint(field(UNORDERED, first=0), PLAIN)
    assert fit.theta == pytest.approx((1.08854893, 0, -1.08854893), abs=1e-8)
    assert fit.judges[0].nu == pytest.approx(0.63978792, abs=1e-8)
    assert (effect(fit).logit, effect(fit).reason) == (None, NO_FIRST)
    none = fit_joint(replace(field(UNORDERED), first=None), PLAIN)
    assert none.theta.tolist() == fit.theta.tolist()


def test_the_same_as_evalicas_newman():
    """Newman's v is half of Davidson's nu."""
    battles = field(UNORDERED, first=0)
    won = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    xs, ys = ([battles.models[i] for i in column] for column in (battles.a, battles.b))
    peer = evalica.newman(xs, ys, [won[share] for share in battles.score.tolist()], tolerance=1e-14, limit=10_000)
    logs = np.log([peer.scores[model] for model in battles.models])
    fit = fit_joint(battles, PLAIN)
    assert fit.theta == pytest.approx(logs - logs.mean(), abs=1e-7)
    assert fit.judges[0].nu == pytest.approx(2 * peer.v, abs=1e-7)


def test_public_readings_of_gpt_4(public_pairings):
    rows = [
        (judged.prompt_id, judged.model_a, judged.model_b, reading)
        for judged in public_pairings("mtbench/gpt-4-0613.jsonl")
        for reading in judged.readings
    ]
    prompts, models = (sorted(set(names)) for names in ([r[0] for r in rows], [m for r in rows for m in r[1:3]]))
    share = {Outcome.A: 1.0, Outcome.TIE: 0.5, Outcome.B: 0.0}
    battles = Battles(
        models=tuple(models),
        a=np.array([models.index(row[1]) for row in rows]),
        b=np.array([models.index(row[2]) for row in rows]),
        score=np.array([share[row[3].outcome] for row in rows]),
        first=np.array([1 if row[3].order is Order.AB else -1 for row in rows], dtype=np.int8),
        cluster=np.array([prompts.index(row[0]) for row in rows]),
    )
    fit = fit_joint(battles, replace(PLAIN, anchor="vicuna-13b-v1.3"))
    rating, found = dict(zip(fit.models, fit.ratings, strict=True)), effect(fit)
    assert (fit.n_battles, fit.n_prompts, len(rating)) == (4800, 80, 31)
    assert (round(found.logit, 4), round(fit.judges[0].nu, 4)) == (-0.0548, 0.3769)
    assert (round(found.se, 4), round(found.se_model, 4)) == (0.0506, 0.0380)
    assert [round(rating[model], 2) for model in ("gpt-4", "llama-13b")] == [1511.03, 547.00]
    assert rating["vicuna-13b-v1.3"] == 1000


@pytest.mark.parametrize("controlled", [False, True])
def test_the_gradient_and_the_information_are_those_of_the_likelihood(controlled):
    battles = simulated(1, theta=(0.5, 0, -0.2, 0.1), delta=(0.4, -1), rows=300)
    seen = as_seen(replace(battles, weight=np.linspace(0.5, 2, 300)), controlled=controlled)
    table = seen.by_row if controlled else seen.table
    held = Held(prior=0.5, ridge=np.full(table.size, 0.1), level=np.zeros((4, 4)))
    vector = np.random.default_rng(2).normal(0, 0.5, table.size)
    vector[-1] *= controlled
    held.ridge[4 + 2 :] *= 0  # the tie parameters and, without a covariate, the last one are held by nothing
    point, step = evaluate(table, vector, held), 1e-5
    for i in range(table.size):
        moved = np.eye(table.size)[i] * step
        above, below = evaluate(table, vector + moved, held), evaluate(table, vector - moved, held)
        assert point.gradient[i] == pytest.approx((above.value - below.value) / (2 * step), abs=1e-5)
        assert point.information[i] == pytest.approx((below.gradient - above.gradient) / (2 * step), abs=1e-5)


def assert_same(one, other, within=1e-8):
    assert one.theta == pytest.approx(other.theta, abs=within)
    assert one.covariance == pytest.approx(other.covariance, abs=within)
    for here, there in zip(one.judges, other.judges, strict=True):
        assert here.nu == pytest.approx(there.nu, abs=within)
        for name in ("logit", "se", "se_model", "lower", "upper"):
            assert getattr(here.first_position, name) == pytest.approx(getattr(there.first_position, name), abs=within)


FIELDS = st.builds(
    simulated,
    st.integers(0, 10_000),
    theta=st.lists(st.floats(-1, 1), min_size=3, max_size=5),
    delta=st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=2),
    rows=st.just(400),
    beta=st.floats(-0.5, 0.5),
)
HOWS = st.sampled_from([WITH_PRIOR, replace(WITH_PRIOR, control="length")])


@given(FIELDS, HOWS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_the_order_of_rows_changes_nothing(battles, how, random):
    shuffled = battles.where(np.array(random.sample(range(len(battles)), len(battles))))
    assert_same(fit_joint(battles, how), fit_joint(shuffled, how))


@given(FIELDS, HOWS)
@settings(deadline=None, max_examples=25)
def test_new_names_change_nothing(battles, how):
    n = len(battles.models)
    renamed = replace(battles, a=n - 1 - battles.a, b=n - 1 - battles.b)
    plain, turned = fit_joint(battles, how), fit_joint(renamed, how)
    assert turned.theta[::-1] == pytest.approx(plain.theta, abs=1e-8)
    assert turned.covariance[::-1, ::-1] == pytest.approx(plain.covariance, abs=1e-8)
    assert effect(turned).logit == pytest.approx(effect(plain).logit, abs=1e-8)


@given(FIELDS, HOWS)
@settings(deadline=None, max_examples=25)
def test_it_does_not_matter_who_is_called_a(battles, how):
    mirrored = replace(
        battles,
        a=battles.b,
        b=battles.a,
        score=1 - battles.score,
        first=-battles.first,
        covariate=-battles.covariate,
    )
    assert_same(fit_joint(battles, how), fit_joint(mirrored, how))


@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_strangers_with_a_judge_of_their_own_move_nobody(how):
    home = simulated(3, theta=(0.8, 0, -0.8), delta=(0.7,), rows=900)
    away = replace(simulated(4, theta=(1, -1), delta=(-1.5,), rows=500), models=("s", "t"), judges=("other",))
    alone, together = fit_joint(home, how), fit_joint(joined(home, away), how)
    assert together.component == (0, 0, 0, 1, 1)
    assert together.theta[:3] == pytest.approx(alone.theta, abs=1e-6)
    assert together.covariance[:3, :3] == pytest.approx(alone.covariance, abs=1e-6)
    assert together.covariance[:3, 3:].tolist() == np.zeros((3, 2)).tolist()
    assert effect(together).logit == pytest.approx(effect(alone).logit, abs=1e-6)
    assert effect(together).se == pytest.approx(effect(alone).se, abs=1e-6)


@pytest.mark.parametrize(
    ("models", "prompts"),
    [
        (3, 50),
        (200, 100_000),  # too large a table to be kept whole
    ],
)
def test_sums_by_prompt_are_those_of_a_plain_loop(models, prompts):
    battles = simulated(5, theta=(0.5, *[0] * (models - 1)), delta=(1, 0), rows=6000, prompts=prompts, beta=0.3)
    rows = as_seen(battles, controlled=True)
    found = expected(rows.by_row, np.zeros(rows.table.size))[1]
    met, place = np.unique(battles.cluster, return_inverse=True)
    reference = np.zeros((len(met), rows.table.size))
    lead, tie = rows.lead - found.lead, rows.ties - found.tie
    for k, prompt in enumerate(place):
        reference[prompt, rows.first[k]] += lead[k]
        reference[prompt, rows.second[k]] -= lead[k]
        reference[prompt, models + rows.judge[k]] += lead[k]
        reference[prompt, models + 2 + rows.judge[k]] += tie[k]
        reference[prompt, -1] += lead[k] * rows.covariate[k]
    sums = joint_score_sums(rows, battles.cluster, found, [0] * (models - 1) + [1])
    assert sums.outer == pytest.approx(reference.T @ reference, abs=1e-9)
    reach = sums.reach
    on = [len(set(battles.cluster[(battles.a == i) | (battles.b == i)])) for i in range(models)]
    assert (reach.own, reach.all) == (tuple(on), len(met))
    assert reach.component[-1] == on[-1]
    assert reach.judge == tuple(len(set(battles.cluster[battles.judge == j])) for j in range(2))


def always_first(times=10, prompts=20):
    """Every pair of three models in both orders on every prompt, and the first answer always wins."""
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    return field(dict.fromkeys(pairs, (times, 0, 0)), prompts=prompts)


@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_a_judge_that_always_picks_the_first_leaves_ratings_equal(how):
    fit = fit_joint(always_first(), how)
    assert fit.ratings == pytest.approx((1000, 1000, 1000), abs=1e-6)
    assert fit.ranks == (1, 1, 1)
    if how is PLAIN:
        assert effect(fit).logit is None
        assert effect(fit).reason == "the second position never won: no finite effect without a prior"
    else:
        assert 4 < effect(fit).logit < 10
        assert effect(fit).reason == "the second position never won: its size rests on the prior"


def test_a_judge_of_ties_alone_says_nothing_about_anybody():
    silent = dict.fromkeys(IN_ORDER, (0, 0, 9))
    for how in (PLAIN, WITH_PRIOR):
        alone = fit_joint(field(silent), how)
        assert (alone.ratings, alone.interval_reason) == ((None,) * 3, (ONLY_TIES,) * 3)
        assert (alone.judges[0].nu, alone.judges[0].tie_reason, effect(alone).reason) == (None, ONLY_TIES, ONLY_TIES)
    one, other = field(IN_ORDER), field(silent)
    fit = fit_joint(judged_by(one, other), PLAIN)
    assert fit.theta == pytest.approx(fit_joint(one, PLAIN).theta, abs=1e-8)
    assert (effect(fit, 1).logit, fit.judges[1].tie_reason) == (None, ONLY_TIES)
    assert fit.records[0].ties == 13 + 4 * 9  # the ties are counted all the same


def test_every_judge_has_its_own_effect():
    fit = fit_joint(simulated(6, theta=(1, 0.3, 0, -0.6), delta=(1.5, -1, 0), rows=20_000), WITH_PRIOR)
    assert [judge.judge for judge in fit.judges] == ["j0", "j1", "j2"]
    for found, truth in zip(fit.judges, (1.5, -1, 0), strict=True):
        assert found.first_position.logit == pytest.approx(truth, abs=4 * found.first_position.se)
        assert found.nu == pytest.approx(0.5, abs=0.06)


def test_rows_without_a_known_first_enter_without_position():
    known = simulated(7, theta=(0.6, 0, -0.6), delta=(2,), rows=3000)
    half = replace(known, first=np.where(np.arange(3000) % 2, known.first, 0).astype(np.int8))
    fit = fit_joint(half, WITH_PRIOR)
    assert effect(fit).logit == pytest.approx(2, abs=5 * effect(fit).se)
    assert fit.n_battles == 3000


def test_a_weight_multiplies_a_row():
    battles = field(IN_ORDER)
    twice = field({pair: tuple(2 * n for n in counts) for pair, counts in IN_ORDER.items()})
    weighted = fit_joint(replace(battles, weight=np.full(len(battles), 2.0)), WITH_PRIOR)
    assert weighted.theta == pytest.approx(fit_joint(twice, WITH_PRIOR).theta, abs=1e-9)


def test_without_prompt_ids_the_error_is_the_models_and_says_so():
    fit = fit_joint(replace(field(IN_ORDER), cluster=None), PLAIN)
    found = effect(fit)
    assert (found.se, found.reason) == (found.se_model, NO_PROMPTS)
    assert (found.lower, found.p_value) == (None, None)
    assert set(fit.interval_reason) == {"no prompt ids"}


@pytest.mark.parametrize("prompts", [2, 3, 4, 5, 8, 10, 12, 13])
@pytest.mark.parametrize(
    "rows", [[(1, 2, 1, -1), (2, 0, 0, -1)], [(2, 0, 1, -1), (2, 1, 1, 1)], [(0, 2, 0, -1), (1, 2, 1, -1)]]
)
def test_where_every_prompt_says_the_same_the_error_is_nothing(prompts, rows):
    """The sums over prompts are then rounding alone, which may fall below 0."""
    a, b, score, first = (np.tile(column, prompts) for column in zip(*rows, strict=True))
    battles = Battles(("x", "y", "z"), a, b, score, first=first, cluster=np.repeat(np.arange(prompts), len(rows)))
    found = effect(fit_joint(battles, WITH_PRIOR))
    assert found.se is None or found.se == pytest.approx(0, abs=1e-6)
    assert found.reason is not None


@pytest.mark.parametrize(("prompts", "shown"), [(1, (False, False)), (9, (True, False)), (10, (True, True))])
def test_an_interval_needs_ten_prompts(prompts, shown):
    found = effect(fit_joint(field(IN_ORDER, prompts=prompts), PLAIN))
    assert (found.se is not None, found.lower is not None) == shown
    assert found.reason == (None if shown[1] else f"needs 10 prompts, has {prompts}")


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ({(0, 1): (5, 0, 0), (1, 2): (3, 2, 1), (2, 1): (2, 2, 1)}, "'x'"),
        # x never lost outright to y: with a tie parameter to take up the ties, its lead has no bound
        ({(0, 1): (3, 0, 4), (1, 0): (0, 3, 4)}, "'[xy]'"),
    ],
)
def test_without_prior_a_missing_maximum_names_a_model(cells, named):
    battles = field(cells, models="xyz"[: 1 + max(max(pair) for pair in cells)])
    with pytest.raises(NoFiniteMaximum, match=named):
        fit_joint(battles, PLAIN)
    assert np.isfinite(fit_joint(battles, WITH_PRIOR).theta).all()


def test_a_share_is_refused():
    battles = replace(field(IN_ORDER), score=np.full(120, 0.75))
    with pytest.raises(ValueError, match=r"not a share of 0\.75"):
        fit_joint(battles, WITH_PRIOR)


def test_nobody_met_anybody():
    empty = Battles(models=("x", "y"), a=np.array([], int), b=np.array([], int), score=np.array([]))
    for how in (PLAIN, WITH_PRIOR):
        fit = fit_joint(replace(empty, cluster=np.array([], int)), how)
        assert (fit.ratings, effect(fit).reason) == ((None, None), "no battles")
