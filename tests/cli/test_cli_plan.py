"""`leaderboard plan`: pairings, calls and dollars before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.terminal import typed

DIFFERENCE = ("plan", "--difference", "0.03")


@pytest.mark.parametrize(
    ("options", "pairings", "calls"),
    [
        ((), 8719, 2 * 8719),
        (("--consistency", "0.8"), 6975, 2 * 6975),
        (("--consistency", "0.8", "--of", "decided"), 10899, 2 * 10899),
        (("--protocol", "mec_bpc"), 8719, 6 * 8719),
        (("--protocol", "mec", "--samples", "5"), 8719, 5 * 8719),
        (("--protocol", "random"), 8719, 8719),
    ],
)
def test_pairings_are_rounded_up_and_calls_follow_the_protocol(
    options: tuple[str, ...], pairings: int, calls: int
) -> None:
    found = typed(*DIFFERENCE, *options, "--json").json
    assert (found["pairings"], found["calls"]) == (pairings, calls)
    assert (found["usd"], found["usd_reason"]) == (None, "no judge is named")


def test_the_price_is_what_a_pairing_of_the_judge_has_cost_so_far(played_demo: Path) -> None:
    """The demo's judge brings the three samples of an order in one call."""
    options = ("--judge", "sim-judge-biased", "--protocol", "mec_bpc", "--home", played_demo)
    found = typed(*DIFFERENCE, *options, "--json").json
    paid = "SELECT (SELECT sum(cost_usd) FROM spend WHERE stage = 'validation' AND judge = 'sim-judge-biased')"
    paid += " / count(*) FROM verdicts WHERE stage = 'validation' AND judge = 'sim-judge-biased'"
    a_pairing = typed("sql", paid, "--home", played_demo, "--json").json["rows"][0][0]
    assert found["usd"] == pytest.approx(found["pairings"] * a_pairing)
    assert (found["calls"], found["usd_reason"]) == (2 * found["pairings"], None)


def test_a_judge_that_has_judged_nothing_has_no_price(played_demo: Path) -> None:
    found = typed(*DIFFERENCE, "--judge", "sim-judge-fair", "--home", played_demo, "--json").json
    assert (found["usd"], found["usd_reason"]) == (None, "the judge has validated nothing yet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--power", "1"), "--power must lie between 0 and 1"),
        (("--alpha", "nan"), "--alpha must lie between 0 and 1"),
        (("--consistency", "0"), "--consistency must lie between 0 and 1"),
        (("--alpha", "1e-17"), "--alpha must lie between 0 and 1"),
        (("--consistency", "0.01"), "needs more decided pairings"),
        (("--of", "some"), "must be all or decided"),
        (("--protocol", "thrice"), "no protocol named 'thrice'"),
    ],
)
def test_what_cannot_be_is_refused(options: tuple[str, ...], said: str) -> None:
    refused = typed(*DIFFERENCE, *options)
    assert (refused.code, refused.out) == (1, "")
    assert said in refused.err


def test_an_unknown_judge_is_refused(played_demo: Path) -> None:
    refused = typed(*DIFFERENCE, "--judge", "nobody", "--home", played_demo)
    assert refused.code == 1
    assert "no judge 'nobody'" in refused.err


def test_people_read_a_sentence() -> None:
    said = typed(*DIFFERENCE).out
    assert said.startswith("8719 pairings, 17438 judge calls under swap")
    assert "design effect" in said
