"""Failures as other providers word them, read without litellm."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.providers.classify import A_YEAR, Failure, kind_of, provider_error, readable, seconds_of
from leaderboard.providers.errors import KINDS, ProviderError

NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (429, "Rate limit reached for requests", "rate_limit"),
        (429, "code: insufficient_quota", "quota"),
        (403, "Your credit balance is too low to access the API", "quota"),
        (402, "Insufficient credits", "payment"),
        (403, "Country not supported", "forbidden"),
        (400, "This model's maximum context length is 8192 tokens", "too_long"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "too_long"),
        (400, "input length and max_tokens exceed context limit: reduce the length", "too_long"),
        (413, "Payload Too Large", "too_long"),
        (400, "The response was filtered due to Azure OpenAI's content management policy", "content_filter"),
        (400, "code: content_policy_violation", "content_filter"),
        (400, "temperature: range: 0..1", "bad_request"),
        (422, "Input should be a valid string", "bad_request"),
        (401, "Unauthorized", "auth"),
        (404, "model not found", "not_found"),
        (408, "Request Timeout", "timeout"),
        (503, "The model is overloaded", "server"),
        (529, "Overloaded", "server"),
    ],
)
def test_a_reply_is_judged_by_status_and_text(status: int, text: str, kind: str) -> None:
    assert kind_of(Failure(status, True, text, frozenset({"RateLimitError"}), None)) == kind


@pytest.mark.parametrize(
    ("status", "text", "causes", "kind"),
    [
        (500, "Connection error.", {"APIConnectionError", "ConnectError"}, "connection"),
        (500, "Connection error.", {"APIConnectionError", "ReadError", "ClientPayloadError"}, "cut"),
        (500, "Connection error.", {"ReadError", "ServerDisconnectedError"}, "connection"),
        (408, "Request timed out.", {"Timeout", "ReadTimeout"}, "timeout"),
        (422, "Received <html>", {"BadRequestError"}, "garbage"),
        (200, "Expecting value: line 1", {"APIError", "JSONDecodeError"}, "garbage"),
        (500, "'content'", {"APIConnectionError", "KeyError"}, "garbage"),
        (400, "does not support parameters: ['n']", {"UnsupportedParamsError"}, "bad_request"),
        (401, "Missing credentials", {"AuthenticationError"}, "auth"),
        (None, "something else", {"Exception"}, "server"),
    ],
)
def test_without_a_reply_the_causes_decide(status: int | None, text: str, causes: set[str], kind: str) -> None:
    assert kind_of(Failure(status, False, text, frozenset(causes), None)) == kind


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("Sun, 29 Nov 2026 12:00:30 GMT", 30.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("inf", None),
        ("9" * 400, A_YEAR),
        ("٣", 3.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", A_YEAR),
        ("Fri, 31 Dec 9999 23:59:59 -2300", None),
        ("Mon, 01 Jan 0001 00:00:00 +2300", 0.0),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert seconds_of(value, NOW) == seconds


DATES = st.builds(
    "Mon, {:02} {} {:04} {:02}:00:00 {}".format,
    st.integers(0, 40),
    st.sampled_from(["Jan", "Dec", "Feb"]),
    st.integers(0, 10_000),
    st.integers(0, 30),
    st.sampled_from(["GMT", "-0000", "", "+9999", "-2359", "EST", "+99999999999"]),
)


@given(st.one_of(st.text(), DATES))
def test_no_retry_after_raises(value: str) -> None:
    seconds = seconds_of(value, NOW)
    assert seconds is None or 0 <= seconds <= A_YEAR


@pytest.mark.parametrize(
    ("wrapped", "plain"),
    [
        ("litellm.RateLimitError: RateLimitError: OpenAIException - Slow down", "Slow down"),
        ("litellm.BadGatewayError: AnthropicException BadGatewayError - Bad", "Bad"),
        ('litellm.X: y - {"type": "error", "error": {"message": "Too \\"many\\" calls"}}', 'Too \\"many\\" calls'),
        ("litellm.InternalServerError: No. Handle with `litellm.InternalServerError`.", "No."),
        ("Error text: all of it", "Error text: all of it"),
        ("litellm.APIError: Invalid response object Traceback (most recent call last):\n x", "Invalid response object"),
    ],
)
def test_the_providers_own_words_remain(wrapped: str, plain: str) -> None:
    assert readable(wrapped) == plain


def test_the_innermost_status_and_header_count() -> None:
    class Headers(dict[str, str]):
        pass

    class Response:
        status_code = 529
        headers = Headers({"retry-after": "4"})

    class HTTPStatusError(Exception):
        response = Response()

    class InternalServerError(Exception):
        status_code = 500

    try:
        try:
            raise HTTPStatusError("Overloaded")
        except HTTPStatusError as inner:
            raise InternalServerError("Overloaded") from inner
    except InternalServerError as outer:
        error = provider_error(outer, NOW)
    assert (error.kind, error.http_status, error.retry_after) == ("server", 529, 4.0)


@pytest.mark.parametrize("kind", KINDS)
def test_money_may_be_gone_only_where_a_retry_makes_sense(kind: str) -> None:
    error = ProviderError("x", kind=kind)  # type: ignore[arg-type]
    assert error.retryable or error.billed == "no"
    assert ProviderError("x", kind=kind, sent=False).billed == "no"  # type: ignore[arg-type]
