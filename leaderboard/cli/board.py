"""`leaderboard board`: the standings, from the newest published snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, facts, headline, print_json, room_beside, say, table
from leaderboard.cli.stores import snapshot_of

WIDEST_BAR = 25
NARROWEST_BAR = 9
BAR_PLACE = 4
NOT_SENT = "not sent"
Row = dict[str, Any]


def board(judge: o.JudgeOption = None, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Print the board: who is best, and how sure that is."""
    with snapshot_of(home) as reader:
        found = reader.board(judge)
    print_json(found) if as_json else print_board(found)


def print_board(found: Row) -> None:
    """The head, the list, and below it the screened list, which has no scale in common with it."""
    headline(f"Board of judge {found['judge']}" + (" (SIMULATED)" if found["simulated"] else ""))
    facts(head_facts(found))
    _print_list(found["standings"], "Validated" if found["board"] == "validated" else "Screened only, provisional")
    if found["screened"]:
        _print_list(found["screened"], "Screened only, provisional")
    for note in found["notes"]:
        say(f"\nnote: {note}")


def head_facts(found: Row) -> list[tuple[str, object]]:
    """How consistent the judge is, how lopsided; what the ratings are."""
    gate, first = found["gate"], found["head"].get("p_first")
    battles = f"{counted(found['n_battles'], 'verdict')} on {counted(found['n_prompts'], 'prompt')}"
    return [
        *([] if not gate else gate_facts(gate["c"], gate, f" of {counted(gate['n'], 'pairing')}" if gate["n"] else "")),
        ("P(first wins)", None if not first else figure(first["share"], first)),
        ("ratings", f"{found['method']}, policy {found['policy']}, {battles}"),
        ("judged by", _judging(found["head"])),
    ]


def _judging(head: Row) -> str:
    """The judge's protocol, and the parameters that its provider refuses."""
    protocol = f"{head['protocol']}, k = {head['samples']}" if head.get("protocol") else "single passes"
    sent = head.get("judge_parameters") or {}
    refused = [name for name, value in sent.items() if value == NOT_SENT]
    return f"{protocol}; {', '.join(refused)} not sent" if refused else protocol


def gate_facts(c: float | None, gate: Row, over: str = "") -> list[tuple[str, object]]:
    """C, and whether it passes."""
    why = f" ({gate['reason']})" if gate.get("reason") else ""
    return [
        ("swap consistency C", figure(c, gate) + over),
        (f"gate at {gate['threshold']:g}", f"{gate['state']}{why}"),
    ]


def figure(value: float | None, ends: Row) -> str:
    """A share with its interval, as far as there are any."""
    if value is None:
        return "–"
    lower, upper = ends.get("lower"), ends.get("upper")
    return f"{value:.3f}" if lower is None or upper is None else f"{value:.3f} [{lower:.3f}, {upper:.3f}]"


def _print_list(rows: list[Row], title: str) -> None:
    """One list with its bars to scale; what all of its rows share is said once, below it."""
    flags, reason = _shared_flags(rows), _shared_reason(rows)
    columns: dict[str, Callable[[Row], object]] = {
        "group>": (lambda row: row["component"] + 1) if _in_groups(rows) else (lambda row: None),
        "#>": lambda row: row["rank"],
        "model!": lambda row: row["model"],
        "rating>": lambda row: None if row["rating"] is None else f"{row['rating']:.0f}",
        "95 % interval>": partial(_interval, shared_reason=reason),
        "W/L/T>": partial(_record, rows),
        "USD/verdict>": lambda row: None if row["usd_per_verdict"] is None else f"{row['usd_per_verdict']:.5f}",
        "flags~": lambda row: ", ".join(flag for flag in row["flags"] if flag not in flags) or None,
    }
    headline(f"\n{title}")
    _print_with_bars(columns, rows)
    if flags:
        say(f"all: {', '.join(flags)}")
    if reason:
        say(f"no intervals: {reason}")


def _print_with_bars(columns: dict[str, Callable[[Row], object]], rows: list[Row]) -> None:
    names = list(columns)
    body = [[show(row) for show in columns.values()] for row in rows]
    room = min(room_beside(names, body), WIDEST_BAR)
    if room >= NARROWEST_BAR:
        names.insert(BAR_PLACE, "")
        scale = _range(rows)
        for cells, row in zip(body, rows, strict=True):
            cells.insert(BAR_PLACE, _bar(row, scale, room))
    table(names, body)


def _shared_flags(rows: Sequence[Row]) -> list[str]:
    """The flags that every row has, in the order of the first."""
    return [flag for flag in rows[0]["flags"] if all(flag in row["flags"] for row in rows)] if rows else []


def _shared_reason(rows: Sequence[Row]) -> str | None:
    """Why no row has an interval, when that is one reason."""
    reasons = {row["interval_reason"] for row in rows}
    return reasons.pop() if len(reasons) == 1 else None


def _in_groups(rows: Sequence[Row]) -> bool:
    return len({row["component"] for row in rows if row["rating"] is not None}) > 1


def _record(rows: Sequence[Row], row: Row) -> str:
    """Wins, losses and ties, each as wide as the widest of its kind."""
    kinds = ("wins", "losses", "ties")
    return "/".join(str(row[kind]).rjust(max(len(str(each[kind])) for each in rows)) for kind in kinds)


def _interval(row: Row, shared_reason: str | None) -> str | None:
    if row["lower"] is None or row["upper"] is None:
        return None if shared_reason else row["interval_reason"]
    return f"{row['lower']:.0f} to {row['upper']:.0f}"


def _range(rows: Sequence[Row]) -> tuple[float, float]:
    ends = [row[name] for row in rows for name in ("lower", "upper", "rating") if row[name] is not None]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _bar(row: Row, scale: tuple[float, float], width: int) -> str | None:
    """The interval drawn to scale."""
    low, high = scale
    if row["lower"] is None or row["upper"] is None or high <= low:
        return None
    cells = [" "] * width
    left, middle, right = (
        round((row[name] - low) / (high - low) * (width - 1)) for name in ("lower", "rating", "upper")
    )
    cells[left : right + 1] = "─" * (right - left + 1)
    cells[middle] = "●"
    return "".join(cells)
