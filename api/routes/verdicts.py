"""Verdicts, and the evidence behind each."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from api import sent
from api.answers import strict_json
from api.keys import TheDesk, knows_key
from api.problems import at
from api.schemas import VerdictDetail, VerdictPage
from leaderboard.errors import NotFound

router = APIRouter(prefix="/api/v1/verdicts")

Filter = Annotated[str | None, Query(max_length=400)]
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=2000, description="`next_cursor` of the page before.")]


@router.get("", response_model=VerdictPage)
def list_verdicts(
    desk: TheDesk,
    model: Filter = None,
    opponent: Filter = None,
    judge: Filter = None,
    stage: Literal["screening", "validation", "human"] | None = None,
    outcome: Literal["a", "b", "tie", "incomplete"] | None = None,
    category: Filter = None,
    language: Filter = None,
    prompt: Filter = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Verdicts that match every filter, newest first."""
    with desk.shelf.reading() as reader, at("/cursor", "query"):
        if reader is None:
            return strict_json({"items": [], "next_cursor": None})
        page = reader.verdicts(
            model=model,
            opponent=opponent,
            judge=judge,
            stage=stage,
            outcome=outcome,
            category=category,
            language=language,
            prompt=prompt,
            limit=limit,
            cursor=cursor,
        )
    return strict_json(page)


@router.get("/{verdict_id}", response_model=VerdictDetail)
def show_verdict(desk: TheDesk, verdict_id: str, private_too: Annotated[bool, Depends(knows_key)]) -> Response:
    """One verdict with its readings and the prompts as they were sent to the judge."""
    with desk.shelf.reading() as reader:
        if reader is None:
            raise NotFound(f"no verdict {verdict_id!r}: nothing has been published yet")
        found = reader.verdict(verdict_id)
    shown = sent.detail(found, private_too=private_too)
    return strict_json(shown, headers={"Vary": "Authorization", "Cache-Control": "private, no-cache"})
