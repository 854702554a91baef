"""The draws: balanced for every size, the same everywhere, and stable when models join."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.pairing import drawn_order, screening_draw, stratified, validation_pairs
from leaderboard.core.types import Order, Pairing, Prompt

SEED = st.integers(-(2**40), 2**40)


def seats(n):
    """Ids whose code point order is not their seat order."""
    return {f"{'zyx'[seat % 3]}-{seat}": seat for seat in range(n)}


def prompt_ids(n):
    return [f"p{number}" for number in range(n)]


def pair_counts(draws):
    return Counter((model_a, model_b) for _, model_a, model_b, _ in draws)


def surplus(draws):
    """First minus second places, by model and by (pair, its model a)."""
    by_model, by_pair = Counter(), Counter()
    for _, model_a, model_b, order in draws:
        sign = 1 if order is Order.AB else -1
        by_pair[model_a, model_b] += sign
        by_model[model_a] += sign
        by_model[model_b] -= sign
    return by_model, by_pair


def check_balance(draws, field, per_pair):
    by_model, by_pair = surplus(draws)
    assert pair_counts(draws) == dict.fromkeys((tuple(sorted(p)) for p in combinations(field, 2)), per_pair)
    assert all(abs(value) <= 1 for value in by_model.values())
    assert all(abs(value) <= 1 for value in by_pair.values())
    assert len({(prompt, a, b) for prompt, a, b, _ in draws}) == len(draws)


@pytest.mark.parametrize("n", range(2, 13))
def test_the_draw_is_balanced_for_every_size(n):
    for per_pair in range(1, 21):
        for seed in (0, 1, 7):
            check_balance(screening_draw(seed, seats(n), prompt_ids(20), per_pair), seats(n), per_pair)


@settings(max_examples=60, deadline=None)
@given(SEED, st.integers(2, 12), st.integers(1, 20), st.integers(1, 30))
def test_the_draw_is_balanced_for_every_seed(seed, n, per_pair, prompts):
    """More pairings than prompts are cut: at most one a prompt and pair."""
    draws = screening_draw(seed, seats(n), prompt_ids(prompts), per_pair)
    check_balance(draws, seats(n), min(per_pair, prompts))


@settings(max_examples=60, deadline=None)
@given(SEED, st.integers(2, 11), st.integers(1, 12))
def test_a_newcomer_adds_its_own_pairings_only(seed, n, per_pair):
    before = set(screening_draw(seed, seats(n), prompt_ids(24), per_pair))
    after = set(screening_draw(seed, seats(n + 1), prompt_ids(24), per_pair))
    newcomer = next(model for model, seat in seats(n + 1).items() if seat == n)
    assert before <= after
    assert all(newcomer in draw[1:3] for draw in after - before)


@settings(max_examples=60, deadline=None)
@given(SEED, st.integers(2, 9), st.integers(1, 15), st.integers(0, 15))
def test_a_smaller_plan_is_the_beginning_of_a_larger_one(seed, n, larger, smaller):
    long, short = (screening_draw(seed, seats(n), prompt_ids(24), count) for count in (larger, min(smaller, larger)))
    assert long[: len(short)] == short


@settings(max_examples=60, deadline=None)
@given(SEED, st.integers(2, 9), st.integers(1, 8), st.data())
def test_every_prefix_is_balanced_over_the_pairs(seed, n, per_pair, data):
    draws = screening_draw(seed, seats(n), prompt_ids(24), per_pair)
    prefix = pair_counts(draws[: data.draw(st.integers(0, len(draws)))])
    counts = [prefix[tuple(sorted(pair))] for pair in combinations(seats(n), 2)]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("n", "per_pair", "prompts"), [(8, 17, 24), (8, 5, 24), (12, 11, 80), (30, 4, 80)])
def test_the_prompts_are_covered_evenly(n, per_pair, prompts):
    for seed in range(5):
        counts = Counter(draw[0] for draw in screening_draw(seed, seats(n), prompt_ids(prompts), per_pair))
        covered = [counts[prompt] for prompt in prompt_ids(prompts)]
        assert max(covered) - min(covered) <= 4


@given(SEED, st.randoms(use_true_random=False))
def test_the_draw_ignores_the_order_of_its_input(seed, random):
    field, prompts = seats(6), prompt_ids(12)
    shuffled = dict(random.sample(sorted(field.items()), len(field)))
    again = screening_draw(seed, shuffled, random.sample(prompts, len(prompts)), 3)
    assert again == screening_draw(seed, field, prompts, 3)


@settings(max_examples=60, deadline=None)
@given(SEED, st.sets(st.integers(0, 60), min_size=2, max_size=12), st.integers(1, 9))
def test_models_that_left_keep_their_seats_and_the_others_meet_where_they_met(seed, taken, per_pair):
    """Balanced all the same, for whatever seats are left."""
    everybody = {(prompt, a, b) for prompt, a, b, _ in screening_draw(seed, seats(61), prompt_ids(24), per_pair)}
    left = {model: seat for model, seat in seats(61).items() if seat in taken}
    draws = screening_draw(seed, left, prompt_ids(24), per_pair)
    check_balance(draws, left, per_pair)
    assert {(prompt, a, b) for prompt, a, b, _ in draws} <= everybody


def test_another_seed_draws_otherwise():
    first, second = (set(screening_draw(seed, seats(8), prompt_ids(24), 5)) for seed in (0, 1))
    assert len(first & second) < len(first) / 2


def test_the_draw_is_the_same_on_every_machine():
    pinned = json.loads((Path(__file__).parents[1] / "golden" / "screening_draw.json").read_text())["draws"]
    assert [
        list(draw) for draw in screening_draw(0, {"m1": 0, "m2": 1, "m3": 2}, ["p1", "p2", "p3", "p4"], 2)
    ] == pinned


@pytest.mark.parametrize(
    ("field", "prompts", "per_pair", "expected"),
    [({}, 3, 2, 0), ({"m": 0}, 3, 2, 0), (seats(3), 0, 2, 0), (seats(3), 3, 0, 0), (seats(2), 1, 9, 1)],
)
def test_small_fields(field, prompts, per_pair, expected):
    assert len(screening_draw(0, field, prompt_ids(prompts), per_pair)) == expected


@pytest.mark.parametrize(
    ("field", "prompts", "per_pair", "named"),
    [
        ({"a": 1, "b": 1}, ["p"], 1, "seat"),
        ({"a": 0, "b": 1}, ["p", "p"], 1, "prompt"),
        ({"a": 0, "b": 1}, ["p"], -1, "negative"),
        ({"a": -1, "b": 1}, ["p"], 1, "negative"),
    ],
)
def test_an_impossible_draw_is_refused(field, prompts, per_pair, named):
    with pytest.raises(ValueError, match=named):
        screening_draw(0, field, prompts, per_pair)


def test_the_one_order_is_a_fair_coin():
    drawn = [drawn_order(0, Pairing(f"p{i}", "a", "b")) for i in range(2000)]
    assert 900 < drawn.count(Order.AB) < 1100
    assert drawn == [drawn_order(0, Pairing(f"p{i}", "a", "b")) for i in range(2000)]


PROMPTS = st.dictionaries(
    st.integers(0, 10**6).map(str), st.tuples(st.sampled_from(["en", "nl"]), st.sampled_from("abcd")), max_size=40
).map(
    lambda strata: [
        Prompt(id=id, turns=("?",), language=language, category=category) for id, (language, category) in strata.items()
    ]
)


def stratum(prompt):
    return prompt.language, prompt.category


@given(PROMPTS, SEED)
def test_every_prefix_mirrors_the_strata(prompts, seed):
    """Each stratum has its share of every prefix, rounded down or up."""
    ordered, sizes = stratified(prompts, seed), Counter(map(stratum, prompts))
    assert Counter(prompt.id for prompt in ordered) == Counter(prompt.id for prompt in prompts)
    for length in range(len(ordered) + 1):
        taken = Counter(map(stratum, ordered[:length]))
        assert all(abs(taken[key] * len(prompts) - size * length) < len(prompts) for key, size in sizes.items())


@given(PROMPTS, SEED, st.integers(0, 45), st.randoms(use_true_random=False))
def test_strata_ignore_the_order_of_input_and_a_limit_takes_the_beginning(prompts, seed, limit, random):
    whole = stratified(prompts, seed)
    assert stratified(random.sample(prompts, len(prompts)), seed, limit) == whole[:limit]


def test_another_seed_orders_a_stratum_otherwise():
    prompts = [Prompt(id=str(i), turns=("?",)) for i in range(30)]
    assert stratified(prompts, 0) != stratified(prompts, 1)


def test_validation_plays_all_pairs_of_a_prompt_before_the_next():
    prompts = [Prompt(id=id, turns=("?",)) for id in ("p2", "p1")]
    assert validation_pairs(["c", "a", "b"], prompts) == [
        Pairing(prompt, *pair) for prompt in ("p2", "p1") for pair in (("a", "b"), ("a", "c"), ("b", "c"))
    ]


@pytest.mark.parametrize("models", [[], ["a"]])
def test_no_pair_no_validation(models):
    assert validation_pairs(models, [Prompt(id="p", turns=("?",))]) == []
