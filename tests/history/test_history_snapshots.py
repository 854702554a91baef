"""Publication: unique files, one pointer, nothing lost to a crash."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from history_facts import answer, batch
from other_process import child

from leaderboard.errors import LeaderboardError, NotFound
from leaderboard.history import snapshots
from leaderboard.history.reader import current, open_snapshot
from leaderboard.history.writer import History

START = datetime(2026, 3, 1, tzinfo=UTC)


def test_nothing_is_current_before_the_first_publication(tmp_path: Path) -> None:
    assert current(tmp_path) is None
    assert current(tmp_path / "nowhere") is None


def test_a_snapshot_holds_everything_and_never_changes(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
    first = history.publish(folder, now=START)
    history.insert_batch(batch("b2", [answer("p2", "alpha", "hi")]))
    second = history.publish(folder, now=START + timedelta(seconds=1))
    counts = []
    for snapshot in (first, second):
        with open_snapshot(snapshot.path) as reader:
            counts.append((reader.id, reader.sql("SELECT count(*) FROM answers")["rows"]))
    assert counts == [(first.id, [[1]]), (second.id, [[2]])]
    assert first.id.startswith("snap-20260301T000000000000Z-")
    assert (first.id, first.bytes) == (first.path.stem, first.path.stat().st_size)
    assert current(folder) == second.path


def test_the_last_three_and_the_pinned_are_kept(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    made = [history.publish(folder, now=START + timedelta(seconds=number)) for number in range(3)]
    snapshots.pin(folder, made[0].id)
    made += [history.publish(folder, now=START + timedelta(seconds=3 + number)) for number in range(3)]
    assert [path.stem for path in snapshots.held(folder)] == [made[0].id, *(one.id for one in made[3:])]
    snapshots.unpin(folder, made[0].id)
    made.append(history.publish(folder, now=START + timedelta(seconds=9)))
    assert [path.stem for path in snapshots.held(folder)] == [one.id for one in made[4:]]
    with pytest.raises(NotFound, match="no snapshot 'snap-none'"):
        snapshots.pin(folder, "snap-none")


def test_a_clock_that_goes_back_never_retires_the_current_one(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    for number in range(3):
        history.publish(folder, now=START + timedelta(seconds=number))
    late = history.publish(folder, now=START - timedelta(days=1))
    assert current(folder) == late.path
    assert late.path.exists()


def test_an_open_snapshot_may_be_retired(history: History, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
    first = history.publish(folder, keep=1, now=START)
    with open_snapshot(first.path) as reader:
        history.publish(folder, keep=1, now=START + timedelta(seconds=1))
        assert not first.path.exists()
        assert reader.sql("SELECT text FROM answers")["rows"] == [["hi"]]


CRASHES = ["checkpoint", "copy_file", "_sync", "point_at", "retire"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", CRASHES)
def test_a_crash_at_any_step_leaves_a_readable_snapshot(tmp_path: Path, step: str, when: str) -> None:
    """The child dies by SIGKILL around one step of its second publication; only the child's copy is wrapped."""
    process = child(
        """
        import os, signal, sys
        from pathlib import Path
        from history_facts import answer, batch
        from leaderboard.history import snapshots
        from leaderboard.history.writer import History
        folder, step, when = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
        history = History.open(folder / "live.duckdb")
        history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
        history.publish(folder / "snapshots")
        history.insert_batch(batch("b2", [answer("p2", "alpha", "hi")]))
        real = getattr(snapshots, step)
        def dies(*given):
            if when == "after":
                real(*given)
            os.kill(os.getpid(), signal.SIGKILL)
        setattr(snapshots, step, dies)
        history.publish(folder / "snapshots")
        """,
        tmp_path,
        step,
        when,
    )
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    folder = tmp_path / "snapshots"
    path = current(folder)
    assert path is not None
    with open_snapshot(path) as reader:
        assert reader.sql("SELECT count(*) FROM answers")["rows"] in ([[1]], [[2]])
    history = History.open(tmp_path / "live.duckdb")
    assert history.has_batches(["b1", "b2"]) == {"b1", "b2"}
    again = history.publish(folder)
    assert current(folder) == again.path
    assert list(folder.glob("*.tmp")) == []
    history.close()


def test_a_copy_that_fails_is_a_refusal_and_leaves_the_former_one(history: History, tmp_path: Path) -> None:
    first = history.publish(tmp_path / "snapshots")
    with pytest.raises(LeaderboardError, match="could not be copied to"):
        snapshots.copy_file(tmp_path / "nothing", tmp_path / "snapshots" / "snap-new.duckdb")
    assert snapshots.held(tmp_path / "snapshots") == [first.path]
    assert list((tmp_path / "snapshots").glob("*.tmp")) == []
