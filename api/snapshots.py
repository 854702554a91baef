"""What is published now: the newest snapshot, opened once, with the bytes of its board ready to send.

The pointer file is looked at on every request. While one thread opens a new snapshot, the others go on with the one
before; that one is closed when the last request that uses it is over.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from api.asked import Asked
from leaderboard.errors import NotFound, StoreDamaged
from leaderboard.history.boards import NotStored, empty_board, too_early
from leaderboard.history.reader import SnapshotReader, current, open_snapshot
from leaderboard.history.records import OVERALL, FitKey, Row
from leaderboard.history.snapshots import POINTER

Stamp = tuple[int, int] | None
PAUSE_AFTER_FAILURE = 1.0
MOST_DOCUMENTS = 256
NOTHING_ELSE = "no other board is stored: nothing has been published yet"
ELSEWHERE = "the HTTP API serves stored fits only; `leaderboard board` derives any other where the tournament is kept"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes to send and their entity tag."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, body: bytes) -> Document:
        return cls(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


@dataclass(frozen=True, slots=True)
class Around:
    """What a board can be shown with. `judges`: ids to choose from; `reader`: None before the first publication."""

    asked: Asked
    judges: list[str]
    reader: SnapshotReader | None = None

    def stored(self, judge: str | None) -> list[FitKey]:
        """Which validated fits of the judge are stored now."""
        rows = [] if self.reader is None else self.reader.stored(judge)
        return [
            FitKey(row["scope"], row["method"], row["policy"], row["control"])
            for row in rows
            if row["board"] == "validated"
        ]

    def other(self, judge: str | None, key: FitKey) -> Row | None:
        """The board of another fit, as known at the time asked for; None where it was not made yet."""
        try:
            return None if self.reader is None else self.reader.board(judge, key, self.asked.as_of)
        except NotStored:
            return None


Rendering = Callable[[Row, Around], bytes]


@dataclass(slots=True)
class Held:
    """An open snapshot, the documents made from it so far, and how many requests read it at the moment."""

    reader: SnapshotReader
    judges: list[str]
    documents: dict[tuple[str, Asked], Document] = field(default_factory=dict)
    users: int = 0
    retired: bool = False


class Shelf:
    """The published snapshot of a folder. `known_judges` is asked while there is no snapshot yet."""

    def __init__(
        self,
        folder: Path,
        renderings: Mapping[str, Rendering],
        known_judges: Callable[[], list[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._renderings, self._known_judges, self._clock = folder, renderings, known_judges, clock
        self._held: Held | None = None
        self._stamp: Stamp = None
        self._failed: tuple[Stamp, float] = (None, 0.0)
        self._counting = threading.Lock()
        self._opening = threading.Lock()
        self.trouble: str | None = None

    def ready(self, kind: str, asked: Asked) -> Document | None:
        """The document if it needs no work at all: nothing new is published and it was made before."""
        held = self._held
        return None if held is None or self._news() else held.documents.get((kind, asked))

    def document(self, kind: str, asked: Asked) -> Document:
        """The board asked for in one rendering. NotFound for an unknown judge and for a fit that is not stored."""
        with self._use() as held:
            if held is None:
                return self._empty(kind, asked)
            return held.documents.get((kind, asked)) or self._make(held, kind, asked)

    def _empty(self, kind: str, asked: Asked) -> Document:
        judges = self._known_judges()
        board = empty_board(judges, judge=asked.judge)
        if asked.as_of is not None:
            raise too_early(asked.as_of)
        if asked.key != OVERALL:
            raise NotFound(NOTHING_ELSE)
        return Document.of(self._renderings[kind](board, Around(asked, judges)))

    @contextmanager
    def reading(self) -> Iterator[SnapshotReader | None]:
        """The newest snapshot, which stays open meanwhile; None before the first publication."""
        with self._use() as held:
            yield None if held is None else held.reader

    def close(self) -> None:
        """Let go of the snapshot; the requests that still read it close it."""
        with self._counting:
            old, self._held = self._held, None
        self._retire(old)

    def _make(self, held: Held, kind: str, asked: Asked) -> Document:
        """Boards of another time are not kept: there are as many as there are moments."""
        try:
            board = held.reader.board(asked.judge, asked.key, asked.as_of)
        except NotStored as error:
            raise NotFound(f"{error}\n{ELSEWHERE}") from error
        document = Document.of(self._renderings[kind](board, Around(asked, held.judges, held.reader)))
        if asked.as_of is None:
            self._keep(held, (kind, asked), document)
        return document

    def _keep(self, held: Held, place: tuple[str, Asked], document: Document) -> None:
        """The oldest goes where there are too many: a judge's every fit is a few dozen."""
        with self._counting:
            while len(held.documents) >= MOST_DOCUMENTS:
                held.documents.pop(next(iter(held.documents)))
            held.documents[place] = document

    @contextmanager
    def _use(self) -> Iterator[Held | None]:
        self._refresh()
        with self._counting:
            held = self._held
            if held is not None:
                held.users += 1
        try:
            yield held
        finally:
            if held is not None:
                self._leave(held)

    def _leave(self, held: Held) -> None:
        with self._counting:
            held.users -= 1
            unused = held.retired and held.users == 0
        if unused:
            held.reader.close()

    def _retire(self, old: Held | None) -> None:
        if old is None:
            return
        with self._counting:
            old.retired = True
            unused = old.users == 0
        if unused:
            old.reader.close()

    def _news(self) -> bool:
        """Whether another snapshot is published. One that could not be opened is left alone for a moment."""
        stamp = self._pointer()
        failed, when = self._failed
        if stamp is None or stamp == self._stamp:
            return False
        return stamp != failed or self._clock() - when >= PAUSE_AFTER_FAILURE

    def _pointer(self) -> Stamp:
        try:
            found = os.stat(self._folder / POINTER)
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns

    def _refresh(self) -> None:
        """Open what is new. Only a request that has nothing to show yet waits for another one's opening."""
        if self._held is not None and not self._news():
            return
        if not self._opening.acquire(blocking=self._held is None):
            return
        try:
            if self._news():
                self._open_next()
            elif self._held is None and self.trouble is not None:
                raise StoreDamaged(self.trouble)
        finally:
            self._opening.release()

    def _open_next(self) -> None:
        stamp = self._pointer()
        try:
            held = self._opened(cast(Path, current(self._folder)))
        # Whatever is wrong with the new one, the one before is still good.
        except Exception as error:
            self._failed = (stamp, self._clock())
            self.trouble = "the newest snapshot cannot be read"
            log.warning("%s: %s", self.trouble, error)
            if self._held is None:
                raise StoreDamaged(self.trouble) from error
            return
        self.trouble = None
        with self._counting:
            old, self._held, self._stamp = self._held, held, stamp
        self._retire(old)

    def _opened(self, path: Path) -> Held:
        """The snapshot with its board ready in the first rendering; the others are made when they are asked for."""
        reader = open_snapshot(path)
        try:
            held = Held(reader, [str(judge["id"]) for judge in reader.judges() if judge["readings"]])
            self._make(held, next(iter(self._renderings)), Asked())
        except BaseException:
            reader.close()
            raise
        return held
