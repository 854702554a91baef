"""`leaderboard prompts …`: what the models answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, print_items, print_json, say, table
from leaderboard.cli.stores import ledger_of

MOST_NOTES = 10
LONGEST_TEXT = 200

app = typer.Typer(help="The prompts.", no_args_is_help=True)


@app.command("import")
def import_prompts(
    file: Annotated[Path, typer.Argument(help="JSONL, CSV, or FastChat questions.")],
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Add prompts from a file, all of it or nothing.

    Fields: id, text (or prompt, or turns), system, category, group, language, reference, visibility. A bad or doubled
    line is named by its number, and then nothing is added.
    """
    from leaderboard.tournament.imported import import_prompts as take

    with ledger_of(home) as ledger:
        result: dict[str, Any] = take(ledger, file)
    if as_json:
        print_json(result)
        return
    repeated = f", {counted(result['repeated'], 'line')} repeated an earlier one" if result["repeated"] else ""
    say(f"{counted(result['imported'], 'prompt')} imported, {result['known']} there already{repeated}")
    for line in result["warnings"][:MOST_NOTES]:
        say(f"note: {line}")
    if len(result["warnings"]) > MOST_NOTES:
        say(f"and {len(result['warnings']) - MOST_NOTES} more notes: --json has them all")


@app.command("list")
def list_prompts(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """List all prompts."""
    from leaderboard.ledger import prompts
    from leaderboard.tournament.shown import shown_prompt

    with ledger_of(home) as ledger, ledger.read() as tx:
        found = prompts.all(tx)
    if as_json:
        print_items([shown_prompt(prompt) for prompt in found])
        return
    table(
        ("prompt~", "category", "language", "turns>", "text…"),
        ((p.id, p.category, p.language, len(p.turns), " ".join(p.turns[0].split())[:LONGEST_TEXT]) for p in found),
    )


@app.command()
def stats(home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Count prompts by category and language."""
    from collections import Counter

    from leaderboard.ledger import prompts

    with ledger_of(home) as ledger, ledger.read() as tx:
        found = prompts.all(tx)
    cells = Counter((prompt.category, prompt.language) for prompt in found)
    if as_json:
        items = [{"category": c, "language": lang, "prompts": n} for (c, lang), n in sorted(cells.items())]
        print_json({"prompts": len(found), "by": items})
        return
    table(("category", "language", "prompts>"), ((c, lang, n) for (c, lang), n in sorted(cells.items())))
    say(counted(len(found), "prompt"))
