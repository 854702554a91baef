"""The board, as JSON and as a page. Both are bytes made once per snapshot; those of another time each time."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Response
from starlette.concurrency import run_in_threadpool

from api.answers import dumped
from api.asked import Asked, AskedFor
from api.keys import TheDesk
from api.schemas import Board
from api.snapshots import Around, Document, Shelf
from leaderboard.history.records import Row

router = APIRouter()

Known = Annotated[str | None, Header(alias="If-None-Match")]


def board_json(board: Row, _: Around) -> bytes:
    return dumped(board)


@router.get("/api/v1/leaderboard", response_model=Board, responses={304: {"description": "Nothing changed."}})
async def leaderboard(desk: TheDesk, asked: AskedFor, if_none_match: Known = None) -> Response:
    """A stored board of a judge, the newest or that of `as_of`; see `board` and `notes` for how far to trust it."""
    return _sent(await _made(desk.shelf, "json", asked), if_none_match, "application/json")


@router.get("/", include_in_schema=False)
async def page(desk: TheDesk, asked: AskedFor, if_none_match: Known = None) -> Response:
    return _sent(await _made(desk.shelf, "page", asked), if_none_match, "text/html; charset=utf-8")


async def _made(shelf: Shelf, kind: str, asked: Asked) -> Document:
    document = shelf.ready(kind, asked)
    if document is None:
        document = await run_in_threadpool(shelf.document, kind, asked)
    return document


def _sent(document: Document, known: str | None, media_type: str) -> Response:
    headers = {"ETag": document.etag, "Cache-Control": "no-cache"}
    if known is not None and matches(known, document.etag):
        return Response(status_code=304, headers=headers)
    return Response(document.body, headers=headers, media_type=media_type)


def matches(known: str, etag: str) -> bool:
    """Whether an If-None-Match header names this entity tag, weak ones included."""
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    return etag in tags or "*" in tags
