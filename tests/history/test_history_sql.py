"""The views that people rely on, and SQL that only reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.errors import BadInput
from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.writer import History

VIEWS = {
    "verdicts": "id, decided_at, run, stage, prompt_id, turn, category, language, model_a, model_b, judge, protocol, "
    "samples, state, outcome, outcome_score, score_soft, consistent, outcome_ab, outcome_ba, gap, bpde, source, "
    "simulated",
    "readings": "call, prompt_id, turn, model_a, model_b, judge, shown_first, sample, stage, state, score_a, score_b, "
    "outcome, text, served_model, finish_reason, cost_usd, source",
    "attempts": "call, started_at, ended_at, http_status, error_kind, cost_usd",
    "spend": "run, stage, model, judge, state, cost_usd",
    "labels": "prompt_id, model_a, model_b, annotator, winner",
    "leaderboard": "scope, method, policy, model, rating, lower, upper, rank, rank_lower, rank_upper, n, "
    "flags, fitted_at",
    "fits": "id, fitted_at, run, judge, fingerprint, scope, board, method, policy, control, prior, anchor, n_battles, "
    "n_prompts, components, simulated, failure",
    "standings": "fit, fitted_at, judge, scope, method, policy, control, board, model, rating, lower, upper, rank, "
    "rank_lower, rank_upper, n",
}
LEADERBOARD_ENDS = ["tier", "p_top1", "p_topk", "expected_next", "more_pairings", "control"]


@pytest.mark.parametrize("view", VIEWS)
def test_views_begin_with_the_columns_that_people_rely_on(played: SnapshotReader, view: str) -> None:
    wanted = VIEWS[view].split(", ")
    columns = played.sql(f"SELECT * FROM {view}")["columns"]
    assert isinstance(columns, list)
    assert columns[: len(wanted)] == wanted


def test_what_came_later_stands_at_the_end_of_the_leaderboard(played: SnapshotReader) -> None:
    assert played.sql("SELECT * FROM leaderboard")["columns"][-6:] == LEADERBOARD_ENDS


@pytest.mark.parametrize("view", ["answers", "models", "judges", "prompts", "runs"])
def test_registry_views_are_there(played: SnapshotReader, view: str) -> None:
    assert played.sql(f"SELECT count(*) > 0 FROM {view}")["rows"] == [[view in ("answers", "judges", "prompts")]]


ANSWERS = [
    ("SELECT 1.50::DECIMAL(8, 4) AS d, 7::DECIMAL(38, 0), 1::HUGEINT", [[1.5, 7, 1]]),
    ("SELECT 'nan'::DOUBLE, 'inf'::DOUBLE, -('inf'::DOUBLE), ['nan'::DOUBLE]", [[None, None, None, [None]]]),
    ("SELECT TIMESTAMP '2026-01-02 03:04:05', DATE '2026-01-02'", [["2026-01-02T03:04:05.000000Z", "2026-01-02"]]),
    ("SELECT TIMESTAMPTZ '2026-01-02 03:04:05+02'", [["2026-01-02T01:04:05.000000Z"]]),
    ("SELECT {'a': 1.5, 'b': [1]}, map {'k': NULL}, 'ab'::BLOB", [[{"a": 1.5, "b": [1]}, {"k": None}, "6162"]]),
    ("VALUES (true, NULL)", [[True, None]]),
    ("WITH x AS (SELECT 1 AS one) FROM x", [[1]]),
    ("SELECT 1 -- ; SELECT 2", [[1]]),
    ("SELECT chr(0) || 'a'", [["\0a"]]),
]


@pytest.mark.parametrize(("text", "rows"), ANSWERS, ids=[text[:40] for text, _ in ANSWERS])
def test_sql_answers_in_strict_json(played: SnapshotReader, text: str, rows: list[list[object]]) -> None:
    answer_ = played.sql(text)
    assert answer_["rows"] == rows
    assert json.loads(json.dumps(answer_, allow_nan=False)) == answer_


def test_sql_says_when_it_cut(played: SnapshotReader) -> None:
    reader = played
    assert reader.sql("SELECT * FROM range(5)", limit=3) == {
        "columns": ["range"],
        "rows": [[0], [1], [2]],
        "truncated": True,
    }
    assert reader.sql("SELECT * FROM range(3)", limit=3)["truncated"] is False
    assert reader.sql("EXPLAIN SELECT 1")["truncated"] is False


REFUSED = [
    "",
    "-- nothing",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE verdict",
    "DELETE FROM verdict",
    "WITH x AS (DELETE FROM verdict RETURNING *) SELECT count(*) FROM x",
    "EXPLAIN ANALYZE DELETE FROM verdict",
    "SET memory_limit = '1TB'",
    "RESET memory_limit",
    "PRAGMA database_list",
    "INSTALL httpfs",
    "LOAD httpfs",
    "ATTACH ':memory:' AS other",
    "COPY (SELECT 1) TO 'FILE'",
    "EXPORT DATABASE 'FILE'",
    "SELECT content FROM read_text('SECRET')",
    "SELECT * FROM glob('/*')",
    "FROM 'SECRET'",
    "SELECT * FROM read_csv('SECRET')",
    "CONNECT",
    "CREATE TABLE mine (x INTEGER)",
    "BEGIN",
    "SELEC 1",
    "SELECT nothing_there",
    "SELECT '\ud83d'",
    "SELECT ?",
]


@pytest.mark.parametrize("text", REFUSED)
def test_sql_only_reads(played: SnapshotReader, tmp_path: Path, text: str) -> None:
    secret, made = tmp_path / "secret.csv", tmp_path / "made"
    secret.write_text("hush")
    with pytest.raises(BadInput) as refused:
        played.sql(text.replace("SECRET", str(secret)).replace("FILE", str(made)))
    assert "hush" not in str(refused.value)
    assert 0 < len(str(refused.value).splitlines()) <= 4
    assert not made.exists()
    assert played.sql("SELECT count(*) FROM verdicts")["rows"] == [[3]]


def test_a_costly_query_fails_and_the_reader_stays(history: History, tmp_path: Path) -> None:
    with open_snapshot(history.publish(tmp_path / "snapshots").path, memory_limit="40MB") as reader:
        with pytest.raises(BadInput, match="Out of Memory"):
            reader.sql("SELECT count(*) FROM (SELECT DISTINCT range, hash(range) FROM range(20000000))")
        assert reader.sql("SELECT 1")["rows"] == [[1]]
