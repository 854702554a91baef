"""`leaderboard bias`: the judge on trial."""

from __future__ import annotations

from typing import Any

from leaderboard.cli import options as o
from leaderboard.cli.board import interval, share
from leaderboard.cli.screen import print_json, say, table
from leaderboard.cli.stores import snapshot_of


def bias(judge: o.JudgeOption = None, home: o.HomeOption = o.DEFAULT_HOME, as_json: o.JsonOption = False) -> None:
    """How a judge behaves when the two answers change places."""
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
    c, gate, first, swap = report["c"], report["gate"], report["first_position"], report["swap_table"]
    say(f"judge {report['judge']}, k = {report['samples']}")
    say(f"  readings {report['readings']}, readable {report['readable']}")
    say(f"  pairings {report['pairings']}, readable in both orders {report['pairings_both']}")
    why = f" ({gate['reason']})" if gate["reason"] else ""
    say(f"  swap consistency C {share(c['value'])} {interval(c['lower'], c['upper'])}")
    say(f"  gate {gate['threshold']:g}: {gate['state']}{why}")
    say(f"  P(first wins) {share(first['share'])} {interval(first['lower'], first['upper'])}, ties {first['tie']}")
    table(("when the answers swap places", "pairings>"), ((name.replace("_", " "), n) for name, n in swap.items()))
    for name, reason in report["reasons"].items():
        say(f"  {name}: – ({reason})")
