"""The writer thread: each operation gets its own answer, in order, whatever happens to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from ledger_facts import answer, attempt, done, failed, judgement, read_samples, settled
from ledger_play import cap, money, pay, play, together
from sqlalchemy import func, select

from leaderboard.ledger import requests, schema
from leaderboard.ledger.groups import carry_out, closing, opening
from leaderboard.ledger.requests import AlreadyDone, AlreadyOpen, NotOpen
from leaderboard.ledger.store import Ledger, LedgerFailed
from leaderboard.ledger.writer import LedgerWriter


def test_a_sample_that_came_back_is_never_stored_twice(ledger: Ledger, writer: LedgerWriter) -> None:
    pay(writer, judgement("1", pairing="p"), done(judgement("1", pairing="p")))
    again = judgement("2", pairing="p", sample_from=3, sample_to=4)
    sent = attempt(again)
    refused = play(
        writer.open_attempt(again, sent),
        writer.close_attempt(settled(sent), done(again, payload=read_samples(3, 4))),
        writer.close_attempt(settled(sent), done(again, payload=read_samples(4, 4))),
        writer.close_attempt(settled(sent), done(again, payload=read_samples(4))),
    )
    assert [type(each) for each in refused] == [bool, AlreadyDone, AlreadyDone, type(None)]
    with ledger.read() as tx:
        assert requests.settled_samples(tx, ["p"]) == {("p", "ab"): {1, 2, 3, 4}}


def test_two_requests_of_one_group_may_not_bring_the_same_sample(ledger: Ledger) -> None:
    one, other = judgement("1", pairing="p"), judgement("2", pairing="p")
    with ledger.write() as tx:
        carry_out(tx, [opening(each, attempt(each)) for each in (one, other)])
        outcomes = carry_out(tx, [closing(settled(attempt(each)), done(each)) for each in (one, other)])
        assert [type(each) for each in outcomes] == [type(None), AlreadyDone]
        assert requests.known_keys(tx, "12") == {"1": "done", "2": "open"}


def test_a_retry_is_a_second_attempt_of_the_same_request(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = judgement("1")
    first, second = attempt(asked, 1), attempt(asked, 2)
    trouble = settled(first, 0, http_status=500, error_kind="server", error_text="oops \ud83d")
    steps = [
        writer.open_attempt(asked, first),
        writer.close_attempt(trouble, None),
        writer.open_attempt(asked, second),
        writer.close_attempt(settled(second), done(asked)),
    ]
    assert play(*steps) == [True, None, True, None]
    with ledger.read() as tx:
        rows = tx.execute(select(schema.attempts).order_by(schema.attempts.c.number)).mappings().all()
        assert [requests.attempt_from(row) for row in rows] == [
            replace(trouble, error_text="oops \ufffd"),
            settled(second),
        ]
        assert requests.counts(tx, "run-1")["made"] == 1


def test_mistakes_are_refused_one_by_one_and_write_nothing(ledger: Ledger, writer: LedgerWriter) -> None:
    pay(writer, answer("paid"), done(answer("paid")))
    play(writer.open_attempt(answer("sent"), attempt(answer("sent"))))
    outcomes = together(
        writer.open_attempt(answer("paid"), attempt(answer("paid"), 2)),
        writer.open_attempt(answer("fine"), attempt(answer("fine"))),
        writer.open_attempt(answer("sent"), attempt(answer("sent"), 2)),
        writer.close_attempt(settled(attempt(answer("never"))), done(answer("never"))),
        writer.close_attempt(settled(attempt(answer("paid"))), done(answer("paid"))),
        writer.open_attempt(answer("other"), attempt(answer("else"))),
        writer.close_attempt(attempt(answer("sent")), None),
    )
    kinds = [AlreadyDone, bool, AlreadyOpen, NotOpen, NotOpen, ValueError, ValueError]
    assert [type(each) for each in outcomes] == kinds
    assert money(ledger) == (None, 200, 90, 0)
    with ledger.read() as tx:
        assert tx.execute(select(func.count()).select_from(schema.attempts)).scalar() == 3


def test_an_identical_answer_is_noted_once_and_free(ledger: Ledger, writer: LedgerWriter) -> None:
    identical = judgement("same", kind="identical")
    noted, again = done(identical, payload={}), done(identical, payload={}, finished_at="later")
    play(writer.open_attempt(answer("sent"), attempt(answer("sent"))))
    outcomes = play(
        writer.finish_free(noted), writer.finish_free(again), writer.finish_free(done(answer("sent"), payload={}))
    )
    assert [type(each) for each in outcomes] == [type(None), type(None), AlreadyOpen]
    assert money(ledger) == (None, 100, 0, 0)
    with ledger.read() as tx:
        assert requests.finished(tx, ["same"]) == {"same": noted}


def test_awkward_replies_are_stored(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = answer("1")
    pay(writer, asked, done(asked, payload={"text": "NUL \0 👩‍👩‍👧 \u2028 \ud83d", "finish_reason": "stop"}))
    with ledger.read() as tx:
        stored = requests.finished(tx, ["1"])["1"].payload
    assert stored == {"text": "NUL \0 👩‍👩‍👧 \u2028 \ufffd", "finish_reason": "stop"}


def test_one_group_may_hold_every_kind_of_operation(ledger: Ledger, writer: LedgerWriter) -> None:
    old = [judgement(f"old-{number}") for number in range(20)]
    together(*(writer.open_attempt(each, attempt(each)) for each in old))
    new = [judgement(f"new-{number}") for number in range(20)]
    steps = [writer.open_attempt(each, attempt(each)) for each in new]
    steps += [writer.close_attempt(settled(attempt(each)), done(each)) for each in old]  # type: ignore[misc]
    steps += [writer.finish_free(done(judgement(f"free-{number}", kind="identical"), payload={})) for number in (1, 2)]  # type: ignore[misc]
    assert together(*steps) == [True] * 20 + [None] * 22
    assert money(ledger) == (None, 2000, 1800, 0)
    with ledger.read() as tx:
        assert requests.counts(tx, "run-1")["made"] == 20


def test_operations_of_one_request_keep_their_order(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = answer("1")
    sent = [attempt(asked, number) for number in range(1, 6)]
    steps: list[Coroutine[Any, Any, Any]] = []
    for each in sent:
        outcome = done(asked) if each is sent[-1] else failed(asked)
        steps += [writer.open_attempt(asked, each), writer.close_attempt(settled(each), outcome)]
    assert together(*steps) == [True, None] * 5
    with ledger.read() as tx:
        assert requests.finished(tx, ["1"]) == {"1": done(asked)}


def test_a_failed_transaction_reaches_all_its_callers_and_no_other(ledger: Ledger, writer: LedgerWriter) -> None:
    asked = [answer(str(number)) for number in range(6)]
    with ledger.write() as tx:
        tx.exec_driver_sql("alter table attempts rename to elsewhere")
    lost = together(*(writer.open_attempt(each, attempt(each)) for each in asked))
    assert {type(each) for each in lost} == {LedgerFailed}
    assert all("no such table: attempts" in str(each) for each in lost)
    with ledger.write() as tx:
        tx.exec_driver_sql("alter table elsewhere rename to attempts")
    assert together(*(writer.open_attempt(each, attempt(each)) for each in asked)) == [True] * 6
    assert money(ledger) == (None, 600, 0, 0)


TOO_LARGE = 2**63
NO_COLUMN_VALUE: Any = object()


@pytest.mark.parametrize("culprit", [TOO_LARGE, NO_COLUMN_VALUE], ids=["too large", "no value at all"])
def test_a_value_that_is_refused_fails_its_own_operation_and_no_other(
    ledger: Ledger, writer: LedgerWriter, culprit: Any
) -> None:
    """All are queued while the ledger is locked, so they make one group."""
    asked = [answer(str(number)) for number in range(8)]
    together(*(writer.open_attempt(each, attempt(each)) for each in asked))
    values = [{"prompt_tokens": culprit} if each.key == "3" else {} for each in asked]
    outcomes = zip(asked, values, strict=True)
    steps = [writer.close_attempt(settled(attempt(each)), done(each, **more)) for each, more in outcomes]
    answers = queued_together(ledger, *steps)
    assert [number for number, each in enumerate(answers) if each is not None] == [3]
    assert isinstance(answers[3], LedgerFailed), answers[3]
    assert len(str(answers[3]).splitlines()) <= 2
    assert money(ledger) == (None, 100, 7 * 90, 0)
    with ledger.read() as tx:
        states = requests.known_keys(tx, map(str, range(8)))
    assert states == {str(number): "open" if number == 3 else "done" for number in range(8)}


def test_budgets_hold_when_a_group_is_taken_apart(ledger: Ledger, writer: LedgerWriter) -> None:
    cap(ledger, 300)
    asked = [answer(str(number)) for number in range(6)]
    sent = [attempt(each, reserved=TOO_LARGE if each.key == "0" else 100) for each in asked]
    sent[1] = replace(sent[1], http_status=TOO_LARGE)
    steps = [writer.open_attempt(each, one) for each, one in zip(asked, sent, strict=True)]
    answers = queued_together(ledger, *steps)
    assert [answers[0], *answers[2:]] == [False, True, True, True, False]
    assert isinstance(answers[1], LedgerFailed)
    assert money(ledger) == (300, 300, 0, 0)


def queued_together(ledger: Ledger, *steps: Coroutine[Any, Any, Any]) -> list[Any]:
    """The steps are all queued behind a first one that waits for a lock."""

    async def behind_a_lock() -> list[Any]:
        with ledger.write():
            tasks = [asyncio.ensure_future(step) for step in steps]
            await asyncio.sleep(0.1)
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    return asyncio.run(behind_a_lock())


def test_closing_writes_what_is_queued_and_then_refuses(ledger: Ledger) -> None:
    writer = LedgerWriter(ledger)

    async def queue_and_close() -> list[Any]:
        asked = [answer(str(number)) for number in range(50)]
        tasks = [asyncio.ensure_future(writer.open_attempt(each, attempt(each))) for each in asked]
        await asyncio.sleep(0)
        writer.close()
        return await asyncio.gather(*tasks)

    assert asyncio.run(queue_and_close()) == [True] * 50
    writer.close()
    refused = play(writer.open_attempt(answer("late"), attempt(answer("late"))))
    assert [str(each) for each in refused] == ["the ledger writer is closed"]
    with ledger.read() as tx:
        assert len(requests.known_keys(tx, map(str, range(50)))) == 50


def test_a_caller_who_left_does_not_hold_up_the_others(ledger: Ledger, writer: LedgerWriter) -> None:
    async def leave() -> bool:
        with ledger.write():
            tasks = [asyncio.ensure_future(writer.open_attempt(answer(key), attempt(answer(key)))) for key in "123"]
            await asyncio.sleep(0.05)
            tasks[0].cancel()
            tasks[1].cancel()
        return await asyncio.wait_for(tasks[2], timeout=20)

    assert asyncio.run(leave())
    with ledger.read() as tx:
        assert requests.known_keys(tx, "123") == dict.fromkeys("123", "open")


def test_a_closed_loop_does_not_end_the_writer(ledger: Ledger, writer: LedgerWriter) -> None:
    async def leave() -> None:
        task = asyncio.ensure_future(writer.open_attempt(answer("1"), attempt(answer("1"))))
        await asyncio.sleep(0.05)
        task.cancel()

    with ledger.write():
        asyncio.run(leave())
    assert play(writer.open_attempt(answer("2"), attempt(answer("2")))) == [True]
    with ledger.read() as tx:
        assert requests.known_keys(tx, "12") == {"1": "open", "2": "open"}
