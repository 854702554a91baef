"""Battles as arrays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.matrix import SCORES, Record, battles_from_columns, battles_from_rows, records, win_matrix

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
