"""`leaderboard fit`: ratings from a file of battles, without any tournament."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, facts, headline, print_json, say, table
from leaderboard.cli.standings import print_list

if TYPE_CHECKING:
    from leaderboard.core.fits import How
    from leaderboard.history.records import FitKey

FileArgument = Annotated[
    Path, typer.Argument(help="CSV, Parquet or JSONL: model_a, model_b, winner; prompt_id for intervals.")
]
ScopeOption = Annotated[
    str, typer.Option("--scope", help="overall, category=X or language=X: the rows of this kind alone.")
]
AnchorOption = Annotated[str | None, typer.Option("--anchor", help="The model that stands at exactly 1000.")]
NoPriorOption = Annotated[
    bool, typer.Option("--no-prior", help="The plain maximum, where it exists: nobody beat all or lost to all.")
]
KOption = Annotated[float | None, typer.Option("--k", help="elo: how far a battle moves a rating. Default 32.")]
StartOption = Annotated[float | None, typer.Option("--start", help="elo: where everybody begins. Default 1000.")]
BootstrapOption = Annotated[
    int | None, typer.Option("--bootstrap", min=2, metavar="N", help="N draws of prompts, as a check on the intervals.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Of the bootstrap: the same seed, the same draws.")]
NOT_HERE = ("expected_next", "more_pairings", "more_reason", "usd_per_verdict")
CHANCES = "≈P(best): approximate chance to be the best."
Row = dict[str, Any]


def fit(
    file: FileArgument,
    method: f.MethodOption = None,
    policy: f.PolicyOption = None,
    anchor: AnchorOption = None,
    no_prior: NoPriorOption = False,
    scope: ScopeOption = f.OVERALL,
    control: f.ControlOption = None,
    k: KOption = None,
    start: StartOption = None,
    bootstrap: BootstrapOption = None,
    seed: SeedOption = 0,
    as_json: o.JsonOption = False,
) -> None:
    """Rate the battles of a file.

    The two orders of one comparison (same prompt_id, judge and pair, `first` says which was shown first) are folded
    into one pairing under the policy; method joint takes every row as it is.
    """
    from leaderboard.formats.battle_files import read_battles
    from leaderboard.tournament import file_fit

    how = _how(f.fit_key(scope, method, policy, control), anchor, no_prior, {"k": k, "start": start}, bootstrap)
    battles = read_battles(file, scope=scope, ordered=bootstrap is not None, lengths=control is not None)
    found = file_fit.as_json(file_fit.fit_file(battles, how, rounds=bootstrap, seed=seed))
    print_json(found) if as_json else _print(file, found, f"{bootstrap} draws, seed {seed}")


def _how(key: FitKey, anchor: str | None, no_prior: bool, of_elo: dict[str, float | None], rounds: int | None) -> How:
    """What the options ask for. BadInput for options that mean nothing together."""
    from leaderboard.core.fits import How
    from leaderboard.core.strengths import PRIOR
    from leaderboard.errors import BadInput
    from leaderboard.formats.battle_columns import tidy

    given: dict[str, Any] = {name: value for name, value in of_elo.items() if value is not None}
    elo = key.method == "elo"
    if given and not elo:
        raise BadInput(f"--{next(iter(given))} is of method elo: add --method elo, or leave it out")
    if elo and no_prior:
        raise BadInput("--no-prior: method elo has no prior, leave it out")
    if rounds is not None and key.method != "bt":
        raise BadInput(f"--bootstrap is of method bt: leave it or --method {key.method} out")
    _check_finite(given)
    prior = None if elo else 0.0 if no_prior else PRIOR
    given |= {"method": key.method, "policy": key.policy, "scope": key.scope, "control": key.control}
    return How(prior=prior, anchor=None if anchor is None else tidy(anchor), **given)


def _check_finite(given: dict[str, float]) -> None:
    from leaderboard.errors import BadInput

    for name, value in given.items():
        if not abs(value) < float("inf") or (name == "k" and value <= 0):
            raise BadInput(f"--{name} {value:g}: must be a finite number" + (" above 0" if name == "k" else ""))


def _print(file: Path, found: Row, draws: str) -> None:
    """The notes first: they may say that the ratings are not what was meant."""
    headline(f"Battles of {file.name}")
    facts(_head(found))
    for note in found["notes"]:
        say(f"\nnote: {note}")
    rows = found["standings"]
    print_list([dict.fromkeys(NOT_HERE) | row for row in rows], "Ratings")
    if "bootstrap_lower" in rows[0]:
        _print_bootstrap(rows, draws)
    if any(row["p_top1"] is not None for row in rows):
        say(f"\n{CHANCES}")


def _print_bootstrap(rows: Sequence[Row], draws: str) -> None:
    """The same intervals by brute force."""
    headline(f"\nBy bootstrap over prompts ({draws})")
    table(("model!", "95 % interval>"), [(row["model"], _ends(row)) for row in rows])


def _ends(row: Row) -> str | None:
    low, high = row["bootstrap_lower"], row["bootstrap_upper"]
    return None if low is None or high is None else f"{low:.0f} to {high:.0f}"


def _head(found: Row) -> list[tuple[str, object]]:
    """What was rated, and how."""
    from leaderboard.cli.board import effect_words

    control = found["control"]
    left_out = f", {control['left_out']} left out" if control and control["left_out"] else ""
    return [
        ("ratings", _ratings(found)),
        ("rows", f"{found['rows']:,}, without a verdict {found['missing']:,}"),
        ("both orders", f"{counted(found['folded'], 'pairing')} folded" if found["folded"] else None),
        ("scope", found["scope"] if found["scope"] != f.OVERALL else None),
        ("anchor", f"{found['anchor']} at 1000" if found["anchor"] else None),
        ("prior", "none: the plain maximum" if found["prior"] == 0 else None),
        ("intervals", found["intervals"] if _has_intervals(found) or found["method"] == "elo" else None),
        *((_first_place(found, each), effect_words(each["first_position"])) for each in found["judges"]),
        *((_ties(found, each), _nu(each["tie"])) for each in found["judges"]),
        (
            "effect of length",
            f"{effect_words(control['effect'])}; {control['rows']} rows{left_out}" if control else None,
        ),
    ]


def _has_intervals(found: Row) -> bool:
    return any(row["lower"] is not None for row in found["standings"])


def _ratings(found: Row) -> str:
    """`bt, policy tie, 35 battles on 7 prompts`."""
    words = f.fit_words(found["method"], found["policy"])
    order = f" (K = {found['k']:g}, depends on the order of rows)" if found["method"] == "elo" else ""
    prompts = f" on {counted(found['n_prompts'], 'prompt')}" if found["n_prompts"] is not None else ""
    return f"{words}{order}, {counted(found['n_battles'], 'battle')}{prompts}"


def _first_place(found: Row, each: Row) -> str:
    return "first place" if len(found["judges"]) == 1 else f"first place, {each['judge']}"


def _ties(found: Row, each: Row) -> str:
    return "ties" if len(found["judges"]) == 1 else f"ties, {each['judge']}"


def _nu(tie: Row) -> str:
    if tie["nu"] is None:
        return f"– ({tie['reason']})"
    return f"nu {tie['nu']:.3f}: an even pair ties in {tie['nu'] / (2 + tie['nu']):.0%} of the cases"
