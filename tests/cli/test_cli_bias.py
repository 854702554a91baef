"""`leaderboard bias` as it is read: the position effect beside the shares."""

from pathlib import Path

from leaderboard.core.bias_reasons import NOT_MEASURED
from tests.cli.terminal import typed


def test_the_position_effect_is_shown_in_logits_and_in_elo_points(played_demo: Path) -> None:
    found = typed("bias", "--json", "--home", played_demo).json["judges"][0]["position_effect"]
    lines = typed("bias", "--home", played_demo).out.splitlines()
    shown = {name: next(line for line in lines if line.startswith(name)) for name in ("position effect", "in Elo")}
    assert f"{found['logit']:+.3f} [{found['lower']:+.3f}, {found['upper']:+.3f}] logits" in shown["position effect"]
    assert f"p {found['p_value']:.2g}" in shown["position effect"]
    assert f"{found['elo']:+.1f} [" in shown["in Elo"]
    assert found["lower"] > 0  # the demo's judge leans to the first answer


def test_what_the_report_does_not_measure_yet_is_no_line_of_it(played_demo: Path) -> None:
    """Scripts are told, people need not read it."""
    report = typed("bias", "--json", "--home", played_demo).json["judges"][0]
    assert report["reasons"]["labels"] == NOT_MEASURED
    text = typed("bias", "--home", played_demo).out
    assert NOT_MEASURED not in text
    assert "labels" not in text
