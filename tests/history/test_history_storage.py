"""The live file and its snapshots when things go wrong: a damaged log, a second process, a crash, a growing file."""

from __future__ import annotations

import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from history_facts import FINGERPRINT, answer, batch, both_orders, fit
from other_process import child

from leaderboard.errors import Busy, StoreDamaged
from leaderboard.history.reader import current, open_snapshot
from leaderboard.history.records import StandingRow
from leaderboard.history.writer import History

START = datetime(2026, 3, 1, tzinfo=UTC)
BATCHES = [f"b{number}" for number in range(50)]


def expect(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == line


FIFTY = """
import os, signal, sys
from pathlib import Path
from history_facts import FINGERPRINT, answer, batch
from leaderboard.history.writer import History
history = History.open(Path(sys.argv[1]))
for number in range(50):
    history.insert_batch(batch(f"b{number}", [answer(f"p{number}", "alpha", "text " * 40)]))
os.kill(os.getpid(), signal.SIGKILL)
"""


def fifty_batches_then_killed(path: Path) -> None:
    """Another process stores fifty batches (those that are missing) and is killed before it can close the file."""
    process = child(FIFTY, path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.fixture(scope="module")
def left_behind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("left") / "live.duckdb"
    fifty_batches_then_killed(path)
    return path


@pytest.fixture
def killed(left_behind: Path, tmp_path: Path) -> Path:
    """A live file with a log of fifty batches, left behind by a process that was killed."""
    for name in ("live.duckdb", "live.duckdb.wal"):
        shutil.copy(left_behind.with_name(name), tmp_path / name)
    return tmp_path / "live.duckdb"


@pytest.fixture
def owner_elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder whose live file is open in another process that has published one snapshot."""
    process = child(
        """
        import sys
        from pathlib import Path
        from history_facts import FINGERPRINT, answer, batch
        from leaderboard.history.writer import History
        folder = Path(sys.argv[1])
        history = History.open(folder / "live.duckdb")
        history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
        history.publish(folder / "snapshots")
        history.insert_batch(batch("b2", [answer("p2", "alpha", "not published")]))
        print("open", flush=True)
        sys.stdin.read()
        """,
        tmp_path,
    )
    expect(process, "open")
    yield tmp_path
    process.communicate("")


def test_a_reader_works_while_another_process_owns_the_file(owner_elsewhere: Path) -> None:
    path = current(owner_elsewhere / "snapshots")
    assert path is not None
    with open_snapshot(path) as reader:
        assert [row["prompt_id"] for row in reader.answers()["items"]] == ["p1"]


def test_a_second_owner_is_refused_in_one_line(owner_elsewhere: Path) -> None:
    with pytest.raises(Busy, match=r"^live\.duckdb is open in another process") as refused:
        History.open(owner_elsewhere / "live.duckdb")
    assert "\n" not in str(refused.value)
    assert list(owner_elsewhere.glob("*.damaged-*")) == []


def test_a_kill_loses_nothing_that_was_stored(killed: Path) -> None:
    history = History.open(killed)
    assert history.has_batches(BATCHES) == set(BATCHES)
    assert history.warnings == []
    history.close()


def cut_seven_bytes(log: bytes) -> bytes:
    return log[:-7]


def nothing_but_ones(log: bytes) -> bytes:
    return b"\xff" * 4096


def flipped_at(share: float) -> Callable[[bytes], bytes]:
    def flip(log: bytes) -> bytes:
        place = int(len(log) * share)
        return log[:place] + bytes([log[place] ^ 0xFF]) + log[place + 1 :]

    return flip


DAMAGES = [cut_seven_bytes, nothing_but_ones, *map(flipped_at, (0, 0.02, 0.3, 0.5, 0.9))]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_log_is_noticed_by_the_missing_batches(killed: Path, damage: Callable[[bytes], bytes]) -> None:
    log = Path(f"{killed}.wal")
    log.write_bytes(damage(log.read_bytes()))
    assert_missing_is_told(killed)


def test_what_is_stored_after_a_damage_is_safe_from_it(killed: Path) -> None:
    log = Path(f"{killed}.wal")
    log.write_bytes(cut_seven_bytes(log.read_bytes()))
    fifty_batches_then_killed(killed)
    history = History.open(killed)
    assert history.has_batches(BATCHES) == set(BATCHES)
    history.close()


def assert_missing_is_told(path: Path) -> None:
    """It opens, says what it has, and takes the rest again; a log that was set aside is kept and warned of."""
    history = History.open(path)
    here = history.has_batches(BATCHES)
    assert here < set(BATCHES)
    aside = list(path.parent.glob("*.damaged-*"))
    assert len(history.warnings) == len(aside)
    for number, id_ in enumerate(BATCHES):
        history.insert_batch(batch(id_, [answer(f"p{number}", "alpha", "text " * 40)]))
    assert history._con.execute("SELECT count(*), count(DISTINCT prompt_id) FROM answer").fetchall() == [(50, 50)]
    history.close()


def test_a_log_that_cannot_be_replayed_is_moved_aside_with_a_warning(killed: Path) -> None:
    log = Path(f"{killed}.wal")
    damaged = flipped_at(0.5)(log.read_bytes())
    log.write_bytes(damaged)
    Path(f"{log}.damaged-1").write_text("an older one")
    history = History.open(killed)
    assert history.has_batches(BATCHES) == set()
    assert Path(f"{log}.damaged-1").read_text() == "an older one"
    assert Path(f"{log}.damaged-2").read_bytes() == damaged
    assert "moved to live.duckdb.wal.damaged-2" in history.warnings[0]
    assert "\n" not in history.warnings[0]
    history.close()


def test_a_ruined_file_is_refused_and_its_log_stays_where_it_is(killed: Path) -> None:
    killed.write_bytes(b"ruined")
    log = Path(f"{killed}.wal").read_bytes()
    with pytest.raises(StoreDamaged, match="with or without its log"):
        History.open(killed)
    assert Path(f"{killed}.wal").read_bytes() == log


def test_threads_that_share_the_owner_get_their_own_rows(history: History) -> None:
    def store(number: int) -> set[str]:
        history.derive(history.insert_batch(batch(f"b{number}", both_orders(f"p{number}", [("8", "6")], [("6", "8")]))))
        return history.has_batches([f"b{number}"])

    def look(number: int) -> list[list[str]]:
        return [[answer.text for answer in found] for found in history.answers().values()]

    history.insert_batch(batch("first", [answer("p1", "alpha", "hi")]))
    with ThreadPoolExecutor(8) as threads:
        stored, seen = threads.map(store, range(40)), threads.map(look, range(200))
        assert list(stored) == [{f"b{number}"} for number in range(40)]
        assert list(seen) == [[["hi"]]] * 200
    assert history.rating_facts("validation", "judy", FINGERPRINT).judged.outcome.tolist() == [2] * 40


def fresh_size(history: History, tmp_path: Path) -> int:
    """Bytes of the same data written into a new file."""
    target = tmp_path / "fresh.duckdb"
    history._con.execute(f"ATTACH '{target}' AS fresh")
    history._con.execute("COPY FROM DATABASE live TO fresh")
    history._con.execute("DETACH fresh")
    return target.stat().st_size


def thousand_verdicts(history: History) -> set[tuple[str, str]]:
    requests = [
        request
        for number in range(1000)
        for request in both_orders(f"p{number:04d}", [("8", "6")] * 3, [("6", "8")] * 3)
    ]
    touched = history.insert_batch(batch("b1", requests))
    history.derive(touched)
    return touched


def refit(history: History, number: int, touched: set[tuple[str, str]]) -> None:
    rows = [StandingRow(model=f"m{place}", rating=1000.0 + place + number, rank=place) for place in range(8)]
    history.append_fit(fit(f"f{number}", "validated", rows, second=number))


def rederive_some(history: History, number: int, touched: set[tuple[str, str]]) -> None:
    history.derive(set(sorted(touched)[number * 40 % 1000 :][:40]))


def rederive_all(history: History, number: int, touched: set[tuple[str, str]]) -> None:
    history.derive(None)


Work = Callable[[History, int, set[tuple[str, str]]], object]


@pytest.mark.parametrize(("work", "times"), [(refit, 200), (rederive_some, 60), (rederive_all, 8)])
def test_the_file_stays_near_the_size_of_its_data(history: History, tmp_path: Path, work: Work, times: int) -> None:
    touched = thousand_verdicts(history)
    sizes = []
    for number in range(times):
        work(history, number, touched)
        sizes.append(history.publish(tmp_path / "snapshots", now=START + timedelta(seconds=number)).bytes)
    assert max(sizes) < 3 * fresh_size(history, tmp_path)
