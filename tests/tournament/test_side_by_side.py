"""The board beside other fits of the same pairings: tau, pairs the other way round, and what is warned about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from leaderboard.core.fits import Fit, How
from leaderboard.core.matrix import battles_from_rows
from leaderboard.core.ratings import rate
from leaderboard.history.records import FitKey
from leaderboard.tournament.side_by_side import side_by_side, warnings

SOFT = FitKey(policy="soft")
PROMPTS = 40


def fit(order: Sequence[str], upsets: int = 4, more: Iterable[tuple[str, str, str, float]] = ()) -> Fit:
    """A round robin in which the earlier named wins, but on every `upsets`-th prompt of each pair."""
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    rows = [(f"p{p:02}", a, b, float((p + k) % upsets != 0)) for k, (a, b) in enumerate(pairs) for p in range(PROMPTS)]
    return rate(battles_from_rows([*rows, *more]), How())


def compared(here: Fit, there: Fit | str) -> dict[str, Any]:
    (row,) = side_by_side(here, {SOFT: there})
    return row


def test_the_same_order_has_tau_one_and_nothing_to_warn_about() -> None:
    row = compared(fit("abcd"), fit("abcd"))
    assert row == {"method": "bt", "policy": "soft", "kendall_tau": 1, "tau_reason": None, "models": 4, "reversed": []}
    assert warnings([row]) == []


@pytest.mark.parametrize(
    ("here", "there", "tau", "turned"),
    [
        ("abcd", "bacd", 4 / 6, ["ab"]),
        ("abcd", "dcba", -1, ["ab", "ac", "ad", "bc", "bd", "cd"]),
        ("bacd", "abcd", 4 / 6, ["ba"]),
    ],
)
def test_a_separated_pair_that_stands_the_other_way_round_is_named(
    here: str, there: str, tau: float, turned: list[str]
) -> None:
    """a is the better one here, so that its lead is positive here and negative there."""
    row = compared(fit(here), fit(there))
    assert row["kendall_tau"] == pytest.approx(tau)
    assert [pair["a"] + pair["b"] for pair in row["reversed"]] == turned
    assert all(pair["here"] > 0 > pair["there"] for pair in row["reversed"])


@pytest.mark.parametrize(("upsets_here", "upsets_there", "named"), [(2, 2, 0), (4, 2, 1), (2, 4, 1), (4, 4, 1)])
def test_one_of_the_two_fits_must_separate_the_pair(upsets_here: int, upsets_there: int, named: int) -> None:
    """Of two models nearly alike the order turns by chance: no warning where neither fit is sure."""
    tip = [("q", "a", "b", 1.0)] * 2
    here, there = fit("ab", upsets_here, tip), fit("ba", upsets_there, [(p, b, a, s) for p, a, b, s in tip])
    assert here.ranks == (1, 2)
    assert there.ranks == (2, 1)
    assert len(compared(here, there)["reversed"]) == named


def test_models_that_are_rated_in_one_fit_alone_are_left_out() -> None:
    row = compared(fit("abcd"), fit("xbay"))
    assert (row["models"], row["kendall_tau"]) == (2, -1)
    assert [pair["a"] + pair["b"] for pair in row["reversed"]] == ["ab"]


def test_models_that_no_battles_link_are_not_compared() -> None:
    """Ratings of two components say nothing about each other, so their order is not a disagreement."""
    both = fit("ab", more=[(f"q{p}", "c", "d", float(p % 4 != 0)) for p in range(PROMPTS)])
    far = fit("ab", more=[(f"q{p}", "c", "d", float(p % 20 != 0)) for p in range(PROMPTS)])
    row = compared(both, far)
    assert (row["models"], row["kendall_tau"], row["reversed"]) == (4, 1, [])


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        (fit("xy"), "fewer than two models"),
        (rate(battles_from_rows([("p", a, b, 0.5) for a in "abc" for b in "abc" if a < b]), How()), "tells no two"),
        ("it did not converge", "it did not converge"),
    ],
    ids=["nobody-in-both", "all-equal", "no-fit"],
)
def test_without_a_tau_there_is_a_reason(there: Fit | str, reason: str) -> None:
    row = compared(fit("abc"), there)
    assert row["kendall_tau"] is None
    assert reason in row["tau_reason"]
    assert warnings([row]) == []


@pytest.mark.parametrize(
    ("models", "tau", "warned"),
    [(20, 0.949, True), (20, 0.95, False), (19, 0.5, False), (130, -0.2, True), (20, None, False)],
)
def test_a_low_tau_is_warned_about_from_twenty_models_up(models: int, tau: float | None, warned: bool) -> None:
    row = {"method": "joint", "policy": None, "kendall_tau": tau, "tau_reason": None, "models": models, "reversed": []}
    assert bool(warnings([row])) is warned
    assert all(text.startswith("Method joint orders") and f"{tau:.3f}" in text for text in warnings([row]))


@pytest.mark.parametrize(
    ("pairs", "text"),
    [
        (1, "a0 and b0."),
        (3, "a0 and b0, a1 and b1, a2 and b2."),
        (5, "a0 and b0, a1 and b1, a2 and b2 and 2 more."),
    ],
)
def test_a_warning_names_up_to_three_pairs(pairs: int, text: str) -> None:
    turned = [{"a": f"a{i}", "b": f"b{i}", "here": 50.0, "there": -1.0} for i in range(pairs)]
    row = {"method": "bt", "policy": "drop", "kendall_tau": 0.9, "tau_reason": None, "models": 9, "reversed": turned}
    (said,) = warnings([row])
    assert said.startswith("Policy drop puts the other way round")
    assert said.endswith(text)
