"""The board as a page: one document, no scripts, nothing from elsewhere. Everything shown is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from leaderboard.history.records import Row

TEMPLATES = Path(__file__).parent / "templates"
DASH = "–"
MEAN = 1000.0
FLAGS: dict[str, str] = {
    "unbeaten": "Took every point: the size of the rating rests on the prior",
    "winless": "Took no point: the size of the rating rests on the prior",
    "no_matches": "No verdicts yet",
    "thin": "Few verdicts",
    "thin_prompts": "Judged on few prompts",
    "provisional": "Single passes only: who stood first was not balanced out",
    "self_judged": "The judge is of the same family",
    "simulated": "A simulated model or judge, not a real one",
}
GATES: dict[str, str] = {
    "pass": "passes the gate: its whole interval lies above the bar",
    "fail": "fails the gate: its whole interval lies below the bar",
    "unclear": "unclear: the bar lies inside the interval",
}
POLICIES: dict[str, str] = {
    "tie": "a pairing whose two orders disagree counts as a tie",
    "score": "a pairing whose two orders disagree goes to the higher total score",
    "soft": "a pairing whose two orders disagree is shared between the models",
    "drop": "a pairing whose two orders disagree is left out",
}


@dataclass(frozen=True, slots=True)
class Scale:
    """From Elo points to 0..100, the width of the drawing."""

    lowest: float
    highest: float

    def place(self, points: float) -> float:
        return round(100 * (points - self.lowest) / (self.highest - self.lowest), 2)

    @property
    def middle(self) -> float:
        """Where the mean of everybody lies."""
        return self.place(MEAN)


@dataclass(frozen=True, slots=True)
class Group:
    """Models that are linked by matches: one scale, one ranking."""

    number: int | None
    rows: list[Mapping[str, Any]]
    scale: Scale | None


def board_page(board: Row, judges: Sequence[str]) -> bytes:
    """The page of a board; `judges` are those to choose from."""
    return _template().render(**view(board, judges)).encode()


def view(board: Mapping[str, Any], judges: Sequence[str]) -> dict[str, object]:
    """What the template shows."""
    head = board["head"]
    validated = board["board"] == "validated"
    return {
        "board": board,
        "judges": judges,
        "head": head,
        "gate": board["gate"],
        "first": head.get("p_first"),
        "intervals": head.get("intervals"),
        "validated": groups(board["standings"]) if validated else [],
        "screened": groups(board["screened"] if validated else board["standings"]),
        "shows_validated": validated,
    }


def groups(standings: Sequence[Mapping[str, Any]]) -> list[Group]:
    """The rows by component, each with a scale of its own; those without a match come last."""
    ordered = sorted(standings, key=lambda row: (row["component"] is None, row["component"] or 0))
    return [_group(number, list(rows)) for number, rows in groupby(ordered, key=lambda row: row["component"])]


def _group(number: int | None, rows: list[Mapping[str, Any]]) -> Group:
    return Group(number, rows, scale_of(rows))


def scale_of(rows: Iterable[Mapping[str, Any]]) -> Scale | None:
    """A scale that holds the mean and every rating with its interval and a little room; None without a rating."""
    found = [row[name] for row in rows for name in ("rating", "lower", "upper") if row[name] is not None]
    if not found:
        return None
    lowest, highest = min(*found, MEAN), max(*found, MEAN)
    room = max((highest - lowest) * 0.04, 10.0)
    return Scale(lowest - room, highest + room)


def points(value: float) -> str:
    """A rating in whole Elo points."""
    return f"{value:.0f}"


def share(value: float) -> str:
    """A share with two decimals; what is not quite 0 or 1 is not shown as such."""
    text = f"{value:.2f}"
    return f"{value:.4f}" if text in {"0.00", "1.00"} and value not in {0, 1} else text


def dollars(value: float) -> str:
    """US dollars with two significant digits, never in powers of ten."""
    if value == 0:
        return "$0"
    digits = max(2, 1 - int(f"{value:e}".partition("e")[2]))
    return f"${value:.{digits}f}"


def moment(stamp: str) -> str:
    """An ISO time in UTC, to the second."""
    return f"{stamp[:10]} {stamp[11:19]} UTC"


def flag_title(flag: str) -> str:
    return FLAGS.get(flag, flag.replace("_", " "))


def gate_title(gate: Mapping[str, Any]) -> str:
    """What the state of the gate means; a gate that says why itself is quoted."""
    state = str(gate["state"])
    reason = gate.get("reason")
    return f"{state}: {reason}" if reason else GATES.get(state, state)


def policy_title(policy: str) -> str:
    return POLICIES.get(policy, policy)


def parameters(sent: Mapping[str, Any] | None) -> str:
    """A judge's parameters in words; one that its provider refuses says so."""
    if not sent:
        return "nothing is known yet"
    return ", ".join(f"{name} {value}" for name, value in sent.items())


def path_part(text: str) -> str:
    return quote(text, safe="")


@cache
def _template() -> Template:
    shown = (points, share, dollars, moment, flag_title, gate_title, policy_title, parameters, path_part)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {each.__name__: each for each in shown}
    environment.globals["DASH"] = DASH
    return environment.get_template("board.html")
