"""The command line as somebody at the keyboard meets it, in this process or in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.cli import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """What a command did: its exit code, what it printed and what it said beside it."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout, read by a parser that knows no NaN."""
        assert self.code == 0, self.err
        return strict_json(self.out)

    @property
    def refusal(self) -> str:
        """The refusal: exit 1, nothing on stdout, one to four short lines without a traceback."""
        assert (self.code, self.out) == (1, ""), self
        lines = self.err.splitlines()
        assert 1 <= len(lines) <= 4, self.err
        assert lines[0].startswith("error: "), self.err
        assert "Traceback" not in self.err
        return self.err


def strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=_refused)


def _refused(name: str) -> object:
    raise AssertionError(f"{name} is not JSON")


def typed(*words: str | Path) -> Ran:
    """Run a command in this process."""
    out, err = _stream(), _stream()
    code: int | str | None = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
    return Ran(int(code or 0), _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]


def started(*words: str | Path, cwd: Path, **environment: str) -> Ran:
    """Run a command in a process of its own, with these variables beside the usual ones."""
    done = subprocess.run(
        [sys.executable, "-m", "leaderboard", *map(str, words)],
        cwd=cwd,
        env={**usual_environment(), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def usual_environment() -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEADERBOARD_")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def ledger_rows(home: Path) -> list[str]:
    """Everything in the ledger, to compare before and after."""
    with contextlib.closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        return list(ledger.iterdump())


def files_under(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
