"""A full disk, a pointer that points nowhere, a cursor that nobody gave: each a refusal in a few lines."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from history_facts import answer, batch
from other_process import child

from leaderboard.errors import BadInput, LeaderboardError, StoreDamaged
from leaderboard.history.pages import read_cursor
from leaderboard.history.reader import SnapshotReader, current
from leaderboard.history.trouble import HistoryFailed
from leaderboard.history.writer import History

MOMENT = "2026-03-01T10:00:00.000000Z"


def cursor_of(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


BAD_CURSORS = [
    json.dumps(shape).encode()
    for shape in (
        None, 7, "ab", [], {}, True, {"a": 1, "b": 2}, [MOMENT], [MOMENT, "id", "more"], [MOMENT, 7], [MOMENT, None],
        [MOMENT, ["id"]], [7, "id"], [None, "id"], ["", "id"], ["yesterday", "id"], [[MOMENT], "id"],
        [MOMENT, "half \ud83d"],
        ["0001-01-01T00:00:00+14:00", "id"], ["9999-12-31T23:59:59-14:00", "id"],
    )
] + [b"", b"\xff\xfe", b"[" * 3000, b"1" * 5000, b'["' + b"\x00" + b'", "id"]', b"[NaN, 1e999]"]  # fmt: skip


@pytest.mark.parametrize("content", BAD_CURSORS, ids=lambda content: repr(content[:40]))
def test_a_cursor_that_nobody_gave_is_refused(played: SnapshotReader, content: bytes) -> None:
    for asked in (played.verdicts, played.answers):
        with pytest.raises(BadInput, match=r"^cursor: "):
            asked(cursor=cursor_of(content))


@pytest.mark.parametrize("text", ["=", "====", "a", "\ud83d", "💥", "a b", "%00", "." * 99])
def test_a_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"^cursor: "):
        read_cursor(text)


def test_a_good_cursor_is_read() -> None:
    assert read_cursor(cursor_of(json.dumps([MOMENT, "an id 💥"]).encode())) == (MOMENT, "an id 💥")


POINTERS = {
    "empty": b"",
    "blank": b" \n",
    "gone": b"snap-20260301T000000000000Z-00000000.duckdb\n",
    "another folder": b"../live.duckdb\n",
    "a way out and back": b"snap-/../../live.duckdb\n",
    "an absolute path": b"/etc/passwd\n",
    "another file": b"CURRENT\n",
    "not ascii": "snap-é.duckdb\n".encode(),
    "not text": b"\xff\xfe\x00",
    "a folder": b"snap-folder.duckdb\n",
    "two lines": b"snap-a.duckdb\nsnap-b.duckdb\n",
}


@pytest.mark.parametrize("content", POINTERS.values(), ids=POINTERS)
def test_a_pointer_to_nothing_is_told_with_the_newest_snapshot(
    history: History, tmp_path: Path, content: bytes
) -> None:
    folder = tmp_path / "snapshots"
    newest = [history.publish(folder) for _ in range(2)][-1]
    (folder / "CURRENT").write_bytes(content)
    (folder / "snap-folder.duckdb").mkdir()
    with pytest.raises(StoreDamaged, match=f"CURRENT names no snapshot.*\n.*{newest.path.name}") as refused:
        current(folder)
    assert len(str(refused.value).splitlines()) == 2
    again = history.publish(folder)
    assert current(folder) == again.path, "the next publication mends it"
    assert newest.path.exists()


def test_a_pointer_in_an_empty_folder_says_that_a_backup_is_needed(tmp_path: Path) -> None:
    (tmp_path / "CURRENT").write_text("snap-a.duckdb\n")
    with pytest.raises(StoreDamaged, match="from a backup"):
        current(tmp_path)


ON_A_FULL_DISK = """
import json, resource, sys
from pathlib import Path
from history_facts import answer, batch
from leaderboard.errors import LeaderboardError
from leaderboard.history.writer import History

folder = Path(sys.argv[1])
told = []

def attempted(work):
    try:
        work()
    except LeaderboardError as error:
        told.append(str(error))

_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
if sys.argv[2] == "open":
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, most))
    attempted(lambda: History.open(folder / "live.duckdb"))
    print(json.dumps(told))
    sys.exit()
history = History.open(folder / "live.duckdb")
history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
history.publish(folder / "snapshots")
big = batch("b2", [answer(f"p{number}", "alpha", f"{number} " * 2000) for number in range(3000)])
limit = (folder / "live.duckdb").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
if sys.argv[2] == "insert":
    attempted(lambda: history.insert_batch(big))
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    history.insert_batch(big)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    attempted(lambda: history.publish(folder / "snapshots"))
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
history.insert_batch(big)
history.publish(folder / "snapshots")
print(json.dumps([*told, sorted(history.has_batches(["b1", "b2"])), len(history.answers())]))
history.close()
"""


def on_a_full_disk(tmp_path: Path, when: str) -> list[Any]:
    """What a process tells whose files may grow no more at some moment; the same process goes on afterwards."""
    process = child(ON_A_FULL_DISK, tmp_path, when)
    out, _ = process.communicate()
    assert process.returncode == 0
    found: list[Any] = json.loads(out.splitlines()[-1])
    return found


@pytest.mark.parametrize("when", ["insert", "publish"])
def test_a_full_disk_is_said_and_the_same_history_goes_on(tmp_path: Path, when: str) -> None:
    told, batches, answers = on_a_full_disk(tmp_path, when)
    assert told.splitlines()[0].endswith(": the disk is full")
    assert "goes on" in told.splitlines()[1]
    assert (batches, answers) == (["b1", "b2"], 3000)


def test_a_full_disk_at_the_opening_is_said(tmp_path: Path) -> None:
    [told] = on_a_full_disk(tmp_path, "open")
    assert told.startswith(f"cannot write {tmp_path / 'live.duckdb'}: the disk is full\n")


def test_a_ruined_file_is_told_with_the_way_back(tmp_path: Path) -> None:
    (tmp_path / "live.duckdb").write_bytes(b"ruined" * 3000)
    with pytest.raises(StoreDamaged, match="next command makes it anew"):
        History.open(tmp_path / "live.duckdb")


def test_what_duckdb_refuses_is_one_line_with_its_cause(history: History, tmp_path: Path) -> None:
    history.close()
    with pytest.raises(HistoryFailed) as refused:
        history.has_batches(["b1"])
    assert "\n" not in str(refused.value)
    assert refused.value.__cause__ is not None


def test_a_restored_history_holds_the_snapshot_and_moves_its_own_facts_aside(history: History, tmp_path: Path) -> None:
    history.insert_batch(batch("b1", [answer("p1", "alpha", "hi")]))
    snapshot = history.publish(tmp_path / "snapshots")
    history.insert_batch(batch("b2", [answer("p2", "alpha", "hi")]))
    history.restore(snapshot.path)
    assert history.has_batches(["b1", "b2"]) == {"b1"}
    history.insert_batch(batch("b3", [answer("p3", "alpha", "hi")]))
    assert history.publish(tmp_path / "snapshots").bytes > 0
    aside = History.open(tmp_path / "live.duckdb.replaced-1")
    assert aside.has_batches(["b1", "b2", "b3"]) == {"b1", "b2"}
    aside.close()
    assert not snapshot.path.with_name(snapshot.path.name + ".wal").exists()


def test_a_restoration_from_nothing_is_a_refusal(history: History, tmp_path: Path) -> None:
    with pytest.raises(LeaderboardError, match="could not be copied"):
        history.restore(tmp_path / "nothing.duckdb")
