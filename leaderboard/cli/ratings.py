"""`leaderboard ratings`: how ratings moved from fit to fit."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.bars import Interval, table_with_bars
from leaderboard.cli.screen import headline, print_json, say, table, talk
from leaderboard.cli.standings import rank_interval
from leaderboard.cli.stores import snapshot_of

Row = dict[str, Any]
LISTS = {"validated": "Validated", "screened": "Screened only, provisional"}
SCREENED = "rated by joint on single passes: no common scale with the validated list"
OTHER_JUDGE = "Another fingerprint is another judge: ratings under two of them have no common scale."
MOST_ROWS = 200
SHORT = 12
COLUMNS = ("fitted at", "fingerprint", "model!", "rating>", "95 % interval>", "#>", "ranks>", "n>")


def ratings(
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]", help="Id of a model; without one, all.")] = None,
    scope: f.ScopeOption = f.OVERALL,
    method: f.MethodOption = None,
    policy: f.PolicyOption = None,
    judge: o.JudgeOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST_ROWS, help="Most rows.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The next_cursor of an earlier answer.")] = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Show how ratings moved over time, newest first.

    A row a model and stored fit. A model that is screened only has rows of the screened list, on another scale.
    """
    from leaderboard.tournament.registered import require_model

    key = f.fit_key(scope, method, policy)
    with f.named_as_typed("limit", "cursor"), snapshot_of(home) as reader:
        found = reader.ratings(model, judge, key, limit, cursor)
        if model is not None and not found["items"]:
            require_model(reader, model)
    print_json(found) if as_json else print_ratings(found, model, f.fit_words(key.method, key.policy))


def print_ratings(found: Row, model: str | None, fit: str) -> None:
    """A table a list, newest first; bars where it is about one model."""
    items = found["items"]
    if not items:
        say("no stored fit of this kind has ratings" + (f" with {model} in it" if model else "") + "; `board` says why")
        return
    headline(f"{model or 'Ratings'} over time: judge {items[0]['judge']}, {fit}, {items[0]['scope']}")
    for board, title in LISTS.items():
        rows = [item for item in items if item["board"] == board]
        if rows:
            _print_list(rows, title, model_named=model is None)
    if len({item["fingerprint"] for item in items}) > 1:
        say(f"\n{OTHER_JUDGE}")
    if found["next_cursor"]:
        talk(f"there is more: raise --limit, or go on with --cursor {found['next_cursor']}")


def _print_list(rows: list[Row], title: str, *, model_named: bool) -> None:
    """One list on its own scale; bars only where all rows are of one model."""
    headline(f"\n{title}")
    body = [_cells(row, mark, model_named) for row, mark in zip(rows, _marks(rows), strict=True)]
    if model_named:
        table(COLUMNS, body)
    else:
        table_with_bars(COLUMNS, body, [Interval(row["lower"], row["rating"], row["upper"]) for row in rows], place=4)
    if rows[0]["board"] == "screened":
        say(SCREENED)


def _marks(rows: list[Row]) -> list[str | None]:
    """The judge's fingerprint, where it is another one than in the row above; nothing where it never changes."""
    found = [row["fingerprint"] for row in rows]
    if len(set(found)) == 1:
        return [None] * len(rows)
    above = [object(), *found[:-1]]
    return ["" if here == there else str(here or "none")[:SHORT] for here, there in zip(found, above, strict=True)]


def _cells(item: Row, mark: str | None, model_named: bool) -> list[object]:
    known = item["lower"] is not None
    return [
        item["fitted_at"][:19].replace("T", " "),
        mark,
        item["model"] if model_named else None,
        None if item["rating"] is None else f"{item['rating']:.0f}",
        f"{item['lower']:.0f} to {item['upper']:.0f}" if known else None,
        item["rank"],
        rank_interval(item),
        item["n"],
    ]
