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
SCREENED = "screened: rated by joint on single passes; no common scale with the validated list"
COLUMNS = ("fitted at", "list…", "model!", "rating>", "95 % interval>", "#>", "ranks>", "n>")


def ratings(
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]", help="Id of a model; without one, all.")] = None,
    scope: f.ScopeOption = f.OVERALL,
    method: f.MethodOption = None,
    policy: f.PolicyOption = None,
    judge: o.JudgeOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Most rows.")] = 50,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The next_cursor of an earlier answer.")] = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Show how ratings moved over time, newest first.

    A row a model and stored fit. A model that is screened only has rows of the screened list, on another scale.
    """
    from leaderboard.tournament.registered import require_model

    key = f.fit_key(scope, method, policy)
    with snapshot_of(home) as reader:
        found = reader.ratings(model, judge, key, limit, cursor)
        if model is not None and not found["items"]:
            require_model(reader, model)
    print_json(found) if as_json else _show(found, model, f.fit_words(key.method, key.policy))


def _show(found: Row, model: str | None, fit: str) -> None:
    items = found["items"]
    if not items:
        say("no fit of this kind is stored" + (f" with {model} in it" if model else ""))
        return
    headline(f"{model or 'Ratings'} over time: judge {items[0]['judge']}, {fit}, {items[0]['scope']}")
    screened = any(item["board"] == "screened" for item in items)
    body = [_cells(item, list_named=screened, model_named=model is None) for item in items]
    if model is None:
        table(COLUMNS, body)
    else:
        table_with_bars(COLUMNS, body, [Interval(i["lower"], i["rating"], i["upper"]) for i in items], place=4)
    if screened:
        say(SCREENED)
    if found["next_cursor"]:
        talk(f"there is more: raise --limit, or go on with --cursor {found['next_cursor']}")


def _cells(item: Row, *, list_named: bool, model_named: bool) -> list[object]:
    known = item["lower"] is not None
    return [
        item["fitted_at"][:19].replace("T", " "),
        item["board"] if list_named else None,
        item["model"] if model_named else None,
        None if item["rating"] is None else f"{item['rating']:.0f}",
        f"{item['lower']:.0f} to {item['upper']:.0f}" if known else None,
        item["rank"],
        rank_interval(item),
        item["n"],
    ]
