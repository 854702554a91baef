"""Variables from a `.env` file. What the shell has set wins."""

from __future__ import annotations

from pathlib import Path


def read_dotenv(file: Path) -> None:
    """Set the file's variables where they are not set. BadInput names the line that is no `NAME=value`."""
    if not file.is_file():
        return
    from io import StringIO

    from dotenv import load_dotenv
    from dotenv.parser import parse_stream

    from leaderboard.errors import BadInput
    from leaderboard.formats.jsonl import read_text

    text = read_text(file)
    for statement in parse_stream(StringIO(text)):
        if statement.error or "\0" in statement.original.string:
            raise BadInput(f"{file}, line {statement.original.line}: write it as NAME=value")
    load_dotenv(stream=StringIO(text), override=False)
