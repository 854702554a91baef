"""The board as a page: one document, no scripts, nothing from elsewhere. Everything shown is escaped."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from api import figures, words
from api.asked import Asked
from api.beside import beside
from api.choices import choosable, fit_choices, judge_choices, scope_choices
from api.snapshots import Around
from api.standings import groups
from leaderboard.history.boards import NONE_MADE, OLD
from leaderboard.history.records import FitKey, Row

TEMPLATES = Path(__file__).parent / "templates"
DASH = "–"
FILTERS = (
    figures.points, figures.change, figures.share, figures.chance, figures.signed, figures.elo, figures.p_value,
    figures.whole, figures.residual, figures.dollars, figures.moment, figures.path_part,
    words.flag_title, words.gate_title, words.policy_title, words.method_title, words.scope_title, words.parameters,
)  # fmt: skip


def board_page(board: Row, around: Around) -> bytes:
    """The page of a board."""
    return _template().render(**view(board, around)).encode()


def view(board: Mapping[str, Any], around: Around) -> dict[str, object]:
    """What the template shows."""
    head, stored, asked = board["head"], choosable(board, around), around.asked
    validated = board["board"] == "validated"
    return {
        "board": board,
        "asked": asked,
        "json_query": Asked(board["judge"], asked.key, asked.as_of).query,
        "ratings_query": Asked(board["judge"], asked.key if validated else FitKey(asked.key.scope)).query,
        "now_query": Asked(asked.judge, asked.key).query,
        "judge_query": Asked(board["judge"]).query,
        "judges": judge_choices(asked, around.judges, board["judge"]),
        "scopes": scope_choices(asked, stored),
        "fits": fit_choices(asked, stored),
        "head": head,
        "never_made": never_made(board),
        "notes": other_notes(board),
        "gate": board["gate"],
        "first": head.get("p_first"),
        "intervals": head.get("intervals"),
        "validated": groups(board["standings"]) if validated else [],
        "screened": groups(board["screened"] if validated else board["standings"]),
        "shows_validated": validated,
        "beside": beside(board, around, stored),
    }


def never_made(board: Mapping[str, Any]) -> bool:
    """Whether the list whose fit failed was never there, so that it is not old."""
    return board["old"] is not None and NONE_MADE.format(**board["old"]) in board["notes"]


def other_notes(board: Mapping[str, Any]) -> list[str]:
    """Without the note on a failed fit, which the page says above all others."""
    said = set() if board["old"] is None else {text.format(**board["old"]) for text in (OLD, NONE_MADE)}
    return [note for note in board["notes"] if note not in said]


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {each.__name__: each for each in FILTERS}
    environment.globals["DASH"] = DASH
    return environment.get_template("board.html")
