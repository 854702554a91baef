"""`leaderboard compare`: is one model better than another, and what would it take to know?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.bars import Interval, table_with_bars
from leaderboard.cli.board import figure
from leaderboard.cli.screen import counted, facts, headline, print_json, say, usd
from leaderboard.cli.stores import snapshot_of

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
    with snapshot_of(home) as reader:
        found = court.compare(reader, a, b, judge=judge, scope=scope, min_effect=min_effect)
    print_json(found) if as_json else _show(found)
    raise typer.Exit(EXITS[found["decision"]])


def _show(found: Row) -> None:
    headline(answer(found))
    say("")
    facts(_facts(found))
    _print_differences(f"{found['a']} minus {found['b']} in Elo points, by fit", ("fit",), found["fits"], _fit_cells)
    parts = [{"kind": kind, **row} for kind, rows in found["by"].items() for row in rows]
    if parts:
        title = f"By category, language and group ({f.fit_words(found['method'], found['policy'])})"
        _print_differences(title, ("part!", "verdicts>"), parts, _part_cells)
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
    return f"{points} [{_whole(lower)}, {_whole(upper)}], {_p(found['p_value'])}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"


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
    expected = found["expected_score"]
    return [
        ("judge", f"{found['judge']}{simulated}"),
        ("decided by", f"{f.fit_words(found['method'], found['policy'])}, {found['list']} list, {found['scope']}"),
        ("least effect", f"{found['min_effect']:g} Elo" if found["min_effect"] else None),
        ("why not settled", found["reason"]),
        ("expected score", None if expected is None else f"{expected:.2f}, under this judge and policy"),
        ("met each other", f"{direct['n']}: won {direct['wins']}, lost {direct['losses']}, tied {direct['ties']}"),
        ("swap consistency C", None if c["value"] is None else f"{figure(c['value'], c)}, gate: {c['state']}"),
        ("unused prompts", settle["prompts_unused"]),
        ("to settle it", settle["reason"] if settle["reason"] != found["reason"] else None),
    ]


def _print_differences(
    title: str, first: tuple[str, ...], rows: list[Row], cells: Callable[[Row], list[object]]
) -> None:
    """A row a fit, its interval to scale beside the line of no difference."""
    headline(f"\n{title}")
    columns = (*first, "difference>", "95 % interval>", "p>", "why~")
    body = [[*cells(row), *_difference_cells(row)] for row in rows]
    table_with_bars(columns, body, [Interval(r["lower"], r["difference"], r["upper"]) for r in rows], place=3, zero=0.0)


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
        None if known else row["reason"],
    ]
