from __future__ import annotations

from dataclasses import replace

import pytest
from ledger_facts import LATER, NOW

from leaderboard.errors import Conflict, NotFound
from leaderboard.ledger import runs
from leaderboard.ledger.runs import Run
from leaderboard.ledger.store import Ledger


def run(name: str, state: str = "queued", kind: str = "tournament", judge: str | None = "j", **values: object) -> Run:
    return Run(**{"id": name, "kind": kind, "judge": judge, "state": state, "created_at": NOW, **values})  # type: ignore[arg-type]


def test_a_run_comes_back_as_it_was(ledger: Ledger) -> None:
    queued = run("r", config={"seed": 0, "top_k": None}, trigger="nightly")
    ended = replace(queued, state="failed", record={"calls": {"made": 3}}, ended_at=LATER, error="no\0\ud83d key")
    with ledger.write() as tx:
        runs.create(tx, queued)
        assert runs.get(tx, "r") == queued
        runs.update(tx, ended)
        assert runs.get(tx, "r") == replace(ended, error="no\0\ufffd key")
        for refused in (lambda: runs.get(tx, "x"), lambda: runs.update(tx, run("x"))):
            with pytest.raises(NotFound, match="no run 'x'"):
                refused()


def test_the_oldest_queued_run_is_next(ledger: Ledger) -> None:
    with ledger.write() as tx:
        assert runs.next_queued(tx) is None
        for name, state in (("b", "done"), ("z", "queued"), ("a", "queued")):
            runs.create(tx, run(name, state))
        assert runs.next_queued(tx) == run("z")
        assert [each.id for each in runs.all(tx)] == ["a", "z", "b"]
        assert [each.id for each in runs.all(tx, limit=1)] == ["a"]


def test_claiming_starts_a_run_once_and_goes_on_with_it_later(ledger: Ledger) -> None:
    with ledger.write() as tx:
        runs.create(tx, run("r"))
        started = runs.claim(tx, "r", pid=11, now=NOW)
        assert started == run("r", "running", pid=11, started_at=NOW)
        runs.update(tx, replace(started, state="failed", ended_at=LATER, error="cut off"))
        assert runs.claim(tx, "r", pid=22, now=LATER) == run("r", "running", pid=22, started_at=NOW)
        assert runs.get(tx, "r").pid == 22
        assert runs.next_queued(tx) is None
        runs.update(tx, run("r", "done"))
        with pytest.raises(Conflict, match="is done"):
            runs.claim(tx, "r", pid=11, now=LATER)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([], None),
        ([("a", "queued")], None),
        ([("a", "done")], None),
        ([("a", "running")], "a"),
        ([("a", "failed"), ("b", "limit_reached")], "b"),
        ([("a", "cancelled"), ("b", "queued")], "a"),
        ([("a", "failed"), ("b", "done")], None),
        ([("a", "failed"), ("b", "done"), ("c", "cancelled")], "c"),
        ([("a", "failed"), ("b", "done", "tournament", "other")], "a"),
        ([("a", "failed"), ("b", "done", "screening")], "a"),
        ([("a", "failed", "tournament", None)], None),
    ],
)
def test_the_run_to_go_on_with(ledger: Ledger, made: list[tuple[str, ...]], expected: str | None) -> None:
    with ledger.write() as tx:
        for each in made:
            runs.create(tx, run(*each))
        found = runs.latest_unfinished(tx, "tournament", "j")
    assert (found and found.id) == expected


def test_the_run_to_go_on_with_can_be_one_of_a_trigger(ledger: Ledger) -> None:
    with ledger.write() as tx:
        runs.create(tx, run("a", "failed", trigger="cli", judge=None))
        runs.create(tx, run("b", "failed", trigger="nightly", judge=None))
        found = [runs.latest_unfinished(tx, "tournament", None, trigger) for trigger in ("cli", "nightly", "x", None)]
    assert [each and each.id for each in found] == ["a", "b", None, "b"]
