"""Ratings over time: a row for every model in every stored fit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.answers import strict_json
from api.asked import Judge, Key
from api.keys import TheDesk
from api.problems import at
from api.schemas import RatingPage
from api.snapshots import NOTHING_ELSE
from leaderboard.errors import NotFound
from leaderboard.history.records import OVERALL, Row
from leaderboard.ledger import models

router = APIRouter(prefix="/api/v1/ratings")

Model = Annotated[str | None, Query(max_length=400, description="Id of a model; without it all of them.")]
Limit = Annotated[int, Query(ge=1, le=200)]
Cursor = Annotated[str | None, Query(max_length=2000, description="`next_cursor` of the page before.")]


@router.get("", response_model=RatingPage)
def list_ratings(
    desk: TheDesk, key: Key, model: Model = None, judge: Judge = None, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """What each fit of the key said of each model, newest first. 404 for an unknown model and a fit not stored."""
    found: Row = {"items": [], "next_cursor": None}
    with desk.shelf.reading() as reader, at("/cursor", "query"):
        if reader is None and key != OVERALL:
            raise NotFound(NOTHING_ELSE)
        if reader is not None:
            found = reader.ratings(model=model, judge=judge, key=key, limit=limit, cursor=cursor)
    if model is not None and not found["items"]:
        with desk.ledger.read() as tx:
            models.get(tx, model)
    return strict_json(found)
