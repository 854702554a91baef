"""The outbox: every finished request and closed attempt reaches the history once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ledger_facts import LATER, NOW, answer, attempt, done, failed, judgement, settled

from leaderboard.ledger import outbox, requests
from leaderboard.ledger.groups import carry_out, closing, noting, opening
from leaderboard.ledger.outbox import Batch
from leaderboard.ledger.requests import Finished
from leaderboard.ledger.store import Ledger, open_ledger


def pay(ledger: Ledger, outcome: Finished, number: int = 1) -> None:
    sent = attempt(outcome.request, number)
    with ledger.write() as tx:
        assert carry_out(tx, [opening(outcome.request, sent)]) == [True]
        assert carry_out(tx, [closing(settled(sent), outcome)]) == [None]


def assign(ledger: Ledger, batch_id: str, limit: int = 100) -> Batch:
    with ledger.write() as tx:
        return outbox.assign(tx, batch_id, limit, NOW)


def waiting(ledger: Ledger) -> list[Batch]:
    with ledger.read() as tx:
        return outbox.unpublished(tx)


def keys(batch: Batch) -> list[str]:
    return [each.request.key for each in batch.requests]


def test_a_batch_holds_what_is_over_and_nothing_else(ledger: Ledger) -> None:
    identical = done(judgement("same", kind="identical"), payload={})
    pay(ledger, done(answer("2")))
    pay(ledger, failed(answer("1")))
    with ledger.write() as tx:
        retried, flying, lost = answer("retried"), answer("flying"), answer("lost")
        carry_out(tx, [noting(identical), opening(lost, attempt(lost))])
        requests.recover(tx, LATER)
        carry_out(tx, [opening(retried, attempt(retried)), opening(flying, attempt(flying))])
        carry_out(tx, [closing(settled(attempt(retried), 0), None)])
    batch = assign(ledger, "b1")
    assert batch.requests == [failed(answer("1")), done(answer("2")), identical]
    assert [(each.call, each.state) for each in batch.attempts] == [
        ("1", "settled"),
        ("2", "settled"),
        ("lost", "unknown"),
        ("retried", "settled"),
    ]
    assert assign(ledger, "b2").empty
    assert [each.id for each in waiting(ledger)] == ["b1"]


def test_batches_are_filled_oldest_first(ledger: Ledger) -> None:
    for key, time in (("c", "1"), ("a", "3"), ("b", "2")):
        pay(ledger, done(answer(key), finished_at=time))
    assert [keys(assign(ledger, name, 2)) for name in ("b1", "b2", "b3")] == [["c", "b"], ["a"], []]
    assert [keys(each) for each in waiting(ledger)] == [["c", "b"], ["a"]]


def test_an_empty_batch_leaves_no_trace(ledger: Ledger) -> None:
    assert assign(ledger, "b1") == Batch("b1", [], [])
    assert waiting(ledger) == []


Crash = Callable[[Ledger], Ledger]


def drop_and_reopen(url: str) -> Crash:
    def crash(ledger: Ledger) -> Ledger:
        ledger.close()
        return open_ledger(url)

    return crash


@pytest.mark.parametrize("crashes", [False, True])
def test_a_batch_is_there_until_it_is_published(url: str, crashes: bool) -> None:
    crash = drop_and_reopen(url) if crashes else lambda ledger: ledger
    ledger = open_ledger(url)
    pay(ledger, done(judgement("1")))
    pay(ledger, failed(answer("2")))
    batch = assign(ledger, "b1")
    ledger = crash(ledger)
    assert waiting(ledger) == [batch]
    with ledger.write() as tx:
        outbox.committed(tx, "b1")
    ledger = crash(ledger)
    assert waiting(ledger) == [batch]
    assert batch.requests[0].payload is not None
    pay(ledger, done(judgement("3")))
    later = assign(ledger, "b2")
    with ledger.write() as tx:
        outbox.published(tx, ["b1"])
    ledger = crash(ledger)
    assert waiting(ledger) == [later]
    with ledger.read() as tx:
        assert outbox.published_ids(tx) == {"b1"}
        stored = requests.finished(tx, ["1", "3"])
        assert (stored["1"].payload, stored["3"].payload) == (None, done(judgement("3")).payload)
        assert requests.known_keys(tx, ["1", "2"]) == {"1": "done", "2": "failed"}
    ledger.close()


def test_a_published_batch_stays_published(ledger: Ledger) -> None:
    pay(ledger, done(answer("1")))
    assign(ledger, "b1")
    with ledger.write() as tx:
        outbox.published(tx, ["b1"])
        outbox.committed(tx, "b1")
        assert outbox.unpublished(tx) == []


@pytest.mark.parametrize("published", [False, True])
def test_a_failed_request_that_is_done_at_last_goes_out_again(ledger: Ledger, published: bool) -> None:
    pay(ledger, failed(answer("1", "run-1")))
    first = assign(ledger, "b1")
    if published:
        with ledger.write() as tx:
            outbox.published(tx, ["b1"])
    pay(ledger, done(answer("1", "run-2")))
    second = assign(ledger, "b2")
    assert (first.requests, second.requests) == ([failed(answer("1", "run-1"))], [done(answer("1", "run-2"))])
    assert ([each.run for each in first.attempts], [each.run for each in second.attempts]) == (["run-1"], ["run-2"])
    with ledger.write() as tx:
        outbox.published(tx, ["b1"])
        assert requests.finished(tx, ["1"])["1"].payload is not None
        assert outbox.unpublished(tx) == [second]


def test_a_request_on_its_way_again_is_in_no_batch(ledger: Ledger) -> None:
    pay(ledger, failed(answer("1")))
    assign(ledger, "b1")
    with ledger.write() as tx:
        carry_out(tx, [opening(answer("1"), attempt(answer("1"), 2))])
    assert [keys(each) for each in waiting(ledger)] == [[]]
    assert assign(ledger, "b2").empty


def test_many_batches_are_published_in_pieces(ledger: Ledger) -> None:
    pay(ledger, done(answer("1")))
    assign(ledger, "b1")
    with ledger.write() as tx:
        outbox.published(tx, [f"x{number}" for number in range(1200)] + ["b1"])
        assert outbox.published_ids(tx) == {"b1"}
