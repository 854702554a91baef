"""What can go wrong with a request, in fifteen kinds."""

from __future__ import annotations

from typing import Literal, get_args

from leaderboard.errors import LeaderboardError
from leaderboard.providers.scrub import scrub

ErrorKind = Literal[
    "timeout",
    "rate_limit",
    "quota",
    "server",
    "connection",
    "garbage",
    "cut",
    "empty",
    "auth",
    "forbidden",
    "payment",
    "not_found",
    "bad_request",
    "too_long",
    "content_filter",
]
Billed = Literal["no", "maybe"]

KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
RETRYABLE: frozenset[ErrorKind] = frozenset(
    {"timeout", "rate_limit", "server", "connection", "garbage", "cut", "empty"}
)
MAYBE_BILLED: frozenset[ErrorKind] = frozenset({"timeout", "connection", "garbage", "cut", "empty"})
"""An error reply (429, 5xx, 4xx) is an answer without a product; in these cases nobody can tell."""


class ProviderError(LeaderboardError):
    """A request that brought no usable reply. Its text is scrubbed: one line, no secrets, at most 300 characters.

    `retry_after` is in seconds, as the provider asked. `billed` says whether money may be gone nevertheless.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ErrorKind,
        http_status: int | None = None,
        retry_after: float | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(scrub(message) or kind)
        self.kind: ErrorKind = kind
        self.http_status = http_status
        self.retry_after = retry_after
        self.retryable = kind in RETRYABLE
        self.billed: Billed = "maybe" if sent and kind in MAYBE_BILLED else "no"
