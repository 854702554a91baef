"""A cursor names the last row of a page and nothing else, so pages never overlap while rows are added."""

from __future__ import annotations

import base64
import json

from leaderboard.errors import BadInput


def cursor_after(place: tuple[str, str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[str, str]:
    """The (time, id) that a cursor names; BadInput for anything else."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        moment, id_ = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, TypeError, RecursionError) as error:
        raise BadInput("not a cursor that this list gave; leave it out to start from the beginning") from error
    if not isinstance(moment, str) or not isinstance(id_, str):
        raise BadInput("not a cursor that this list gave; leave it out to start from the beginning")
    return moment, id_
