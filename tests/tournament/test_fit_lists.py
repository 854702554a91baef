"""The two lists as fits: who is on which, what each row and each head says, and what happens when a fit fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import pytest

from leaderboard.core.fits import Fit, How
from leaderboard.core.judged import by_order, under_policy
from leaderboard.core.matrix import Battles
from leaderboard.core.ratings import METHODS, rate
from leaderboard.core.strengths import NoFiniteMaximum, NotConverged
from leaderboard.history.records import FitKey, FitRecord, PromptFacts, RatingFacts, StandingRow
from leaderboard.tournament.lists import Bench, Ground, Trial, prepared, records, records_for
from leaderboard.tournament.standing import Contestant, unused_prompts, usd_per_verdict
from tests.tournament.rating_facts import Judge, Row, described, facts, ids

STRONG = {"alpha": 1.2, "beta": 0.4, "gamma": 0.0}
WEAK = {"delta": 0.2, "omega": -2.4}
PROMPTS = 40
Key = tuple[str, str, str, str | None, str | None]


def validation(**more: Any) -> RatingFacts:
    return facts(Judge(strength=STRONG, **more).rows(ids(PROMPTS)), described(PROMPTS))


def screening(**more: Any) -> RatingFacts:
    rows = Judge(strength=STRONG | WEAK, seed=1, **more).rows(ids(20), single=True)
    return facts(rows, described(20))


def ground(
    validated: RatingFacts | None = None,
    screened: RatingFacts | None = None,
    *,
    models: Mapping[str, Contestant] | None = None,
    prompts: Sequence[PromptFacts] | None = None,
    **more: Any,
) -> Ground:
    known = {name: Contestant(active=True) for name in STRONG | WEAK}
    given: dict[str, Any] = {
        "bench": Bench(id="judy", fingerprint="f"),
        "k": 2,
        "at": "now",
        "trial": lambda _: Trial(),
    } | more
    return prepared(
        given.pop("bench"),
        validation() if validated is None else validated,
        screening() if screened is None else screened,
        models=known if models is None else models,
        prompts=described(PROMPTS) if prompts is None else prompts,
        **given,
    )


def key_of(record: FitRecord) -> Key:
    return record.board, record.scope, record.method, record.policy, record.control


def by_key(wanted: Ground) -> dict[Key, FitRecord]:
    found = [(key_of(record), record) for record in records(wanted)]
    assert len(dict(found)) == len(found)
    return dict(found)


MAIN: Key = ("validated", "overall", "bt", "tie", None)
JOINT: Key = ("validated", "overall", "joint", None, None)
CONTROLLED: Key = ("validated", "overall", "joint", None, "length")
SCREENED: Key = ("screened", "overall", "joint", None, None)
SCOPES = ("category=facts", "category=style", "group=hard", "language=en", "language=nl")


def rows(record: FitRecord) -> dict[str, StandingRow]:
    return {row.model: row for row in record.standings}


def test_a_refit_makes_these_fits() -> None:
    assert set(by_key(ground())) == {
        *(("validated", "overall", "bt", policy, None) for policy in ("tie", "score", "soft", "drop")),
        JOINT,
        CONTROLLED,
        *(("validated", scope, "bt", "tie", None) for scope in SCOPES),
        *(("screened", scope, "joint", None, None) for scope in ("overall", *SCOPES)),
    }


def test_nobody_is_validated_by_screening_alone() -> None:
    made = by_key(ground(validated=facts([])))
    assert {board for board, *_ in made} == {"screened"}
    assert set(rows(made[SCREENED])) == set(STRONG | WEAK)
    assert made[SCREENED].head["notes"] == []


# -- whose figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["tie", "score", "soft", "drop"])
def test_validated_models_are_rated_on_validation_verdicts_alone(policy: str) -> None:
    fit = rate(under_policy(validation().judged, policy), How(policy=policy))
    record = by_key(ground())["validated", "overall", "bt", policy, None]
    assert (record.n_battles, record.n_prompts, record.prior) == (fit.n_battles, fit.n_prompts, 0.5)
    for i, model in enumerate(fit.models):
        row = rows(record)[model]
        assert (row.rating, row.lower, row.upper) == (fit.ratings[i], fit.lower[i], fit.upper[i])
        assert (row.rank, row.rank_lower, row.rank_upper) == (
            fit.ranks[i],
            fit.separation.rank_lower[i],
            fit.separation.rank_upper[i],
        )
        assert (row.tier, row.n, row.wins) == (fit.separation.tiers[i], fit.records[i].n, fit.records[i].wins)


def test_the_screened_list_is_a_joint_fit_of_all_models_that_shows_those_not_validated() -> None:
    fit = rate(by_order(screening().judged), How(method="joint"))
    record = by_key(ground())[SCREENED]
    assert record.n_battles == fit.n_battles
    assert set(rows(record)) == set(WEAK)
    for model, row in rows(record).items():
        assert row.rating == fit.ratings[fit.models.index(model)]
        assert "provisional" in row.flags
    assert record.head["notes"] != []


def test_ranks_of_the_screened_list_are_those_inside_the_list() -> None:
    """Ratings stay those of the whole fit; ranks, rank intervals, tiers and chances are among the shown alone."""
    found = rows(by_key(ground())[SCREENED])
    assert [(row.rank, row.tier) for row in found.values()] == [(1, 1), (2, 2)]
    assert [(row.rank_lower, row.rank_upper) for row in found.values()] == [(1, 1), (2, 2)]
    assert found["delta"].p_top1 == pytest.approx(1, abs=0.01)
    assert {row.p_topk for row in found.values()} == {1}, "two of two"


def test_an_incomplete_pairing_validates_nobody() -> None:
    rows_ = [*Judge(strength=STRONG).rows(ids(PROMPTS)), Row("p000", "alpha", "delta", "a", None)]
    made = by_key(ground(facts(rows_, described(PROMPTS))))
    assert set(rows(made[MAIN])) == set(rows(made[JOINT])) == set(STRONG)
    assert "delta" in rows(made[SCREENED])


@pytest.mark.parametrize(("active", "shown"), [(True, True), (False, False)])
def test_an_active_model_waits_on_the_screened_list_before_its_first_match(active: bool, shown: bool) -> None:
    models = {name: Contestant(active=True) for name in STRONG | WEAK} | {"late": Contestant(active=active)}
    found = rows(by_key(ground(models=models))[SCREENED])
    assert ("late" in found) is shown
    if shown:
        late = found["late"]
        assert (late.rating, late.rank, late.rank_reason, late.n) == (None, None, "no matches", 0)
        assert late.flags == ("no_matches", "provisional")


def test_a_retired_model_keeps_its_place() -> None:
    made = by_key(ground(models={}))
    assert set(rows(made[MAIN])) == set(STRONG)
    assert set(rows(made[SCREENED])) == set(WEAK)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_rates_its_own_prompts(scope: str) -> None:
    kind, _, value = scope.partition("=")
    inside = [prompt for prompt in described(PROMPTS) if getattr(prompt, kind) == value]
    record = by_key(ground())["validated", scope, "bt", "tie", None]
    assert (record.n_prompts, record.n_battles) == (len(inside), 3 * len(inside))
    assert record.standings[0].model == "alpha"


def test_a_validated_model_without_a_verdict_in_a_scope_is_shown_there_without_matches() -> None:
    extra = [Row("p001", "alpha", "solo", "a", "a")]
    made = by_key(ground(facts([*Judge(strength=STRONG).rows(ids(PROMPTS)), *extra], described(PROMPTS))))
    solo = rows(made["validated", "category=facts", "bt", "tie", None])["solo"]
    assert (solo.rating, solo.rank_reason, solo.flags) == (None, "no matches", ("no_matches",))


def test_what_is_known_of_a_prompt_now_goes_before_what_was_published() -> None:
    """The registry reaches the history with a publication: the first refit comes before it."""
    bare = facts(Judge(strength=STRONG).rows(ids(PROMPTS)))
    assert {key[1] for key in by_key(ground(bare)) if key[0] == "validated"} == {"overall", *SCOPES}


# -- what a row says ---------------------------------------------------------------------------------------------------


def test_a_row_says_how_it_stands_to_the_next_one_below() -> None:
    best, second, last = by_key(ground())[MAIN].standings
    for row, below in ((best, second), (second, last)):
        assert row.rating is not None
        assert below.rating is not None
        expected = 1 / (1 + 10 ** ((below.rating - row.rating) / 400))
        assert row.expected_next == pytest.approx(expected)
    assert best.more_pairings == 0
    assert (last.expected_next, last.more_pairings, last.more_reason) == (None, None, "nobody is ranked below")


def test_nobody_is_the_next_one_in_another_component() -> None:
    """No chain of battles links them: neither a share nor a number of pairings can be given."""
    apart = Judge(strength={"xi": 1.0, "zeta": 0.0}, seed=5).rows(ids(PROMPTS))
    record = by_key(ground(facts([*Judge(strength=STRONG).rows(ids(PROMPTS)), *apart], described(PROMPTS))))[MAIN]
    assert record.components == 2
    assert [row.component for row in record.standings] == [0, 0, 0, 1, 1]
    assert [row.rank for row in record.standings] == [1, 2, 3, 1, 2]
    assert [row.more_reason == "nobody is ranked below" for row in record.standings] == [
        False,
        False,
        True,
        False,
        True,
    ]


def close_race() -> RatingFacts:
    """alpha leads beta by a hair on 40 prompts."""
    return facts(Judge(strength={"alpha": 0.6, "beta": 0.0}, seed=3).rows(ids(PROMPTS)), described(PROMPTS))


@pytest.mark.parametrize(
    ("registered", "reason"), [(PROMPTS, "not with these prompts"), (5000, None)], ids=["few", "many"]
)
def test_more_pairings_need_prompts_that_the_two_have_not_met_on(registered: int, reason: str | None) -> None:
    best = by_key(ground(close_race(), prompts=described(registered)))[MAIN].standings[0]
    assert best.more_pairings is not None
    assert 0 < best.more_pairings < 5000 - PROMPTS
    assert best.more_reason == reason


def test_more_pairings_are_pairings_also_where_each_order_counts() -> None:
    """The joint model takes two rows a pairing; it must not ask for twice the pairings."""
    many = described(5000)
    made = by_key(ground(close_race(), prompts=many))
    plain, joint = made[MAIN].standings[0].more_pairings, made[JOINT].standings[0].more_pairings
    assert plain is not None
    assert joint is not None
    assert joint < 1.5 * plain


UNUSED = [
    Row("p0", "a", "b", "a", "a"),
    Row("p0", "a", "b", "a", None),
    Row("p1", "a", "b", None, None),
    Row("p2", "a", "c", "a", "a"),
    Row("gone", "a", "b", "a", "a"),
]


@pytest.mark.parametrize(("pair", "unused"), [((0, 1), 2), ((1, 0), 2), ((0, 2), 3), ((1, 2), 4)])
def test_unused_prompts_are_those_of_the_tournament_without_a_pairing_of_the_two(
    pair: tuple[int, int], unused: int
) -> None:
    """An incomplete pairing has used its prompt; one that left the tournament cannot be used."""
    prompts = [PromptFacts(f"p{i}") for i in range(4)]
    assert unused_prompts(facts(UNUSED), [pair], prompts) == (unused,)


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([1_000_000_000, 3_000_000_000], Decimal(2)),
        ([1, 2], Decimal("1.5E-9")),
        ([0, 0], Decimal(0)),
        ([5, -1], None),
    ],
)
def test_the_price_of_a_verdict_is_exact_or_unknown(costs: list[int], expected: Decimal | None) -> None:
    """An incomplete pairing is no verdict; a model without one has no price."""
    paid = [Row(f"p{i}", "a", "b", "a", "a", nano_usd=cost) for i, cost in enumerate(costs)]
    found = usd_per_verdict(facts([*paid, Row("p9", "a", "c", "a", None, nano_usd=7)]))
    assert found == {"a": expected, "b": expected}


@pytest.mark.parametrize(
    ("model", "judge_family", "judge_simulated", "flags", "simulated"),
    [
        (Contestant(), None, False, (), False),
        (Contestant(family="f"), "f", False, ("self_judged",), False),
        (Contestant(family="f"), "g", False, (), False),
        (Contestant(), "f", False, (), False),
        (Contestant(simulated=True), None, False, ("simulated",), True),
        (Contestant(family="f"), "f", True, ("self_judged", "simulated"), True),
    ],
)
def test_flags_say_what_the_judge_has_to_do_with_the_model(
    model: Contestant, judge_family: str | None, judge_simulated: bool, flags: tuple[str, ...], simulated: bool
) -> None:
    bench = Bench(id="judy", fingerprint="f", family=judge_family, simulated=judge_simulated)
    row = rows(by_key(ground(models={"beta": model}, bench=bench))[MAIN])["beta"]
    assert (row.flags, row.simulated) == (flags, simulated)


# -- what a head says --------------------------------------------------------------------------------------------------


def test_every_fit_says_how_it_was_made() -> None:
    for key, record in by_key(ground()).items():
        head: Any = record.head
        assert record.failure is None, key
        assert "95 %" in head["intervals"]
        assert "clustered by prompt" in head["intervals"]
        assert set(head["versions"]) == {"leaderboard", "numpy", "scipy", "choix"}
        assert (head["k"], head["convergence"]["residual"] < 1e-6) == (2, True), key
        assert ("judges" in head) is (record.method == "joint" or key == MAIN)


def test_the_board_has_the_judges_position_effect_from_the_joint_fit() -> None:
    made = by_key(ground(validation(first=1.0)))
    (found,) = made[MAIN].head["judges"]  # type: ignore[misc]
    assert found == made[JOINT].head["judges"][0]  # type: ignore[index]
    assert found["judge"] == "judy"
    assert found["first_position"]["lower"] > 0.5
    assert found["tie"]["nu"] > 0


def test_the_board_is_compared_with_every_other_overall_fit() -> None:
    head: Any = by_key(ground())[MAIN].head
    compared = [(row["method"], row["policy"]) for row in head["side_by_side"]["fits"]]
    assert compared == [("bt", "score"), ("bt", "soft"), ("bt", "drop"), ("joint", None)]
    assert all(row["models"] == 3 for row in head["side_by_side"]["fits"])


def test_length_control_names_its_effect_and_how_much_it_left_out() -> None:
    """The judge follows length, and beta owes its place to it."""
    judged = Judge(strength=STRONG, longer=2.0, length={"beta": 200}).rows(ids(PROMPTS))
    unknown = [replace(row, lengths=(0, row.lengths[1])) if row.prompt == "p000" else row for row in judged]
    made = by_key(ground(facts(unknown, described(PROMPTS))))
    control: Any = made[CONTROLLED].head["control"]
    assert (control["name"], control["rows"], control["left_out"]) == ("length", 6 * (PROMPTS - 1), 6)
    assert control["effect"]["lower"] > 0
    plain, corrected = (rows(made[key])["beta"].rating for key in (JOINT, CONTROLLED))
    assert plain is not None
    assert corrected is not None
    assert corrected < plain - 50
    assert "control" not in made[JOINT].head


def test_without_lengths_the_effect_has_a_reason() -> None:
    bare = [replace(row, lengths=(0, 0)) for row in Judge(strength=STRONG).rows(ids(PROMPTS))]
    record = by_key(ground(facts(bare, described(PROMPTS))))[CONTROLLED]
    control: Any = record.head["control"]
    assert (control["effect"]["logit"], control["rows"], control["left_out"]) == (None, 0, 6 * PROMPTS)
    assert control["effect"]["reason"]


# -- a gate, a fit that fails ------------------------------------------------------------------------------------------


def trial(state: Literal["pass", "fail", "unclear"], *, blocks: bool) -> Trial:
    return Trial(gate={"c": 0.5, "state": state, "threshold": 0.85}, head={"protocol": "swap"}, blocks=blocks)


@pytest.mark.parametrize(
    ("state", "blocks", "notes", "shown"),
    [("pass", True, 0, True), ("unclear", True, 0, True), ("fail", False, 1, True), ("fail", True, 2, False)],
)
def test_every_validated_fit_wears_the_gate_and_a_block_holds_it_back(
    state: Literal["pass", "fail", "unclear"], blocks: bool, notes: int, shown: bool
) -> None:
    made = by_key(ground(trial=lambda _: trial(state, blocks=blocks)))
    for key, record in made.items():
        head: Any = record.head
        assert (record.gate is not None, "protocol" in head) == (key[0] == "validated",) * 2
        if key[0] == "validated":
            assert (len(head["notes"]), bool(record.standings)) == (notes, shown), key
    assert ("side_by_side" in made[MAIN].head) is shown
    assert made[SCREENED].standings


def test_the_judge_stands_trial_only_when_somebody_is_validated() -> None:
    def asked(validation: RatingFacts) -> Trial:
        raise AssertionError("nobody is validated")

    assert {board for board, *_ in by_key(ground(validated=facts([]), trial=asked))} == {"screened"}


@pytest.mark.parametrize("error", [NotConverged("it stalled at 0.3"), NoFiniteMaximum("alpha never lost")])
@pytest.mark.parametrize("method", ["bt", "joint"])
def test_a_fit_that_cannot_be_made_says_why_and_the_others_are_made(method: str, error: Exception) -> None:
    def fails(battles: Battles, how: How) -> Fit:
        raise error

    made = by_key(ground(methods=METHODS | {method: fails}))
    assert set(made) == set(by_key(ground()))
    for key, record in made.items():
        assert record.failure == (str(error) if key[2] == method else None)
        assert bool(record.standings) is (key[2] != method)
    if method == "joint":
        head: Any = made[MAIN].head
        assert head["judges"] == []
        assert head["side_by_side"]["fits"][-1]["tau_reason"] == str(error)


def test_one_policy_that_fails_leaves_the_others_alone() -> None:
    def picky(battles: Battles, how: How) -> Fit:
        if how.policy == "drop":
            raise NotConverged("it stalled")
        return METHODS["bt"](battles, how)

    made = by_key(ground(methods=METHODS | {"bt": picky}))
    assert [key for key, record in made.items() if record.failure] == [("validated", "overall", "bt", "drop", None)]


def test_an_error_that_nobody_expects_is_not_swallowed() -> None:
    def broken(battles: Battles, how: How) -> Fit:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        by_key(ground(methods=METHODS | {"joint": broken}))


# -- any other key -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "made"),
    [
        (FitKey(), [MAIN, SCREENED]),
        (FitKey("language=nl", "bt", "soft"), [("validated", "language=nl", "bt", "soft", None)]),
        (FitKey("overall", "joint", None, "length"), [JOINT, CONTROLLED, SCREENED]),
    ],
)
def test_the_board_of_a_key_has_its_validated_fit_and_the_screened_one_of_its_scope(
    key: FitKey, made: list[Key]
) -> None:
    below: list[Key] = [("screened", key.scope, "joint", None, None)]
    assert [key_of(record) for record in records_for(ground(), key)] == [k for k in made if k not in below] + below


def test_derived_and_stored_fits_are_the_same() -> None:
    stored = by_key(ground())
    for key, record in stored.items():
        wanted = FitKey(*key[1:])
        again = next(found for found in records_for(ground(), wanted) if key_of(found) == key)
        assert again.standings == record.standings
