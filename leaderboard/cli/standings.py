"""The lists of a board on the screen: a row a model, what all rows share said once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from leaderboard.cli.bars import Interval, table_with_bars
from leaderboard.cli.screen import headline, room_beside, say, table
from leaderboard.core.settling_reasons import NOT_HERE, TOO_NEAR

STAR, DAGGER = "*", "†"
BAR_BEFORE = "95 % interval>"
HARDLY, SURELY = 0.005, 0.995
LEGEND = (
    "≈P(best): approximate chance to be the best. vs next: expected share against the next one below, under this "
    "{judge}. more: pairings of these two, each on a new prompt, to tell the two apart in a comparison of their own, "
    "in 80 % of the cases."
)
APART = "No ranking holds across groups: no chain of verdicts links one with another, and each has a scale of its own."
Row = dict[str, Any]
Columns = dict[str, Callable[[Row], object]]


def print_list(rows: Sequence[Row], title: str) -> None:
    """One list, a table for each group of models that verdicts link; those without a rating stand in the last one."""
    parts = _parts(rows)
    for number, part in enumerate(parts, 1):
        _print_part(part, title if len(parts) == 1 else f"{title}, group {number} of {len(parts)}")
    if len(parts) > 1:
        say(f"\n{APART}")


def turned(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Who stands the other way round under the control, among those whose rank intervals are apart in one of the two.

    Pairs as the plain ratings order them; models of two groups are never compared.
    """
    both = [
        row for row in rows if row["rating"] is not None and (row.get("controlled") or {}).get("rating") is not None
    ]
    return [
        (a["model"], b["model"])
        for one, other in combinations(both, 2)
        if one["component"] == other["component"]
        for a, b in [sorted((one, other), key=lambda row: -row["rating"])]
        if a["controlled"]["rating"] < b["controlled"]["rating"]
        and (_apart(a, b) or _apart(b["controlled"], a["controlled"]))
    ]


def _apart(better: Row, worse: Row) -> bool:
    upper, lower = better["rank_upper"], worse["rank_lower"]
    return upper is not None and lower is not None and upper < lower


def _parts(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows by group."""
    groups = sorted({row["component"] for row in rows if row["rating"] is not None})
    if len(groups) <= 1:
        return [list(rows)]
    parts = [[row for row in rows if row["rating"] is not None and row["component"] == group] for group in groups]
    return [*parts[:-1], [*parts[-1], *(row for row in rows if row["rating"] is None)]]


def _print_part(rows: Sequence[Row], title: str) -> None:
    """A table with its bars to scale. Where the screen is too narrow for all columns, it takes two."""
    headline(f"\n{title}")
    first, more, flags = _rating_columns(rows), _next_columns(rows), _flag_column(rows)
    if room_beside(*_cells({**first, **more, **flags}, rows)) >= 0:
        _print_with_bars({**first, **more, **flags}, rows)
    else:
        _print_with_bars({**first, **flags}, rows)
        _print_below(more, rows)
    for line in _said_once(rows):
        say(line)


def legend(rows: Sequence[Row], *, policy: str | None) -> list[str]:
    """What the columns mean that nobody can guess, if they are there. `policy`: None under `joint`."""
    said = LEGEND.format(judge="judge and policy" if policy else "judge")
    return [said] if any(row["p_top1"] is not None for row in rows) else []


def _rating_columns(rows: Sequence[Row]) -> Columns:
    return {
        "tier>": partial(_tier, rows),
        "#>": lambda row: row["rank"],
        "ranks>": rank_interval,
        "model!": lambda row: row["model"],
        "rating>": lambda row: None if row["rating"] is None else f"{row['rating']:.0f}",
        BAR_BEFORE: partial(_interval, shared_reason=_shared(rows, "interval_reason")),
        "W/L/T>": partial(_record, rows),
    }


def _next_columns(rows: Sequence[Row]) -> Columns:
    shared = _shared_why(rows)
    return {
        "equal length>": lambda row: _controlled(row.get("controlled")),
        "ranks then>": lambda row: _controlled_ranks(row.get("controlled")),
        "≈P(best)>": lambda row: _chance(row["p_top1"]),
        "vs next>": lambda row: None if row["expected_next"] is None else f"{row['expected_next']:.2f}",
        "more>": _more,
        "why~": lambda row: None if shared else _why(row),
        "USD/verdict>": lambda row: None if row["usd_per_verdict"] is None else f"{row['usd_per_verdict']:.5f}",
    }


def _flag_column(rows: Sequence[Row]) -> Columns:
    shared = _shared_flags(rows)
    return {"flags~": lambda row: ", ".join(flag for flag in row["flags"] if flag not in shared) or None}


def _cells(columns: Columns, rows: Sequence[Row]) -> tuple[list[str], list[list[object]]]:
    return list(columns), [[show(row) for show in columns.values()] for row in rows]


def _print_with_bars(columns: Columns, rows: Sequence[Row]) -> None:
    intervals = [Interval(row["lower"], row["rating"], row["upper"]) for row in rows]
    table_with_bars(*_cells(columns, rows), intervals, place=list(columns).index(BAR_BEFORE))


def _print_below(columns: Columns, rows: Sequence[Row]) -> None:
    """The columns that had no room beside the ratings, unless they are empty."""
    names, body = _cells(columns, rows)
    if any(cell is not None for cells in body for cell in cells):
        say("")
        table(["model!", *names], [[row["model"], *cells] for row, cells in zip(rows, body, strict=True)])


def _said_once(rows: Sequence[Row]) -> list[str]:
    """What all rows share."""
    flags, no_interval, why = _shared_flags(rows), _shared(rows, "interval_reason"), _shared_why(rows)
    one_tier = {row["tier"] for row in rows if row["rating"] is not None} == {1} and len(rows) > 1
    said = {
        f"all: {', '.join(flags)}": flags,
        f"no intervals: {no_interval}": no_interval,
        "one tier: nobody is surely worse than the best": one_tier,
        f"more pairings: {why}": why,
        f"{STAR} {NOT_HERE}: fewer are left": any(row["more_reason"] == NOT_HERE for row in rows),
        f"{DAGGER} {TOO_NEAR}": any(map(_too_near, rows)),
    }
    return [line for line, holds in said.items() if holds]


def _tier(rows: Sequence[Row], row: Row) -> object:
    """Named where it begins; one tier needs no column."""
    if len({each["tier"] for each in rows if each["tier"] is not None}) <= 1 or row["tier"] is None:
        return None
    first = next(each for each in rows if each["tier"] == row["tier"])
    return row["tier"] if row is first else ""


def rank_interval(row: Row) -> str | None:
    """The rank interval."""
    lower, upper = row["rank_lower"], row["rank_upper"]
    if lower is None or upper is None:
        return None
    return f"{lower}" if lower == upper else f"{lower}–{upper}"


def _interval(row: Row, shared_reason: str | None) -> str | None:
    if row["lower"] is None or row["upper"] is None:
        return None if shared_reason else row["interval_reason"]
    return f"{row['lower']:.0f} to {row['upper']:.0f}"


def _controlled(found: Row | None) -> str | None:
    """The rating at equal length, with its interval."""
    if found is None or found["rating"] is None:
        return None
    ends = "" if found["lower"] is None else f" [{found['lower']:.0f}, {found['upper']:.0f}]"
    return f"{found['rating']:.0f}{ends}"


def _controlled_ranks(found: Row | None) -> str | None:
    """The rank at equal length, with its interval: `2, 1–3`."""
    if found is None or found["rank"] is None:
        return None
    return ", ".join(filter(None, [str(found["rank"]), rank_interval(found)]))


def _record(rows: Sequence[Row], row: Row) -> str:
    """Wins, losses and ties, each as wide as the widest of its kind."""
    kinds = ("wins", "losses", "ties")
    return "/".join(str(row[kind]).rjust(max(len(str(each[kind])) for each in rows)) for kind in kinds)


def _chance(share: float | None) -> str | None:
    if share is None:
        return None
    return "<0.01" if share < HARDLY else ">0.99" if share > SURELY else f"{share:.2f}"


def _more(row: Row) -> str | None:
    """How many more pairings; starred where fewer prompts are left; a mark where the two are too near to plan for."""
    if row["more_pairings"] is None:
        return DAGGER if _too_near(row) else None
    return f"{row['more_pairings']}{STAR if row['more_reason'] == NOT_HERE else ''}"


def _too_near(row: Row) -> bool:
    return row["expected_next"] is not None and row["more_reason"] == TOO_NEAR


def _why(row: Row) -> str | None:
    """Why more pairings would not do, or why nobody can say; what the row says elsewhere is not said again."""
    reason: str | None = row["more_reason"]
    said = (NOT_HERE, TOO_NEAR, row["interval_reason"])
    return None if row["expected_next"] is None or reason in said else reason


def _shared_why(rows: Sequence[Row]) -> str | None:
    reasons = {_why(row) for row in rows if row["expected_next"] is not None}
    return reasons.pop() if len(reasons) == 1 else None


def _shared_flags(rows: Sequence[Row]) -> list[str]:
    """The flags that every row has, in the order of the first."""
    return [flag for flag in rows[0]["flags"] if all(flag in row["flags"] for row in rows)] if rows else []


def _shared(rows: Sequence[Row], name: str) -> str | None:
    """What every row says under this name, when that is one thing."""
    said = {row[name] for row in rows}
    return said.pop() if len(said) == 1 else None
