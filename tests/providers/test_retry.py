"""Which failures are tried again, and when."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.providers.errors import RETRYABLE, ErrorKind, ProviderError
from leaderboard.providers.retry import LONGEST_PAUSE, pause_before, waits_too_long, wants_retry


@pytest.mark.parametrize(
    ("kind", "retry_after", "attempt", "again"),
    [
        ("server", None, 1, True),
        ("server", None, 4, True),
        ("server", None, 5, False),
        ("rate_limit", 300.0, 1, True),
        ("rate_limit", 86400.0, 1, False),
        ("garbage", None, 1, True),
        ("garbage", None, 2, False),
        ("empty", None, 2, False),
        ("cut", None, 2, True),
        ("cut", None, 3, False),
        ("quota", None, 1, False),
        ("auth", None, 1, False),
        ("bad_request", None, 1, False),
        ("too_long", None, 1, False),
        ("content_filter", None, 1, False),
        ("not_found", None, 1, False),
    ],
)
def test_retries_by_kind(kind: ErrorKind, retry_after: float | None, attempt: int, again: bool) -> None:
    error = ProviderError("x", kind=kind, retry_after=retry_after)
    assert wants_retry(error, attempt, max_attempts=5) is again


def test_a_wait_above_the_ceiling_is_left_for_another_run() -> None:
    error = ProviderError("x", kind="rate_limit", retry_after=301.0)
    assert waits_too_long(error)
    assert not waits_too_long(error, ceiling=400.0)
    assert not waits_too_long(ProviderError("x", kind="rate_limit"))


@given(st.integers(2, 30), st.one_of(st.none(), st.floats(0, 300)), st.integers(0, 2**32))
def test_a_pause_is_never_shorter_than_asked_for(attempt: int, retry_after: float | None, seed: int) -> None:
    pause = pause_before(attempt, retry_after, random.Random(seed))
    assert pause >= (retry_after or 0.0)
    assert pause >= min(LONGEST_PAUSE, 2.0 ** (attempt - 2))
    assert pause <= max(retry_after or 0.0, LONGEST_PAUSE) + LONGEST_PAUSE / 2


def test_pauses_grow_and_differ_between_workers() -> None:
    grown = [pause_before(attempt, None, random.Random(7)) for attempt in range(2, 9)]
    assert grown == sorted(grown)
    assert len({pause_before(3, 2.0, random.Random(seed)) for seed in range(8)}) == 8


def test_a_failure_that_repeats_itself_is_not_repeated() -> None:
    assert {"auth", "quota", "too_long", "content_filter", "bad_request"}.isdisjoint(RETRYABLE)
