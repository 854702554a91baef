"""Batches in, rows out: everything arrives once, exactly, whatever the text."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from history_facts import answer, attempt, batch, both_orders, identical, judgement, pairing_id
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.types import Order, SlotScores, to_reading
from leaderboard.errors import StoreDamaged
from leaderboard.history.rows import rows_of_batch, shared
from leaderboard.history.texts import storable
from leaderboard.history.trouble import HistoryFailed
from leaderboard.history.writer import History


def table(history: History, query: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = history._con.execute(query).fetchall()
    return rows


def test_a_batch_fills_every_table_and_names_what_it_touched(history: History) -> None:
    asked = judgement("p1", "ab", [(1, "8", "7"), (2, None, None)])
    given_ = [answer("p1", "alpha", "hi"), asked, identical("p2")]
    touched = history.insert_batch(batch("b1", given_, [attempt(asked.request.key)]))
    assert touched == {
        (pairing_id("p1", "alpha", "beta"), "validation"),
        (pairing_id("p2", "alpha", "beta"), "validation"),
    }
    counts = {
        name: table(history, f"SELECT count(*) FROM {name}")[0][0]
        for name in ("batch", "call", "answer", "reading", "identical", "attempt")
    }
    assert counts == {"batch": 1, "call": 2, "answer": 1, "reading": 2, "identical": 1, "attempt": 1}


def test_the_same_batch_again_adds_nothing_but_is_touched_again(history: History) -> None:
    facts = batch("b1", both_orders("p1", [("8", "7")], [("6", "9")]))
    first = history.insert_batch(facts)
    assert history.insert_batch(facts) == first
    assert table(history, "SELECT count(*) FROM reading") == [(2,)]
    assert history.has_batches(["b1", "b2"]) == {"b1"}
    assert history.has_batches([]) == set()


def test_a_sample_is_kept_once_and_the_first_one_stays(history: History) -> None:
    history.insert_batch(batch("b1", [judgement("p1", "ab", [(1, "8", "7")])]))
    again = judgement("p1", "ab", [(1, "1", "9"), (2, "5", "5")], second=9)
    twice = replace(again, request=replace(again.request, key="another"))
    history.insert_batch(batch("b2", [again, twice]))
    assert table(history, "SELECT sample, score_a FROM reading ORDER BY sample") == [
        (1, Decimal("8.0000")),
        (2, Decimal("5.0000")),
    ]


@pytest.mark.parametrize(
    ("order", "shown_first", "scores", "outcome"),
    [
        ("ab", "a", (Decimal("8"), Decimal("7.5")), "a"),
        ("ba", "b", (Decimal("7.5"), Decimal("8")), "b"),
    ],
)
def test_positions_cross_to_models_once(
    history: History, order: str, shown_first: str, scores: tuple[Decimal, Decimal], outcome: str
) -> None:
    history.insert_batch(batch("b1", [judgement("p1", order, [(1, "8", "7.5")])]))
    assert table(history, "SELECT shown_first, score_a, score_b, outcome FROM reading") == [
        (shown_first, *scores, outcome)
    ]


@given(
    order=st.sampled_from(list(Order)),
    first=st.decimals(1, 10, places=4),
    second=st.decimals(1, 10, places=4),
)
def test_a_row_says_what_to_reading_says(order: Order, first: Decimal, second: Decimal) -> None:
    facts = batch("b1", [judgement("p1", str(order), [(1, str(first), str(second))])])
    row = rows_of_batch(facts)["reading"][0]
    reading = to_reading(order, 1, SlotScores(first, second))
    assert (row["score_a"], row["score_b"], row["outcome"]) == (reading.score_a, reading.score_b, reading.outcome)


def test_an_unreadable_reply_is_neither_a_score_nor_an_outcome(history: History) -> None:
    history.insert_batch(batch("b1", [judgement("p1", "ab", [(1, None, None)])]))
    found = table(history, "SELECT state, reason, score_a, score_b, outcome, text FROM reading")
    assert found == [("unreadable", "none", None, None, None, "no idea")]


def test_a_failed_request_leaves_a_call_and_no_reading(history: History) -> None:
    history.insert_batch(batch("b1", [judgement("p1", "ab", [], state="failed", asked=(1, 3), cost_nano=None)]))
    assert table(history, "SELECT state, sample_to FROM call") == [("failed", 3)]
    assert table(history, "SELECT count(*) FROM reading") == [(0,)]


@given(nano=st.integers(0, 10**12), parts=st.integers(1, 9))
def test_shares_of_a_cost_add_up_to_it(nano: int, parts: int) -> None:
    shares = [share for share in shared(nano, parts) if share is not None]
    assert sum(shares) == nano
    assert max(shares) - min(shares) <= 1


def test_money_is_exact_and_an_unknown_price_stays_unknown(history: History) -> None:
    three = [(1, "8", "7"), (2, "8", "7"), (3, "8", "7")]
    history.insert_batch(
        batch("b1", [judgement("p1", "ab", three, cost_nano=100), judgement("p1", "ba", three, cost_nano=None)])
    )
    assert table(history, "SELECT sum(cost_usd), count(cost_usd) FROM reading") == [(Decimal("0.000000100"), 3)]


AWKWARD = [
    ("NUL", "a\0b", "a\0b"),
    ("joined emoji", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
    ("line separator", "one\u2028two\u0085three", "one\u2028two\u0085three"),
    ("lone surrogate", "half \ud83d of it", "half \ufffd of it"),
    ("empty", "", ""),
]


@pytest.mark.parametrize(("name", "text", "stored"), AWKWARD, ids=[name for name, _, _ in AWKWARD])
def test_awkward_text_never_fails_a_batch(history: History, name: str, text: str, stored: str) -> None:
    history.insert_batch(batch("b1", [answer("p1", "alpha", text), answer("p2", "alpha", "plain")]))
    assert table(history, "SELECT text FROM answer WHERE prompt_id = 'p1'") == [(stored,)]
    noted = table(history, "SELECT note IS NOT NULL FROM answer WHERE prompt_id = 'p1'")
    assert noted == [(stored != text,)]
    assert table(history, "SELECT count(*) FROM answer") == [(2,)]


@given(st.text(st.characters(codec=None)))
def test_any_text_becomes_storable_and_good_text_stays(text: str) -> None:
    kept = storable(text)
    assert kept.encode("utf-8").decode("utf-8") == kept
    assert len(kept) == len(text)
    assert storable(kept) == kept


def test_secrets_in_parameters_are_hidden(history: History) -> None:
    asked = judgement("p1", "ab", [(1, "8", "7")])
    params = {"temperature": 1, "max_tokens": 9, "extra_headers": {"Authorization": "Bearer abc"}, "api_key": "abc"}
    history.insert_batch(batch("b1", [replace(asked, request=replace(asked.request, params=params))]))
    text = str(table(history, "SELECT params FROM call"))
    assert "abc" not in text
    assert '"max_tokens": 9' in text


def test_a_reply_that_is_gone_is_said_and_nothing_is_half_stored(history: History) -> None:
    gone = replace(judgement("p1", "ab", [(1, "8", "7")]), payload=None)
    with pytest.raises(StoreDamaged, match="gone from the ledger"):
        history.insert_batch(batch("b1", [answer("p1", "alpha", "hi"), gone]))
    assert table(history, "SELECT count(*) FROM answer") == [(0,)]


def test_a_row_that_does_not_fit_takes_the_whole_batch_back(history: History) -> None:
    wrong = replace(answer("p1", "alpha", "hi"), finished_at="yesterday")
    with pytest.raises(HistoryFailed, match="yesterday"):
        history.insert_batch(batch("b1", [answer("p2", "alpha", "hi"), wrong]))
    assert history.has_batches(["b1"]) == set()
    assert table(history, "SELECT (SELECT count(*) FROM answer) + (SELECT count(*) FROM call)") == [(0,)]
    history.insert_batch(batch("b1", [answer("p2", "alpha", "hi")]))
    assert history.has_batches(["b1"]) == {"b1"}


def test_the_newest_answer_of_each_turn_counts(history: History) -> None:
    given_ = [
        answer("p1", "alpha", "second turn", turn=1, second=5),
        answer("p1", "alpha", "old", second=1),
        answer("p1", "alpha", "new", version=2, second=3),
        answer("p1", "beta", "", second=1),
    ]
    history.insert_batch(batch("b1", given_))
    answers = history.answers()
    assert [(one.turn, one.text, one.call) for one in answers["p1", "alpha"]] == [
        (0, "new", "p1|alpha|0|v2"),
        (1, "second turn", "p1|alpha|1|v1"),
    ]
    assert [one.text for one in answers["p1", "beta"]] == [""]
    assert ("p2", "alpha") not in answers


def test_a_file_that_is_no_history_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "live.duckdb"
    path.write_text("not a database")
    with pytest.raises(StoreDamaged, match=r"live\.duckdb cannot be read"):
        History.open(path)
    assert path.read_text() == "not a database"


def test_opening_again_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "new" / "live.duckdb"
    first = History.open(path)
    first.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
    first.close()
    second = History.open(path)
    assert second.has_batches(["b1"]) == {"b1"}
    assert second.warnings == []
    second.close()
