"""Money in whole nano-dollars (1 USD = 10^9), so that sums are exact and a limit is never passed by rounding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from leaderboard.core.messages import Message
from leaderboard.core.types import Price

NANO = 10**9
NANO_PER_TOKEN = Fraction(NANO, 10**6)
MOST_NANO = 10**15
TOKENS_AROUND_MESSAGE = 16
TOKENS_AROUND_PROMPT = 16


def cost_nano(prompt_tokens: int, completion_tokens: int, price: Price) -> int:
    """What one request costs, rounded up to a whole nano-dollar; at most a million dollars.

    More is a slip in a report or in a price, and the ledger's sums have to stay within 64 bits. Raises ValueError for
    a negative count or price.
    """
    if min(prompt_tokens, completion_tokens) < 0:
        raise ValueError(f"token counts cannot be negative, got {prompt_tokens} and {completion_tokens}")
    if min(price.input, price.output) < 0:
        raise ValueError(f"prices cannot be negative, got {price.input} and {price.output}")
    dollars_per_million = prompt_tokens * Fraction(price.input) + completion_tokens * Fraction(price.output)
    return min(MOST_NANO, math.ceil(dollars_per_million * NANO_PER_TOKEN))


def content_bytes(messages: Iterable[Message]) -> int:
    """UTF-8 length of all message contents; lone surrogates count as the three bytes they would take."""
    return sum(len(message.content.encode("utf-8", "surrogatepass")) for message in messages)


def worst_case_nano(
    prompt_bytes: int, messages: int, n: int, max_tokens: int | None, price: Price | None
) -> int | None:
    """Upper bound of what a request for n replies of at most `max_tokens` costs; None where price or limit is unknown.

    A byte-level tokenizer never makes more tokens than bytes; providers add a few tokens around messages and prompt.
    """
    if price is None or max_tokens is None:
        return None
    prompt_tokens = prompt_bytes + TOKENS_AROUND_MESSAGE * messages + TOKENS_AROUND_PROMPT
    return cost_nano(prompt_tokens, n * max_tokens, price)


def usd(nano: int) -> float:
    """Dollars for JSON and screens: the float nearest to the exact amount."""
    return nano / NANO
