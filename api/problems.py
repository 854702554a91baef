"""Refusals over HTTP: every error is application/problem+json and says which part of the request it is about."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from api.headers import SECURITY_HEADERS
from leaderboard.errors import BadInput, Busy, Conflict, LeaderboardError, NotFound, StoreDamaged

MEDIA_TYPE = "application/problem+json"
STATUS: dict[type[LeaderboardError], int] = {
    BadInput: 422,
    Conflict: 409,
    NotFound: 404,
    Busy: 503,
    StoreDamaged: 503,
}
# The texts of these name files of the server.
TOLD_INSTEAD: dict[type[LeaderboardError], str] = {Busy: "another process holds the ledger: try again in a moment"}
UNEXPECTED = "something went wrong here; the server's log says what"
RETRY_SECONDS = "5"
SCHEMA_PLACE = "#/components/schemas/{model}"

log = logging.getLogger(__name__)

Place = Literal["body", "query", "path"]
Problem = dict[str, object]


class Misplaced(BadInput):
    """A part of the request cannot be used; `pointer` is a JSON pointer to it."""

    def __init__(self, pointer: str, detail: str, place: Place = "body") -> None:
        super().__init__(detail)
        self.error: Problem = {"pointer": pointer, "in": place, "detail": detail}


@contextmanager
def at(pointer: str, place: Place = "body") -> Iterator[None]:
    """Whatever is refused in here is about this part of the request."""
    try:
        yield
    except BadInput as error:
        raise Misplaced(pointer, str(error), place) from error


def problem(
    status: int, detail: str, errors: Sequence[Problem] = (), headers: Mapping[str, str] | None = None
) -> Response:
    """An answer as RFC 9457 draws it."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "errors": list(errors)}
    text = json.dumps(body, allow_nan=False)
    return Response(text, status, headers={**SECURITY_HEADERS, **(headers or {})}, media_type=MEDIA_TYPE)


def problem_response(description: str) -> dict[str, Any]:
    """How OpenAPI shows a refusal."""
    schema = {"$ref": SCHEMA_PLACE.format(model="ProblemBody")}
    return {"description": description, "content": {MEDIA_TYPE: {"schema": schema}}}


def install(app: FastAPI) -> None:
    """Have the app answer every error as a problem."""
    app.add_exception_handler(LeaderboardError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(_: Request, error: Exception) -> Response:
    kind = next((kind for kind in STATUS if isinstance(error, kind)), None)
    if kind is None:
        log.error("%s", error)
        return problem(500, UNEXPECTED)
    if STATUS[kind] == 503:
        log.warning("%s", error)
    errors = [error.error] if isinstance(error, Misplaced) else []
    headers = {"Retry-After": RETRY_SECONDS} if STATUS[kind] == 503 else {}
    return problem(STATUS[kind], TOLD_INSTEAD.get(kind, str(error)), errors, headers)


async def _invalid(_: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    errors = [_placed(each) for each in found]
    return problem(422, "; ".join(_sentence(each) for each in errors[:3]) or "the request cannot be used", errors)


async def _http(_: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise TypeError(f"expected an HTTP error, got {type(error).__name__}")
    return problem(error.status_code, str(error.detail), headers=error.headers)


async def _unexpected(_: Request, error: Exception) -> Response:
    return problem(500, UNEXPECTED)


def _placed(found: Mapping[str, Any]) -> Problem:
    """The error without the value it found there: that may be a secret, or nothing JSON has a word for."""
    place, *path = found["loc"]
    detail = str(found["msg"]).removeprefix("Value error, ")
    return {"pointer": pointer_to(path), "in": place, "detail": detail}


def pointer_to(path: Iterable[object]) -> str:
    """A JSON pointer; the whole document is the empty one."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _sentence(error: Problem) -> str:
    return f"{error['pointer'] or error['in']}: {error['detail']}"
