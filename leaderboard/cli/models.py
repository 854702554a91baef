"""`leaderboard models …`: the contestants."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.describing import describe
from leaderboard.cli.screen import counted, print_items, print_json, say, table, talk
from leaderboard.cli.stores import ledger_of

app = typer.Typer(help="The contestants.", no_args_is_help=True)

MOST_NAMES = 10

ModelArgument = Annotated[str, typer.Argument(help="Id of the model.")]


@app.command()
def add(
    ctx: typer.Context,
    model: ModelArgument,
    litellm: o.LitellmOption,
    api_base: o.ApiBaseOption = None,
    api_key_env: o.KeyOption = None,
    api_version: o.VersionOption = None,
    region: o.RegionOption = None,
    temperature: o.TemperatureOption = None,
    max_tokens: o.MaxTokensOption = None,
    system: o.SystemOption = None,
    family: o.FamilyOption = None,
    param: o.ParamOption = None,
    input_price: o.InputPriceOption = None,
    output_price: o.OutputPriceOption = None,
    price_as: o.PriceAsOption = None,
    strict: o.StrictOption = False,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Add a model; the next round screens it."""
    from leaderboard.cli.enrolling import add_model

    shown = add_model(ctx.params)
    if as_json:
        print_json(shown)
        return
    say(f"added model {shown['id']}")
    describe(shown)


@app.command("list")
def list_models(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """List all models with their state."""
    from leaderboard.ledger import models
    from leaderboard.tournament.shown import shown_model

    with ledger_of(home) as ledger, ledger.read() as tx:
        items = [shown_model(model) for model in models.all(tx)]
    if as_json:
        print_items(items)
        return
    table(
        ("model~", "state", "reached by~", "USD/1M in>", "out>", "why~"),
        (
            (
                i["id"],
                i["state"],
                i.get("litellm", "imported answers"),
                i.get("input_price", "–"),
                i.get("output_price", "–"),
                i["reason"],
            )
            for i in items
        ),
    )


@app.command()
def show(model: ModelArgument, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Show how a model is reached and what is really sent."""
    from leaderboard.ledger import models
    from leaderboard.tournament.shown import shown_model

    with ledger_of(home) as ledger, ledger.read() as tx:
        shown = shown_model(models.get(tx, model))
    print_json(shown) if as_json else describe(shown)


@app.command()
def price(
    model: ModelArgument,
    input_price: Annotated[str, typer.Option("--input-price", help="USD per million tokens read; 0 is free.")],
    output_price: Annotated[str, typer.Option("--output-price", help="USD per million tokens written.")],
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Set the price from now on."""
    from leaderboard.cli.enrolling import reprice
    from leaderboard.ledger import models

    shown = reprice(home, models, model, input_price, output_price)
    print_json(shown) if as_json else say(f"{model}: USD {input_price} and {output_price} per million tokens")


@app.command()
def check(
    model: Annotated[str | None, typer.Argument(help="Id of the model; all active ones without.")] = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Send one tiny priced request each.

    A line each says whether key, name, parameters, region and price are right. Exit 1 when something is wrong.
    """
    from leaderboard.cli.checking import check_and_print

    check_and_print(home, "model", model, as_json)


@app.command()
def pause(model: ModelArgument, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Leave a model out of the next rounds."""
    _move(home, model, "pause", as_json)


@app.command()
def resume(model: ModelArgument, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Let a paused model play again."""
    _move(home, model, "resume", as_json)


@app.command()
def retire(model: ModelArgument, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Take a model out for good; its verdicts stay."""
    _move(home, model, "retire", as_json)


@app.command("import-answers")
def import_answers(
    model: ModelArgument,
    file: Annotated[Path, typer.Argument(help="JSONL: prompt_id, and text or turns.")],
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Take a model's answers from a file.

    The model is made if it is new; it plays with these answers alone, wherever both sides have one.
    """
    from leaderboard.tournament.clock import utc_now
    from leaderboard.tournament.imported import import_answers as take

    with ledger_of(home) as ledger:
        result: dict[str, Any] = take(ledger, model, file, utc_now())
    if as_json:
        print_json(result)
        return
    say(f"{counted(result['imported'], 'answer')} of {result['model']} imported, {result['known']} there already")
    missing = result["missing"]
    if missing:
        more = "" if len(missing) <= MOST_NAMES else f" and {len(missing) - MOST_NAMES} more"
        talk(f"without an answer, so no battles there: {', '.join(missing[:MOST_NAMES])}{more}")


def _move(home: Path, model: str, verb: str, as_json: bool) -> None:
    from leaderboard.tournament.enrol import move_model
    from leaderboard.tournament.shown import shown_model

    with ledger_of(home) as ledger:
        shown = shown_model(move_model(ledger, model, verb))
    print_json(shown) if as_json else say(f"{shown['id']} is {shown['state']}")
