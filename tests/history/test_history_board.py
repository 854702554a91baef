"""The board, from the newest fits, as strict JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from history_facts import FINGERPRINT, batch, both_orders, fit

from leaderboard.core.types import Endpoint, Judge
from leaderboard.errors import NotFound
from leaderboard.history.boards import NO_FIT, NONE_VALIDATED
from leaderboard.history.reader import SnapshotReader
from leaderboard.history.records import StandingRow
from leaderboard.history.writer import History

Published = Callable[[], SnapshotReader]

TOP = StandingRow(
    model="alpha", rating=1050.5, lower=1000.0, upper=1101.0, rank=1, n=12, component=0, wins=8, losses=3, ties=1,
    usd_per_verdict=Decimal("0.000123456"), flags=("provisional", "simulated"), rank_reason="later", tier=1,
    p_top1=0.9, p_topk=1.0, expected_next=0.64, more_pairings=80,
)  # fmt: skip
LOW = StandingRow(model="beta", rating=949.5, rank=2, n=12, component=0, interval_reason="fewer than 10 prompts")
UNRATED = StandingRow(model="aardvark", rating=None, flags=("no_matches",))

HEAD = {
    "method", "policy", "prior", "anchor", "n_battles", "components", "standings", "judges", "snapshot", "as_of",
    "scope", "judge", "fingerprint", "simulated", "gate", "screened", "board", "fitted_at", "notes", "n_prompts",
    "screened_fit", "head", "fit", "side_by_side", "convergence", "versions", "k", "control", "old", "scopes", "fits",
    "held_back",
}  # fmt: skip
STANDING = {
    "model", "rating", "lower", "upper", "interval_reason", "rank", "rank_lower", "rank_upper", "n", "component",
    "flags", "wins", "losses", "ties", "usd_per_verdict", "rank_reason", "simulated", "tier", "p_top1", "p_topk",
    "expected_next", "more_pairings", "more_reason",
}  # fmt: skip


def strict(value: object) -> object:
    return json.loads(json.dumps(value, allow_nan=False))


def names(board: dict[str, object], which: str = "standings") -> list[str]:
    rows = board[which]
    assert isinstance(rows, list)
    return [row["model"] for row in rows]


def test_before_the_first_fit_the_board_is_empty_and_says_so(published: Published) -> None:
    reader = published()
    board = reader.board()
    assert board.keys() == HEAD
    assert (board["standings"], board["notes"], board["snapshot"]) == ([], [NO_FIT], reader.id)
    assert strict(board) == board


def test_validated_above_screened_below(history: History, published: Published) -> None:
    history.insert_batch(batch("b1", both_orders("p1", [("8", "6")], [("6", "8")], second=50)))
    gate = {"state": "fail", "c": 0.8, "lower": 0.7, "upper": math.nan, "n": 12}
    history.append_fit(fit("f1", "screened", [LOW, TOP], second=90, head={"notes": ["kept: alpha"], "keep": ["alpha"]}))
    history.append_fit(fit("f2", "validated", [UNRATED, LOW, TOP], gate=gate, head={"notes": ["n"], "level": 0.95}))
    board = published().board()
    assert board.keys() == HEAD
    assert (board["board"], names(board), names(board, "screened")) == (
        "validated", ["alpha", "beta", "aardvark"], ["alpha", "beta"],
    )  # fmt: skip
    assert (board["method"], board["policy"], board["prior"], board["anchor"]) == ("bt", "tie", 0.5, None)
    assert (board["judge"], board["fingerprint"], board["simulated"]) == ("judy", FINGERPRINT, False)
    assert (board["fitted_at"], board["as_of"]) == ("2026-03-01T10:01:40.000001Z", "2026-03-01T10:00:50.000001Z")
    assert board["gate"] == gate | {"upper": None}
    assert (board["notes"], board["head"]) == (["n", "kept: alpha"], {"level": 0.95})
    assert strict(board) == board


def test_a_standing_has_every_field_and_numbers(history: History, published: Published) -> None:
    history.append_fit(fit("f1", "validated", [TOP, UNRATED]))
    standings = published().board()["standings"]
    assert isinstance(standings, list)
    assert standings[0] == {
        "model": "alpha", "rating": 1050.5, "lower": 1000.0, "upper": 1101.0, "interval_reason": None, "rank": 1,
        "rank_lower": None, "rank_upper": None, "rank_reason": "later", "n": 12, "component": 0,
        "flags": ["provisional", "simulated"], "wins": 8, "losses": 3, "ties": 1, "usd_per_verdict": 0.000123456,
        "simulated": False, "tier": 1, "p_top1": 0.9, "p_topk": 1.0, "expected_next": 0.64, "more_pairings": 80,
        "more_reason": None,
    }  # fmt: skip
    assert standings[0].keys() == STANDING
    assert (standings[1]["rating"], standings[1]["rank"], standings[1]["usd_per_verdict"]) == (None, None, None)


def test_with_nobody_validated_the_screened_list_is_the_board(history: History, published: Published) -> None:
    history.append_fit(fit("f1", "screened", [TOP, LOW]))
    history.append_fit(fit("f2", "validated", []))
    board = published().board()
    assert (board["board"], names(board), board["screened"], board["screened_fit"]) == (
        "screened", ["alpha", "beta"], [], None,
    )  # fmt: skip
    assert board["notes"] == [NONE_VALIDATED]


def test_the_newest_fit_of_one_judge_and_one_fingerprint_counts(history: History, published: Published) -> None:
    history.append_fit(fit("f1", "validated", [TOP, LOW], second=1))
    history.append_fit(fit("f2", "validated", [LOW], second=2))
    history.append_fit(fit("f3", "validated", [UNRATED], judge="other", fingerprint="e" * 64, second=3))
    history.append_fit(fit("f4", "screened", [TOP], judge="other", fingerprint="d" * 64, second=4))
    reader = published()
    assert names(reader.board("judy")) == ["beta"]
    newest = reader.board()
    assert (newest["judge"], newest["fingerprint"], newest["board"]) == ("other", "d" * 64, "screened")
    rows = reader.sql("SELECT judge, board, model FROM leaderboard ORDER BY judge, model")["rows"]
    assert rows == [["judy", "validated", "beta"], ["other", "screened", "alpha"]]


def test_equal_ranks_stand_in_a_stable_order(history: History, published: Published) -> None:
    rows = [StandingRow(model=f"m{number:02d}", rating=1000.0, rank=1) for number in range(30)]
    history.append_fit(fit("f1", "validated", rows[::-1]))
    assert names(published().board()) == [row.model for row in rows]


def test_what_is_not_a_number_is_stored_as_nothing(history: History, published: Published) -> None:
    history.append_fit(
        fit("f1", "validated", [StandingRow(model="x", rating=math.nan, lower=-math.inf, upper=math.inf)])
    )
    reader = published()
    assert reader.sql("SELECT rating, lower, upper FROM standing")["rows"] == [[None, None, None]]


def test_an_unknown_judge_is_refused_and_one_without_a_fit_is_not(history: History, published: Published) -> None:
    history.copy_registry([], [Judge(id="judy", endpoint=Endpoint(litellm="sim/judge"))], [], [])
    reader = published()
    assert reader.board("judy")["notes"] == [NO_FIT]
    with pytest.raises(NotFound, match="no judge 'judi': there is judy"):
        reader.board("judi")
