"""The owner of the live file. Whoever opens it holds the writer lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import duckdb

from leaderboard.core.types import Judge, Model, Prompt
from leaderboard.history import derived, fits, rating_facts, reading_counts, registry, snapshots, verdicts
from leaderboard.history.appending import NEW_READINGS, append
from leaderboard.history.connection import transaction
from leaderboard.history.opening import open_live, put_in_place
from leaderboard.history.reading_counts import ReadingCounts
from leaderboard.history.records import BiasRow, FitRecord, RatingFacts, Snapshot, StoredAnswer
from leaderboard.history.rows import Touched, rows_of_batch, touched_by
from leaderboard.history.trouble import named

if TYPE_CHECKING:
    from leaderboard.ledger.outbox import Batch
    from leaderboard.ledger.runs import Run

MEMORY_LIMIT = "1GB"

P = ParamSpec("P")
R = TypeVar("R")


def _one_at_a_time(method: Callable[Concatenate[History, P], R]) -> Callable[Concatenate[History, P], R]:
    """Threads wait for each other: on a shared connection they would get each other's rows, without an error.

    What DuckDB and the disk say leaves as a refusal. After a fatal error the next call opens the file anew.
    """

    @wraps(method)
    def alone(self: History, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._turn, named(self.path):
            self._revive()
            try:
                return method(self, *args, **kwargs)
            except duckdb.FatalException:
                self._dead = True
                raise

    return alone


class History:
    """Appends facts, derives verdicts, publishes snapshots. Threads may share it; they take turns.

    `warnings` says in words what was wrong with the file when it was opened.
    """

    def __init__(
        self, path: Path, con: duckdb.DuckDBPyConnection, warnings: list[str], memory_limit: str = MEMORY_LIMIT
    ) -> None:
        self.path = path
        self.warnings = warnings
        self._con = con
        self._memory_limit = memory_limit
        self._dead = False
        self._turn = threading.RLock()

    @classmethod
    def open(cls, path: Path, memory_limit: str = MEMORY_LIMIT) -> History:
        """Open or create the live file.

        A write-ahead log that cannot be replayed is moved aside with a warning. Busy when another process has the file
        open, StoreDamaged when it cannot be read, HistoryFailed when the disk is full.
        """
        return cls(path, *open_live(path, memory_limit), memory_limit)

    def close(self) -> None:
        with self._turn:
            self._con.close()

    @_one_at_a_time
    def restore(self, snapshot: Path) -> None:
        """Go on from a copy of the snapshot. A live file with facts of its own is moved aside, not deleted."""
        has_facts = bool(self._con.execute("SELECT 1 FROM batch LIMIT 1").fetchall())
        self._dead = True
        self._con.close()
        put_in_place(snapshot, self.path, keep_old=has_facts)
        self._reopen()

    def _reopen(self) -> None:
        self._con.close()
        self._con, warnings = open_live(self.path, self._memory_limit)
        self.warnings += warnings
        self._dead = False

    def _revive(self) -> None:
        if self._dead:
            self._reopen()

    @_one_at_a_time
    def has_batches(self, ids: Iterable[str]) -> set[str]:
        """Those of the batches that are here. One that was acknowledged and is not here was lost with a damaged log."""
        return derived.batches_among(self._con, ids)

    @_one_at_a_time
    def insert_batch(self, batch: Batch) -> Touched:
        """Append a batch's facts in one transaction and return the (pairing, stage) pairs whose verdict may change.

        A batch that is here already adds nothing, but its pairs are returned: a crash may have come before `derive`.
        """
        if not self.has_batches([batch.id]):
            tables = rows_of_batch(batch)
            with transaction(self._con):
                for table, rows in tables.items():
                    append(self._con, table, rows, NEW_READINGS if table == "reading" else "")
        return touched_by(batch)

    @_one_at_a_time
    def copy_registry(
        self, models: Iterable[Model], judges: Iterable[Judge], prompts: Iterable[Prompt], runs: Iterable[Run]
    ) -> int:
        """Append a version of everything that changed since its last version; returns how many did."""
        tables = {
            "model_row": registry.model_rows(models),
            "judge_row": registry.judge_rows(judges),
            "prompt_row": registry.prompt_rows(prompts),
            "run_row": registry.run_rows(runs),
        }
        with transaction(self._con):
            return sum(registry.append_changed(self._con, table, rows) for table, rows in tables.items())

    @_one_at_a_time
    def derive(self, touched: Touched | None) -> int:
        """Replace the verdicts of the touched pairs (None: of all) and return how many there are of them now."""
        return verdicts.derive(self._con, touched)

    @_one_at_a_time
    def rating_facts(
        self, stage: str, judge: str | None, fingerprint: str | None, *, lengths: bool = False
    ) -> RatingFacts:
        """The verdicts that fits of this judge and stage rest on; see `rating_facts.rating_facts`."""
        return rating_facts.rating_facts(self._con, stage, judge, fingerprint, lengths=lengths)

    @_one_at_a_time
    def reading_counts(self, judge: str | None, fingerprint: str | None) -> list[ReadingCounts]:
        """Validation readings of a judge's fingerprint, counted by prompt."""
        return reading_counts.reading_counts(self._con, judge, fingerprint)

    @_one_at_a_time
    def bias_rows(self, judge: str) -> list[BiasRow]:
        """Validation readings of the judge's newest fingerprint."""
        return derived.bias_rows(self._con, judge)

    @_one_at_a_time
    def answers(self) -> dict[tuple[str, str], list[StoredAnswer]]:
        """Each model's newest text for each turn of a prompt, by (prompt, model)."""
        return derived.newest_answers(self._con)

    def append_fit(self, fit: FitRecord) -> bool:
        """Store a fit and its standings; earlier ones stay. False: the newest one of its place says the same."""
        return self.append_fits([fit])[0]

    @_one_at_a_time
    def append_fits(self, records: Sequence[FitRecord]) -> list[bool]:
        """Store many, all or none; the answer tells for each what `append_fit` would."""
        return fits.append_fits(self._con, records)

    @_one_at_a_time
    def publish(self, folder: Path, keep: int = 3, now: datetime | None = None) -> Snapshot:
        """Publish a snapshot and keep the newest `keep`; see `snapshots.publish`."""
        return snapshots.publish(self._con, self.path, folder, keep, now or datetime.now(UTC))
