"""Moves finished requests from the ledger to the history in batches, derives verdicts, publishes snapshots.

A batch has the same id on both sides, so a crash between the two commits neither loses nor doubles a row. Reply
texts leave the ledger only when a published snapshot holds their batch.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from leaderboard.errors import LeaderboardError, StoreDamaged
from leaderboard.history.reader import open_snapshot
from leaderboard.history.snapshots import held
from leaderboard.history.writer import History
from leaderboard.ledger import judges, models, outbox, prompts, runs
from leaderboard.ledger.store import Ledger
from leaderboard.tournament.clock import utc_now

BATCH_SIZE = 1000
RELATIVE_PAUSE = 10.0
KEPT_RUNS = 1000


def reconcile(ledger: Ledger, history: History, snapshots: Path | None = None) -> list[str]:
    """Bring the history up to the ledger after any interruption. Returns warnings for the operator.

    A history that holds nothing of what was published goes on from the newest snapshot that holds all of it
    (`snapshots` is their folder, beside the history unless told). StoreDamaged when that cannot be; nothing is written.
    A batch that was under way is inserted unless it is there already, and its verdicts are derived again; so is one
    that a damaged log lost, for the ledger keeps every batch until a snapshot holds it. What waits for a batch follows.
    """
    with ledger.read() as tx:
        waiting = outbox.unpublished(tx)
        published = outbox.published_ids(tx)
        committed = outbox.committed_ids(tx)
    warnings = _made_whole(history, published, snapshots or history.path.with_name("snapshots"))
    gone = set(committed) - history.has_batches(committed)
    for batch in waiting:
        touched = history.insert_batch(batch)
        with ledger.write() as tx:
            outbox.committed(tx, batch.id)
        history.derive(touched)
    collect(ledger, history)
    if gone:
        warnings.append(f"{len(gone)} batches had gone from the history; they are back, from the ledger")
    return warnings


def _made_whole(history: History, published: set[str], snapshots: Path) -> list[str]:
    """Restore a history that holds none of the published batches; returns what was done, in words."""
    lost = published - history.has_batches(published)
    if not lost:
        return []
    whole = _whole_snapshot(snapshots, published)
    if whole is None or lost != published:
        raise StoreDamaged(_way_back(history.path, len(lost), whole, snapshots))
    history.restore(whole)
    return [f"{_missing(len(lost))} from {history.path.name}; it was restored from {whole.name}"]


def _whole_snapshot(snapshots: Path, published: set[str]) -> Path | None:
    """The newest snapshot that holds all of these batches."""
    return next((path for path in reversed(held(snapshots)) if _holds(path, published)), None)


def _holds(path: Path, published: set[str]) -> bool:
    try:
        with open_snapshot(path) as reader:
            return reader.has_batches(published) == published
    except StoreDamaged:
        return False


def _way_back(live: Path, lost: int, whole: Path | None, snapshots: Path) -> str:
    if whole is None:
        return (
            f"{_missing(lost)} from {live}, and no snapshot in {snapshots} holds them all\n"
            f"bring back {live.name} or the folder of snapshots from a backup; nothing is written until then"
        )
    return f"{_missing(lost)} from {live}: nothing is written until they are back\nrestore them with: cp {whole} {live}"


def _missing(lost: int) -> str:
    return "1 published batch is missing" if lost == 1 else f"{lost} published batches are missing"


def collect(ledger: Ledger, history: History) -> int:
    """Move everything that waits in the outbox; returns the number of requests and attempts moved."""
    moved = 0
    while True:
        with ledger.write() as tx:
            batch = outbox.assign(tx, str(uuid.uuid4()), BATCH_SIZE, utc_now())
        if batch.empty:
            return moved
        touched = history.insert_batch(batch)
        with ledger.write() as tx:
            outbox.committed(tx, batch.id)
        history.derive(touched)
        moved += len(batch.requests) + len(batch.attempts)


def publish(ledger: Ledger, history: History, folder: Path) -> str:
    """Copy the registry into the history, publish a snapshot, and release the texts that it holds.

    StoreDamaged when the history lacks what was published before: a new snapshot would push out those that hold it.
    """
    with ledger.read() as tx:
        published = outbox.published_ids(tx)
        if lost := published - history.has_batches(published):
            raise StoreDamaged(_way_back(history.path, len(lost), _whole_snapshot(folder, published), folder))
        history.copy_registry(models.all(tx), judges.all(tx), prompts.all(tx), runs.all(tx, KEPT_RUNS))
        fresh = history.has_batches(outbox.committed_ids(tx))
    snapshot = history.publish(folder)
    if fresh:
        with ledger.write() as tx:
            outbox.published(tx, fresh)
    return snapshot.id


class Collector(threading.Thread):
    """Collects while a run plays; publishes and refits at most so often that neither takes a tenth of the time."""

    def __init__(
        self,
        ledger: Ledger,
        history: History,
        folder: Path,
        *,
        publish_every: float,
        refit_every: float,
        refit: Callable[[], None],
        beat: Callable[[], None],
        on_failure: Callable[[], object],
    ) -> None:
        super().__init__(name="collector", daemon=True)
        self._ledger, self._history, self._folder = ledger, history, folder
        self._publish_every, self._refit_every = publish_every, refit_every
        self._refit, self._beat, self._on_failure = refit, beat, on_failure
        self._halt = threading.Event()
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            self._loop()
        except BaseException as error:  # noqa: BLE001 - raised again by `finish`, in the run's own thread
            self._failure = error
            self._on_failure()

    def _loop(self) -> None:
        next_publish = next_refit = time.monotonic()
        while not self._halt.wait(min(1.0, self._publish_every)):
            moved = collect(self._ledger, self._history)
            self._beat()
            if moved and time.monotonic() >= next_refit:
                next_refit = _timed(self._refit, self._refit_every)
            if moved and time.monotonic() >= next_publish:
                next_publish = _timed(self._publish, self._publish_every)

    def _publish(self) -> None:
        publish(self._ledger, self._history, self._folder)

    def finish(self) -> None:
        """Stop and wait. Raises what went wrong in the thread; the facts are still in the ledger then."""
        self._halt.set()
        self.join()
        if isinstance(self._failure, LeaderboardError):
            raise self._failure
        if self._failure is not None:
            raise StoreDamaged(f"the history could not be written: {self._failure}") from self._failure


def _timed(work: Callable[[], None], pause: float) -> float:
    """Do the work; returns the moment from which it may be done again."""
    began = time.monotonic()
    work()
    took = time.monotonic() - began
    return time.monotonic() + max(pause, RELATIVE_PAUSE * took)
