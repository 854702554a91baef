"""Stores in trouble: a lost history, a full disk, a folder that cannot be written. Told shortly, and mended."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.cli import guarded
from leaderboard.core.types import Model
from leaderboard.errors import BadInput, Busy, LeaderboardError, StoreDamaged
from leaderboard.history.snapshots import held
from leaderboard.history.writer import History
from leaderboard.home import Home
from leaderboard.tournament.collect import publish
from tests.tournament.real_process import ROOT, asked, environment
from tests.tournament.stage import Actors, Stage, bench_judge, contestant, questions

JUDGE = "judge-length"
FIELD = ("alpha", "beta", "gamma")
PROMPTS = 4
MANY = 30
SIZES = ["SELECT count(*) FROM answers", "SELECT count(*) FROM readings", "SELECT count(*) FROM verdicts"]


def new_stage(folder: Path) -> Stage:
    field = [contestant(name) for name in FIELD]
    return Stage.build(folder, field, bench_judge(JUDGE, samples=1), questions(PROMPTS))


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home where a tournament was played in two pieces, so that there are several snapshots."""
    stage = new_stage(tmp_path_factory.mktemp("finished") / "home")
    stage.play(Actors(), "screening")
    assert stage.play(Actors())["state"] == "done"
    return stage.home.path


@pytest.fixture
def stage(finished_once: Path, tmp_path: Path) -> Stage:
    shutil.copytree(finished_once, tmp_path / "home")
    return Stage(Home(tmp_path / "home"))


def lose_history(stage: Stage) -> None:
    for file in stage.home.path.glob("history.duckdb*"):
        file.unlink()


def facts(stage: Stage) -> list[list[tuple[object, ...]]]:
    return [stage.rows(question) for question in SIZES]


def test_a_lost_history_comes_back_from_the_newest_snapshot(stage: Stage) -> None:
    before, ratings, newest = facts(stage), stage.ratings(), stage.snapshot
    lose_history(stage)
    [told] = stage.warnings()
    assert "published batches are missing from history.duckdb; it was restored from " + newest.name in told
    assert stage.warnings() == [], "once"
    actors = Actors()
    assert stage.play(actors)["state"] == "done"
    assert actors.asked == [], "nothing is paid again"
    assert (facts(stage), stage.ratings()) == (before, ratings)


def test_what_was_not_published_yet_follows_from_the_ledger(stage: Stage) -> None:
    stage.add_model(contestant("delta"))
    command = [sys.executable, "-m", "tests.tournament.killed_child", "batch acknowledged", "1", "stage"]
    died = subprocess.run([*command, str(stage.home.path)], cwd=ROOT, check=False)
    assert died.returncode == -signal.SIGKILL
    settled = stage.ledger_rows("SELECT count(*) FROM requests WHERE kind = 'answer' AND model = 'delta'")[0][0]
    assert settled > 0
    lose_history(stage)
    restored, returned = stage.warnings()
    assert "restored from" in restored
    assert "they are back, from the ledger" in returned
    actors = Actors()
    assert stage.play(actors)["state"] == "done"
    assert len(actors.answered) == PROMPTS - settled, "what was paid is not asked again"
    assert stage.rows("SELECT count(*), count(DISTINCT (prompt_id, model)) FROM answers") == [(4 * PROMPTS,) * 2]
    assert stage.rows("SELECT stage, count(*) FROM verdicts GROUP BY 1 ORDER BY 1") == [
        ("screening", 6 * PROMPTS), ("validation", 6 * PROMPTS)
    ]  # fmt: skip


def test_a_pointer_that_is_ruined_does_not_hinder_the_restoration(stage: Stage) -> None:
    before = facts(stage)
    (stage.home.snapshots / "CURRENT").write_bytes(b"../history.duckdb\n")
    held(stage.home.snapshots)[0].write_bytes(b"ruined")
    lose_history(stage)
    assert len(stage.warnings()) == 1
    stage.play(Actors())
    assert facts(stage) == before


def test_without_a_snapshot_nothing_is_written_however_often_it_is_tried(stage: Stage) -> None:
    lose_history(stage)
    good = stage.snapshot
    elsewhere = good.rename(stage.home.path / good.name)
    snapshots = held(stage.home.snapshots)
    for snapshot in snapshots:
        snapshot.unlink()
    for _ in range(4):
        with pytest.raises(StoreDamaged, match="from a backup") as refused:
            stage.play(Actors())
        assert len(str(refused.value).splitlines()) <= 4
        assert held(stage.home.snapshots) == []
    elsewhere.rename(good)
    assert len(stage.warnings()) == 1, "the folder of snapshots came back"
    assert stage.play(Actors())["state"] == "done"


def test_a_history_that_holds_a_part_is_not_touched_and_the_way_back_works(stage: Stage) -> None:
    before = facts(stage)
    parts(stage)
    there, here = held(stage.home.snapshots), stored(stage)
    for _ in range(4):
        with pytest.raises(StoreDamaged, match=r"restore them with: cp (\S+) (\S+)$") as refused:
            stage.play(Actors())
    assert held(stage.home.snapshots) == there
    assert stored(stage) == here
    advice = str(refused.value).splitlines()[-1].partition(": ")[2]
    subprocess.run(advice.split(), check=True)
    assert stage.warnings() == []
    stage.play(Actors())
    assert facts(stage) == before


def parts(stage: Stage) -> None:
    """Put a history in place that lacks the newest batch."""
    [(newest,)] = asked(stage, "SELECT id FROM batches ORDER BY created_at DESC LIMIT 1")
    history = History.open(stage.home.history_file)
    history._con.execute("DELETE FROM batch WHERE id = ?", [newest])
    history.close()


def stored(stage: Stage) -> list[tuple[object, ...]]:
    """How much the live file holds, of facts and of what is derived."""
    history = History.open(stage.home.history_file)
    tables = ("batch", "answer", "reading", "attempt", "verdict", "fit", "run_row")
    rows = [history._con.execute(f"SELECT count(*) FROM {table}").fetchall()[0] for table in tables]
    history.close()
    return rows


def test_a_history_that_lost_facts_while_it_is_open_is_not_published(stage: Stage) -> None:
    there = held(stage.home.snapshots)
    with stage.office() as office:
        office.history._con.execute("DELETE FROM batch")
        for _ in range(4):
            with pytest.raises(StoreDamaged, match="nothing is written until they are back"):
                publish(office.ledger, office.history, office.home.snapshots)
    assert held(stage.home.snapshots) == there


def test_texts_stay_in_the_ledger_until_a_snapshot_really_holds_them(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    with stage.office() as office, office.ledger.write() as tx:
        tx.exec_driver_sql(
            "INSERT INTO batches (id, state, requests, attempts, created_at) VALUES ('gone', 'committed', 0, 0, '')"
        )
    with stage.office() as office:
        office.history._con.execute("DELETE FROM batch")
        publish(office.ledger, office.history, office.home.snapshots)
    assert stage.ledger_rows("SELECT id, state FROM batches") == [("gone", "committed")]


# -- a full disk -------------------------------------------------------------------------------------------------------


@pytest.fixture
def simulation(tmp_path: Path) -> Stage:
    """A field that is simulated within the product, so that `leaderboard run` needs nobody else."""
    field = [with_route(contestant(name), "sim/contestant") for name in FIELD]
    judge = bench_judge("judy", samples=1)
    judge = replace(judge, endpoint=replace(judge.endpoint, litellm="sim/judge"))
    return Stage.build(tmp_path / "home", field, judge, questions(MANY))


def with_route(model: Model, route: str) -> Model:
    assert model.endpoint is not None
    return replace(model, endpoint=replace(model.endpoint, litellm=route))


def leaderboard_run(stage: Stage, limit: int | None = None) -> subprocess.CompletedProcess[str]:
    """`leaderboard run` in a process whose files may not grow beyond a limit: it stands for a full disk."""

    def narrow() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "leaderboard", "run", "-y", "--json", "--home", str(stage.home.path)]
    return subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, preexec_fn=narrow
    )


def refusal_of(ran: subprocess.CompletedProcess[str]) -> str:
    """The refusal at the end of what was said: exit 1, at most four lines, no traceback."""
    assert (ran.returncode, ran.stdout) == (1, ""), ran
    assert "Traceback" not in ran.stderr
    assert ran.stderr.count("error: ") == 1, ran.stderr
    said = ran.stderr[ran.stderr.index("error: ") :]
    assert len(said.splitlines()) <= 4
    return said


def assert_whole(stage: Stage, ran: subprocess.CompletedProcess[str]) -> None:
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["state"] == "done"
    pairs = 3
    assert stage.rows("SELECT stage, count(*) FROM verdicts GROUP BY 1 ORDER BY 1") == [
        ("screening", pairs * MANY), ("validation", pairs * MANY)
    ]  # fmt: skip
    assert stage.rows("SELECT count(*) FROM answers") == [(3 * MANY,)]


@pytest.mark.parametrize(("limit", "store"), [(1_000, "ledger"), (150_000, "history"), (400_000, "ledger")])
def test_a_run_on_a_full_disk_ends_shortly_and_goes_on(simulation: Stage, limit: int, store: str) -> None:
    """Before anything is asked, at the first collection, and with many requests in flight."""
    said = refusal_of(leaderboard_run(simulation, limit))
    assert f"{store}." in said.splitlines()[0]
    assert "free some space" in said
    assert "goes on" in said
    assert_whole(simulation, leaderboard_run(simulation))


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A small disk of its own at the folder; skips where none can be mounted."""
    folder.mkdir(exist_ok=True)
    if mount("-t", "tmpfs", "-o", options, "tmpfs", str(folder)) != 0:
        pytest.skip("no disk can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def mount(*arguments: str) -> int:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return 1
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode


def test_a_run_on_a_disk_that_is_really_full_goes_on_when_it_grows(simulation: Stage, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "size=2m"):
        moved = Stage(Home(Path(shutil.copytree(simulation.home.path, disk / "home"))))
        said = refusal_of(leaderboard_run(moved))
        assert "full" in said.splitlines()[0]
        assert "goes on" in said
        assert mount("-o", "remount,size=200m", str(disk)) == 0
        assert_whole(moved, leaderboard_run(moved))


def test_a_home_that_cannot_be_written_is_told_in_a_few_lines(stage: Stage, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with mounted(disk, "size=50m"):
        home = Path(shutil.copytree(stage.home.path, disk / "home"))
        assert mount("-o", "remount,ro", str(disk)) == 0
        for words in (["status"], ["models", "list"], ["run", "-y"], ["board"]):
            command = [sys.executable, "-m", "leaderboard", *words, "--home", str(home)]
            ran = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
            if words == ["board"]:
                assert ran.returncode == 0, "published snapshots are readable"
            else:
                assert str(home) in refusal_of(ran)


# -- what the command line makes of errors -----------------------------------------------------------------------------


def raising(error: BaseException) -> Callable[[], object]:
    def program() -> object:
        raise error

    return program


GROUPS: list[BaseException] = [
    BaseExceptionGroup("g", [Busy("first"), BadInput("second")]),
    ExceptionGroup("g", [ExceptionGroup("inner", [StoreDamaged("first\nline two")]), LeaderboardError("second")]),
    OSError(28, "No space left on device"),
]


@pytest.mark.parametrize("error", GROUPS, ids=["flat", "nested", "disk"])
def test_many_refusals_are_told_as_one(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        guarded(raising(error))
    assert ended.value.code == 1
    said = capsys.readouterr().err
    assert said.startswith(("error: first\n", "error: cannot write: No space"))
    assert "second" not in said


def test_a_mistake_of_the_program_among_refusals_is_not_hidden() -> None:
    with pytest.raises(ExceptionGroup):
        guarded(raising(ExceptionGroup("g", [Busy("busy"), ZeroDivisionError()])))
