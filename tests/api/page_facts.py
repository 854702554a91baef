"""What a browser would make of a page, and boards to make pages of."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from api.asked import Asked
from api.pages import board_page
from api.snapshots import Around
from leaderboard.history.boards import empty_board

BLANK = (
    "rating", "lower", "upper", "interval_reason", "rank", "rank_lower", "rank_upper", "rank_reason", "component",
    "usd_per_verdict", "tier", "p_top1", "p_topk", "expected_next", "more_pairings", "more_reason",
)  # fmt: skip


class Seen(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        """The text with every stretch of white space as one blank."""
        return " ".join(self.text.split())

    @property
    def titles(self) -> set[str]:
        return {str(attributes["title"]) for _, attributes in self.tags if "title" in attributes}


def row(id_: str = "alpha", **values: Any) -> dict[str, Any]:
    """A standing as the board's JSON has it: everything unknown but what is given."""
    counts = {"n": 0, "flags": [], "wins": 0, "losses": 0, "ties": 0, "simulated": False}
    return {"model": id_, **dict.fromkeys(BLANK), **counts, **values}


def effect(logit: float | None = 0.31, **values: Any) -> dict[str, Any]:
    given = {"logit": logit, "se": 0.05, "se_model": 0.04, "lower": 0.21, "upper": 0.41, "elo": 53.9, "p_value": 1e-9}
    return {**given, "reason": None, **values}


def page(asked: Asked | None = None, **values: Any) -> Seen:
    """The page of a validated board of judge `judy` before anything is published."""
    rated = {"board": "validated", "method": "bt", "policy": "tie", "judge": "judy", "notes": [], "components": 1}
    around = Around(asked or Asked(), ["judy"])
    return Seen(board_page(empty_board([]) | rated | values, around).decode())
