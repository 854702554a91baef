"""Battles as arrays."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.matrix import (
    ROWS_AT_ONCE,
    SCORES,
    Battles,
    Record,
    battles_from_columns,
    battles_from_rows,
    records,
    win_matrix,
)

ROWS = [
    ("p1", "b", "a", 1.0),  # b won, whoever is named first
    ("p1", "a", "b", 0.5),
    ("p2", "a", "c", 0.75),
    ("p2", "c", "a", 0.0),
]


def test_the_win_matrix_sums_shares():
    battles = battles_from_rows(ROWS)
    assert battles.models == ("a", "b", "c")
    assert win_matrix(battles).tolist() == [[0, 0.5, 1.75], [1.5, 0, 0], [0.25, 0, 0]]


def test_records_count_outcomes():
    assert records(battles_from_rows(ROWS, models=["d"])) == (
        Record(4, 2, 1, 1),
        Record(2, 1, 0, 1),
        Record(2, 0, 2, 0),
        Record(0, 0, 0, 0),
    )


def test_a_weight_multiplies_its_row():
    battles = battles_from_columns(["p", "p"], ["a", "a"], ["b", "b"], [1, 0], weight=[3, 0.5])
    assert win_matrix(battles).tolist() == [[0, 3], [0.5, 0]]
    assert [record.n for record in records(battles)] == [2, 2]


def test_rows_of_weight_0_are_no_evidence():
    battles = battles_from_columns(["p", "q", "r"], ["a", "a", "c"], ["b", "b", "b"], [1, 0, 1], weight=[3, 0, 0])
    assert battles.weighty().n_prompts == 1
    assert [record.n for record in records(battles.weighty())] == [1, 1, 0]
    assert (win_matrix(battles.weighty()) == win_matrix(battles)).all()
    for whole in (battles_from_rows(ROWS), battles.weighty()):
        assert whole.weighty() is whole


def test_prompts_become_clusters():
    battles = battles_from_rows(ROWS)
    assert battles.cluster.tolist() == [0, 0, 1, 1]
    assert len(battles) == 4


@pytest.mark.parametrize("prompts", [None, ["p1", None]])
def test_an_unknown_prompt_makes_no_cluster(prompts):
    assert battles_from_columns(prompts, ["a", "a"], ["b", "b"], [1, 0]).cluster is None


def test_no_battles():
    battles = battles_from_rows([], models=["a", "b"])
    assert win_matrix(battles).tolist() == [[0, 0], [0, 0]]
    assert win_matrix(battles_from_rows([])).shape == (0, 0)


@pytest.mark.parametrize(
    ("row", "weight", "named"),
    [
        (("p", "x", "x", 1.0), 1, "'x' cannot meet itself"),
        (("p", "a", "b", 1.5), 1, "score"),
        (("p", "a", "b", float("nan")), 1, "score"),
        (("p", "a", "b", 1.0), -1, "weight"),
        (("p", "a", "b", 1.0), float("inf"), "weight"),
        (("p", "a", "b", 1.0), float("nan"), "weight"),
    ],
)
def test_impossible_rows_are_refused(row, weight, named):
    prompt, model_a, model_b, score = row
    with pytest.raises(ValueError, match=named):
        battles_from_columns([prompt], [model_a], [model_b], [score], weight=[weight])


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="length"):
        battles_from_columns(None, ["a", "a"], ["b"], [1])


@given(st.lists(st.tuples(st.sampled_from("pq"), st.permutations("abc"), st.sampled_from(sorted(SCORES))), max_size=30))
def test_every_battle_gives_one_point(drawn):
    rows = [(prompt, models[0], models[1], SCORES[outcome]) for prompt, models, outcome in drawn]
    mirrored = [(prompt, b, a, 1 - score) for prompt, a, b, score in reversed(rows)]
    wins = win_matrix(battles_from_rows(rows, models="abc"))
    assert wins.sum() == len(rows)
    assert (wins == win_matrix(battles_from_rows(mirrored, models="abc"))).all()


def many(rows, seed=0):
    """Ten models, ties among the outcomes, in the smallest types; every third prompt number is missing."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 10, rows, dtype=np.int8)
    b = ((a + rng.integers(1, 10, rows, dtype=np.int8)) % 10).astype(np.int8)
    score = (rng.integers(0, 3, rows, dtype=np.int8) / np.float32(2)).astype(np.float32)
    prompt = rng.integers(0, 500, rows, dtype=np.int32) * 3
    return Battles(tuple("abcdefghij"), a, b, score, weight=rng.random(rows, dtype=np.float32), cluster=prompt)


def test_more_rows_than_are_summed_at_once():
    battles = many(ROWS_AT_ONCE + 1000)
    wins, score, weight = np.zeros((10, 10)), battles.score.astype(float), battles.weight.astype(float)
    np.add.at(wins, (battles.a, battles.b), score * weight)
    np.add.at(wins, (battles.b, battles.a), (1 - score) * weight)
    assert win_matrix(battles) == pytest.approx(wins)
    found = records(battles)
    assert sum(record.n for record in found) == 2 * len(battles)
    assert [record.ties for record in found] == [
        int(((battles.score == 0.5) & ((battles.a == i) | (battles.b == i))).sum()) for i in range(10)
    ]
    assert battles.n_prompts == 500


@pytest.mark.parametrize("work", [win_matrix, records, lambda battles: battles.n_prompts, lambda b: b.__post_init__()])
def test_memory_does_not_grow_with_small_rows(work):
    """Four million rows are worked through in slices; a float64 or int64 copy of one column would take 32 MB."""
    battles = many(8 * ROWS_AT_ONCE)
    tracemalloc.start()
    work(battles)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24e6


@pytest.mark.parametrize(
    "types", [(np.int8, np.float16), (np.uint64, np.float32), (np.int64, float), (np.int32, np.uint8)]
)
def test_any_number_type_will_do(types):
    index, share = types
    a, b, score = np.array([0, 1, 2], index), np.array([1, 2, 0], index), np.array([1, 0, 1], share)
    battles = Battles(("x", "y", "z"), a, b, score, cluster=a)
    assert win_matrix(battles).tolist() == [[0, 1, 0], [0, 0, 0], [1, 1, 0]]
    assert [record.wins for record in records(battles)] == [1, 0, 2]


@pytest.mark.parametrize("rows", [np.array([True, False, True]), np.array([0, 2]), slice(None, None, 2)])
def test_a_part_of_the_rows(rows):
    whole = Battles(
        ("x", "y"), np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1, 0.5, 0]), cluster=np.array([4, 5, 6])
    )
    part = whole.where(rows)
    assert (part.score.tolist(), part.cluster.tolist(), part.models, part.weight) == ([1, 0], [4, 6], ("x", "y"), None)
    assert part.n_prompts == 2


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"b": np.array([2])}, "index the 2 models"),
        ({"a": np.array([-1])}, "index the 2 models"),
        ({"score": np.array([0.5, 0.5])}, "length"),
        ({"judge": np.array([0, 0])}, "length"),
        ({"cluster": np.array([-1])}, "from 0"),
    ],
)
def test_columns_that_do_not_fit_are_refused(changes, named):
    columns = {"a": np.array([0]), "b": np.array([1]), "score": np.array([1.0])}
    with pytest.raises(ValueError, match=named):
        Battles(("x", "y"), **(columns | changes))
