"""Verdicts follow their readings, and only theirs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from history_facts import batch, both_orders, identical, judgement, pairing_id, stamp

from leaderboard.core.types import Prompt
from leaderboard.history.connection import rows_of
from leaderboard.history.records import BiasRow, Row
from leaderboard.history.verdicts import verdict_id
from leaderboard.history.writer import History
from leaderboard.ledger.requests import Finished


def derived(history: History, *requests: Finished) -> list[Row]:
    history.derive(history.insert_batch(batch(f"b{len(requests)}-{requests[0].request.key}", requests)))
    return rows_of(history._con, "SELECT * FROM verdicts ORDER BY prompt_id, stage")


WINS_A, WINS_B, TIE = ("8", "6"), ("6", "8"), ("7", "7")
SWAPS = [
    # scores as (first shown, second shown) in `ab`, in `ba`; outcome, under `score`, soft, consistent, gap
    ("a twice", WINS_A, WINS_B, "a", "a", 1.0, True, 2.0),
    ("b twice", WINS_B, WINS_A, "b", "b", 0.0, True, -2.0),
    ("always the first", WINS_A, WINS_A, "tie", "tie", 0.5, False, 0.0),
    ("tie twice", TIE, TIE, "tie", "tie", 0.5, True, 0.0),
    ("a, then a tie", WINS_A, TIE, "tie", "a", 0.75, False, 1.0),
]


@pytest.mark.parametrize(
    ("ab", "ba", "outcome", "by_score", "soft", "consistent", "gap"),
    [case[1:] for case in SWAPS],
    ids=[c[0] for c in SWAPS],
)
def test_both_orders_make_a_verdict(
    history: History,
    ab: tuple[str, str],
    ba: tuple[str, str],
    outcome: str,
    by_score: str,
    soft: float,
    consistent: bool,
    gap: float,
) -> None:
    (row,) = derived(history, *both_orders("p1", [ab] * 3, [ba] * 3))
    assert row["state"] == "decided"
    assert (row["outcome"], row["outcome_score"], row["score_soft"]) == (outcome, by_score, soft)
    assert (row["consistent"], row["gap"], row["samples"], row["asked"]) == (consistent, gap, 3, 3)
    assert row["cost_usd"] == Decimal("0.0000006")


def test_a_missing_order_is_incomplete_until_it_comes(history: History) -> None:
    ab, ba = both_orders("p1", [WINS_A], [WINS_B])
    (row,) = derived(history, ab)
    assert (row["state"], row["outcome"], row["outcome_score"]) == ("incomplete", "incomplete", "incomplete")
    assert (row["score_soft"], row["consistent"], row["outcome_ab"], row["outcome_ba"]) == (None, None, "a", None)
    first_id = row["id"]
    (row,) = derived(history, replace(ba, finished_at=stamp(7)))
    assert (row["state"], row["outcome"], row["id"]) == ("decided", "a", first_id)
    assert str(row["decided_at"]) == "2026-03-01 10:00:07.000001"


def test_unreadable_orders_are_incomplete_never_a_tie(history: History) -> None:
    unreadable = [(1, None, None)]
    (row,) = derived(history, judgement("p1", "ab", unreadable), judgement("p1", "ba", unreadable))
    assert (row["state"], row["outcome"], row["consistent"], row["samples"]) == ("incomplete", "incomplete", None, 0)


def test_requests_that_all_failed_make_no_verdict(history: History) -> None:
    assert derived(history, judgement("p1", "ab", [], state="failed", cost_nano=None)) == []


def test_identical_answers_tie_outside_consistency(history: History) -> None:
    (row,) = derived(history, identical("p1"))
    assert (row["state"], row["outcome"], row["consistent"], row["identical"]) == ("decided", "tie", None, True)
    assert (row["protocol"], row["judge"], row["simulated"]) == ("mec_bpc", "judy", False)


def test_a_screening_pass_is_its_own_verdict_beside_validation(history: History) -> None:
    screening = judgement("p1", "ba", [(0, "8", "6")], stage="screening", protocol="random")
    rows = derived(history, screening, *both_orders("p1", [WINS_A], [WINS_B]))
    assert [(row["stage"], row["outcome"], row["consistent"]) for row in rows] == [
        ("screening", "b", None),
        ("validation", "a", True),
    ]
    assert rows[0]["id"] != rows[1]["id"]


def test_a_drawn_order_is_the_order_asked(history: History) -> None:
    (row,) = derived(history, judgement("p1", "ba", [(1, "8", "6")], protocol="random"))
    assert (row["outcome"], row["outcome_ab"], row["outcome_ba"], row["consistent"]) == ("b", None, "b", None)


def test_the_latest_call_names_the_protocol_and_the_highest_sample_is_k(history: History) -> None:
    early = judgement("p1", "ab", [(1, *WINS_A)], protocol="mec", second=1)
    late = judgement("p1", "ab", [(2, *WINS_B), (3, *WINS_B)], protocol="mec_bpc", second=2)
    (row,) = derived(history, early)
    assert (row["protocol"], row["state"], row["asked"]) == ("mec", "decided", 1)
    (row,) = derived(history, late)
    assert (row["protocol"], row["state"], row["asked"]) == ("mec_bpc", "incomplete", 3)


def test_only_touched_pairings_are_replaced_and_a_rebuild_gives_the_same(history: History) -> None:
    derived(history, *both_orders("p1", [WINS_A], [WINS_B]), identical("p2"))
    history._con.execute("UPDATE verdict SET run = 'kept' WHERE prompt_id = 'p1'")
    rows = derived(history, *both_orders("p3", [TIE], [TIE]))
    assert [row["run"] for row in rows] == ["kept", "run-1", "run-1"]
    assert history.derive(None) == 3
    rebuilt = rows_of(history._con, "SELECT * FROM verdicts ORDER BY prompt_id, stage")
    assert rebuilt == [row | {"run": "run-1"} for row in rows]
    assert history.derive(set()) == 0
    assert rebuilt[0]["id"] == verdict_id(pairing_id("p1", "alpha", "beta"), "validation")


def test_category_and_language_come_from_the_prompt(history: History) -> None:
    prompt = Prompt(id="p1", turns=("Zeg iets",), category="chat", group="g", language="nl")
    history.copy_registry([], [], [prompt], [])
    (row,) = derived(history, *both_orders("p1", [WINS_A], [WINS_B]))
    assert (row["category"], row["language"], row["prompt_group"]) == ("chat", "nl", "g")


def test_bias_rows_are_validation_readings_of_the_newest_fingerprint(history: History) -> None:
    history.copy_registry([], [], [Prompt(id="p1", turns=("?",), category="chat")], [])
    old = both_orders("p0", [WINS_A], [WINS_B], fingerprint="e" * 64, second=1)
    new = both_orders("p1", [WINS_A], [WINS_B], second=5)
    unreadable = judgement("p2", "ab", [(1, None, None)], second=6)
    screening = judgement("p1", "ab", [(0, *WINS_A)], stage="screening", second=9)
    derived(history, *old, *new, unreadable, screening, identical("p3"))
    rows = history.bias_rows("judy")
    assert rows[0] == BiasRow(
        pairing=pairing_id("p1", "alpha", "beta"), prompt_id="p1", category="chat", language="en", model_a="alpha",
        model_b="beta", shown_first="a", sample=1, state="read", score_a=Decimal("8.0000"), score_b=Decimal("6.0000"),
        protocol="mec_bpc", asked=1,
    )  # fmt: skip
    assert [(row.prompt_id, row.shown_first, row.state, row.score_a) for row in rows[1:]] == [
        ("p1", "b", "read", Decimal("8.0000")),
        ("p2", "a", "unreadable", None),
    ]
    assert history.bias_rows("nobody") == []
