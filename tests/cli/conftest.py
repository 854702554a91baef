from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.terminal import typed
from tests.loopback_only import loopback_only

__all__ = ["loopback_only"]


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder without a .env, and an environment without settings or keys of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("LEADERBOARD_") or name.endswith(("_API_KEY", "_TOKEN")) or name == "COLUMNS":
            monkeypatch.delenv(name)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A tournament with nothing in it."""
    home = tmp_path / "bare"
    assert typed("init", "--bare", "--home", home).code == 0
    return home


@pytest.fixture(scope="session")
def played_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick demo, played once. Only to be copied or read."""
    home = tmp_path_factory.mktemp("demo") / "home"
    ran = typed("demo", "--quick", "--seed", "3", "--home", home, "--json")
    assert ran.code == 0, ran.err
    return home


@pytest.fixture
def demo_home(played_demo: Path, tmp_path: Path) -> Path:
    """A played quick demo to do anything with."""
    return Path(shutil.copytree(played_demo, tmp_path / "demo"))
