"""The bias report: judges of known bias, public judgements, and what may never happen."""

import json
import math
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.core.bias import JudgedPairing, bias_report, judged_cases, position_of
from leaderboard.core.bradley_terry import fit_bt
from leaderboard.core.calibration import POLICIES
from leaderboard.core.fits import How
from leaderboard.core.matrix import battles_from_rows
from leaderboard.core.protocol import BOTH_ORDERS
from leaderboard.core.types import Order, Outcome, Pairing, SlotScores, to_reading

MODELS = ("X", "y", "z")
CONTRACT_KEYS = {
    "samples", "readings", "readable", "pairings", "pairings_both", "swap_table", "flips", "c", "decided_share",
    "n_valid", "n_decided", "gate", "agreement", "first_position", "sign_test", "position_effect", "bpde",
    "order_conflicts", "labels", "by",
}  # fmt: skip


def pairing(prompt, one, other, judge, k=3, **traits):
    """A pairing as `judge(first, second, sample)` reads it in both orders: slot scores, or None for unreadable."""
    found = Pairing.of(prompt, one, other)
    shown = {Order.AB: (found.model_a, found.model_b), Order.BA: (found.model_b, found.model_a)}
    replies = [(order, i, judge(*shown[order], i)) for order in Order for i in range(1, k + 1)]
    readings = tuple(to_reading(order, i, slots) for order, i, slots in replies if slots is not None)
    traits = {"category": "general", "language": "en"} | traits
    return JudgedPairing(
        pairing=f"{prompt}/{one}/{other}", prompt_id=prompt, model_a=found.model_a, model_b=found.model_b,
        readings=readings, unreadable=len(replies) - len(readings), **traits,
    )  # fmt: skip


def tournament(judge, prompts=40, k=3):
    pairs = [(one, other) for i, one in enumerate(MODELS) for other in MODELS[i + 1 :]]
    return [pairing(f"p{p}", *pair, judge, k) for p in range(prompts) for pair in pairs]


def report(pairings, k=3, orders=BOTH_ORDERS, threshold=0.85):
    found = bias_report(pairings, orders=orders, k=k, threshold=threshold)
    json.dumps(found, allow_nan=False)
    return found


def rated(pairings, k=3):
    cases = judged_cases(pairings, BOTH_ORDERS, k)
    worth = [(case, POLICIES["tie"](case.verdict)) for case in cases]
    return fit_bt(
        battles_from_rows(
            (case.prompt, case.pairing.model_a, case.pairing.model_b, float(share))
            for case, share in worth
            if share is not None
        ),
        How(policy="tie"),
    )


def always_first(first, second, sample):
    return SlotScores(Decimal(8), Decimal(7))


def always_x(first, second, sample):
    return SlotScores.won_by("1" if first == "X" else "2" if second == "X" else "1" if first < second else "2")


def test_a_judge_that_always_prefers_the_first():
    pairings = tournament(always_first)
    found = report(pairings)
    assert found["swap_table"] == {
        "consistent_a": 0, "consistent_b": 0, "consistent_tie": 0, "inconsistent": 120, "incomplete": 0,
    }  # fmt: skip
    assert (found["c"]["value"], found["n_valid"], found["gate"]["state"]) == (0, 0, "fail")
    assert (found["first_position"]["share"], found["first_position"]["second"]) == (1, 0)
    assert found["flips"]["to_first"] == 120
    assert found["sign_test"]["p_value"] < 1e-30
    assert found["agreement"] | {"same_order": 1, "cross_order": 0, "excess": 1} == found["agreement"]
    assert found["bpde"]["mean"] == pytest.approx(math.log(2))
    fit = rated(pairings)
    assert {record.ties for record in fit.records} == {80}
    assert fit.ratings == pytest.approx((1000, 1000, 1000), abs=1e-9)
    assert fit.ranks == (1, 1, 1)


@pytest.mark.parametrize(
    ("judge", "pull"),
    [(always_first, 1), (always_x, 0), (lambda *_: SlotScores(Decimal(1), Decimal(9)), -1)],
    ids=["always the first", "always x", "always the second"],
)
def test_the_position_effect_is_the_pull_to_the_first_place(judge, pull):
    found = report(tournament(judge))["position_effect"]
    assert set(found) == {"logit", "se", "se_model", "lower", "upper", "elo", "p_value", "reason"}
    if pull:
        assert 4 < pull * found["logit"] < 12
    else:
        assert found["logit"] == pytest.approx(0, abs=1e-9)
    assert found["elo"] == pytest.approx(400 / math.log(10) * found["logit"])


def test_an_incomplete_pairing_has_a_part_in_the_position_effect():
    """What an order says counts, whether or not the other order could be read."""

    def half_read(first, second, sample):
        return always_first(first, second, sample) if first < second else None

    found = report(tournament(half_read))
    assert found["pairings_both"] == 0
    assert found["position_effect"]["logit"] is not None


def test_a_judge_that_always_prefers_the_text_of_x():
    pairings = tournament(always_x)
    found = report(pairings)
    assert (found["c"]["value"], found["decided_share"], found["gate"]["state"]) == (1, 1, "pass")
    assert (found["n_valid"], found["n_decided"], found["order_conflicts"]) == (120, 120, 0)
    assert (found["first_position"]["share"], found["bpde"]["max"], found["bpde"]["zero"]) == (0.5, 0, 120)
    assert found["sign_test"] | {"p_value": None, "lean_p_value": None} == found["sign_test"]
    fit = rated(pairings)
    assert fit.ranks[fit.models.index("X")] == 1
    assert max(fit.ratings) == fit.ratings[fit.models.index("X")]


def test_a_judge_without_a_readable_reply_has_no_figures_and_no_ties():
    pairings = tournament(lambda first, second, sample: None)
    found = report(pairings)
    assert found["swap_table"] == dict.fromkeys(found["swap_table"], 0) | {"incomplete": 120}
    assert (found["readings"], found["readable"], found["pairings_both"]) == (720, 0, 0)
    assert (found["c"]["value"], found["first_position"]["share"], found["bpde"]["mean"]) == (None, None, None)
    assert found["gate"]["state"] == "unclear"
    assert rated(pairings).n_battles == 0


def test_every_key_is_there_and_what_is_missing_has_a_reason():
    found = report([])
    assert set(found) == CONTRACT_KEYS | {"reasons"}
    assert {"c.value", "decided_share", "agreement.excess", "first_position.share", "bpde.mean"} <= set(
        found["reasons"]
    )
    assert {"position_effect.logit", "labels", "by.score_gap"} <= set(found["reasons"])
    assert not {"c.lower", "first_position.lower", "position_effect.lower"} & set(
        found["reasons"]
    )  # no interval without a value


def test_reasons_end_where_figures_begin():
    assert set(report(tournament(always_x))["reasons"]) == {
        "sign_test.p_value", "sign_test.lean_p_value", "position_effect.lower", "labels", "by.score_gap",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pairings", "k", "orders", "path", "reason"),
    [
        (tournament(always_x, k=1), 1, BOTH_ORDERS, "agreement.same_order", "two samples"),
        (tournament(always_x), 3, frozenset({Order.AB}), "c.value", "one order only"),
        (tournament(always_x, prompts=1), 3, BOTH_ORDERS, "c.lower", "2 prompts"),
        (tournament(always_x, prompts=1), 3, BOTH_ORDERS, "agreement.excess_lower", "2 prompts"),
        (tournament(always_first), 3, BOTH_ORDERS, "first_position.lower", "both positions"),
        (tournament(always_x, prompts=9), 3, BOTH_ORDERS, "position_effect.lower", "10 prompts, has 9"),
        (tournament(always_x), 3, BOTH_ORDERS, "position_effect.lower", "the same on every prompt"),
        (tournament(lambda *_: None), 3, BOTH_ORDERS, "position_effect.logit", "no readable reply"),
        (tournament(lambda *_: SlotScores.won_by("tie")), 3, BOTH_ORDERS, "position_effect.logit", "is a tie"),
    ],
)
def test_the_reason_says_what_is_lacking(pairings, k, orders, path, reason):
    assert reason in report(pairings, k, orders)["reasons"][path]


@pytest.mark.parametrize(
    ("ab", "ba", "flips"),
    [
        ("1", "1", {"to_first"}),
        ("2", "2", {"to_second"}),
        ("1", "tie", {"tie_against_win", "tie_toward_first"}),
        ("tie", "1", {"tie_against_win", "tie_toward_first"}),
        ("2", "tie", {"tie_against_win", "tie_toward_second"}),
        ("tie", "2", {"tie_against_win", "tie_toward_second"}),
        ("1", "2", set()),
        ("tie", "tie", set()),
    ],
)
def test_a_flip_is_counted_for_the_position_that_gained(ab, ba, flips):
    replies = {"a": SlotScores.won_by(ab), "b": SlotScores.won_by(ba)}
    found = report([pairing("p", "a", "b", lambda first, second, sample: replies[first], k=1)], k=1)["flips"]
    assert {name for name, count in found.items() if count} == flips


@pytest.mark.parametrize(
    ("outcome", "order", "position"),
    [
        (Outcome.A, Order.AB, "first"),
        (Outcome.A, Order.BA, "second"),
        (Outcome.B, Order.AB, "second"),
        (Outcome.B, Order.BA, "first"),
        (Outcome.TIE, Order.BA, "tie"),
    ],
)
def test_positions(outcome, order, position):
    assert position_of(outcome, order) == position


def test_identical_answers_are_outside():
    twins = replace(pairing("p0", "X", "y", lambda *_: None), unreadable=0, identical=True)
    assert report([*tournament(always_first), twins]) == report(tournament(always_first))


def test_slices_by_category_and_language_are_not_gated():
    pairings = [
        pairing("p1", "X", "y", always_x, category="maths", language="nl"),
        pairing("p2", "X", "y", always_x, category="maths"),
        pairing("p3", "X", "y", always_first, category="art"),
    ]
    by = report(pairings)["by"]
    assert [(row["category"], row["pairings_both"], row["c"]["value"]) for row in by["category"]] == [
        ("art", 1, 0),
        ("maths", 2, 1),
    ]
    assert [(row["language"], row["pairings_both"], row["c"]["value"]) for row in by["language"]] == [
        ("en", 2, 0.5),
        ("nl", 1, 1),
    ]
    assert not any("gate" in row for rows in by.values() for row in rows or ())


def test_public_judgements_of_gpt_4(public_pairings):
    found = report(public_pairings("mtbench/gpt-4-0613.jsonl"), k=1)
    assert (found["readings"], found["pairings_both"], found["n_valid"]) == (4800, 2400, 1957)
    c = found["c"]
    assert [round(c[key], 4) for key in ("value", "lower", "upper")] == [0.8154, 0.7900, 0.8384]
    assert round(c["deff"], 3) == 2.355
    assert (found["gate"]["state"], found["order_conflicts"]) == ("fail", 443)
    first = found["first_position"]
    assert (first["first"], first["second"], first["tie"]) == (2059, 2135, 606)
    assert (round(first["share"], 4), round(first["se"], 4)) == (0.4909, 0.0084)
    assert found["flips"] | {"to_first": 121, "to_second": 150, "tie_against_win": 172} == found["flips"]
    effect = found["position_effect"]
    assert [round(effect[key], 4) for key in ("logit", "se", "se_model")] == [-0.0546, 0.0504, 0.0379]
    assert effect["lower"] < effect["logit"] < effect["upper"]
    assert 0.2 < effect["p_value"] < 0.4
    signs = found["sign_test"]
    assert (signs["lean_first"], signs["lean_second"]) == (198, 245)
    assert (round(signs["p_value"], 4), round(signs["lean_p_value"], 4)) == (0.0888, 0.0287)


@pytest.mark.parametrize(
    ("judge", "readable", "same", "cross", "excess", "conflicts", "entropy"),
    [
        ("gpt-4-0613", 576, (539, 576), (753, 864), 0.0642, (13, 96), (0.1279, 75)),
        ("gpt-3.5-turbo-0125", 554, (494, 540), (668, 798), 0.0777, (13, 94), (0.1524, 71)),
    ],
)
def test_public_repetitions(public_pairings, judge, readable, same, cross, excess, conflicts, entropy):
    found = report(public_pairings(f"repetitions/{judge}.jsonl"))
    agreed = found["agreement"]
    assert (found["readings"], found["readable"]) == (576, readable)
    assert (agreed["same_equal"], agreed["same_pairs"]) == same
    assert (agreed["cross_equal"], agreed["cross_pairs"]) == cross
    assert round(agreed["excess"], 4) == excess
    assert agreed["excess_lower"] < excess < agreed["excess_upper"]
    assert (found["order_conflicts"], found["pairings_both"]) == conflicts
    assert (round(found["bpde"]["mean"], 4), found["bpde"]["zero"]) == entropy
    assert len(found["by"]["category"]) == 8


@pytest.mark.parametrize(
    ("judge", "expected"),
    [("gpt-4-0613", {"r": 62, "o": 26, "t": 8}), ("gpt-3.5-turbo-0125", {"r": 64, "o": 24, "t": 6, "none": 2})],
)
def test_policy_score_on_public_repetitions_weighs_each_order_one_half(public_pairings, judge, expected):
    reference, found = "vicuna-13b-v1.3", dict.fromkeys(expected, 0)
    for case in judged_cases(public_pairings(f"repetitions/{judge}.jsonl"), BOTH_ORDERS, 3):
        outcome = case.verdict.outcome_score
        winner = {Outcome.A: case.pairing.model_a, Outcome.B: case.pairing.model_b}.get(outcome)
        found["none" if outcome is None else "t" if winner is None else "r" if winner == reference else "o"] += 1
    assert found == expected


SLOTS = st.sampled_from(["1", "2", "tie", None]).map(lambda winner: winner and SlotScores.won_by(winner))


@st.composite
def judged_pairings(draw):
    pairs = st.tuples(st.sampled_from(["p1", "p2", "p3"]), st.sampled_from([("X", "y"), ("X", "z"), ("y", "z")]))
    k = draw(st.integers(1, 3))
    return k, [
        pairing(prompt, *pair, lambda *_: draw(SLOTS), k)
        for prompt, pair in draw(st.lists(pairs, min_size=1, max_size=8, unique=True))
    ]


def renamed(judged):
    """The same judgements, had the two models' names been the other way round."""
    readings = tuple(replace(r, order=r.order.flipped, score_a=r.score_b, score_b=r.score_a) for r in judged.readings)
    return replace(judged, readings=readings)


@settings(deadline=None)
@given(judged_pairings(), st.randoms(use_true_random=False))
def test_neither_names_nor_the_order_of_rows_change_a_figure(drawn, random):
    k, pairings = drawn
    plain = report(pairings, k)
    assert report(random.sample(pairings, len(pairings)), k) == plain
    mirrored = report([renamed(judged) for judged in pairings], k)
    for key in ("c", "flips", "first_position", "sign_test", "agreement", "n_valid", "n_decided", "gate", "readable"):
        assert mirrored[key] == plain[key]
    assert mirrored["position_effect"] == {
        key: value if value is None else pytest.approx(value, abs=1e-7)
        for key, value in plain["position_effect"].items()
    }
    assert mirrored["swap_table"]["consistent_a"] == plain["swap_table"]["consistent_b"]


@settings(deadline=None)
@given(judged_pairings(), st.integers(1, 5))
def test_more_unreadable_replies_change_nothing_but_the_readable_share(drawn, more):
    k, pairings = drawn
    plain = report(pairings, k)
    worse = [replace(judged, unreadable=judged.unreadable + more) for judged in pairings]
    silent = [pairing(f"q{i}", "X", "y", lambda *_: None, k) for i in range(more)]
    found = report(worse + silent, k)
    assert found["c"] == plain["c"]
    assert found["swap_table"] == plain["swap_table"] | {"incomplete": plain["swap_table"]["incomplete"] + more}
    assert (found["readable"], found["first_position"]) == (plain["readable"], plain["first_position"])


@settings(deadline=None)
@given(judged_pairings(), st.data())
def test_a_reply_that_turns_unreadable_never_makes_a_tie(drawn, data):
    """With one sample an order the pairing becomes incomplete: no tie, no win, no part in C."""
    pairings = [replace(judged, readings=tuple(r for r in judged.readings if r.sample == 1)) for judged in drawn[1]]
    blanked = [
        replace(judged, readings=kept, unreadable=judged.unreadable + len(judged.readings) - len(kept))
        for judged in pairings
        if (kept := tuple(r for r in judged.readings if data.draw(st.booleans()))) is not None
    ]
    plain, found = report(pairings, 1), report(blanked, 1)
    assert found["readings"] == plain["readings"]
    for row in ("consistent_a", "consistent_b", "consistent_tie", "inconsistent"):
        assert found["swap_table"][row] <= plain["swap_table"][row]
    assert found["n_valid"] <= plain["n_valid"]


@given(judged_pairings())
@settings(deadline=None)
def test_the_report_adds_up(drawn):
    k, pairings = drawn
    found = report(pairings, k)
    table, flips = found["swap_table"], found["flips"]
    assert sum(table.values()) == found["pairings"]
    assert found["pairings"] - table["incomplete"] == found["pairings_both"]
    assert flips["to_first"] + flips["to_second"] + flips["tie_against_win"] == table["inconsistent"]
    assert flips["tie_toward_first"] + flips["tie_toward_second"] == flips["tie_against_win"]
    assert found["n_valid"] == table["consistent_a"] + table["consistent_b"] + table["consistent_tie"]
    assert sum(row["pairings"] for row in found["by"]["language"]) == found["pairings"]
