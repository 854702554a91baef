"""How commands open what they need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader
    from leaderboard.ledger.store import Ledger


@contextmanager
def ledger_of(path: Path) -> Iterator[Ledger]:
    """The ledger of an existing home."""
    from leaderboard.home import Home
    from leaderboard.ledger.store import open_ledger

    home = Home(path)
    home.require()
    ledger = open_ledger(home.ledger_url)
    try:
        yield ledger
    finally:
        ledger.close()


@contextmanager
def snapshot_of(path: Path) -> Iterator[SnapshotReader]:
    """The newest published snapshot of an existing home. Raises NotFound before the first one."""
    from leaderboard.errors import NotFound
    from leaderboard.history.reader import open_snapshot
    from leaderboard.history.snapshots import current
    from leaderboard.home import Home

    home = Home(path)
    home.require()
    file = current(home.snapshots)
    if file is None:
        raise NotFound(f"nothing has been published in {path} yet: `leaderboard run` plays and publishes")
    with open_snapshot(file) as reader:
        yield reader
