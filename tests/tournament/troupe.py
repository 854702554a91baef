"""A player on a real ledger, without a tournament around it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from leaderboard.core.types import Answer, Order, Pairing, Price, Prompt
from leaderboard.core.types import Stage as Level
from leaderboard.ledger import budgets
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.ledger.writer import LedgerWriter
from leaderboard.providers.limiter import Limiter
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.play import Player, Settled
from leaderboard.tournament.work import Task, answer_task, comparison, judgement_task
from tests.tournament.stage import NOW, Actors, bench_judge, contestant, questions, taking

RUN = "r1"
SECRET = b"s" * 32
THIRTY_CENTS = Price(Decimal(0), Decimal(1500))
"""With a token limit of 200 every request reserves 0.30 USD a sample."""


def at_once(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """No pause but the one that the provider asks for."""
    return retry_after or 0.0


@dataclass
class Troupe:
    """Plays tasks; afterwards the ledger says what was asked and paid."""

    ledger: Ledger
    actors: Actors
    concurrency: int = 4
    max_attempts: int = 5
    pause: Callable[[int, float | None, random.Random], float] = at_once
    settled: list[Settled] = field(default_factory=list)

    def play(self, tasks: Sequence[Task], beside: Callable[[Player], Any] | None = None) -> Player:
        """Play to the end; `beside` runs along with it, to interfere."""
        return asyncio.run(self._play(tasks, beside))

    async def _play(self, tasks: Sequence[Task], beside: Callable[[Player], Any] | None) -> Player:
        writer, rng = LedgerWriter(self.ledger), random.Random(1)
        player = Player(
            chat=self.actors,
            writer=writer,
            limiter=Limiter(self.concurrency, rng),
            concurrency=self.concurrency,
            call_timeout=5.0,
            max_attempts=self.max_attempts,
            retry_ceiling=300.0,
            rng=rng,
            now=utc_now,
            on_settled=self.settled.append,
            pause=self.pause,
        )
        try:
            async with asyncio.timeout(20):
                await asyncio.gather(player.play(tasks), *([beside(player)] if beside else []))
        finally:
            writer.close()
        return player

    def cap(self, usd: str) -> None:
        with self.ledger.write() as tx:
            budgets.set_budget(tx, RUN, int(Decimal(usd) * 10**9))

    def spent(self) -> budgets.Budget:
        with self.ledger.read() as tx:
            return budgets.budget(tx, RUN)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.ledger.read() as tx:
            return [tuple(row) for row in tx.exec_driver_sql(sql)]

    def attempts(self) -> list[tuple[Any, ...]]:
        return self.rows("SELECT number, state, error_kind FROM attempts ORDER BY started_at, number")

    def states(self) -> list[str]:
        return [state for (state,) in self.rows("SELECT state FROM requests ORDER BY finished_at")]


@contextmanager
def troupe(folder: Path, actors: Actors, **more: Any) -> Iterator[Troupe]:
    ledger = open_ledger(f"sqlite:///{folder / 'ledger.sqlite'}")
    try:
        yield Troupe(ledger, actors, **more)
    finally:
        ledger.close()


def answering(
    count: int, model: str = "alpha", price: Price | None = THIRTY_CENTS, key: str | None = None
) -> list[Task]:
    """Tasks for answers of one model, each to a prompt of its own."""
    who = contestant(model, price=price, key=key)
    assert who.endpoint is not None
    ready = replace(who, endpoint=taking(True)(who.endpoint, NOW))
    return [answer_task(ready, prompt, [], RUN) for prompt in questions(count)]


def judging(count: int = 1, samples: tuple[int, ...] = (1, 2, 3), judge: str = "judge-first") -> list[Task]:
    """Tasks for judgements, each about a prompt of its own, all samples in one request."""
    return [judging_of(prompt, samples, judge) for prompt in questions(count)]


def judging_of(prompt: Prompt, samples: tuple[int, ...], name: str) -> Task:
    judge = bench_judge(name, price=THIRTY_CENTS, fingerprint="f" * 64)
    judge = replace(judge, endpoint=taking(True)(judge.endpoint, NOW))
    answers = {
        (prompt.id, model): Answer(prompt_id=prompt.id, model=model, texts=(f"{model} to {prompt.id}",))
        for model in ("alpha", "beta")
    }
    item = comparison(
        judge,
        prompt,
        Pairing(prompt.id, "alpha", "beta"),
        answers,
        stage=Level.VALIDATION,
        orders=[Order.AB],
        samples=samples,
    )
    assert item is not None
    return judgement_task(judge, item, Order.AB, samples, run=RUN, secret=SECRET, protocol="mec")
