"""Who may write: the one with the admin key, which lies in the tournament's home and is read at every request."""

from __future__ import annotations

import hmac
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from api.deps import Desk, desk_of

bearer = HTTPBearer(auto_error=False, description="The line in admin.key of the tournament's home.")

TheDesk = Annotated[Desk, Depends(desk_of)]
Given = Annotated[HTTPAuthorizationCredentials | None, Security(bearer)]

KEY_NEEDED = "this needs the admin key: send it as `Authorization: Bearer KEY` (it stands in admin.key of the home)"
KEY_WRONG = "this is not the admin key"


def require_admin(desk: TheDesk, given: Given) -> None:
    """HTTP 401 unless the admin key came with the request."""
    if not knows_key(desk, given):
        raise _unauthorized(KEY_NEEDED)


def knows_key(desk: TheDesk, given: Given) -> bool:
    """Whether the admin key came with the request: False without a key, HTTP 401 for a wrong one."""
    if given is None:
        return False
    if not is_key(given.credentials, desk.home.admin_key_file):
        raise _unauthorized(KEY_WRONG)
    return True


def is_key(text: str, file: Path) -> bool:
    """Whether the text is the key in the file, in a time that does not tell how much of it is right."""
    try:
        key = file.read_bytes().strip()
    except FileNotFoundError:
        return False
    return bool(key) and hmac.compare_digest(text.encode("utf-8", "replace"), key)


def _unauthorized(detail: str) -> HTTPException:
    return HTTPException(401, detail, headers={"WWW-Authenticate": 'Bearer realm="leaderboard"'})
