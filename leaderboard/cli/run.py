"""`leaderboard run`: play the tournament."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, print_json, say, table, talk, usd

if TYPE_CHECKING:
    from leaderboard.home import Home
    from leaderboard.settings import Settings
    from leaderboard.tournament.enrol import Resolver
    from leaderboard.tournament.kinds import RunKind
    from leaderboard.tournament.office import Office

Record = dict[str, Any]
FLAGS = ("judge", "top_k", "samples", "prompts", "concurrency", "call_timeout", "max_attempts", "budget")
"""The options that lie over tournament.toml for one run."""


def run(
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(help="screening, validation, or tournament (both).")] = "tournament",
    judge: o.JudgeOption = None,
    top_k: Annotated[int | None, typer.Option("--top-k", help="How many models validation is about.")] = None,
    samples: Annotated[int | None, typer.Option("--samples", help="Readings per order in validation.")] = None,
    prompts: Annotated[int | None, typer.Option("--prompts", help="Use only so many prompts.")] = None,
    concurrency: Annotated[int | None, typer.Option("--concurrency", help="Requests in flight.")] = None,
    call_timeout: Annotated[float | None, typer.Option("--call-timeout", help="Seconds a request may take.")] = None,
    max_attempts: Annotated[int | None, typer.Option("--max-attempts", help="Attempts a request.")] = None,
    budget: Annotated[str | None, typer.Option("--budget", help="Most USD this run may spend.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and paid; ask nothing.")] = False,
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask before spending.")] = False,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Play what is missing of the tournament.

    Screening: everybody, single passes. Validation: the best of them, all pairs, both orders. What was asked before
    is not asked again, so the same command goes on after an interruption.
    """
    from leaderboard.home import Home
    from leaderboard.settings import load_settings

    flags = {name: ctx.params[name] for name in FLAGS}
    wanted = known_kind(kind)
    place = Home(home)
    place.require()
    settings = load_settings(place.settings_file, flags)
    if dry_run:
        _dry_run(place, settings, wanted, flags, as_json)
        return
    record = _played(place, settings, wanted, flags, yes)
    print_json(record) if as_json else show_record(record)
    if record["state"] in {"failed", "cancelled"}:
        raise typer.Exit(1)


def known_kind(kind: str) -> RunKind:
    from leaderboard.errors import BadInput
    from leaderboard.tournament.kinds import RUN_KINDS

    for known in RUN_KINDS:
        if kind == known:
            return known
    raise BadInput(f"cannot run {kind!r}: choose one of {', '.join(RUN_KINDS)}")


def _played(place: Home, settings: Settings, kind: RunKind, flags: dict[str, object], yes: bool) -> Record:
    from leaderboard.cli.progress import shown_progress
    from leaderboard.cli.working import done_here_or_there
    from leaderboard.providers.litellm_adapter import litellm_chat, resolve
    from leaderboard.tournament.start import Provider, play_run

    def here(office: Office) -> Record:
        if not yes:
            _ask_consent(office, kind, resolve)
        with shown_progress() as progress:
            provider = Provider(chat=litellm_chat(), resolve=resolve)
            return play_run(office, kind, provider, progress, judge=settings.judge)

    return done_here_or_there(place, settings, here, kind=kind, flags=flags)


def _ask_consent(office: Office, kind: RunKind, resolve: Resolver) -> None:
    """Show what it may cost and ask. Somebody who is not at a terminal has decided by starting the command."""
    from leaderboard.tournament.estimate import estimate

    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return
    plan: Record = estimate(office, kind, resolve)
    if plan["requests"]:
        show_plan(plan)
        if not typer.confirm("go on?", default=True, err=True):
            raise typer.Exit(1)


def _dry_run(place: Home, settings: Settings, kind: RunKind, flags: dict[str, object], as_json: bool) -> None:
    from leaderboard.cli.working import done_here_or_there, part_of
    from leaderboard.providers.litellm_adapter import resolve
    from leaderboard.tournament.estimate import estimate

    def here(office: Office) -> Record:
        return {"plan": estimate(office, kind, resolve)}

    about = {"kind": kind}
    plan = part_of(done_here_or_there(place, settings, here, kind="estimate", flags=flags, about=about), "plan")
    print_json(plan) if as_json else show_plan(plan)


def show_plan(plan: Record) -> None:
    """Requests, worst-case price and time, per model and stage."""
    rows = [(row["stage"], row["who"], row["requests"], usd(row["usd"])) for row in plan["items"] if row["requests"]]
    if rows:
        table(("stage", "who~", "requests>", "at most>"), rows)
    known = sum(row["usd"] for row in plan["items"] if row["usd"] is not None)
    total = f"at most {usd(known)}" + (" and what has no price" if plan["usd"] is None else "")
    say(f"{counted(plan['requests'], 'request')}, {total}, about {plan['minutes']:.0f} min ({plan['time_basis']})")
    for note in plan["notes"]:
        say(f"note: {note}")


def show_record(record: Record) -> None:
    calls = record["calls"]
    say(
        f"run {record['run']}: {record['state']}. {counted(calls['made'], 'request')} made, {calls['reused']} reused, "
        f"{calls['checks']} checks, {calls['failed']} failed; {calls['unreadable']} readings unreadable"
    )
    say(f"spent {usd(record['spent_usd'], record['unpriced'])}")
    for note in record.get("notes", []):
        say(f"note: {note}")
    for error in record.get("errors", []):
        talk(f"trouble: {error}")
    if record["state"] == "limit_reached":
        say("the budget is used up: with a higher --budget the same command goes on with what is missing")
    if record["state"] in {"failed", "cancelled"}:
        say("the same command again goes on with what is missing")
