"""Waiting in lanes, on a small scale of time."""

from __future__ import annotations

import asyncio
import random
import time

import pytest

from leaderboard.providers.limiter import Limiter


def limiter_of(concurrency: int) -> Limiter:
    return Limiter(concurrency, random.Random(1))


def test_no_more_than_so_many_at_once() -> None:
    running, most = 0, 0

    async def main() -> None:
        limiter = limiter_of(3)

        async def worker() -> None:
            nonlocal running, most
            async with limiter.permit("lane"):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0.005)
                running -= 1

        await asyncio.gather(*(worker() for _ in range(20)))

    asyncio.run(main())
    assert most == 3


def test_a_hold_stops_its_lane_and_no_other() -> None:
    """Eight workers wait, two places: while they wait the other lane uses both."""

    async def main() -> tuple[list[float], list[float]]:
        limiter = limiter_of(2)
        began = time.monotonic()
        limiter.hold("slow", 0.3)
        held: list[float] = []
        free: list[float] = []

        async def worker(lane: str, times: list[float]) -> None:
            async with limiter.permit(lane):
                times.append(time.monotonic() - began)
                await asyncio.sleep(0.001)

        slow = [worker("slow", held) for _ in range(8)]
        await asyncio.gather(*slow, *(worker("fast", free) for _ in range(10)))
        return held, free

    held, free = asyncio.run(main())
    assert min(held) >= 0.3
    assert max(free) < 0.25
    assert (len(held), len(free)) == (8, 10)


def test_a_hold_also_stops_those_who_wait_for_a_place() -> None:
    async def main() -> float:
        limiter = limiter_of(1)
        began = time.monotonic()

        async def first() -> None:
            async with limiter.permit("lane"):
                await asyncio.sleep(0.02)
                limiter.hold("lane", 0.2)

        async def second() -> float:
            await asyncio.sleep(0.01)
            async with limiter.permit("lane"):
                return time.monotonic() - began

        return (await asyncio.gather(first(), second()))[1]

    assert asyncio.run(main()) >= 0.2


def test_a_shorter_hold_never_shortens_a_longer_one() -> None:
    now = [100.0]
    limiter = Limiter(1, random.Random(1), clock=lambda: now[0])
    limiter.hold("lane", 10.0)
    limiter.hold("lane", 2.0)
    assert limiter.wait_left("lane") == 10.0
    now[0] = 111.0
    assert limiter.wait_left("lane") == 0.0
    assert limiter.wait_left("never seen") == 0.0


def test_a_place_is_given_back_after_an_error() -> None:
    async def main() -> bool:
        limiter = limiter_of(1)
        with pytest.raises(ValueError, match="boom"):
            async with limiter.permit("lane"):
                raise ValueError("boom")
        async with asyncio.timeout(1), limiter.permit("lane"):
            return True

    assert asyncio.run(main())


def test_at_least_one_place() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        limiter_of(0)
