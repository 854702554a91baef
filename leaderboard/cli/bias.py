"""`leaderboard bias`: the judge on trial."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.board import figure, gate_facts
from leaderboard.cli.screen import facts, headline, print_json, say, table
from leaderboard.cli.stores import snapshot_of


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
        ]
    )
    say("")
    table(("when the answers swap places", "pairings>"), ((words(name), n) for name, n in report["swap_table"].items()))
    say("")
    facts((words(name), reason) for name, reason in report["reasons"].items())


def words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")
