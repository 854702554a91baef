"""From an exception of the client library to an `ErrorKind`, by HTTP status and body text.

The class of the exception alone says little: a body that is no JSON arrives as five different classes, an exhausted
quota as a rate limit, a refused connection as an internal server error. So the whole chain of causes is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from leaderboard.providers.errors import ErrorKind, ProviderError
from leaderboard.providers.scrub import TRACEBACK, scrub

BY_STATUS: dict[int, ErrorKind] = {
    401: "auth",
    402: "payment",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    413: "too_long",
    429: "rate_limit",
}
TOO_LONG = re.compile(
    r"context[_ ]length|context window|maximum context|prompt is too long|too many (input )?tokens|input is too long"
    r"|reduce the length|exceeds the (maximum|model'?s?)[^.]{0,40}(tokens|length)",
    re.IGNORECASE,
)
FILTERED = re.compile(
    r"content[_ ]?(policy|filter|management)|safety (system|filter|settings)|responsible ai|flagged|PROHIBITED_CONTENT",
    re.IGNORECASE,
)
OUT_OF_MONEY = re.compile(
    r"insufficient[_ ](quota|funds|credits?|balance)|exceeded your current quota|billing|credit balance"
    r"|out of credits|payment required",
    re.IGNORECASE,
)
GARBLED = re.compile(
    r"<!?(doctype|html|body)|expecting value|no 'choices'|invalid response|unable to get json|jsondecode"
    r"|invalid json|not valid json|unterminated string|error processing|failed to parse"
    r"|provider returned 'choices'",
    re.IGNORECASE,
)
A_YEAR = 365.0 * 86_400
TIMED_OUT = frozenset({"TimeoutError", "Timeout", "APITimeoutError", "ReadTimeout", "ConnectTimeout", "WriteTimeout"})
UNREACHED = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError", "ConnectionRefusedError", "gaierror"})
CUT_OFF = frozenset({"ClientPayloadError", "ContentLengthError", "TransferEncodingError", "IncompleteRead"})
DROPPED = frozenset(
    {"ReadError", "WriteError", "ServerDisconnectedError", "ConnectionResetError", "RemoteProtocolError"}
)
MISREAD = frozenset({"JSONDecodeError", "KeyError", "ValidationError", "IndexError", "AttributeError", "TypeError"})


@dataclass(frozen=True, slots=True)
class Failure:
    """What the chain of causes shows. `answered`: the status came over the wire and was not made up by the client."""

    status: int | None
    answered: bool
    text: str
    causes: frozenset[str]
    retry_after: float | None


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, outermost first."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def failure_of(error: BaseException, now: datetime) -> Failure:
    """Read an exception; `now` turns a Retry-After date into seconds."""
    links = list(chain_of(error))
    wire = [link for link in links if type(link).__name__ in ("HTTPStatusError", "MaskedHTTPStatusError")]
    status = _status(wire[-1].response) if wire else _status(error)  # type: ignore[attr-defined]
    texts = [str(error), *(_body(link) for link in links)]
    return Failure(
        status,
        bool(wire),
        "\n".join(dict.fromkeys(text for text in texts if text)),
        frozenset(name for link in links for name in _names(link)),
        _retry_after(links, now),
    )


def _names(link: BaseException) -> Iterator[str]:
    return (kind.__name__ for kind in type(link).__mro__ if kind not in (Exception, BaseException, object, OSError))


def _status(holder: object) -> int | None:
    status = getattr(holder, "status_code", None)
    return status if isinstance(status, int) and 100 <= status <= 599 else None


def _body(link: BaseException) -> str:
    """Provider's own words that the client keeps beside its message."""
    parts = [getattr(link, name, None) for name in ("code", "body")]
    return " ".join(str(part) for part in parts if part)


def _retry_after(links: Iterable[BaseException], now: datetime) -> float | None:
    for link in links:
        for headers in (getattr(getattr(link, "response", None), "headers", None), _kept_headers(link)):
            value = headers.get("retry-after") if headers else None
            if value is not None:
                return seconds_of(str(value), now)
    return None


def _kept_headers(link: BaseException) -> Any:
    return getattr(link, "litellm_response_headers", None)


def seconds_of(value: str, now: datetime) -> float | None:
    """Retry-After as seconds, at most a year: a number or an HTTP date; None if it is neither. Never raises."""
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
        return min(float(value), A_YEAR)
    try:
        then = parsedate_to_datetime(value).astimezone(UTC)
    except (TypeError, ValueError, ArithmeticError, LookupError, OSError):
        return None
    return min(max(0.0, (then - now).total_seconds()), A_YEAR)


def kind_of(failure: Failure) -> ErrorKind:
    """The kind of failure; see the module's text for why status and body come first."""
    if failure.answered:
        return _by_reply(failure.status, failure.text)
    return _by_causes(failure)


def _by_reply(status: int | None, text: str) -> ErrorKind:
    if status in (400, 413, 422, 500) and TOO_LONG.search(text):
        return "too_long"
    if status in (400, 403, 422) and FILTERED.search(text):
        return "content_filter"
    if status in (400, 403, 429) and OUT_OF_MONEY.search(text):
        return "quota"
    if status in BY_STATUS:
        return BY_STATUS[status]
    return "server" if status is None or status >= 500 or status < 400 else "bad_request"


def _by_causes(failure: Failure) -> ErrorKind:
    """Nothing but a 2xx, or no reply at all: the connection, the clock, the body, or a refusal before sending."""
    if failure.causes & CUT_OFF:
        return "cut"
    if failure.causes & TIMED_OUT:
        return "timeout"
    if failure.causes & (UNREACHED | DROPPED):
        return "connection"
    if failure.causes & MISREAD or GARBLED.search(failure.text):
        return "garbage"
    return _by_reply(failure.status, failure.text)


def provider_error(error: BaseException, now: datetime, secrets: Iterable[str | None] = ()) -> ProviderError:
    """The error to raise, with a text that a person can read."""
    failure = failure_of(error, now)
    kind = kind_of(failure)
    told = failure.answered or kind not in NO_STATUS
    return ProviderError(
        scrub(_sentence(error, kind), secrets),
        kind=kind,
        http_status=failure.status if told else None,
        retry_after=failure.retry_after,
        sent=not failure.causes & UNREACHED,
    )


NO_STATUS: frozenset[ErrorKind] = frozenset({"connection", "cut", "timeout", "garbage"})
LEADS: dict[ErrorKind, str] = {
    "connection": "no connection, or it was dropped: ",
    "cut": "the reply broke off: ",
    "garbage": "the reply is not what this provider's API sends: ",
}
NOISE = re.compile(r" ssl:<[^>]*>| ssl:\w+")


def _sentence(error: BaseException, kind: ErrorKind) -> str:
    """The provider's words; for trouble on the line, those of the cause that names the host, else the innermost."""
    said = str(error)
    if kind in ("connection", "cut"):
        told = [str(link) for link in chain_of(error) if str(link)]
        said = next((text for text in told if " host " in text), told[-1] if told else "")
    return LEADS.get(kind, "") + NOISE.sub("", readable(said) or type(error).__name__)


PREFIX = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?:\s+\w+(?:Error|Exception))?\s*(?::|-)\s+")
MESSAGE = re.compile(r"[\"']message[\"']:\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')")


def readable(text: str) -> str:
    """The provider's own sentence out of the client's wrapping."""
    text = TRACEBACK.sub("", text).split(" Handle with `", 1)[0]
    while (shorter := PREFIX.sub("", text)) != text:
        text = shorter
    found = MESSAGE.search(text)
    return found[1][1:-1] if found else text
