"""`leaderboard demo`: a whole tournament of simulated models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import facts, print_json, say, usd


def demo(
    seed: Annotated[int, typer.Option("--seed", help="Another seed is another field of answers.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Five models and ten prompts.")] = False,
    judge: Annotated[
        str, typer.Option("--judge", help="sim-judge-biased, sim-judge-fair or sim-judge-sloppy.")
    ] = "sim-judge-biased",
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Play a whole tournament of simulated models.

    Their strength is known, so the board can be compared with the truth. Again in the same folder: no new requests.
    """
    from leaderboard.cli.progress import shown_progress
    from leaderboard.home import Home
    from leaderboard.providers.litellm_adapter import litellm_chat, resolve
    from leaderboard.tournament import demo as stage
    from leaderboard.tournament.start import Provider

    place = Home(home)
    stage.prepare(place, seed, quick=quick, judge=judge)
    with shown_progress() as progress:
        result = stage.play(place, Provider(chat=litellm_chat(), resolve=resolve), progress)
    if as_json:
        print_json(result)
    else:
        _show(result, home)
    if result["state"] == "failed":
        raise typer.Exit(1)


def _show(result: dict[str, Any], home: Path) -> None:
    from leaderboard.cli.board import print_board
    from leaderboard.cli.stores import snapshot_of

    with snapshot_of(home) as reader:
        print_board(reader.board())
    calls, tau = result["calls"], result["kendall_tau"]
    agreement = "–" if tau is None else f"{tau:.3f}"
    say("")
    facts(
        [
            ("requests", f"{calls['made']} made, {calls['reused']} reused, {calls['checks']} checks"),
            ("spent", f"{usd(result['spent_usd'])}, simulated prices"),
            ("Kendall tau", f"{agreement} to the known truth, all {result['models']} models"),
        ]
    )
    there = "" if home == o.DEFAULT_HOME else f" --home {home}"
    say("\nEvery model here is simulated. Look further:")
    for command in ("bias", "serve"):
        say(f"  leaderboard {command}{there}")
