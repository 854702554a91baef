"""The board, as JSON and as a page. Both are bytes made once per snapshot."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from starlette.concurrency import run_in_threadpool

from api.answers import dumped
from api.keys import TheDesk
from api.schemas import Board
from api.snapshots import Document, Shelf
from leaderboard.history.records import Row

router = APIRouter()

Judge = Annotated[str | None, Query(description="Id of a judge; without it the judge of the newest ratings.")]
Known = Annotated[str | None, Header(alias="If-None-Match")]


def board_json(board: Row, _: list[str]) -> bytes:
    return dumped(board)


@router.get("/api/v1/leaderboard", response_model=Board, responses={304: {"description": "Nothing changed."}})
async def leaderboard(desk: TheDesk, judge: Judge = None, if_none_match: Known = None) -> Response:
    """The newest board of a judge; see `board` and `notes` for how far it can be trusted."""
    return _sent(await _made(desk.shelf, "json", judge), if_none_match, "application/json")


@router.get("/", include_in_schema=False)
async def page(desk: TheDesk, judge: Judge = None, if_none_match: Known = None) -> Response:
    return _sent(await _made(desk.shelf, "page", judge), if_none_match, "text/html; charset=utf-8")


async def _made(shelf: Shelf, kind: str, judge: str | None) -> Document:
    document = shelf.ready(kind, judge)
    if document is None:
        document = await run_in_threadpool(shelf.document, kind, judge)
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
