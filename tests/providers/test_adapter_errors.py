"""Every way in which a provider can fail, through litellm, in two wire formats."""

from __future__ import annotations

import time

import pytest

from leaderboard.core.types import Endpoint
from leaderboard.providers.errors import ProviderError
from tests.loopback import Loopback
from tests.providers.asking import ask, request_of

MADE_UP_KEY = "sk-loopback-0123456789"

# fault, kind, status, retry_after, retryable, billed
ROWS = [
    ("429:2", "rate_limit", 429, 2.0, True, "no"),
    ("quota", "quota", 429, None, False, "no"),
    ("400", "bad_request", 400, None, False, "no"),
    ("too_long", "too_long", 400, None, False, "no"),
    ("filter", "content_filter", 400, None, False, "no"),
    ("401", "auth", 401, None, False, "no"),
    ("402", "payment", 402, None, False, "no"),
    ("403", "forbidden", 403, None, False, "no"),
    ("404", "not_found", 404, None, False, "no"),
    ("500", "server", 500, None, True, "no"),
    ("502", "server", 502, None, True, "no"),
    ("503:7", "server", 503, 7.0, True, "no"),
    ("529", "server", 529, None, True, "no"),
    ("reset", "connection", None, None, True, "maybe"),
    ("cut", "cut", None, None, True, "maybe"),
    ("half", "garbage", None, None, True, "maybe"),
    ("garbage", "garbage", None, None, True, "maybe"),
    ("html", "garbage", None, None, True, "maybe"),
]


def endpoint_of(server: Loopback, wire: str, model: str) -> Endpoint:
    return Endpoint(litellm=f"{wire}/{model}", api_base=server.openai if wire == "openai" else server.anthropic)


def failing(server: Loopback, wire: str, fault: str, timeout: float = 20.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(request_of(endpoint_of(server, wire, f"m~{fault}"), timeout=timeout))
    return caught.value


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize(("fault", "kind", "status", "retry_after", "retryable", "billed"), ROWS)
def test_failures_are_told_apart(
    server: Loopback,
    wire: str,
    fault: str,
    kind: str,
    status: int | None,
    retry_after: float | None,
    retryable: bool,
    billed: str,
) -> None:
    before = server.count.total
    error = failing(server, wire, fault)
    found = (error.kind, error.http_status, error.retry_after, error.retryable, error.billed)
    assert found == (kind, status, retry_after, retryable, billed)
    assert server.count.total - before == 1, "one call is one request"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", [row[0] for row in ROWS])
def test_error_texts_are_one_short_line(server: Loopback, wire: str, fault: str) -> None:
    text = str(failing(server, wire, fault))
    assert text
    assert len(text) <= 300
    assert "\n" not in text
    assert "litellm." not in text
    for secret in (MADE_UP_KEY, "sk-test-openai-000000000000", "test-anthropic-key-1111111111"):
        assert secret not in text


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
@pytest.mark.parametrize("fault", ["hang", "trickle"])
def test_a_reply_that_never_ends_ends_in_time(server: Loopback, wire: str, fault: str) -> None:
    began = time.monotonic()
    error = failing(server, wire, fault, timeout=1.0)
    assert 0.9 <= time.monotonic() - began <= 2.0
    assert (error.kind, error.retryable, error.billed) == ("timeout", True, "maybe")


def test_an_error_inside_a_200_is_the_providers_error(server: Loopback) -> None:
    assert failing(server, "openai", "error200").kind == "server"
    assert failing(server, "anthropic", "error200").kind == "server"


def test_no_choices_is_an_error_that_may_have_cost_money(server: Loopback) -> None:
    error = failing(server, "openai", "empty")
    assert (error.kind, error.http_status, error.billed) == ("empty", 200, "maybe")


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_a_refused_connection_cost_nothing(wire: str) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(request_of(Endpoint(litellm=f"{wire}/m", api_base="http://127.0.0.1:9")))
    assert (caught.value.kind, caught.value.billed) == ("connection", "no")
    assert "127.0.0.1" in str(caught.value)
