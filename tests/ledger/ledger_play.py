"""Ways to drive a ledger writer from a plain test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from ledger_facts import attempt, settled

from leaderboard.ledger import budgets
from leaderboard.ledger.requests import Finished, Request
from leaderboard.ledger.store import Ledger
from leaderboard.ledger.writer import LedgerWriter


def play(*steps: Coroutine[Any, Any, Any]) -> list[Any]:
    """Run the steps one after another; an exception stands in the place of its result."""

    async def one_by_one() -> list[Any]:
        return [(await asyncio.gather(step, return_exceptions=True))[0] for step in steps]

    return asyncio.run(one_by_one())


def together(*steps: Coroutine[Any, Any, Any]) -> list[Any]:
    async def at_once() -> list[Any]:
        return list(await asyncio.gather(*steps, return_exceptions=True))

    return asyncio.run(at_once())


def pay(writer: LedgerWriter, request: Request, finished: Finished, cost: int | None = 90, number: int = 1) -> None:
    sent = attempt(request, number)
    steps = [writer.open_attempt(request, sent), writer.close_attempt(settled(sent, cost), finished)]
    assert play(*steps) == [True, None]


def money(ledger: Ledger, run: str = "run-1") -> tuple[int | None, int, int, int]:
    with ledger.read() as tx:
        held = budgets.budget(tx, run)
    return held.cap_nano, held.reserved_nano, held.spent_nano, held.unknown_nano


def cap(ledger: Ledger, nano: int | None, run: str = "run-1") -> None:
    with ledger.write() as tx:
        budgets.set_budget(tx, run, nano)
