"""Who goes on to validation."""

import math

import numpy as np
import pytest

from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.fits import How
from leaderboard.core.matrix import battles_from_rows
from leaderboard.core.screening import chances, keep_rule, pairings_per_model, pairings_per_pair


@pytest.mark.parametrize(
    ("models", "expected"), [(0, 0), (1, 0), (2, 115), (3, 58), (8, 17), (24, 5), (116, 1), (130, 1)]
)
def test_screening_plans_about_115_pairings_a_model(models, expected):
    assert pairings_per_pair(models) == expected


@pytest.mark.parametrize(
    ("models", "prompts", "expected"), [(1, 24, 0), (2, 24, 24), (2, 200, 115), (8, 24, 119), (8, 10, 70)]
)
def test_a_model_meets_another_at_most_once_a_prompt(models, prompts, expected):
    assert pairings_per_model(models, prompts) == expected


def played(skills, per_pair=17, prompts=24, seed=0):
    """Single passes between models of known skill (logits), pairs spread over the prompts."""
    rng = np.random.default_rng(seed)
    names = sorted(skills)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return [
        (f"p{(number + turn) % prompts}", a, b, float(rng.random() < 1 / (1 + math.exp(skills[b] - skills[a]))))
        for number, (a, b) in enumerate(pairs)
        for turn in range(per_pair)
    ]


LADDER = {f"m{i}": 3.0 - i for i in range(8)}


def screened(rows=None, models=()):
    return fit_bt(battles_from_rows(played(LADDER) if rows is None else rows, models=models), How())


def test_clear_losers_are_left_out_with_their_chance():
    keep = keep_rule(screened(), 3, 6, 0.01, 119)
    assert keep.kept[:3] == ("m0", "m1", "m2")
    assert {"m6", "m7"} <= set(keep.left_out)
    assert all(chance < 0.01 for chance in keep.left_out.values())
    assert set(keep.kept) | set(keep.left_out) == set(LADDER)
    assert (keep.cut_by_cap, keep.everybody) == ({}, False)
    (note,) = keep.notes
    assert "m7 (below 0.0001)" in note
    assert f"m3 ({keep.left_out['m3']:.4f})" in note


def test_close_models_are_kept_up_to_the_cap_by_their_chance():
    fit = screened(played(dict.fromkeys(LADDER, 0.0)))
    keep = keep_rule(fit, 2, 4, 0.01, 119)
    best = sorted(fit.models, key=lambda model: -fit.ratings[fit.models.index(model)])
    assert list(keep.kept[:2]) == best[:2]
    assert len(keep.kept) == 4
    assert len(keep.cut_by_cap) >= 1
    assert min(keep.chances[model] for model in keep.kept) >= max(keep.cut_by_cap.values()) >= 0.01
    assert "cut by the cap of 4" in keep.notes[0]


def test_the_cap_never_cuts_the_k_best():
    keep = keep_rule(screened(played(dict.fromkeys(LADDER, 0.0))), 3, 1, 0.01, 119)
    assert len(keep.kept) == 3
    assert len(keep.cut_by_cap) == 5


@pytest.mark.parametrize(("planned", "everybody"), [(99, True), (100, False)])
def test_under_100_planned_everybody_is_kept_and_the_run_says_so(planned, everybody):
    keep = keep_rule(screened(), 3, 8, 0.01, planned)
    assert keep.everybody is everybody
    assert (set(keep.kept) == set(LADDER)) is everybody
    assert any("everybody is kept: 99 pairings" in note for note in keep.notes) is everybody


def test_the_cap_beats_everybody():
    keep = keep_rule(screened(), 2, 4, 0.01, 20)
    assert (len(keep.kept), len(keep.cut_by_cap), keep.left_out) == (4, 4, {})


def test_models_that_nothing_measures_are_kept():
    """No match, and another component: no chance can be told, so nobody may leave them out."""
    strangers = [(f"p{p}", "y", "z", 1.0) for p in range(24)]
    keep = keep_rule(screened(played(LADDER) + strangers, models=["none"]), 2, 8, 0.01, 119)
    assert {"none", "y", "z"} <= set(keep.kept)
    assert [keep.chances[model] for model in ("none", "y", "z")] == [None] * 3
    assert "m7" in keep.left_out


def test_without_intervals_everybody_has_a_claim_by_rating():
    keep = keep_rule(screened(played(LADDER, prompts=9)), 2, 5, 0.01, 119)
    assert set(keep.chances.values()) == {None}
    assert keep.kept == ("m0", "m1", "m2", "m3", "m4")
    assert list(keep.cut_by_cap.values()) == [None] * 3
    assert "m7 (no interval)" in keep.notes[0]


def test_fewer_models_than_k_are_all_kept():
    keep = keep_rule(screened(played({"a": 1.0, "b": 0.0}, per_pair=115)), 4, 8, 0.01, 115)
    assert (keep.kept, keep.left_out, keep.cut_by_cap, keep.notes) == (("a", "b"), {}, {}, ())


def test_an_empty_screening_keeps_everybody_up_to_the_cap():
    keep = keep_rule(screened([], models=["a", "b", "c"]), 1, 2, 0.01, 119)
    assert (keep.kept, keep.cut_by_cap) == (("a", "b"), {"c": None})


def test_chances_add_up_to_k_and_belong_to_the_seed():
    fit = screened()
    assert sum(chances(fit, 3, 1).values()) == pytest.approx(3)
    assert chances(fit, 3, 1) == chances(fit, 3, 1) != chances(fit, 3, 2)
    assert keep_rule(fit, 3, 6, 0.01, 119).chances == chances(fit, 3, fit.seed)


def test_the_rule_ignores_the_order_of_rows():
    rows = played(LADDER)
    assert keep_rule(screened(rows[::-1]), 3, 6, 0.01, 119).kept == keep_rule(screened(rows), 3, 6, 0.01, 119).kept


def test_no_top_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        keep_rule(screened(), 0, 2, 0.01, 119)
