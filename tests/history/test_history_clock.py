"""The clock is set back: what was stored last is the newest, whatever its time says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from history_facts import FINGERPRINT, answer, batch, both_orders, fit

from leaderboard.history import snapshots
from leaderboard.history.reader import SnapshotReader, current
from leaderboard.history.records import StandingRow
from leaderboard.history.writer import History

START = datetime(2026, 3, 1, tzinfo=UTC)
OTHER = "e" * 64
Published = Callable[[], SnapshotReader]


def rated(model: str) -> list[StandingRow]:
    return [StandingRow(model=model, rating=1000.0, rank=1)]


def test_the_board_is_the_fit_that_was_stored_last(history: History, published: Published) -> None:
    history.append_fit(fit("before", "validated", rated("old"), second=500))
    history.append_fit(fit("after", "validated", rated("new"), second=3))
    reader = published()
    assert [row["model"] for row in reader.board()["standings"]] == ["new"]
    assert reader.sql("SELECT model FROM leaderboard")["rows"] == [["new"]]


def test_the_judge_of_the_board_is_the_one_rated_last(history: History, published: Published) -> None:
    history.append_fit(fit("before", "validated", rated("old"), second=500, fingerprint=OTHER))
    history.append_fit(fit("after", "validated", rated("new"), second=3))
    reader = published()
    assert reader.board()["fingerprint"] == FINGERPRINT
    assert reader.sql("SELECT fingerprint FROM leaderboard")["rows"] == [[FINGERPRINT]]


def test_the_answer_that_was_stored_last_is_judged_next(history: History) -> None:
    history.insert_batch(batch("b1", [answer("p1", "alpha", "old", second=500)]))
    history.insert_batch(batch("b2", [answer("p1", "alpha", "new", version=2, second=3)]))
    assert [each.text for each in history.answers()["p1", "alpha"]] == ["new"]


@pytest.mark.parametrize("judged_at", [3, 500])
def test_a_verdict_shows_the_answers_that_lay_before_the_judge(
    history: History, published: Published, judged_at: int
) -> None:
    """One of the answers carries a time after the judgement, one a time before it though it came later."""
    history.insert_batch(
        batch("b1", [answer("p1", "alpha", "ours", second=400), answer("p1", "beta", "theirs", second=400)])
    )
    judged = both_orders("p1", [("8", "6")], [("6", "8")], second=judged_at)
    history.derive(history.insert_batch(batch("b2", judged)))
    history.insert_batch(batch("b3", [answer("p1", "alpha", "too late", version=2, second=1)]))
    reader = published()
    verdict = reader.verdict(reader.verdicts()["items"][0]["id"])
    assert [row["text"] for side in "ab" for row in verdict["answers"][side]] == ["ours", "theirs"]


def test_the_newest_wording_of_a_judge_is_the_one_that_judged_last(history: History, published: Published) -> None:
    former = both_orders("p1", [("8", "6")], [("6", "8")], second=500, fingerprint=OTHER)
    history.derive(history.insert_batch(batch("b1", former)))
    later = both_orders("p2", [("8", "6")], [("6", "8")], second=3)
    history.derive(history.insert_batch(batch("b2", later)))
    assert {row.prompt_id for row in history.bias_rows("judy")} == {"p2"}
    assert {row.prompt_id for row in published().bias_rows("judy")} == {"p2"}


@pytest.mark.parametrize("step", [timedelta(days=-400), timedelta(0), timedelta(microseconds=-1)])
def test_snapshots_stay_in_the_order_of_publication(history: History, tmp_path: Path, step: timedelta) -> None:
    folder = tmp_path / "snapshots"
    made = []
    for number in range(6):
        made.append(history.publish(folder, now=START + number * step))
        assert current(folder) == made[-1].path
        assert snapshots.held(folder) == [one.path for one in made[-3:]]
    assert [one.published_at for one in made] == [START + number * step for number in range(6)]


def test_a_snapshot_of_another_name_does_not_stop_publication(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    folder.mkdir()
    (folder / "snap-by-hand.duckdb").write_bytes(b"")
    (folder / "snap-20269999T999999999999Z-x.duckdb").write_bytes(b"")
    assert current(folder) is None
    made = history.publish(folder, now=START)
    assert current(folder) == made.path
