"""Requests, attempts and budgets: what is paid is paid once, counted once and never over the cap."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_facts import LATER, NOW, answer, attempt, done, failed, judgement, read_samples, settled
from ledger_play import cap, money, pay, play, together
from sqlalchemy import Connection, select

from leaderboard.ledger import budgets, requests, schema
from leaderboard.ledger.budgets import Budget
from leaderboard.ledger.groups import carry_out, closing, opening
from leaderboard.ledger.requests import Attempt, Request
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.ledger.writer import LedgerWriter


def test_a_request_comes_back_as_it_was_paid(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = judgement(
        "k",
        params={"n": 3, "temperature": 1, "not_sent": {"stop": "refused"}},
        price={"input": "0.15", "output": "0.6", "source": "operator"},
        mark="m" * 16,
        sent_sha256="s",
        template="scoring_evidence",
        protocol="mec_bpc",
        fingerprint="f",
        simulated=True,
    )
    tokens = {"prompt_tokens": 1000, "completion_tokens": 200, "cost_nano": 2**40}
    back = done(asked, served_model="x\0-2026", system_fingerprint="fp", **tokens)
    pay(writer, asked, back)
    with ledger.read() as tx:
        assert requests.finished(tx, ["k", "unknown"]) == {"k": back}
        assert requests.known_keys(tx, ["k", "unknown"]) == {"k": "done"}


def test_samples_are_those_that_came_back(ledger: Ledger, writer: LedgerWriter) -> None:
    for key, order, payload in (
        ("1", "ab", read_samples(1, 3)),
        ("2", "ab", read_samples(unreadable=(2,))),
        ("3", "ba", read_samples(1)),
    ):
        asked = judgement(key, pairing="p", order=order)
        pay(writer, asked, done(asked, payload=payload))
    pay(writer, judgement("4", pairing="q"), failed(judgement("4", pairing="q")))
    with ledger.read() as tx:
        assert requests.settled_samples(tx, ["p", "q"]) == {("p", "ab"): {1, 2, 3}, ("p", "ba"): {1}}


def test_nothing_is_opened_beyond_the_cap(ledger: Ledger, writer: LedgerWriter) -> None:
    cap(ledger, 250)
    asked = [answer(str(number)) for number in range(4)]
    sent = [attempt(each) for each in asked]
    opened = [writer.open_attempt(*each) for each in zip(asked, sent, strict=True)]
    assert together(*opened) == [True, True, False, False]
    assert money(ledger) == (250, 200, 0, 0)
    play(writer.close_attempt(settled(sent[0], 40), done(asked[0])))
    assert money(ledger) == (250, 100, 40, 0)
    assert play(writer.open_attempt(asked[2], sent[2]), writer.open_attempt(asked[3], sent[3])) == [True, False]
    with ledger.read() as tx:
        assert requests.known_keys(tx, "0123") == {"0": "done", "1": "open", "2": "open"}


def test_the_cap_may_be_filled_to_the_last_unit(ledger: Ledger, writer: LedgerWriter) -> None:
    cap(ledger, 200)
    assert play(*(writer.open_attempt(answer(key), attempt(answer(key))) for key in "abc")) == [True, True, False]


def test_an_unknown_price_fits_under_no_cap(ledger: Ledger, writer: LedgerWriter) -> None:
    cap(ledger, 250)
    cap(ledger, None, "free")
    capped, free = answer("1"), answer("2", "free")
    assert play(
        writer.open_attempt(capped, attempt(capped, reserved=None)),
        writer.open_attempt(free, attempt(free, reserved=None)),
        writer.close_attempt(settled(attempt(free, reserved=None), None), done(free)),
    ) == [False, True, None]
    assert money(ledger, "free") == (None, 0, 0, 0)
    with ledger.read() as tx:
        assert requests.counts(tx, "free")["unpriced"] == 1


def test_a_run_without_a_budget_row_counts_its_money(ledger: Ledger, writer: LedgerWriter) -> None:
    pay(writer, answer("1"), done(answer("1")))
    assert money(ledger) == (None, 0, 90, 0)
    cap(ledger, 100)
    assert money(ledger) == (100, 0, 90, 0)


@pytest.mark.parametrize("ended", ["failed", "lost"])
def test_what_failed_or_was_lost_is_opened_again_under_the_new_run(ledger: Ledger, url: str, ended: str) -> None:
    first, again = judgement("1", "run-1", params={"n": 3}), judgement("1", "run-2", params={"n": 1})
    writer = LedgerWriter(ledger)
    play(writer.open_attempt(first, attempt(first)))
    if ended == "failed":
        play(writer.close_attempt(settled(attempt(first)), failed(first)))
    else:
        with ledger.write() as tx:
            assert requests.recover(tx, LATER) == 1
    with ledger.read() as tx:
        assert requests.known_keys(tx, ["1"]) == {"1": ended}
    pay(writer, again, done(again))
    writer.close()
    with ledger.read() as tx:
        assert requests.finished(tx, ["1"]) == {"1": done(again)}
        assert (requests.counts(tx, "run-1")["made"], requests.counts(tx, "run-2")["made"]) == (0, 1)
        assert requests.counts(tx, "run-1")["spent_nano"] in (90, 100)


def test_a_retry_by_another_run_counts_there(ledger: Ledger, writer: LedgerWriter) -> None:
    first, again = answer("1", "run-1"), answer("1", "run-2")
    play(writer.open_attempt(first, attempt(first)), writer.close_attempt(settled(attempt(first)), None))
    pay(writer, again, done(again))
    with ledger.read() as tx:
        assert requests.finished(tx, ["1"]) == {"1": done(again)}
        assert [requests.counts(tx, run)["made"] for run in ("run-1", "run-2")] == [0, 1]
        assert [requests.counts(tx, run)["spent_nano"] for run in ("run-1", "run-2")] == [90, 90]


def test_recovery_books_what_may_have_been_billed(ledger: Ledger, url: str) -> None:
    cap(ledger, 1000)
    writer = LedgerWriter(ledger)
    paid, flying, resting, unpriced = (answer(key) for key in ("paid", "flying", "resting", "unpriced"))
    pay(writer, paid, done(paid))
    play(writer.open_attempt(flying, attempt(flying)), writer.open_attempt(resting, attempt(resting)))
    play(writer.close_attempt(settled(attempt(resting), 0), None))
    other_run = replace(unpriced, run="run-2")
    play(writer.open_attempt(other_run, attempt(other_run, reserved=None)))
    writer.close()
    ledger.close()
    reopened = open_ledger(url)
    with reopened.write() as tx:
        assert requests.recover(tx, LATER) == 2
        assert requests.recover(tx, LATER) == 0
        assert requests.known_keys(tx, ["paid", "flying", "resting", "unpriced"]) == {
            "paid": "done",
            "flying": "lost",
            "resting": "lost",
            "unpriced": "lost",
        }
        rows = tx.execute(select(schema.attempts).where(schema.attempts.c.state == "unknown")).mappings()
        booked = {row["call"]: (row["cost_nano"], row["ended_at"]) for row in rows}
        assert booked == {"flying": (100, LATER), "unpriced": (None, LATER)}
        assert requests.counts(tx, "run-1")["spent_nano"] == 190
    assert money(reopened) == (1000, 0, 190, 100)
    assert money(reopened, "run-2") == (None, 0, 0, 0)
    reopened.close()


def test_an_attempt_of_unknown_fate_is_booked_at_its_reserved_price(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = [answer("1"), answer("2")]
    for each, cost in zip(asked, (None, 30), strict=True):
        sent = attempt(each)
        play(writer.open_attempt(each, sent))
        lost = settled(sent, cost, state="unknown", error_kind="timeout")
        play(writer.close_attempt(lost, failed(each)))
    assert money(ledger) == (None, 0, 130, 130)
    with ledger.read() as tx:
        assert requests.counts(tx, "run-1")["spent_nano"] == 130


def test_counts_keep_kinds_apart(ledger: Ledger, writer: LedgerWriter) -> None:
    check = Request(key="check", kind="check", run="run-1", model="a")
    broken_check = replace(check, key="check-2")
    identical = judgement("same", kind="identical")
    mixed = judgement("mixed")
    pay(writer, answer("1"), done(answer("1")))
    pay(writer, answer("2"), failed(answer("2")), None)
    pay(writer, mixed, done(mixed, payload=read_samples(1, unreadable=(2, 3))))
    pay(writer, check, done(check))
    pay(writer, broken_check, failed(broken_check), 0)
    play(writer.open_attempt(answer("3"), attempt(answer("3"))))
    play(writer.finish_free(done(identical, payload={})))
    pay(writer, answer("9", "run-2"), done(answer("9", "run-2")))
    with ledger.read() as tx:
        expected = {"made": 3, "checks": 2, "failed": 1, "unreadable": 2, "spent_nano": 270, "unpriced": 1}
        assert requests.counts(tx, "run-1") == expected
        assert requests.counts(tx, "no such run") == dict.fromkeys(expected, 0)


def test_many_keys_are_looked_up_in_pieces(ledger: Ledger) -> None:
    with ledger.write() as tx:
        asked = [answer(f"{number:04}") for number in range(1200)]
        carry_out(tx, [opening(each, attempt(each)) for each in asked])
        found = requests.known_keys(tx, (f"{number:04}" for number in range(1500)))
    assert found == dict.fromkeys((each.key for each in asked), "open")


Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "settle", "unknown", "retry"]), st.integers(0, 5), st.integers(0, 120)),
    max_size=25,
)


def take_step(tx: Connection, step: Step, flying: dict[str, Attempt], number: int) -> None:
    what, which, cost = step
    asked = answer(f"{which}")
    if what == "open":
        sent = attempt(asked, number, reserved=cost)
        if carry_out(tx, [opening(asked, sent)]) == [True]:
            flying[asked.key] = sent
    elif asked.key in flying:
        sent = flying.pop(asked.key)
        state = "unknown" if what == "unknown" else "settled"
        over = settled(sent, min(cost, sent.reserved_nano or 0), state=state)
        assert carry_out(tx, [closing(over, None if what == "retry" else failed(asked))]) == [None]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(steps=STEPS, limit=st.none() | st.integers(0, 400), crash=st.booleans())
def test_the_budget_is_the_sum_of_its_attempts_and_never_over(
    ledger: Ledger, steps: list[Step], limit: int | None, crash: bool
) -> None:
    flying: dict[str, Attempt] = {}
    with ledger._engine.connect() as tx:  # rolled back at the end: every example has an empty ledger
        tx.exec_driver_sql("pragma query_only = off")
        budgets.set_budget(tx, "run-1", limit)
        for number, step in enumerate(steps):
            take_step(tx, step, flying, number)
        if crash:
            assert requests.recover(tx, NOW) == len(flying)
            flying.clear()
        assert budgets.budget(tx, "run-1") == replace(summed(tx, limit), stored=True)
        assert limit is None or budgets.budget(tx, "run-1").committed <= limit
        assert budgets.budget(tx, "run-1").reserved_nano == sum(each.reserved_nano or 0 for each in flying.values())


def summed(tx: Connection, limit: int | None) -> Budget:
    table = schema.attempts
    rows = tx.execute(select(table.c.state, table.c.reserved_nano, table.c.cost_nano)).all()
    return Budget(
        "run-1",
        limit,
        reserved_nano=sum(row.reserved_nano for row in rows if row.state == "open"),
        spent_nano=sum(row.cost_nano for row in rows if row.state != "open"),
        unknown_nano=sum(row.cost_nano for row in rows if row.state == "unknown"),
    )
