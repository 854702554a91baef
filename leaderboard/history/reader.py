"""Reading a published snapshot. Imports DuckDB and nothing else that is heavy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from leaderboard.errors import BadInput, StoreDamaged
from leaderboard.history import boards, derived, evidence, questions, rating_facts, timeline
from leaderboard.history.connection import connect_snapshot, rows_of, sql
from leaderboard.history.pages import page
from leaderboard.history.plain import plain
from leaderboard.history.records import OVERALL, BiasRow, FitKey, FitRecord, RatingFacts, Row
from leaderboard.history.snapshots import current

__all__ = ["SnapshotReader", "current", "open_snapshot"]

OUTCOMES = ("a", "b", "tie", "incomplete")
STAGES = ("screening", "validation", "human")


def open_snapshot(path: Path, memory_limit: str = "1GB") -> SnapshotReader:
    """Open a snapshot file; StoreDamaged if it cannot be read."""
    try:
        return SnapshotReader(path.stem, connect_snapshot(path, memory_limit))
    except duckdb.Error as error:
        raise StoreDamaged(f"snapshot {path.name} cannot be read: {str(error).splitlines()[0]}") from error


class SnapshotReader:
    """One snapshot, readable from any number of threads: every call works on a cursor of its own."""

    def __init__(self, snapshot: str, con: duckdb.DuckDBPyConnection) -> None:
        self.id = snapshot
        self._con = con

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._con.close()

    def board(self, judge: str | None = None, key: FitKey = OVERALL, as_of: str | None = None) -> Row:
        """The board as strict JSON, now or as it was; see `boards.board`."""
        with self._con.cursor() as con:
            return boards.board(con, self.id, judge, key, as_of)

    def board_of(self, records: Sequence[FitRecord]) -> Row:
        """The board of fits that are not stored, as strict JSON; see `boards.board_of`."""
        with self._con.cursor() as con:
            return boards.board_of(con, self.id, records)

    def stored(self, judge: str | None = None) -> list[Row]:
        """Which fits of a judge there are; see `boards.stored`."""
        with self._con.cursor() as con:
            return boards.stored(con, judge)

    def ratings(
        self,
        model: str | None = None,
        judge: str | None = None,
        key: FitKey = OVERALL,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Row:
        """Standings over time, newest first, as {"items", "next_cursor"}; see `timeline.ratings`."""
        with self._con.cursor() as con:
            return timeline.ratings(con, model, judge, key, limit, cursor)

    def changes(
        self,
        judge: str | None = None,
        key: FitKey = OVERALL,
        before: str | None = None,
        after: str | None = None,
    ) -> Row:
        """What changed between two fits; see `timeline.changes`."""
        with self._con.cursor() as con:
            return timeline.changes(con, judge, key, before, after)

    def verdicts(
        self,
        *,
        model: str | None = None,
        opponent: str | None = None,
        judge: str | None = None,
        stage: str | None = None,
        outcome: str | None = None,
        category: str | None = None,
        language: str | None = None,
        prompt: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Row:
        """Verdicts that match, newest first, as {"items", "next_cursor"}. BadInput names a filter that cannot be."""
        _one_of("outcome", outcome, OUTCOMES)
        _one_of("stage", stage, STAGES)
        filters = {
            "model": model, "opponent": opponent, "judge": judge, "stage": stage, "outcome": outcome,
            "category": category, "language": language, "prompt": prompt,
        }  # fmt: skip
        with self._con.cursor() as con:
            return page(con, "verdict_list", filters, ("decided_at", "id"), limit, cursor)

    def verdict(self, verdict_id: str) -> Row:
        """One verdict with its evidence; see `evidence.verdict`."""
        with self._con.cursor() as con:
            return evidence.verdict(con, verdict_id)

    def answers(
        self, *, model: str | None = None, prompt: str | None = None, limit: int = 50, cursor: str | None = None
    ) -> Row:
        """Answers that match, newest first, as {"items", "next_cursor"}."""
        with self._con.cursor() as con:
            filters = {"model": model, "prompt": prompt}
            return page(con, "answer_list", filters, ("answered_at", "call"), limit, cursor)

    def judges(self) -> list[Row]:
        """Every judge as registered, each with `readings`: what each of its fingerprints has done, newest first."""
        with self._con.cursor() as con:
            facts = rows_of(con, sql("judge_facts"))
            known = rows_of(con, "SELECT * FROM judges ORDER BY id")
        rows = [judge | {"readings": [fact for fact in facts if fact["judge"] == judge["id"]]} for judge in known]
        return [plain(row) for row in rows]

    def spend(self) -> Row:
        """Money by run, stage, kind, model, judge and state under `items`, with `total_usd` and `unpriced` tries."""
        with self._con.cursor() as con:
            rows = rows_of(con, sql("spend_by"))
            total = con.execute("SELECT coalesce(sum(cost_usd), 0) FROM attempt").fetchall()[0][0]
        unpriced = sum(row["unpriced"] for row in rows)
        return {"items": plain(rows), "total_usd": plain(total), "unpriced": unpriced}

    def has_batches(self, ids: Iterable[str]) -> set[str]:
        """Those of the batches that this snapshot holds."""
        with self._con.cursor() as con:
            return derived.batches_among(con, ids)

    def rating_facts(
        self, stage: str, judge: str | None, fingerprint: str | None, *, lengths: bool = False
    ) -> RatingFacts:
        """The verdicts that fits of this judge and stage rest on; see `rating_facts.rating_facts`."""
        with self._con.cursor() as con:
            return rating_facts.rating_facts(con, stage, judge, fingerprint, lengths=lengths)

    def bias_rows(self, judge: str) -> list[BiasRow]:
        """Validation readings of the judge's newest fingerprint."""
        with self._con.cursor() as con:
            return derived.bias_rows(con, judge)

    def sql(self, text: str, limit: int = 1000) -> Row:
        """Somebody's own question as {"columns", "rows", "truncated"}; see `questions.ask`."""
        with self._con.cursor() as con:
            return questions.ask(con, text, limit)


def _one_of(name: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise BadInput(f"{name}: must be one of {', '.join(known)}, got {value!r}")
