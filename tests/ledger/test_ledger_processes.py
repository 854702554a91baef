"""Several processes write one ledger at once: nothing is locked out, no budget is exceeded, no update is lost."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from ledger_facts import answer, attempt, done, settled
from sqlalchemy import func, select

from leaderboard.ledger import budgets, meta, requests, schema
from leaderboard.ledger.store import Ledger, LedgerFailed, open_ledger
from leaderboard.ledger.writer import LedgerWriter

SECONDS = 1.5
CAP = 20_000
SPAWN = multiprocessing.get_context("spawn")


def in_processes(target: Callable[..., None], arguments: list[tuple[Any, ...]]) -> list[Any]:
    """What each process puts into its queue; an exception there ends it and is seen as a wrong exit code."""
    results: Queue[Any] = SPAWN.Queue()
    children = [SPAWN.Process(target=target, args=(results, *each)) for each in arguments]
    for child in children:
        child.start()
    found = [results.get(timeout=60) for _ in children]
    for child in children:
        child.join(timeout=60)
    assert [child.exitcode for child in children] == [0] * len(children)
    return found


def open_and_report(results: Queue[Any], urls: list[str], start: Any) -> None:
    try:
        for url in urls:
            start.wait(timeout=30)
            ledger = open_ledger(url)
            with ledger.write() as tx:
                meta.put(tx, "opened", str(int(meta.get(tx, "opened") or 0) + 1))
            ledger.close()
    except Exception as error:  # noqa: BLE001 - the parent shows it
        results.put(repr(error))
    else:
        results.put("opened")


def test_many_processes_may_make_the_ledger_at_once(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path / str(number)}" for number in range(40)]
    start = SPAWN.Barrier(4)
    assert in_processes(open_and_report, [(urls, start)] * 4) == ["opened"] * 4
    for url in urls:
        ledger = open_ledger(url)
        with ledger.read() as tx:
            assert meta.get(tx, "opened") == "4"
        ledger.close()


def spend_and_count(results: Queue[Any], url: str, name: str, start: Any) -> None:
    try:
        ledger = open_ledger(url)
        start.wait(timeout=30)
        granted, refused = asyncio.run(spend(ledger, name, time.monotonic() + SECONDS))
        results.put((granted, refused, None))
    except Exception as error:  # noqa: BLE001 - the parent shows it
        results.put((0, 0, repr(error)))


async def spend(ledger: Ledger, name: str, until: float) -> tuple[int, int]:
    """Eight coroutines open attempts of a shared budget, settle half of them, and count in between."""
    writer = LedgerWriter(ledger)
    granted = refused = 0

    async def one_by_one(lane: int) -> None:
        nonlocal granted, refused
        number = 0
        while time.monotonic() < until:
            number += 1
            asked = answer(f"{name}/{lane}/{number}")
            sent = attempt(asked)
            if not await writer.open_attempt(asked, sent):
                refused += 1
                await asyncio.to_thread(count_up, ledger)
                continue
            granted += 1
            if number % 2:
                await writer.close_attempt(settled(sent, 60), done(asked))

    await asyncio.gather(*(one_by_one(lane) for lane in range(8)))
    writer.close()
    return granted, refused


def count_up(ledger: Ledger) -> None:
    with ledger.write() as tx:
        meta.put(tx, "count", str(int(meta.get(tx, "count") or 0) + 1))


def test_three_writing_processes_keep_one_budget(url: str) -> None:
    ledger = open_ledger(url)
    with ledger.write() as tx:
        budgets.set_budget(tx, "run-1", CAP)
    start = SPAWN.Barrier(3)
    found = in_processes(spend_and_count, [(url, name, start) for name in "abc"])
    assert [error for _, _, error in found] == [None] * 3
    granted, refused = (sum(each[place] for each in found) for place in (0, 1))
    with ledger.write() as tx:
        held = budgets.budget(tx, "run-1")
        attempts = schema.attempts
        grouped = tx.execute(select(attempts.c.state, func.count().label("number")).group_by(attempts.c.state))
        rows = {row.state: row.number for row in grouped}
        assert sum(rows.values()) == granted
        assert (held.reserved_nano, held.spent_nano) == (100 * rows["open"], 60 * rows["settled"])
        # After the last refusal each of the 24 coroutines may have given back 40 of its 100.
        assert CAP - 100 - 24 * 40 < held.committed <= CAP
        assert int(meta.get(tx, "count") or 0) == refused > 0
        assert requests.recover(tx, "later") == rows["open"]
        assert budgets.budget(tx, "run-1").committed == held.committed
    ledger.close()


def fill_the_disk(results: Queue[Any], url: str, path: str) -> None:
    """A limit on the size of files stands for a full disk: SQLite's writes fail in the same place."""
    try:
        results.put(asyncio.run(write_past_the_limit(open_ledger(url), path)))
    except Exception as error:  # noqa: BLE001 - the parent shows it
        results.put(repr(error))


async def write_past_the_limit(ledger: Ledger, path: str) -> list[Any]:
    writer = LedgerWriter(ledger)
    big, small = answer("big"), answer("small")
    for each in (big, small):
        await writer.open_attempt(each, attempt(each))
    before = Path(f"{path}-wal").stat().st_size
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (before + 65_536, most))
    reply = done(big, payload={"text": "x" * 1_000_000})
    refused = (await asyncio.gather(writer.close_attempt(settled(attempt(big)), reply), return_exceptions=True))[0]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    await writer.close_attempt(settled(attempt(small)), done(small))
    await writer.close_attempt(settled(attempt(big)), reply)
    writer.close()
    return [isinstance(refused, LedgerFailed), str(refused)]


def test_a_full_disk_loses_nothing_that_was_acknowledged(url: str, tmp_path: Path) -> None:
    [(failed, text)] = in_processes(fill_the_disk, [(url, str(tmp_path / "ledger.sqlite"))])
    assert failed, text
    assert text.startswith("cannot write the ledger sqlite:///")
    assert "free some space" in text
    assert "xxx" not in text, "no values of the statement"
    ledger = open_ledger(url)
    with ledger.read() as tx:
        assert requests.known_keys(tx, ["big", "small"]) == {"big": "done", "small": "done"}
        assert budgets.budget(tx, "run-1").spent_nano == 180
    ledger.close()
