"""The home folder: where a tournament keeps its ledger, history, snapshots, secret and settings."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from leaderboard.errors import BadInput, Busy, NotFound, StoreDamaged

JOBS = "jobs"
SECRET = re.compile(r"[0-9a-fA-F]{64}")
PROBES = 5
PROBE_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Home:
    """Names of the files of one tournament. Nothing is created by naming it."""

    path: Path

    @property
    def settings_file(self) -> Path:
        return self.path / "tournament.toml"

    @property
    def history_file(self) -> Path:
        return self.path / "history.duckdb"

    @property
    def snapshots(self) -> Path:
        return self.path / "snapshots"

    @property
    def lock_file(self) -> Path:
        return self.path / "writer.lock"

    @property
    def secret_file(self) -> Path:
        return self.path / "secret"

    @property
    def admin_key_file(self) -> Path:
        return self.path / "admin.key"

    @property
    def ledger_url(self) -> str:
        return os.environ.get("LEADERBOARD_LEDGER_URL") or f"sqlite:///{self.path / 'ledger.sqlite'}"

    def exists(self) -> bool:
        return self.settings_file.exists()

    def require(self) -> None:
        if not self.exists():
            raise NotFound(
                f"no tournament in {self.path}\n"
                "make one with `leaderboard init` or `leaderboard demo`, or name its folder with --home"
            )

    def secret(self) -> bytes:
        """The key behind the marks in judge prompts, 32 bytes. StoreDamaged when its file holds something else."""
        try:
            text = self.secret_file.read_text(encoding="ascii").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            text = ""
        if not SECRET.fullmatch(text):
            raise StoreDamaged(
                f"{self.secret_file}: the key behind the marks in judge prompts is missing or damaged\n"
                "put it back, or remove it and run `leaderboard init`: judgements that exist stay as they are"
            )
        return bytes.fromhex(text)

    def create(self, *, demo_seed: int | None = None) -> None:
        """Make the folder and its two secrets, keeping those that are there. A demo's secret follows from its seed."""
        if self.path.is_file():
            raise BadInput(f"{self.path} is a file: a tournament needs a folder, name one with --home")
        self.path.mkdir(parents=True, exist_ok=True)
        self.snapshots.mkdir(exist_ok=True)
        drawn = secrets.token_hex(32) if demo_seed is None else _demo_secret(demo_seed)
        _write_private(self.secret_file, drawn)
        _write_private(self.admin_key_file, secrets.token_urlsafe(32))


def _demo_secret(seed: int) -> str:
    return hashlib.sha256(f"leaderboard demo {seed}".encode()).hexdigest()


def _write_private(path: Path, text: str) -> None:
    """Create the file readable by its owner only, whole or not at all; one that is there stays."""
    if path.exists():
        return
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        _write_through(draft, text + "\n")
        # A link never takes the place of a file: of two that create at once, the first one counts for both.
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_through(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def writer_lock(home: Home, role: str = "command") -> Iterator[None]:
    """Hold the right to write the history. Raises Busy, naming the holder, when another process has it.

    `role` says whether the holder takes work from others (JOBS) or not. The operating system drops the lock when its
    holder dies, so a stale one cannot exist.
    """
    with open(home.lock_file, "a+", encoding="ascii") as file:
        if not _taken(file):
            raise Busy(f"process {lock_holder(home)} is writing this tournament: wait for its end")
        file.truncate(0)
        file.write(f"{os.getpid()} {role}")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _taken(file: IO[str]) -> bool:
    """Take the lock, trying for a moment: whoever only asks who has it holds it for an instant."""
    for _ in range(PROBES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PROBE_PAUSE)
        else:
            return True
    return False


def lock_holder(home: Home) -> int | None:
    """The process that holds the writer lock, None when it is free."""
    words = _held_by(home)
    return None if words is None else int(words[0]) if words else 0


def takes_work(home: Home) -> bool:
    """Whether the holder of the writer lock plays runs that others put into the ledger."""
    return (_held_by(home) or [])[1:] == [JOBS]


def _held_by(home: Home) -> list[str] | None:
    """Process and role of the lock's holder; None when it is free, empty in the instant before it has signed."""
    if not home.lock_file.exists():
        return None
    with open(home.lock_file, encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            return file.read().split()
        return None
