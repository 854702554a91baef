"""Readings counted by prompt: what the figures above a board need of them, without making a million rows."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from leaderboard.history.connection import sql


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """A prompt's validation readings by one judge's fingerprint.

    `first`, `second`, `tie`: which position won, over the readings of pairings readable in both orders. `readable` of
    all `readings`, up to `samples` an order, which is what the protocol asks for.
    """

    prompt: str
    first: int
    second: int
    tie: int
    readable: int
    readings: int
    samples: int


def reading_counts(con: duckdb.DuckDBPyConnection, judge: str | None, fingerprint: str | None) -> list[ReadingCounts]:
    """One row a prompt; without a fingerprint, of the judge's readings that carry none."""
    whose = {"judge": judge, "fingerprint": fingerprint}
    return [ReadingCounts(*row) for row in con.execute(sql("reading_counts"), whose).fetchall()]
