"""The one ledger-writing thread of a process: it takes what is queued, commits it at once, and never lingers."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from leaderboard.errors import Busy
from leaderboard.ledger.groups import Answer, Operation, carry_out, closing, noting, opening
from leaderboard.ledger.requests import Attempt, Finished, Request
from leaderboard.ledger.store import Ledger

LARGEST_GROUP = 500


@dataclass(frozen=True, slots=True)
class Waiting:
    """An operation and who waits for it."""

    operation: Operation
    future: asyncio.Future[Answer]


class LedgerWriter:
    """Writes for any number of coroutines, each of which goes on once its operation is committed.

    After a transaction that fails, each operation of its group gets one of its own, so that a value which the database
    refuses fails nothing but its own operation. Busy goes to the whole group: each would wait as long again.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._held_back: Waiting | None = None
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="ledger-writer", daemon=True)
        self._thread.start()

    async def open_attempt(self, request: Request, attempt: Attempt) -> bool:
        """Reserve the attempt's worst price and open it, durably, before it is sent.

        False: the run's budget has no room, nothing was written. AlreadyDone, AlreadyOpen: a mistake of the caller.
        """
        return await self._carried_out(opening(request, attempt)) is True

    async def close_attempt(self, attempt: Attempt, outcome: Finished | None) -> None:
        """Book what the attempt cost, and the request's outcome unless it will be tried again (None).

        NotOpen: the attempt is not open, or was never opened.
        """
        await self._carried_out(closing(attempt, outcome))

    async def finish_free(self, done: Finished) -> None:
        """Store a fact that took no request; one that is stored already stays as it is."""
        await self._carried_out(noting(done))

    def close(self) -> None:
        """Write what is queued, then end the thread. Later operations raise RuntimeError."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    async def _carried_out(self, operation: Operation) -> Answer:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        with self._closing:
            if self._closed:
                raise RuntimeError("the ledger writer is closed")
            self._queue.put(Waiting(operation, future))
        return await future

    def _serve(self) -> None:
        while group := self._gather():
            _resolve(list(zip(group, self._answers(group), strict=True)))

    def _gather(self) -> list[Waiting]:
        """What is queued now, at least one and one a request; nothing once the writer is closed and all is written."""
        group: dict[str, Waiting] = {}
        waiting = self._held_back or self._queue.get()
        self._held_back = None
        while waiting is not None:
            if waiting.operation.key in group or len(group) == LARGEST_GROUP:
                self._held_back = waiting
                break
            group[waiting.operation.key] = waiting
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                break
        else:
            # Nothing is queued after the closing mark: it stays there for the next call.
            self._queue.put(None)
        return list(group.values())

    def _answers(self, group: list[Waiting]) -> list[Answer]:
        try:
            with self._ledger.write() as tx:
                return carry_out(tx, [each.operation for each in group])
        except Busy as error:
            return [error] * len(group)
        except Exception as error:  # noqa: BLE001 - nothing is hidden: the waiting caller raises it
            return [error] if len(group) == 1 else [self._answers([each])[0] for each in group]


def _resolve(settled: list[tuple[Waiting, Answer]]) -> None:
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[tuple[Waiting, Answer]]] = defaultdict(list)
    for waiting, answer in settled:
        by_loop[waiting.future.get_loop()].append((waiting, answer))
    for loop, some in by_loop.items():
        try:
            loop.call_soon_threadsafe(_hand_over, some)
        except RuntimeError:
            # The loop was closed with its operations queued: they are written, and nobody waits any more.
            if not loop.is_closed():
                raise


def _hand_over(settled: list[tuple[Waiting, Answer]]) -> None:
    for waiting, answer in settled:
        if waiting.future.cancelled():
            continue
        if isinstance(answer, Exception):
            waiting.future.set_exception(answer)
        else:
            waiting.future.set_result(answer)
