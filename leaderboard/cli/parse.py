"""`leaderboard parse`: read judge replies from a file, without any tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leaderboard.cli.screen import print_json


def parse(
    file: Annotated[Path, typer.Argument(help="JSONL: id, text, template.")],
    template: Annotated[
        str | None, typer.Option("--template", help="Template of every line; wins over a line's own.")
    ] = None,
) -> None:
    """Read judge replies from a file, one JSON line each."""
    from leaderboard.formats.replies import parse_replies

    for line in parse_replies(file, template):
        print_json(line)
