"""Published copies of the history. A crash at any point leaves the former snapshot readable.

CURRENT in the folder names the newest snapshot's file; a snapshot never changes once it has its name. Names sort by
publication, whatever the clock does.
"""

from __future__ import annotations

import os
import re
import subprocess
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb

from leaderboard.errors import LeaderboardError, NotFound, StoreDamaged
from leaderboard.history.records import Snapshot
from leaderboard.history.trouble import NO_ROOM, no_room

POINTER = "CURRENT"
STAMP = "%Y%m%dT%H%M%S%fZ"
NAME = re.compile(r"snap-[\w.-]+\.duckdb", re.ASCII)
TICK = timedelta(microseconds=1)


def publish(con: duckdb.DuckDBPyConnection, live: Path, folder: Path, keep: int, now: datetime) -> Snapshot:
    """Copy the live file to a new snapshot, point CURRENT at it and drop all but the newest `keep` and the pinned.

    Call it from the owner of the live file, between transactions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    checkpoint(con)
    moment = now.astimezone(UTC)
    path = folder / f"snap-{_next_stamp(folder, moment)}-{uuid.uuid4().hex[:8]}.duckdb"
    copy_file(live, path)
    point_at(folder, path.name)
    retire(folder, keep)
    return Snapshot(path.stem, path, moment, path.stat().st_size)


def current(folder: Path) -> Path | None:
    """The newest snapshot's file; None before the first publication. StoreDamaged when CURRENT names none."""
    try:
        name = (folder / POINTER).read_bytes().decode("utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None
    if NAME.fullmatch(name) and (folder / name).is_file():
        return folder / name
    raise StoreDamaged(f"{folder / POINTER} names no snapshot of its folder\n{_way_out(folder)}")


def held(folder: Path) -> list[Path]:
    """Every snapshot in the folder, in the order of publication."""
    return sorted(path for path in folder.glob("snap-*.duckdb") if NAME.fullmatch(path.name) and path.is_file())


def pin(folder: Path, snapshot_id: str) -> None:
    """Keep a snapshot until it is unpinned. NotFound if there is none of that id."""
    if not (folder / f"{snapshot_id}.duckdb").exists():
        raise NotFound(f"no snapshot {snapshot_id!r} in {folder}")
    (folder / f"{snapshot_id}.pin").touch()


def unpin(folder: Path, snapshot_id: str) -> None:
    """Let a snapshot go when newer ones push it out."""
    (folder / f"{snapshot_id}.pin").unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what a crash left half-written."""
    for leftover in folder.glob("*.tmp"):
        leftover.unlink(missing_ok=True)


def checkpoint(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CHECKPOINT")


def copy_file(source: Path, target: Path) -> None:
    """Copy by a child process (a reflink where the disk can), complete on disk before it gets its name."""
    unfinished = target.with_name(target.name + ".tmp")
    command = ["cp", "--reflink=auto", "--", str(source), str(unfinished)]
    plain_words = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=plain_words)
    if done.returncode != 0:
        unfinished.unlink(missing_ok=True)
        if any(words in done.stderr for words in NO_ROOM):
            raise no_room(target)
        raise LeaderboardError(f"{source.name} could not be copied to {target.parent}: {done.stderr.strip()[:200]}")
    _sync(unfinished)
    unfinished.replace(target)
    _sync(target.parent)


def point_at(folder: Path, name: str) -> None:
    """Make CURRENT name the snapshot, all at once."""
    unfinished = folder / f"{POINTER}.tmp"
    unfinished.write_text(name + "\n", encoding="ascii")
    _sync(unfinished)
    unfinished.replace(folder / POINTER)
    _sync(folder)


def retire(folder: Path, keep: int) -> None:
    """Drop old snapshots. A reader that has one open keeps reading it: the file goes when it is closed."""
    now_current = current(folder)
    for old in held(folder)[: -max(keep, 1)]:
        if old != now_current and not old.with_suffix(".pin").exists():
            old.unlink(missing_ok=True)


def _next_stamp(folder: Path, moment: datetime) -> str:
    """The time, or the smallest one after the newest snapshot's where the clock was set back."""
    taken = [stamp for path in held(folder) if (stamp := _stamp_of(path)) is not None]
    return max([moment, *(stamp + TICK for stamp in taken)]).strftime(STAMP)


def _stamp_of(path: Path) -> datetime | None:
    """When the snapshot was published by its name; None for a name that somebody made up."""
    try:
        return datetime.strptime(path.stem.split("-")[1], STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def _way_out(folder: Path) -> str:
    there = held(folder)
    if not there:
        return f"there is none in {folder}: bring one back from a backup"
    return f"the newest one there is {there[-1].name}: write this name into {folder / POINTER}"


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
