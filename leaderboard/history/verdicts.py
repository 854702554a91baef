"""Verdicts: derived from readings, replaced per touched pairing, rebuilt from nothing at any time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import duckdb

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Order, Reading, Stage, Verdict
from leaderboard.errors import StoreDamaged
from leaderboard.history.appending import append
from leaderboard.history.connection import rows_of, sql, transaction
from leaderboard.history.plain import finite
from leaderboard.history.records import Row
from leaderboard.history.rows import Touched

ALL_TOUCHED = "SELECT DISTINCT pairing, stage FROM reading UNION SELECT DISTINCT pairing, stage FROM identical"
PAIRINGS_AT_ONCE = 20_000
INCOMPLETE = "incomplete"


def derive(con: duckdb.DuckDBPyConnection, touched: Touched | None) -> int:
    """Replace the verdicts of the touched (pairing, stage) pairs, or of all for None; returns the verdict rows made.

    Raises StoreDamaged for readings that no protocol is known of.
    """
    with transaction(con):
        pairs = sorted(touched if touched is not None else set(con.execute(ALL_TOUCHED).fetchall()))
        if touched is None:
            con.execute("DELETE FROM verdict")
        return sum(_replace(con, chunk) for chunk in _chunks(pairs))


def verdict_id(pairing: str, stage: str) -> str:
    """The same 16 hex digits for the same pairing and stage, however often it is derived."""
    return content_hash([pairing, stage])[:16]


def settle(head: Row, readings: Sequence[Reading]) -> Verdict:
    """The verdict of one pairing by its protocol; `head` is a row of derive_heads."""
    from leaderboard.core.calibration import calibrate, single_pass, tied_by_identity
    from leaderboard.core.protocol import asked

    if head["identical"]:
        return tied_by_identity()
    if head["stage"] == Stage.SCREENING:
        return single_pass(readings[0] if readings else None)
    if head["protocol"] is None:
        raise StoreDamaged(f"pairing {head['pairing']} has readings, but no protocol is stored with them")
    latest = _order_that_shows(head["shown_first"])
    return calibrate(readings, *asked(head["protocol"], head["asked"], latest))


def verdict_row(head: Row, verdict: Verdict) -> Row:
    """A row of table `verdict`. What is not decided is called incomplete, never a tie."""
    about = {name: value for name, value in head.items() if name != "shown_first"}
    return about | {
        "id": verdict_id(head["pairing"], head["stage"]),
        "samples": verdict.samples,
        "thin": verdict.thin,
        "state": verdict.state,
        "outcome": verdict.outcome or INCOMPLETE,
        "outcome_score": verdict.outcome_score or verdict.outcome or INCOMPLETE,
        "score_soft": finite(verdict.score_soft),
        "consistent": verdict.consistent,
        "outcome_ab": verdict.outcome_ab,
        "outcome_ba": verdict.outcome_ba,
        "gap": finite(verdict.gap),
        "bpde": finite(verdict.bpde),
    }


def _replace(con: duckdb.DuckDBPyConnection, pairs: Sequence[tuple[str, str]]) -> int:
    con.execute("CREATE OR REPLACE TEMP TABLE touched (pairing VARCHAR, stage VARCHAR)")
    append(con, "touched", [{"pairing": pairing, "stage": stage} for pairing, stage in pairs])
    con.execute(
        "DELETE FROM verdict USING touched WHERE verdict.pairing = touched.pairing AND verdict.stage = touched.stage"
    )
    readings = _readings(con)
    heads = rows_of(con, sql("derive_heads"))
    return append(con, "verdict", [verdict_row(head, settle(head, readings[_pair(head)])) for head in heads])


def _readings(con: duckdb.DuckDBPyConnection) -> Mapping[tuple[str, str], list[Reading]]:
    found: dict[tuple[str, str], list[Reading]] = defaultdict(list)
    for pairing, stage, first, sample, score_a, score_b in con.execute(sql("derive_readings")).fetchall():
        found[pairing, stage].append(Reading(_order_that_shows(first), sample, score_a, score_b))
    return found


def _order_that_shows(first: str) -> Order:
    return next(order for order in Order if order.shown_first == first)


def _pair(head: Row) -> tuple[str, str]:
    return head["pairing"], head["stage"]


def _chunks(pairs: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(pairs), PAIRINGS_AT_ONCE):
        yield pairs[start : start + PAIRINGS_AT_ONCE]
