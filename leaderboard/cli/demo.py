"""`leaderboard demo`: a whole tournament of simulated models."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from leaderboard.cli import options as o
from leaderboard.cli.progress import shown_progress
from leaderboard.cli.screen import print_json, say, usd


def demo(
    seed: Annotated[int, typer.Option("--seed", help="Another seed is another field of answers.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Five models and ten prompts.")] = False,
    judge: Annotated[
        str, typer.Option("--judge", help="sim-judge-biased, sim-judge-fair or sim-judge-sloppy.")
    ] = "sim-judge-biased",
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Play simulated models of known strength through the whole tournament and print the board."""
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


def _show(result: dict[str, object], home: object) -> None:
    from leaderboard.cli.board import print_board
    from leaderboard.cli.stores import snapshot_of

    with snapshot_of(home) as reader:  # type: ignore[arg-type]
        print_board(reader.board())
    calls = cast(dict[str, int], result["calls"])
    say(f"requests: {calls['made']} made, {calls['reused']} reused, {calls['checks']} checks")
    say(f"spent (simulated prices): {usd(cast(float, result['spent_usd']))}")
    tau = result["kendall_tau"]
    say(f"Kendall tau to the known truth, all {result['models']} models: {_figure(tau)}")
    say("\nEvery model here is simulated. Look further: leaderboard board, leaderboard bias, leaderboard serve")


def _figure(value: object) -> str:
    return "–" if value is None else f"{float(str(value)):.3f}"
