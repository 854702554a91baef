"""How many requests run at once, and which lanes have to wait.

A lane is a provider with one key. Being told to wait (`hold`) stops every worker of that lane and no other.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

SPREAD = 0.1
WIDEST = 5.0


class Limiter:
    """At most `concurrency` permits at a time over all lanes; `clock` in seconds, monotonic.

    A worker that waits for its lane holds no permit, so a lane on hold takes no place from another. After a hold its
    workers come back spread over a tenth of the hold (at most 5 s), never before the hold is over.
    """

    def __init__(self, concurrency: int, rng: random.Random, clock: Callable[[], float] = time.monotonic) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, got {concurrency}")
        self._permits = asyncio.Semaphore(concurrency)
        self._rng = rng
        self._clock = clock
        self._not_before: dict[str, float] = {}
        self._spread: dict[str, float] = {}

    def hold(self, lane: str, seconds: float) -> None:
        """Nothing starts in `lane` for `seconds` from now. A shorter hold never shortens a longer one."""
        until = self._clock() + seconds
        if until > self._not_before.get(lane, 0.0):
            self._not_before[lane] = until
            self._spread[lane] = min(WIDEST, SPREAD * seconds)

    def wait_left(self, lane: str) -> float:
        """Seconds until the lane is free; 0 if it is."""
        return max(0.0, self._not_before.get(lane, 0.0) - self._clock())

    @asynccontextmanager
    async def permit(self, lane: str) -> AsyncIterator[None]:
        """Wait for the lane and for a place, then hold the place for the body."""
        await self._enter(lane)
        try:
            yield
        finally:
            self._permits.release()

    async def _enter(self, lane: str) -> None:
        while True:
            while (left := self.wait_left(lane)) > 0:
                await asyncio.sleep(left + self._rng.random() * self._spread[lane])
            await self._permits.acquire()
            if self.wait_left(lane) <= 0:
                return
            self._permits.release()
