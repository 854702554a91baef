"""When a failed request is worth another try, and after how long."""

from __future__ import annotations

import random

from leaderboard.providers.errors import ErrorKind, ProviderError

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
CEILING = 300.0
FEWER_ATTEMPTS: dict[ErrorKind, int] = {"garbage": 2, "cut": 3, "empty": 2}


def pause_before(attempt: int, retry_after: float | None, rng: random.Random) -> float:
    """Seconds before attempt number `attempt` (2 is the first retry): 1, 2, 4 … 60, each x 1 to 1.5.

    Never less than `retry_after`, and a little more than it, so that workers told the same do not return together.
    """
    doubled = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** max(0, attempt - 2))
    asked = max(doubled, retry_after) if retry_after is not None else doubled
    return asked + 0.5 * doubled * rng.random()


def wants_retry(error: ProviderError, attempt: int, max_attempts: int, ceiling: float = CEILING) -> bool:
    """Whether to try again after attempt number `attempt` (1 is the first) failed with `error`."""
    if not error.retryable or waits_too_long(error, ceiling):
        return False
    return attempt < min(max_attempts, FEWER_ATTEMPTS.get(error.kind, max_attempts))


def waits_too_long(error: ProviderError, ceiling: float = CEILING) -> bool:
    """The provider asks for a longer wait than we sit out: what is left of it stays pending for a later run."""
    return error.retry_after is not None and error.retry_after > ceiling
