"""`leaderboard board`: the standings, from the newest published snapshot."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.screen import print_json, say, table
from leaderboard.cli.stores import snapshot_of

BAR = 25
Row = dict[str, Any]


def board(judge: o.JudgeOption = None, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """The standings with their intervals, and how far the judge can be trusted."""
    with snapshot_of(home) as reader:
        found = reader.board(judge)
    print_json(found) if as_json else print_board(found)


def print_board(found: Row) -> None:
    """The head, the list, and below it the screened list, which has no scale in common with it."""
    for line in head_lines(found):
        say(line)
    _print_list(found["standings"], "validated" if found["board"] == "validated" else "screened only, provisional")
    if found["screened"]:
        _print_list(found["screened"], "screened only, provisional: no common rank or scale with the list above")
    for note in found["notes"]:
        say(f"note: {note}")


def head_lines(found: Row) -> list[str]:
    """Who judged, how consistent, how lopsided; what the ratings are."""
    title = f"Board of judge {found['judge']}" + (" (SIMULATED)" if found["simulated"] else "")
    lines = [
        title,
        f"{found['method']}, policy {found['policy']}, {found['n_battles']} verdicts, snapshot {found['snapshot']}",
    ]
    gate = found["gate"]
    if gate:
        why = f" ({gate['reason']})" if gate.get("reason") else ""
        lines.append(
            f"swap consistency C {share(gate['c'])} {interval(gate['lower'], gate['upper'])}, "
            f"n {gate['n']}, gate {gate['threshold']:g}: {gate['state']}{why}"
        )
    first = found["head"].get("p_first")
    if first:
        lines.append(f"P(first wins) {share(first['share'])} {interval(first['lower'], first['upper'])}")
    return lines


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def interval(lower: float | None, upper: float | None) -> str:
    return "" if lower is None or upper is None else f"[{lower:.3f}, {upper:.3f}]"


def _print_list(rows: list[Row], title: str) -> None:
    low, high = _range(rows)
    table(
        ("#>", "model", "rating>", "95 % interval", "W>", "L>", "T>", "USD/verdict>", "flags"),
        (
            (
                row["rank"],
                row["model"],
                None if row["rating"] is None else f"{row['rating']:.0f}",
                _bar(row, low, high),
                row["wins"],
                row["losses"],
                row["ties"],
                None if row["usd_per_verdict"] is None else f"{row['usd_per_verdict']:.5f}",
                ", ".join(row["flags"]),
            )
            for row in rows
        ),
        title=title,
    )


def _range(rows: list[Row]) -> tuple[float, float]:
    ends = [row[name] for row in rows for name in ("lower", "upper", "rating") if row[name] is not None]
    return (min(ends), max(ends)) if ends else (0.0, 0.0)


def _bar(row: Row, low: float, high: float) -> str:
    """The interval drawn to scale, then in figures; without one its reason."""
    if row["lower"] is None or row["upper"] is None or high <= low:
        return str(row["interval_reason"] or "")
    cells = [" "] * BAR
    left, middle, right = (round((row[name] - low) / (high - low) * (BAR - 1)) for name in ("lower", "rating", "upper"))
    cells[left : right + 1] = "─" * (right - left + 1)
    cells[middle] = "●"
    return f"{''.join(cells)} {row['lower']:.0f} to {row['upper']:.0f}"
