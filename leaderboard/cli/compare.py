"""`leaderboard compare`: is one model better than another, and what would it take to know?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.bars import Interval, table_with_bars
from leaderboard.cli.board import figure
from leaderboard.cli.screen import counted, facts, headline, print_json, say, usd
from leaderboard.cli.stores import snapshot_of

NO_DIFFERENCE = "p (no difference)"
ALL_SCOPES = "over all scopes"
HAS, BETWEEN = ", has ", "; "
EXITS = {"a": 0, "b": 3, "not_settled": 4}
Row = dict[str, Any]


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="Id of a model.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Id of the model to compare it with.")],
    min_effect: Annotated[
        float, typer.Option("--min-effect", metavar="ELO", help="Least difference that matters, in Elo points.")
    ] = 0.0,
    scope: f.ScopeOption = f.OVERALL,
    judge: o.JudgeOption = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Say whether A is better than B, and what would settle it.

    Exit code: 0 when A is better, 3 when B is better, 4 when it is not settled.
    """
    from leaderboard.tournament import compare as court

    f.checked_scope(scope)
    with f.named_as_typed("min_effect", "scope"), snapshot_of(home) as reader:
        found = court.compare(reader, a, b, judge=judge, scope=scope, min_effect=min_effect)
    print_json(found) if as_json else print_comparison(found)
    raise typer.Exit(EXITS[found["decision"]])


def print_comparison(found: Row) -> None:
    """The answer in the first line, then what it rests on, fit by fit and part by part."""
    headline(answer(found))
    say("")
    facts(_facts(found))
    title, p = f"{found['a']} minus {found['b']} in Elo points, by fit", p_name(found)
    _print_differences(title, ("fit", p), found["fits"], _fit_cells)
    parts = [{"kind": kind, **row} for kind, rows in found["by"].items() for row in rows]
    if parts:
        title = f"By category, language and group ({f.fit_words(found['method'], found['policy'])})"
        _print_differences(title, ("part!", "verdicts>", p), parts, _part_cells)
    for note in found["notes"]:
        say(f"\nnote: {note}")


def answer(found: Row) -> str:
    """The decision in one sentence of plain words."""
    if found["decision"] == "not_settled":
        return f"Not settled: {_standing(found)}{_outlook(found)}"
    better, worse, sign = (found["a"], found["b"], 1) if found["decision"] == "a" else (found["b"], found["a"], -1)
    return f"{better} is better than {worse}: {_difference(found, sign)}"


def _standing(found: Row) -> str:
    if found["difference"] is None:
        return str(found["reason"])
    return f"{found['a']} minus {found['b']} is {_difference(found, 1)}"


def _difference(found: Row, sign: int) -> str:
    """`+85 Elo [20, 150], p = 0.01`, with the other sign for the other model's view; without ends as far as known."""
    points = f"{_signed(sign * found['difference'])} Elo"
    if found["lower"] is None:
        return points
    lower, upper = sorted((sign * found["lower"], sign * found["upper"]))
    return f"{points} [{_whole(lower)}, {_whole(upper)}], {p_name(found)} {_p(found['p_value'])}"


def p_name(found: Row) -> str:
    """p is of no difference at all: beside a decision on another one it says so."""
    return NO_DIFFERENCE if found["min_effect"] else "p"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"


def _signed(points: float) -> str:
    return f"{_whole(points):+d}"


def _whole(points: float) -> int:
    return round(points)


def _outlook(found: Row) -> str:
    """What would settle it, or why nobody can say."""
    settle = found["settle"]
    if found["difference"] is None:
        return ""
    if settle["pairings"] is None:
        return "".join(f"; {reason}" for reason in dict.fromkeys((found["reason"], settle["reason"])))
    more = f"about {counted(settle['pairings'], 'more pairing')} on new prompts would settle it in 80 % of the cases"
    left = counted(settle["prompts_unused"], "unused prompt")
    return f"; {more}, {usd(settle['usd'])}" + ("" if settle["prompts_unused"] >= settle["pairings"] else f" ({left})")


def _facts(found: Row) -> list[tuple[str, object]]:
    direct, c, settle = found["direct"], found["c"], found["settle"]
    simulated = " (SIMULATED)" if found["simulated"] else ""
    return [
        ("judge", f"{found['judge']}{simulated}"),
        ("decided by", f"{f.fit_words(found['method'], found['policy'])}, {found['list']} list, {found['scope']}"),
        ("least effect", f"{found['min_effect']:g} Elo" if found["min_effect"] else None),
        ("why not settled", found["reason"]),
        ("expected score", _expected(found)),
        ("met each other", _met(direct, linked=found["difference"] is not None)),
        ("swap consistency C", None if c["value"] is None else _consistency(found)),
        ("unused prompts", settle["prompts_unused"]),
        ("to settle it", settle["reason"] if settle["reason"] != found["reason"] else None),
    ]


def _expected(found: Row) -> str | None:
    """The expected share of a; `joint` has no policy."""
    expected, under = found["expected_score"], "judge and policy" if found["policy"] else "judge"
    return None if expected is None else f"{expected:.2f}, under this {under}"


def _met(direct: Row, *, linked: bool) -> str:
    if direct["n"] == 0:
        return "never" + (": all that is known comes through others" if linked else "")
    return f"{direct['n']}: won {direct['wins']}, lost {direct['losses']}, tied {direct['ties']}"


def _consistency(found: Row) -> str:
    """C is of the judge: a scope has none of its own."""
    c, over = found["c"], f" ({ALL_SCOPES})" if found["scope"] != f.OVERALL else ""
    return f"{figure(c['value'], c)}, gate: {c['state']}{over}"


def _print_differences(
    title: str, first: tuple[str, ...], rows: list[Row], cells: Callable[[Row], list[object]]
) -> None:
    """A row a fit, its interval to scale beside the line of no difference; why one has none is said once below."""
    headline(f"\n{title}")
    *names, p = first
    columns = (*names, "difference>", "95 % interval>", f"{p}>")
    body = [[*cells(row), *_difference_cells(row)] for row in rows]
    intervals = [Interval(row["lower"], row["difference"], row["upper"]) for row in rows]
    table_with_bars(columns, body, intervals, place=len(names) + 1, zero=0.0)
    for line in reasons([(str(cells(row)[0]), row["reason"]) for row in rows if row["lower"] is None]):
        say(line)


def reasons(found: Sequence[tuple[str, str | None]]) -> list[str]:
    """A line a reason, with whom it is about: `needs 10 prompts: category coding (3); category maths (7)`."""
    same = {reason for _, reason in found}
    if len(found) > 1 and len(same) == 1:
        return [f"no intervals: {reason}" for reason in same if reason]
    about: dict[str, list[str]] = defaultdict(list)
    for name, reason in found:
        why, _, has = (reason or "").partition(HAS)
        about[why].append(f"{name} ({has})" if has else name)
    return [f"{why}: {BETWEEN.join(names)}" for why, names in about.items() if why]


def _fit_cells(row: Row) -> list[object]:
    return [f.fit_words(row["method"], row["policy"])]


def _part_cells(row: Row) -> list[object]:
    return [f"{row['kind']} {row['name']}", row["n"]]


def _difference_cells(row: Row) -> list[object]:
    known = row["lower"] is not None
    return [
        None if row["difference"] is None else _signed(row["difference"]),
        f"{_signed(row['lower'])} to {_signed(row['upper'])}" if known else None,
        f"{row['p_value']:.2g}" if known else None,
    ]
