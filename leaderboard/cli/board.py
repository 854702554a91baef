"""`leaderboard board`: the standings, from the newest published snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from leaderboard.cli import fit_options as f
from leaderboard.cli import options as o
from leaderboard.cli.screen import counted, facts, headline, print_json, say, table
from leaderboard.cli.standings import legend, print_list, turned
from leaderboard.cli.stores import snapshot_of

if TYPE_CHECKING:
    from leaderboard.history.reader import SnapshotReader
    from leaderboard.history.records import FitKey

NOT_SENT = "not sent"
ALL_SCOPES = "over all scopes"
NAMED = 3
PROVISIONAL = "Screened only, provisional"
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="The board as it was known then, for example 2026-03-01.")
]
Row = dict[str, Any]


def board(
    scope: f.ScopeOption = f.OVERALL,
    policy: f.PolicyOption = None,
    method: f.MethodOption = None,
    control: f.ControlOption = None,
    judge: o.JudgeOption = None,
    as_of: AsOfOption = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Print the board: who is best, and how sure that is.

    The usual fits are stored with every run. Any other one is derived on the spot from the stored verdicts.
    """
    key = f.fit_key(scope, method, policy, control)
    with f.named_as_typed("scope", "as_of"), snapshot_of(home) as reader:
        found = _found(reader, home, judge, key, as_of)
    print_json(found) if as_json else print_board(found)


def _found(reader: SnapshotReader, home: Path, judge: str | None, key: FitKey, as_of: str | None) -> Row:
    """The stored board; without one the derived board, which needs the statistics. The past is only what was stored."""
    from leaderboard.history.boards import NotStored

    try:
        return reader.board(judge, key, as_of)
    except NotStored:
        if as_of is not None:
            raise
    from leaderboard.home import Home
    from leaderboard.settings import load_settings
    from leaderboard.tournament.derived import derived_board

    return derived_board(reader, load_settings(Home(home).settings_file), judge, key)


def print_board(found: Row) -> None:
    """The head, the list, and below it the screened list, which has no scale in common with it."""
    whose = f" of judge {found['judge']}" if found["judge"] else ""
    headline(f"Board{whose}" + (" (SIMULATED)" if found["simulated"] else ""))
    facts(head_facts(found))
    print_list(found["standings"], "Validated" if found["board"] == "validated" else PROVISIONAL)
    if found["screened"]:
        below = found["screened_fit"]
        print_list(found["screened"], f"{PROVISIONAL} ({f.fit_words(below['method'], below['policy'])})")
    for line in legend([*found["standings"], *found["screened"]], policy=found["policy"]):
        say(f"\n{line}")
    _print_side_by_side(found)
    for note in found["notes"]:
        say(f"\nnote: {note}")


def head_facts(found: Row) -> list[tuple[str, object]]:
    """How consistent the judge is, how lopsided; what the ratings are, and as of when."""
    ranked = any(row["rank_lower"] is not None for row in found["standings"])
    return [
        *_trial(found),
        *_position_effects(found["judges"]),
        ("judged by", _judging(found["head"])),
        ("ratings", _ratings(found)),
        ("scope", found["scope"]),
        ("intervals", found["head"].get("intervals")),
        ("rank intervals", found["head"].get("rank_intervals") if ranked else None),
        *_control(found),
        ("as of", found["as_of"]),
        ("OLD", None if not found["old"] else f"since {found['old']['since']}: {found['old']['reason']}"),
    ]


def _trial(found: Row) -> list[tuple[str, object]]:
    """The judge's own figures, which no scope cuts."""
    gate, first = found["gate"], found["head"].get("p_first")
    over = f", {ALL_SCOPES}" if found["scope"] != f.OVERALL else ""
    pairings = f" of {counted(gate['n'], 'pairing')}" if gate and gate["n"] else ""
    return [
        *(gate_facts(gate["c"], gate, pairings, over) if gate else []),
        ("P(first wins)", f"{figure(first['share'], first)}{over}" if first else None),
    ]


def _ratings(found: Row) -> str:
    words = f.fit_words(found["method"], found["policy"]) if found["method"] else "none"
    battles = counted(found["n_battles"], "order outcome" if found["method"] == "joint" else "verdict")
    return f"{words}, {battles} on {counted(found['n_prompts'], 'prompt')}"


def _judging(head: Row) -> str:
    """The judge's protocol, and the parameters that its provider refuses."""
    protocol = f"{head['protocol']}, k = {head['samples']}" if head.get("protocol") else "single passes"
    sent = head.get("judge_parameters") or {}
    refused = [name for name, value in sent.items() if value == NOT_SENT]
    return f"{protocol}; {', '.join(refused)} not sent" if refused else protocol


def _position_effects(judges: list[Row]) -> list[tuple[str, object]]:
    """What the first place is worth, a line a judge."""
    several = len(judges) > 1
    return [
        (f"position, {each['judge']}" if several else "position effect", effect_words(each["first_position"]))
        for each in judges
    ]


def effect_words(effect: Row) -> str:
    """An effect in logits with its interval, in Elo points, with p; or why there is none."""
    if effect["logit"] is None:
        return f"– ({effect['reason']})"
    ends = "" if effect["lower"] is None else f" [{effect['lower']:+.3f}, {effect['upper']:+.3f}]"
    sure = None if effect["p_value"] is None else f"p {effect['p_value']:.2g}"
    said = "".join(f", {words}" for words in (sure, effect["reason"]) if words)
    return f"{effect['logit']:+.3f} logits{ends} = {effect['elo']:+.0f} Elo{said}"


def _control(found: Row) -> list[tuple[str, object]]:
    """What a usual difference of length is worth, how much of the verdicts says so, and whose order it turns round."""
    control = found["control"]
    if control is None:
        return []
    left = f", {control['left_out']} left out" if control["left_out"] else ""
    outcomes = f"{counted(control['rows'], 'order outcome')}{left}"
    pairs = [f"{a} – {b}" for a, b in turned(found["standings"])]
    return [
        (f"effect of {control['name']}", f"{effect_words(control['effect'])}; {outcomes}"),
        ("turned round by it", ", ".join(pairs) or "none of the models whose rank intervals are apart"),
    ]


def gate_facts(c: float | None, gate: Row, of: str = "", over: str = "") -> list[tuple[str, object]]:
    """C `of` so many pairings, and whether it passes; `over` which prompts both are."""
    why = f" ({gate['reason']})" if gate.get("reason") else ""
    return [
        ("swap consistency C", figure(c, gate) + of + over),
        (f"gate at {gate['threshold']:g}", f"{gate['state']}{why}{over}"),
    ]


def figure(value: float | None, ends: Row) -> str:
    """A share with its interval, as far as there are any."""
    if value is None:
        return "–"
    lower, upper = ends.get("lower"), ends.get("upper")
    return f"{value:.3f}" if lower is None or upper is None else f"{value:.3f} [{lower:.3f}, {upper:.3f}]"


def _print_side_by_side(found: Row) -> None:
    """How the other fits of the same pairings order the models, and whom they put the other way round."""
    beside = (found["side_by_side"] or {}).get("fits", [])
    if not beside:
        return
    headline(f"\nBeside {f.fit_words(found['method'], found['policy'])}")
    table(("fit", "Kendall tau>", "why~", "separated here or there, and reversed~"), map(_beside, beside))


def _beside(fit: Row) -> tuple[object, ...]:
    tau = fit["kendall_tau"]
    pairs = [f"{pair['a']} – {pair['b']}" for pair in fit["reversed"]]
    more = [f"{len(pairs) - NAMED} more"] if len(pairs) > NAMED else []
    words = f.fit_words(fit["method"], fit["policy"])
    return words, None if tau is None else f"{tau:.3f}", fit["tau_reason"], ", ".join([*pairs[:NAMED], *more]) or "none"
