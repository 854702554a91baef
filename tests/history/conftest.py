from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from history_facts import play

from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.writer import History


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History.open(tmp_path / "live.duckdb")
    yield opened
    opened.close()


@pytest.fixture
def published(history: History, tmp_path: Path) -> Iterator[Callable[[], SnapshotReader]]:
    """Publishes what the history holds now and opens it."""
    readers: list[SnapshotReader] = []

    def publish_and_open() -> SnapshotReader:
        readers.append(open_snapshot(history.publish(tmp_path / "snapshots").path))
        return readers[-1]

    yield publish_and_open
    for reader in readers:
        reader.close()


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotReader]:
    """A small tournament, published; nobody can change it."""
    folder = tmp_path_factory.mktemp("played")
    history = History.open(folder / "live.duckdb")
    play(history)
    with open_snapshot(history.publish(folder / "snapshots").path) as reader:
        yield reader
    history.close()
