from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.terminal import started, typed
from tests.loopback_only import loopback_only

__all__ = ["loopback_only"]


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder without a .env, and an environment without settings or keys of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("LEADERBOARD_") or name.endswith(("_API_KEY", "_TOKEN")) or name == "COLUMNS":
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def made_bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made") / "bare"
    assert typed("init", "--bare", "--home", home).code == 0
    return home


@pytest.fixture
def bare(made_bare: Path, tmp_path: Path) -> Path:
    """A tournament with nothing in it."""
    return Path(shutil.copytree(made_bare, tmp_path / "bare"))


@pytest.fixture(scope="session")
def played_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick demo, played once. Only to be copied or read."""
    folder = tmp_path_factory.mktemp("demo")
    ran = started("demo", "--quick", "--seed", "3", "--home", "home", "--json", cwd=folder)
    (folder / "result.json").write_text(ran.out, encoding="utf-8")
    assert ran.code == 0, ran.err
    return folder / "home"


@pytest.fixture
def demo_home(played_demo: Path, tmp_path: Path) -> Path:
    """A played quick demo to do anything with."""
    return Path(shutil.copytree(played_demo, tmp_path / "demo"))


@pytest.fixture(scope="session")
def played_twice(played_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quick demo, played again with `guest` and its answers: two fits of all that is stored. Only to be read."""
    folder = tmp_path_factory.mktemp("twice")
    home = Path(shutil.copytree(played_demo, folder / "home"))
    prompts = typed("prompts", "list", "--json", "--home", home).json["items"]
    answers = [{"prompt_id": prompt["id"], "turns": ["An answer."] * len(prompt["turns"])} for prompt in prompts]
    (folder / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)), encoding="utf-8")
    for words in (
        ["models", "import-answers", "guest", "answers.jsonl", "--home", "home"],
        ["demo", "--quick", "--seed", "3", "--home", "home", "--json"],
    ):
        ran = started(*words, cwd=folder)
        assert ran.code == 0, ran.err
    return home
