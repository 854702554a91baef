"""Where rows tell position from strength and where not, and rows that carry nothing: what the joint model then says."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.simulated_judging import Design, drawn, mixed, single_passes
from leaderboard.core.apart import own_information, related, telling_prompts
from leaderboard.core.as_seen import as_seen
from leaderboard.core.davidson import Held, evaluate, expected
from leaderboard.core.fits import How
from leaderboard.core.joint import CONTROL_NOT_APART, NOT_APART, ONLY_TIES, PRIOR_TELLS, fit_joint
from leaderboard.core.judged import by_order
from leaderboard.core.matrix import Battles
from leaderboard.core.separation import difference, top_chances
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged

PLAIN, WITH_PRIOR = How(method="joint", prior=0.0), How(method="joint")


def shown(rows, models="xyzuv", judges=("j",), times=1, **columns):
    """Battles from (a, b, a's score, prompt, judge): a was shown first. `times`: on so many times the prompts."""
    span = 1 + max(row[3] for row in rows)
    repeated = [(a, b, share, prompt + span * k, judge) for k in range(times) for a, b, share, prompt, judge in rows]
    a, b, share, prompt, judge = (np.array(column) for column in zip(*repeated, strict=True))
    return Battles(
        models=tuple(models), judges=judges, a=a, b=b, score=share, cluster=prompt, judge=judge,
        first=np.ones(len(a), dtype=np.int8), **columns,
    )  # fmt: skip


def won(a, b, times, lost, *, judge=0, start=0):
    """a, shown first, beat b so many times and lost so many, each on a prompt of its own."""
    shares = [1.0] * times + [0.0] * lost
    return [(a, b, share, start + k, judge) for k, share in enumerate(shares)]


def both_ways(a, b, *, judge=0):
    return [*won(a, b, 18, 6, judge=judge), *won(b, a, 12, 12, judge=judge)]


UNTOLD = {  # rows, who depends on the position effect, judges whose effect is not to be told
    "x always first": (won(0, 1, 54, 6), "xy", [0]),
    # the one in the middle stands where it stands between the two, whatever the effect
    "a chain": ([*won(0, 1, 45, 15), *won(1, 2, 35, 25)], "xz", [0]),
    "a star": ([*won(0, 1, 45, 15), *won(0, 2, 30, 30)], "xyz", [0]),
    "a pair shown both ways inside a field that is": ([*both_ways(0, 1), *won(1, 2, 45, 15)], "", []),
    "a triangle": ([*won(0, 1, 40, 20), *won(1, 2, 35, 25), *won(0, 2, 38, 22)], "", []),
    "another judge shows the pair both ways": ([*won(0, 1, 45, 15), *both_ways(0, 1, judge=1)], "", []),
    "a model that one judge alone saw, one way": (
        [*both_ways(0, 1), *won(1, 2, 45, 15, judge=1)],
        "xyz",
        [1],
    ),
    "two judges, one way each": ([*won(0, 1, 45, 15), *won(1, 0, 30, 30, judge=1)], "xy", [0, 1]),
    "another component tells": ([*won(0, 1, 45, 15), *both_ways(2, 3)], "", []),
    "another component, of another judge": ([*won(0, 1, 45, 15), *both_ways(2, 3, judge=1)], "xy", [0]),
}


@pytest.mark.parametrize("case", UNTOLD)
def test_who_was_always_shown_first_has_no_interval(case):
    rows, dependent, unset = UNTOLD[case]
    battles = shown(rows, judges=("j", "k"))
    fit = fit_joint(battles, WITH_PRIOR)
    met = {model for row in rows for model in ("xyzuv"[row[0]], "xyzuv"[row[1]])}
    for model, reason, lower, rank in zip(
        fit.models, fit.interval_reason, fit.lower, fit.separation.rank_lower, strict=True
    ):
        assert reason == (NOT_APART if model in dependent else None if model in met else "no matches"), model
        assert (lower is None, rank is None) == (reason is not None,) * 2
    for j in {row[4] for row in rows}:
        found = fit.judges[j].first_position
        assert (found.logit is None, found.reason == NOT_APART) == (j in unset,) * 2
    assert not any(fit.separation.better[fit.models.index(model)].any() for model in dependent)


@pytest.mark.parametrize("case", UNTOLD)
def test_without_a_prior_such_a_design_has_no_single_maximum(case):
    rows, dependent, _ = UNTOLD[case]
    battles = shown(rows, judges=("j", "k"))
    if dependent:
        with pytest.raises(NoFiniteMaximum, match=r"no single maximum .*rating of '[xyz]'.*who was shown first"):
            fit_joint(battles, PLAIN)
    else:
        assert NOT_APART not in fit_joint(battles, PLAIN).interval_reason


def test_nothing_else_is_said_of_models_that_rest_on_position():
    fit = fit_joint(shown(won(0, 1, 54, 6), "xy"), WITH_PRIOR)
    assert fit.ratings[0] > 1000 > fit.ratings[1]
    assert (fit.upper, fit.separation.rank_upper, fit.separation.tiers) == ((None, None),) * 3
    assert (fit.rank_reason, top_chances(fit, 1)) == ((NOT_APART, NOT_APART), (None, None))
    assert difference(fit, 0, 1).reason == NOT_APART
    assert fit.flags == ((), ())


def test_an_always_first_judge_on_rows_that_tell_stays_as_it_is():
    both = shown([*won(0, 1, 30, 0), *won(1, 0, 30, 0)], "xy")
    plain = fit_joint(both, PLAIN)
    assert plain.ratings == pytest.approx((1000, 1000), abs=1e-6)
    assert plain.judges[0].first_position.reason == "the second position never won: no finite effect without a prior"
    with pytest.raises(NoFiniteMaximum, match="no single maximum"):
        fit_joint(shown(won(0, 1, 30, 0), "xy"), PLAIN)


@pytest.mark.parametrize("per_model", [False, True], ids=["by position", "by model"])
def test_a_controlled_difference_that_nothing_tells_apart(per_model):
    """Longer because it stands first, or because it is that model's: no row tells which."""
    battles = shown([*both_ways(0, 1), *won(1, 2, 20, 9), *won(2, 1, 15, 11)], "xyz")
    level = np.array([0.3, 0.0, -1.0])
    longer = level[battles.a] - level[battles.b] if per_model else np.full(len(battles), 0.5)
    battles, how = replace(battles, covariate=longer), replace(WITH_PRIOR, control="length")
    fit = fit_joint(battles, how)
    reason = CONTROL_NOT_APART if per_model else NOT_APART
    assert (fit.control.logit, fit.control.reason) == (None, reason)
    assert set(fit.interval_reason) == {reason if per_model else None}
    assert (fit.judges[0].first_position.logit is None) == (not per_model)
    with pytest.raises(NoFiniteMaximum, match="no single maximum"):
        fit_joint(battles, replace(how, prior=0.0))


@pytest.mark.parametrize(
    ("turned", "told"),
    [(3, False), (6, False), (9, True), (15, True), (30, True)],
)
@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_an_effect_that_few_prompts_bear_has_no_interval(turned, told, how):
    """60 prompts, and y was shown first on so many of them."""
    straight = 60 - turned
    rows = [
        *won(0, 1, straight - straight // 3, straight // 3),
        *won(1, 0, turned - turned // 3, turned // 3, start=60),
    ]
    fit = fit_joint(shown(rows, "xy"), how)
    found = fit.judges[0].first_position
    assert found.logit is not None
    assert found.se_model > 0
    assert [value is not None for value in (found.se, found.lower, found.p_value)] == [told] * 3
    assert [lower is not None for lower in fit.lower] == [told] * 2
    if not told:
        assert "prompts tell position and strength apart, needs 10" in found.reason
        assert fit.interval_reason == (found.reason, found.reason)


def turned_at(weight):
    """60 prompts in both orders, x's turn as the second at such a weight."""
    battles = shown([*won(0, 1, 40, 20), *won(1, 0, 35, 25)], "xy")
    return replace(battles, weight=np.repeat([1.0, weight], 60))


@pytest.mark.parametrize(("weight", "told"), [(1, True), (0.1, True), (1e-3, False), (1e-4, False), (1e-8, False)])
def test_an_effect_that_the_prior_divides_from_strength_has_no_interval(weight, told):
    fit = fit_joint(turned_at(weight), WITH_PRIOR)
    found = fit.judges[0].first_position
    assert found.logit is not None
    assert [value is not None for value in (found.se, found.lower, found.p_value)] == [told] * 3
    assert [lower is not None for lower in fit.lower] == [told] * 2
    assert {found.reason, *fit.interval_reason} == {None if told else PRIOR_TELLS}


def test_without_prompt_ids_it_has_no_error_either():
    found = fit_joint(replace(turned_at(1e-4), cluster=None), WITH_PRIOR).judges[0].first_position
    assert (found.se, found.reason) == (None, PRIOR_TELLS)


def test_an_always_first_judge_in_both_orders_keeps_its_effect_and_all_intervals():
    """Its effect rests on the prior, the ratings do not: whoever is first wins, but for a few ties."""
    rows = [*won(0, 1, 60, 0), *won(1, 0, 60, 0), *won(1, 2, 60, 0), *won(2, 1, 60, 0)]
    battles = shown(rows, "xyz")
    ties = np.isin(np.arange(len(battles)), [60, 63, 69, 180, 183, 190])
    fit = fit_joint(replace(battles, score=np.where(ties, 0.5, battles.score)), WITH_PRIOR)
    found = fit.judges[0].first_position
    assert found.logit > 3
    assert found.reason == "the second position never won: its size rests on the prior"
    assert None not in fit.lower


def test_what_the_rows_tell_of_a_parameter_is_what_its_inverse_says():
    rng = np.random.default_rng(6)
    half = rng.normal(size=(9, 5)) * np.array([1, 30, 1, 0.1, 1])
    informed = half.T @ half
    free = np.array([True, True, False, True, True])
    inverse = np.linalg.inv(informed[np.ix_(free, free)])
    for place, at in ((0, 0), (1, 1), (4, 3)):
        assert own_information(informed, place, free) == pytest.approx(1 / inverse[at, at], rel=1e-6)


def test_models_that_do_not_rest_on_the_effect_keep_their_interval():
    """x and y met in one order but for 2 prompts; u and v, in another component, always in both, by another judge."""
    rows = [*won(0, 1, 40, 18), *won(1, 0, 1, 1, start=58), *both_ways(2, 3, judge=1)]
    fit = fit_joint(shown(rows, "xyuv", judges=("j", "k")), WITH_PRIOR)
    assert [lower is None for lower in fit.lower] == [True, True, False, False]
    assert [judge.first_position.lower is None for judge in fit.judges] == [True, False]


def test_an_anchor_that_rests_on_position_leaves_nobody_measured_from_it_an_interval():
    rows = [*both_ways(0, 1), *won(0, 2, 45, 15, judge=1)]
    battles = shown(rows, "xyz", judges=("j", "k"))
    assert set(fit_joint(battles, replace(WITH_PRIOR, anchor="z")).interval_reason) == {NOT_APART}


def test_the_prompts_that_tell_are_those_of_a_plain_loop():
    found = drawn(
        Design(theta=(0.5, 0, -0.5), prompts=12, pairs_a_prompt=5, delta=(1.0, -0.5)), np.random.default_rng(1)
    )
    battles = by_order(found.judged)
    rng = np.random.default_rng(2)
    battles = replace(battles, weight=rng.uniform(0.5, 2, len(battles)), covariate=rng.normal(size=len(battles)))
    for controlled in (False, True):
        rows = as_seen(battles, controlled=controlled)
        table = rows.by_row if controlled else rows.table
        vector, direction = rng.normal(0, 0.3, (2, table.size))
        vector[-1], direction[-1] = vector[-1] * controlled, direction[-1] * controlled
        nothing = Held(prior=0.0, ridge=np.zeros(table.size), level=np.zeros((3, 3)))
        borne = []
        for prompt in np.unique(battles.cluster):
            alone = as_seen(battles.where(battles.cluster == prompt), controlled=controlled)
            informed = evaluate(alone.by_row if controlled else alone.table, vector, nothing).information
            borne.append(direction @ informed @ direction)
        loop = sum(borne) ** 2 / sum(np.square(borne))
        assert telling_prompts(rows, table, expected(table, vector)[1], direction) == pytest.approx(loop, rel=1e-9)


def test_a_rating_is_related_to_an_effect_by_the_correlation_of_the_two():
    inverse = np.array([[1.0, 0.0, 0.0, 0.3], [0.0, 1.0, 0.0, -0.1], [0.0, 0.0, 1.0, -0.1], [0.3, -0.1, -0.1, 4.0]])
    # centred: covariances 4/15, -2/15, -2/15, variances 2/3: correlations .163, -.082, -.082
    assert related(inverse, 3, (0, 0, 0)).tolist() == [True, False, False]
    assert related(inverse, 3, (0, 1, 1)).tolist() == [False, False, False]


NINE = tuple(np.linspace(-1, 1, 9))
KEPT = {
    "two passes, 10 prompts": (Design(theta=(0.0,) * 8, prompts=10, pairs_a_prompt=None, delta=(1.0,)), None),
    "single passes, positions drawn": (Design(theta=NINE, prompts=24, pairs_a_prompt=21, delta=(1.0,)), single_passes),
    "single passes of four": (Design(theta=NINE[::2][:4], prompts=24, pairs_a_prompt=4, delta=(0.6,)), single_passes),
    "unbalanced, delta 1": (
        Design(theta=NINE, prompts=60, pairs_a_prompt=15, delta=(1.0,), unbalanced=True),
        single_passes,
    ),
    "unbalanced, delta 2": (
        Design(theta=NINE, prompts=60, pairs_a_prompt=15, delta=(2.0,), unbalanced=True),
        single_passes,
    ),
    "two judges": (
        Design(theta=NINE, prompts=60, pairs_a_prompt=15, delta=(1.5, -1.0), unbalanced=True),
        single_passes,
    ),
    "half and half": (Design(theta=NINE, prompts=40, pairs_a_prompt=15, delta=(1.0,), unbalanced=True), mixed),
}


@pytest.mark.parametrize("case", KEPT)
def test_usual_designs_keep_their_intervals(case):
    design, passes = KEPT[case]
    rng = np.random.default_rng(7)
    for _ in range(5):
        found = drawn(design, rng)
        fit = fit_joint(by_order(passes(found) if passes else found.judged), WITH_PRIOR)
        assert None not in fit.lower
        assert all(judge.first_position.lower is not None for judge in fit.judges)


@pytest.mark.parametrize("turned", [0.0, 0.02, 0.1, 0.2])
def test_equal_models_are_seldom_separated_whoever_was_shown_first(turned):
    """Two equal models and a judge that leans to the first: how often is the one shown first called better?"""
    rng, runs, apart = np.random.default_rng(11), 150, 0
    for _ in range(runs):
        first = np.where(rng.random(60) < turned, -1, 1).astype(np.int8)
        heard = first + rng.logistic(size=60)
        share = np.where(heard > 0.3, 1.0, np.where(heard < -0.3, 0.0, 0.5))
        where = np.zeros(60, dtype=int)
        battles = Battles(("x", "y"), where, where + 1, share, first=first, cluster=np.arange(60))
        apart += bool(fit_joint(battles, WITH_PRIOR).separation.better.any())
    assert apart <= 0.09 * runs  # 5 % and its Monte Carlo error


def tied(a, b, times, judge):
    return [(a, b, 0.5, k, judge) for k in range(times)]


@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_ties_of_a_judge_that_only_ties_link_nobody(how):
    rows = [*both_ways(0, 1), *both_ways(2, 3), *tied(1, 2, 40, 1), *tied(3, 4, 40, 1)]
    fit = fit_joint(shown(rows, judges=("j", "ties")), how)
    assert fit.component == (0, 0, 1, 1, 2)
    assert fit.ranks == (1, 2, 1, 2, None)
    assert (fit.ratings[4], fit.interval_reason[4], fit.rank_reason[4]) == (None, ONLY_TIES, ONLY_TIES)
    assert (fit.records[4].n, fit.records[4].ties, fit.flags[4]) == (40, 40, ())
    assert fit.records[1].n == 48 + 40
    assert fit.n_components == 2
    alone = fit_joint(shown([*both_ways(0, 1), *both_ways(2, 3)]), how)
    assert fit.theta == pytest.approx(alone.theta, abs=1e-9)
    assert fit.covariance == pytest.approx(alone.covariance, abs=1e-9)


def test_a_field_of_ties_has_no_ratings():
    fit = fit_joint(shown(tied(0, 1, 40, 0), "xyz"), WITH_PRIOR)
    assert fit.ratings == (None, None, None)
    assert fit.interval_reason == (ONLY_TIES, ONLY_TIES, "no matches")
    assert fit.flags == ((), (), ("no_matches",))


@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_rows_of_no_weight_are_no_rows(how):
    kept = shown([*won(0, 1, 2, 1), *won(1, 0, 1, 2)], "xyz")
    n = len(kept)
    more = shown([*won(0, 1, 20, 20, start=3), *tied(1, 2, 40, 0)], "xyz")
    names = ("a", "b", "score", "first", "cluster", "judge")
    both = replace(kept, **{name: np.r_[getattr(kept, name), getattr(more, name)] for name in names})
    both = replace(both, weight=np.r_[np.ones(n), np.zeros(len(more))])
    alone, fit = fit_joint(kept, how), fit_joint(both, how)
    assert fit.theta.tolist() == alone.theta.tolist()
    for name in ("prompts", "interval_reason", "component", "ratings", "seed"):
        assert getattr(fit, name) == getattr(alone, name)
    assert fit.judges == alone.judges
    assert "thin_prompts" in fit.flags[0]
    assert fit.interval_reason[2] == "no matches"


def weighing(weight):
    battles = shown([*both_ways(0, 1), *won(1, 2, 20, 9), *won(2, 1, 15, 11)], "xyz")
    return replace(battles, weight=np.full(len(battles), weight))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
def test_large_weights_are_reckoned_with(how):
    one, fit = fit_joint(weighing(1), PLAIN), fit_joint(weighing(1e9), how)
    assert fit.ratings == pytest.approx(one.ratings, abs=1e-4)
    assert fit.lower == pytest.approx(one.lower, abs=1e-4)
    assert fit.judges[0].first_position.se == pytest.approx(one.judges[0].first_position.se, abs=1e-8)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("how", [PLAIN, WITH_PRIOR])
@pytest.mark.parametrize("weight", [1e16, 1e100, 1e300, 1.7e308])
def test_weights_beyond_reckoning_are_refused_without_a_warning(weight, how):
    with pytest.raises(NotConverged, match=r"weights|did not converge"):
        fit_joint(weighing(weight), how)
