"""Is this process able to serve?"""

from __future__ import annotations

import json
import logging

from fastapi import APIRouter, Response

from api.deps import Desk
from api.keys import TheDesk
from api.schemas import Health
from leaderboard.errors import StoreDamaged
from leaderboard.ledger import meta

router = APIRouter()
log = logging.getLogger(__name__)


@router.get("/healthz", response_model=Health, responses={503: {"model": Health, "description": "Not able to serve."}})
def healthz(desk: TheDesk) -> Response:
    """200 when both stores can be read; `degraded` when the newest snapshot cannot and an older one is served."""
    ledger = "ok" if _ledger_answers(desk) else "unreadable"
    snapshot, trouble = _snapshot(desk)
    status = "ok" if ledger == "ok" and not trouble else "degraded"
    body = json.dumps({"status": status, "snapshot": snapshot, "ledger": ledger})
    unable = ledger != "ok" or (trouble and snapshot is None)
    return Response(body, 503 if unable else 200, {"Cache-Control": "no-store"}, "application/json")


def _ledger_answers(desk: Desk) -> bool:
    try:
        with desk.ledger.read() as tx:
            meta.get(tx, "health")
    except Exception:
        log.exception("the ledger cannot be read")
        return False
    return True


def _snapshot(desk: Desk) -> tuple[str | None, bool]:
    """What is served, and whether something newer cannot be read."""
    try:
        with desk.shelf.reading() as reader:
            return (None if reader is None else reader.id), desk.shelf.trouble is not None
    except StoreDamaged:
        return None, True
