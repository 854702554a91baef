"""`leaderboard changes`: what differs between two fits."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.screen import facts, headline, print_json, say, table
from leaderboard.cli.stores import snapshot_of

Row = dict[str, Any]
SHORT = 12
SHIFTED = (
    "moved: relative to the mean of the models in both fits, since whoever joins or leaves shifts everybody. "
    "# from, # to: ranks among these. beyond its interval: such a move ends outside the earlier one."
)


def changes(
    before: Annotated[
        str | None, typer.Argument(metavar="[BEFORE]", help="The earlier fit: its id, or a time. The last but one.")
    ] = None,
    after: Annotated[
        str | None, typer.Argument(metavar="[AFTER]", help="The later fit: its id, or a time. The last one.")
    ] = None,
    scope: f.ScopeOption = f.OVERALL,
    method: f.MethodOption = None,
    policy: f.PolicyOption = None,
    judge: o.JudgeOption = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Say what changed between two stored fits.

    Which models came, left and moved, how many verdicts were added, and whether the judge is still the same.
    """
    from leaderboard.tournament import moves

    key = f.fit_key(scope, method, policy)
    with snapshot_of(home) as reader:
        found = moves.changes(reader, judge, key, before, after)
    print_json(found) if as_json else print_changes(found)


def print_changes(found: Row) -> None:
    """Who came, left and moved, and what both fits rest on."""
    start, end, models = found["from"], found["to"], found["models"]
    headline(f"What changed: judge {end['judge']}, {f.fit_words(end['method'], end['policy'])}, {end['scope']}")
    facts(
        [
            ("from", _fit_words(start)),
            ("to", _fit_words(end)),
            ("verdicts", _counts(found["verdicts"])),
            ("prompts", _counts(found["prompts"])),
            ("joined", ", ".join(models["joined"]) or "nobody"),
            ("left", ", ".join(models["left"]) or "nobody"),
            ("held back", _held_back(found["held_back"])),
            ("the judge", _judge(found["judge"])),
        ]
    )
    if not models["moved"]:
        say("\nnobody moved" if _held_back(found["held_back"]) is None else "\na list held back has no ratings")
        return
    headline("\nMoved")
    columns = ("model!", "from>", "to>", "moved>", "# from>", "# to>", "beyond its interval")
    table(columns, map(_moved, models["moved"]))
    say(f"\n{SHIFTED}")


def _held_back(found: Row | None) -> str | None:
    """Which of the two lists a failed gate held back."""
    names = {"from": "the earlier list", "to": "the later list"}
    held = [name for end, name in names.items() if found and found[end]]
    return f"{' and '.join(held)}, by the judge's gate" if held else None


def _fit_words(fit: Row) -> str:
    return f"{fit['fitted_at']} ({fit['fit']})"


def _counts(counts: Row) -> str:
    return f"{counts['from']} → {counts['to']} ({counts['to'] - counts['from']:+d})"


def _judge(judge: Row) -> str:
    """Another fingerprint is another judge: its verdicts do not continue the earlier ones."""
    start, end = (str(judge[name])[:SHORT] for name in ("fingerprint_from", "fingerprint_to"))
    return f"is another one now: fingerprint {start} → {end}" if judge["changed"] else f"the same ({end})"


def _moved(row: Row) -> tuple[object, ...]:
    start, end = row["rating_from"], row["rating_to"]
    points = [None if rating is None else f"{rating:.0f}" for rating in (start, end)]
    moved = None if row["moved"] is None else f"{row['moved']:+.0f}"
    beyond = {True: "yes", False: "no", None: None}[row["beyond_interval"]]
    return row["model"], *points, moved, row["common_rank_from"], row["common_rank_to"], beyond
