"""What the disk and DuckDB say when something cannot be done, as refusals that a person can act on."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from leaderboard.errors import LeaderboardError, StoreDamaged

NO_ROOM = ("No space left on device", "Disk quota exceeded", "File too large")
NOT_WRITABLE = ("Permission denied", "Read-only file system")
DAMAGED = ("orrupt", "checksum", "not a valid DuckDB database file")
NO_ROOM_CODES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
GO_ON = "free some space, then the same command goes on"


class HistoryFailed(LeaderboardError):
    """The history cannot be read or written now. What was stored is still there."""


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors of DuckDB and a full disk leave as refusals that name the file."""
    try:
        yield
    except duckdb.Error as error:
        raise refusal(path, str(error)) from error
    except OSError as error:
        if error.errno not in NO_ROOM_CODES:
            raise
        raise no_room(path) from error


def refusal(path: Path, said: str) -> LeaderboardError:
    """The refusal for what DuckDB said about a file."""
    if any(words in said for words in NO_ROOM):
        return no_room(path)
    if any(words in said for words in NOT_WRITABLE):
        return HistoryFailed(f"cannot open {path}: its folder and the file must be writable")
    if any(words in said for words in DAMAGED):
        return damaged(path, said)
    return HistoryFailed(f"{path}: {first_line(said)}")


def no_room(path: Path) -> HistoryFailed:
    return HistoryFailed(f"cannot write {path}: the disk is full\n{GO_ON}")


def damaged(path: Path, said: str, how: str = "") -> StoreDamaged:
    """`how` says in which way it was tried."""
    return StoreDamaged(
        f"{path.name} cannot be read{how}: {first_line(said)}\n"
        "move it out of its folder: the next command makes it anew from the newest snapshot"
    )


def is_about_the_disk(said: str) -> bool:
    """Whether an error speaks of the place of a file and not of its content."""
    return any(words in said for words in NO_ROOM + NOT_WRITABLE)


def first_line(said: str) -> str:
    return (said.strip().splitlines() or ["no reason was given"])[0]
