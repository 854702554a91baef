"""`leaderboard bias`: the judge on trial."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.board import figure, gate_facts
from leaderboard.cli.screen import facts, headline, print_json, say, table
from leaderboard.cli.stores import snapshot_of
from leaderboard.core.bias_reasons import NOT_MEASURED


def bias(judge: o.JudgeOption = None, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """Put a judge on trial: what if the answers swap places?"""
    from leaderboard.errors import NotFound
    from leaderboard.home import Home
    from leaderboard.settings import load_settings
    from leaderboard.tournament.trial import judge_report

    threshold = load_settings(Home(home).settings_file).gate_threshold
    with snapshot_of(home) as reader:
        known = {str(row["id"]): row for row in reader.judges()}
        if judge is not None and judge not in known:
            raise NotFound(f"no judge {judge!r}; there are: {', '.join(known) or 'none'}")
        reports = [
            {"judge": name, "fingerprint": row["fingerprint"], **judge_report(rows, threshold)}
            for name, row in known.items()
            if judge in (None, name) and ((rows := reader.bias_rows(name)) or judge == name)
        ]
    if as_json:
        print_json({"judges": reports})
        return
    if not reports:
        say("no judge has validated anything yet")
    for report in reports:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    c, first = report["c"], report["first_position"]
    headline(f"Judge {report['judge']}")
    facts(
        [
            ("readings", f"{report['readings']}, readable {report['readable']}; {report['samples']} per order"),
            ("pairings", f"{report['pairings']}, readable in both orders {report['pairings_both']}"),
            *gate_facts(c["value"], {**c, **report["gate"]}),
            ("P(first wins)", f"{figure(first['share'], first)}, ties {first['tie']}"),
            *_position_effect(report["position_effect"]),
            ("sign test", _sign_test(report["sign_test"])),
            *_agreement(report["agreement"]),
            ("decided share D", figure(report["decided_share"], {})),
            ("design effect of C", figure(c["deff"], {})),
        ]
    )
    say("")
    table(("when the answers swap places~", "pairings>"), _swap_rows(report["swap_table"], report["flips"]))
    say("")
    facts((words(name), reason) for name, reason in report["reasons"].items() if reason != NOT_MEASURED)


def _position_effect(found: dict[str, Any]) -> list[tuple[str, object]]:
    """The pull to the first position, in logits and in Elo points, each with its interval as far as there is one."""
    from leaderboard.core.fits import SCALE

    if found["logit"] is None:
        return []
    p_value = found["p_value"]
    chance = [*([] if p_value is None else [f"p {p_value:.2g}"]), *([found["reason"]] if found["reason"] else [])]
    return [
        ("position effect", ", ".join([f"{_signed(found, 1, 3)} logits", *chance])),
        ("in Elo points", _signed(found, SCALE, 1)),
    ]


def _signed(found: dict[str, Any], scale: float, places: int) -> str:
    ends = [found[key] for key in ("lower", "upper") if found[key] is not None]
    within = ", ".join(f"{scale * end:+.{places}f}" for end in ends)
    return f"{scale * found['logit']:+.{places}f}" + (f" [{within}]" if within else "")


def _sign_test(found: dict[str, Any]) -> str | None:
    """Of the pairings that one position won twice: how many went which way."""
    if found["p_value"] is None:
        return None
    return f"first won twice {found['to_first']}, second {found['to_second']}, p {found['p_value']:.2g}"


def _agreement(found: dict[str, Any]) -> list[tuple[str, object]]:
    """Single readings: noise within an order, noise and position across the orders."""
    if found["excess"] is None:
        return []
    ends = {"lower": found["excess_lower"], "upper": found["excess_upper"]}
    return [
        ("agreement", f"{found['same_order']:.3f} within an order, {found['cross_order']:.3f} across"),
        ("excess", figure(found["excess"], ends)),
    ]


def _swap_rows(swap: dict[str, int], flips: dict[str, int]) -> list[tuple[str, int]]:
    wins = swap["consistent_a"] + swap["consistent_b"]
    return [
        ("same winner", wins),
        ("a tie twice", swap["consistent_tie"]),
        ("the first answer won twice", flips["to_first"]),
        ("the second answer won twice", flips["to_second"]),
        ("a tie against a win", flips["tie_against_win"]),
        ("incomplete", swap["incomplete"]),
    ]


def words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")
