"""Request bodies: bounded, strict JSON, with a pointer to whatever cannot be used."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from api.problems import Misplaced, pointer_to

LARGEST_BODY = 65_536

Wanted = TypeVar("Wanted", bound=BaseModel)
Path = tuple[object, ...]


async def read_as(request: Request, wanted: type[Wanted]) -> Wanted:
    """The body as this kind of document. HTTP 413 above 64 kB, 422 with pointers for what does not fit."""
    document = parse(await _bounded(request))
    for path, trouble in _unusable(document, ()):
        raise Misplaced(pointer_to(path), trouble)
    try:
        return wanted.model_validate(document, strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise RequestValidationError([{**each, "loc": ("body", *each["loc"])} for each in found]) from error


async def _bounded(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise HTTPException(413, f"the body is larger than {LARGEST_BODY} bytes")
    return bytes(body)


def parse(body: bytes) -> object:
    """Strict JSON; Misplaced for anything else, however it is malformed."""
    try:
        document: object = json.loads(body, parse_constant=_no_number, object_pairs_hook=_each_name_once)
    except (ValueError, RecursionError) as error:
        raise Misplaced("", f"not valid JSON: {_reason(error)}") from error
    return document


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return str(error).split(";")[0]


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _each_name_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return members


def _unusable(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Where a number is out of range, or a text has half a character that no store can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path, "the number is too large"
    elif isinstance(value, str) and _halved(value):
        yield path, "the text has half a character (a lone surrogate)"
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _unusable(inner, (*path, place))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _unusable(str(name), path)
            yield from _unusable(inner, (*path, name))


def _halved(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
