"""One verdict with everything behind it: every sample in both orders, and what is needed to see the prompts as sent."""

from __future__ import annotations

import json

import duckdb

from leaderboard.errors import NotFound
from leaderboard.history.connection import rows_of, sql
from leaderboard.history.plain import plain
from leaderboard.history.records import Row

READINGS = """
    SELECT * FROM readings WHERE pairing = $pairing AND stage = $stage ORDER BY shown_first, sample"""
CALLS = """
    SELECT * EXCLUDE (batch) FROM call WHERE pairing = $pairing AND stage = $stage AND kind = 'judgement'
    ORDER BY shown_first, sample_from, finished_at"""
JUDGE = """
    SELECT * EXCLUDE (content) FROM judge_row WHERE fingerprint = $fingerprint
    ORDER BY id = $judge DESC, version DESC LIMIT 1"""


def verdict(con: duckdb.DuckDBPyConnection, verdict_id: str) -> Row:
    """The verdict's row plus `readings`, `calls`, `prompt`, `answers` {"a": [...], "b": [...]} and `judge_row`.

    The parts that a snapshot does not hold (a prompt that was never copied in) are null. NotFound for an unknown id.
    """
    found = rows_of(con, "SELECT * FROM verdicts WHERE id = ?", [verdict_id])
    if not found:
        raise NotFound(f"no verdict {verdict_id!r} in this snapshot")
    row = found[0]
    place = {name: row[name] for name in ("pairing", "stage")}
    parts = {
        "readings": rows_of(con, READINGS, place),
        "calls": [_with_documents(call, "params", "price") for call in rows_of(con, CALLS, place)],
        "prompt": _first(rows_of(con, "SELECT * FROM prompts WHERE id = ?", [row["prompt_id"]])),
        "answers": _answers(con, row),
        "judge_row": _judge(con, row),
    }
    full: Row = plain(row | parts)
    return full


def _answers(con: duckdb.DuckDBPyConnection, row: Row) -> Row:
    names = ("pairing", "prompt_id", "model_a", "model_b")
    texts = rows_of(con, sql("compared_answers"), {name: row[name] for name in names})
    return {side: [text for text in texts if text["model"] == row[f"model_{side}"]] for side in ("a", "b")}


def _judge(con: duckdb.DuckDBPyConnection, row: Row) -> Row | None:
    found = _first(rows_of(con, JUDGE, {"fingerprint": row["fingerprint"], "judge": row["judge"]}))
    return found and _with_documents(found, "wanted", "sent", "not_sent")


def _with_documents(row: Row, *names: str) -> Row:
    return row | {name: None if row[name] is None else json.loads(row[name]) for name in names}


def _first(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None
