"""The home folder: secrets that stay, a lock that dies with its holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leaderboard.errors import BadInput, Busy, NotFound, StoreDamaged
from leaderboard.home import Home, lock_holder, writer_lock

ROOT = Path(__file__).parents[1]
HOLDING = """
import sys, time
from pathlib import Path
from leaderboard.home import Home, writer_lock
with writer_lock(Home(Path(sys.argv[1]))):
    print("holds it", flush=True)
    time.sleep(60)
"""

FULL = """
import resource, sys
from pathlib import Path
from leaderboard.home import Home
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
Home(Path(sys.argv[1])).create()
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


@pytest.fixture
def holder(home: Home) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the writer lock."""
    code = [sys.executable, "-c", HOLDING, str(home.path)]
    with subprocess.Popen(code, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "holds it\n"
        yield child
        child.kill()


def test_naming_a_home_makes_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert not home.exists()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(NotFound, match="leaderboard init"):
        home.require()


def test_made_again_it_keeps_its_secrets(home: Home) -> None:
    before = home.secret(), home.admin_key_file.read_text()
    home.create()
    assert (home.secret(), home.admin_key_file.read_text()) == before
    assert len(home.secret()) == 32
    assert len(home.admin_key_file.read_text().splitlines()) == 1


def test_secrets_are_for_their_owner_and_differ(home: Home, tmp_path: Path) -> None:
    assert {path.stat().st_mode & 0o777 for path in (home.secret_file, home.admin_key_file)} == {0o600}
    other = Home(tmp_path / "other")
    other.create()
    assert other.secret() != home.secret()
    assert other.admin_key_file.read_text() != home.admin_key_file.read_text()


def test_the_secret_of_a_demo_follows_from_its_seed_and_its_admin_key_does_not(tmp_path: Path) -> None:
    """Demos with one seed ask the same questions to the last letter; who may change them is another matter."""
    demos = [Home(tmp_path / name) for name in ("one", "two", "three")]
    for home, seed in zip(demos, (1, 1, 2), strict=True):
        home.create(demo_seed=seed)
    one, two, three = (home.secret() for home in demos)
    assert one == two != three
    assert len({home.admin_key_file.read_text() for home in demos}) == 3


@pytest.mark.parametrize(
    "content",
    [None, "", "\n", "not hexadecimal", "\u00e9", "ab", "ab" * 31, "ab" * 33, "ab " * 32, "a" * 63, "\uff11" * 64],
)
def test_a_damaged_secret_is_said(home: Home, content: str | None) -> None:
    home.secret_file.unlink()
    if content is not None:
        home.secret_file.write_text(content, encoding="utf-8")
    with pytest.raises(StoreDamaged, match="secret"):
        home.secret()


def test_a_full_disk_leaves_no_empty_secret(tmp_path: Path) -> None:
    """A file size limit of 0 stands for it: files can be made, and nothing can be written into them."""
    path = tmp_path / "home"
    limited = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, cwd=ROOT)
    assert limited.returncode == 1
    assert "File too large" in limited.stderr
    assert [file.name for file in path.iterdir()] == ["snapshots"]
    Home(path).create()
    assert len(Home(path).secret()) == 32


def test_of_many_that_make_a_home_at_once_one_secret_counts(tmp_path: Path) -> None:
    homes = [Home(tmp_path / "home") for _ in range(16)]

    def make(home: Home) -> bytes:
        home.create()
        return home.secret()

    with ThreadPoolExecutor(len(homes)) as pool:
        assert len(set(pool.map(make, homes))) == 1
    assert sorted(file.name for file in homes[0].path.iterdir()) == ["admin.key", "secret", "snapshots"]


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="is a file"):
        Home(tmp_path / "file").create()
    with pytest.raises(NotADirectoryError):
        Home(tmp_path / "file" / "below").create()
    assert (tmp_path / "file").read_text() == "mine"


def test_the_ledger_may_be_elsewhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADERBOARD_LEDGER_URL", raising=False)
    assert home.ledger_url == f"sqlite:///{home.path}/ledger.sqlite"
    monkeypatch.setenv("LEADERBOARD_LEDGER_URL", "postgresql://db/x")
    assert home.ledger_url == "postgresql://db/x"


def test_the_lock_names_its_holder_and_is_free_afterwards(home: Home) -> None:
    assert lock_holder(home) is None
    with writer_lock(home):
        assert lock_holder(home) == os.getpid()
        with pytest.raises(Busy, match=str(os.getpid())), writer_lock(home):
            pass
        assert lock_holder(home) == os.getpid()
    assert lock_holder(home) is None


def test_the_lock_is_free_after_an_error(home: Home) -> None:
    with pytest.raises(ZeroDivisionError), writer_lock(home):
        _ = 1 / 0
    with writer_lock(home):
        assert lock_holder(home) == os.getpid()


def test_another_process_is_named(home: Home, holder: subprocess.Popen[str]) -> None:
    assert lock_holder(home) == holder.pid
    with pytest.raises(Busy, match=f"process {holder.pid} is writing"), writer_lock(home):
        pass


def test_the_lock_of_a_killed_process_is_free(home: Home, holder: subprocess.Popen[str]) -> None:
    """Its number is still in the file; the lock itself went with it."""
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    assert home.lock_file.read_text().split()[0] == str(holder.pid)
    assert lock_holder(home) is None
    with writer_lock(home):
        assert lock_holder(home) == os.getpid()
