"""The program and its commands by name."""

from __future__ import annotations

from pathlib import Path

import typer

from leaderboard import __version__
from leaderboard.cli import (
    bias,
    board,
    changes,
    compare,
    demo,
    fit,
    init,
    jobs,
    judges,
    models,
    parse,
    plan,
    prompts,
    ratings,
    run,
    runs,
    serve,
    sql,
    status,
)
from leaderboard.cli.dotenv import read_dotenv

app = typer.Typer(
    name="leaderboard",
    help="A tournament leaderboard for language models: judged in both orders, rated with honest intervals.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # The help pages of rich cost more than all other imports together.
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leaderboard {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """A tournament leaderboard for language models."""
    read_dotenv(Path(".env"))


app.command("demo")(demo.demo)
app.command("init")(init.init)
app.add_typer(models.app, name="models")
app.add_typer(judges.app, name="judges")
app.add_typer(prompts.app, name="prompts")
app.command("run")(run.run)
app.command("runs")(runs.runs)
app.command("board")(board.board)
app.command("compare")(compare.compare)
app.command("ratings")(ratings.ratings)
app.command("changes")(changes.changes)
app.command("bias")(bias.bias)
app.command("parse")(parse.parse)
app.command("fit")(fit.fit)
app.command("plan")(plan.plan)
app.command("sql")(sql.sql)
app.command("snapshot")(sql.snapshot)
app.command("status")(status.status)
app.command("serve")(serve.serve)
app.command("api")(serve.api)
app.add_typer(jobs.app, name="jobs")
