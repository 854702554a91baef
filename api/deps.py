"""What the routes work with: the tournament's home, its ledger and what is published of its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from fastapi import Request

from api.addresses import AllowedBases
from api.snapshots import Shelf
from leaderboard.home import Home
from leaderboard.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class Desk:
    """One per app; safe to use from every thread."""

    home: Home
    ledger: Ledger
    shelf: Shelf
    bases: AllowedBases

    def close(self) -> None:
        self.shelf.close()
        self.ledger.close()


async def desk_of(request: Request) -> Desk:
    return cast(Desk, request.app.state.desk)
