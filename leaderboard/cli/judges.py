"""`leaderboard judges …`: who judges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.describing import describe
from leaderboard.cli.screen import print_items, print_json, say, table
from leaderboard.cli.stores import ledger_of

app = typer.Typer(help="The judges.", no_args_is_help=True)

JudgeArgument = Annotated[str, typer.Argument(help="Id of the judge.")]


@app.command()
def add(
    ctx: typer.Context,
    judge: JudgeArgument,
    litellm: o.LitellmOption,
    template: Annotated[
        str, typer.Option("--template", help="Family: scoring, comparing, scoring_evidence, comparing_evidence.")
    ] = "scoring_evidence",
    protocol: Annotated[str, typer.Option("--protocol", help="single, random, swap, mec or mec_bpc.")] = "mec_bpc",
    samples: Annotated[int, typer.Option("--samples", help="k: readings per order.")] = 3,
    rubric: Annotated[Path | None, typer.Option("--rubric", help="File with a rubric of your own.")] = None,
    api_base: o.ApiBaseOption = None,
    api_key_env: o.KeyOption = None,
    api_version: o.VersionOption = None,
    region: o.RegionOption = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="0 to 2, 1 without; samples differ only above 0.")
    ] = None,
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
    """Add a judge: a model that reads two answers."""
    from leaderboard.cli.enrolling import add_judge

    shown = add_judge(ctx.params)
    if as_json:
        print_json(shown)
        return
    say(f"added judge {shown['id']}")
    describe(shown)


@app.command("list")
def list_judges(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """List all judges."""
    from leaderboard.ledger import judges
    from leaderboard.tournament.shown import shown_judge

    with ledger_of(home) as ledger, ledger.read() as tx:
        items = [shown_judge(judge) for judge in judges.all(tx)]
    if as_json:
        print_items(items)
        return
    table(
        ("judge!", "state", "reached by…", "template…", "protocol", "k>", "hash…", "why~"),
        (
            (
                i["id"],
                i["state"],
                i["litellm"],
                i["template"],
                i["protocol"],
                i["samples"],
                str(i["fingerprint"])[:8] if i["fingerprint"] else None,
                i["reason"],
            )
            for i in items
        ),
    )


@app.command()
def show(judge: JudgeArgument, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Show a judge's protocol and what is really sent."""
    from leaderboard.ledger import judges
    from leaderboard.tournament.shown import shown_judge

    with ledger_of(home) as ledger, ledger.read() as tx:
        shown = shown_judge(judges.get(tx, judge))
    print_json(shown) if as_json else describe(shown)


@app.command()
def price(
    judge: JudgeArgument,
    input_price: Annotated[str, typer.Option("--input-price", help="USD per million tokens read; 0 is free.")],
    output_price: Annotated[str, typer.Option("--output-price", help="USD per million tokens written.")],
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Set the price from now on."""
    from leaderboard.cli.enrolling import reprice
    from leaderboard.ledger import judges

    shown = reprice(home, judges, judge, input_price, output_price)
    print_json(shown) if as_json else say(f"{judge}: USD {input_price} and {output_price} per million tokens")


@app.command()
def check(
    judge: Annotated[str | None, typer.Argument(help="Id of the judge; all without.")] = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Send one tiny priced request each.

    A line each says whether key, name, parameters, region and price are right. Exit 1 when something is wrong.
    """
    from leaderboard.cli.checking import check_and_print

    check_and_print(home, "judge", judge, as_json)
