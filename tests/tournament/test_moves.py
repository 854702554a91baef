"""Moves between two fits, apart from the shift that newcomers and leavers bring to everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leaderboard.history.reader import open_snapshot
from leaderboard.history.records import FitKey, StandingRow
from leaderboard.history.writer import History
from leaderboard.tournament.moves import Place, changes, relative
from tests.history.history_facts import FINGERPRINT, fit


def places(component: int = 0, reach: float | None = 30.0, **ratings: float) -> dict[str, Place]:
    """Ranked by rating, with intervals of the same reach."""
    return {
        model: Place(
            rating=rating,
            rank=1 + sum(other > rating for other in ratings.values()),
            lower=None if reach is None else rating - reach,
            upper=None if reach is None else rating + reach,
            component=component,
        )
        for model, rating in ratings.items()
    }


def moved(old: dict[str, Place], new: dict[str, Place], *names: str) -> dict[str, Any]:
    return {model: tuple(row[name] for name in names) for model, row in relative(old, new).items()}


def test_a_newcomer_that_shifts_everybody_moves_nobody() -> None:
    old = places(a=1100, b=1000, c=900)
    new = places(a=1000, b=900, c=800, newcomer=1300)
    names = ("moved", "common_rank_from", "common_rank_to", "beyond_interval")
    assert moved(old, new, *names) == {"a": (0, 1, 1, False), "b": (0, 2, 2, False), "c": (0, 3, 3, False)}


def test_who_moves_against_the_others_is_seen() -> None:
    """c gains 60 on a shift of -100, so the mean of the three changes by -80."""
    old, new = places(a=1100, b=940, c=900), places(a=1000, b=840, c=860, newcomer=1300)
    assert moved(old, new, "moved") == {"a": (-20,), "b": (-20,), "c": (40,)}
    assert moved(old, new, "common_rank_from", "common_rank_to") == {"a": (1, 1), "b": (2, 3), "c": (3, 2)}
    assert moved(old, new, "beyond_interval") == {"a": (False,), "b": (False,), "c": (True,)}


def test_groups_shift_apart() -> None:
    """A newcomer in one group says nothing about the other one."""
    old = places(a=1050, b=950) | places(1, c=1100, d=900)
    new = places(a=950, b=850, newcomer=1200) | places(1, c=1100, d=900)
    assert set(moved(old, new, "moved").values()) == {(0,)}


def test_without_an_earlier_interval_nobody_knows_whether_it_left_it() -> None:
    assert moved(places(reach=None, a=1100, b=900), places(a=1200, b=800), "moved", "beyond_interval") == {
        "a": (100, None),
        "b": (-100, None),
    }


def test_who_is_in_one_fit_alone_does_not_move() -> None:
    assert relative(places(a=1000), places(b=1000)) == {}


@pytest.mark.parametrize("id_", ["one", "o'ne"])
def test_stored_fits_keep_their_ratings_and_gain_the_moves(tmp_path: Path, id_: str) -> None:
    history = History.open(tmp_path / "live.duckdb")
    ends = {"lower": 900.0, "upper": 1200.0, "n": 12}
    old = [StandingRow(model="a", rating=1100.0, rank=1, **ends), StandingRow(model="b", rating=900.0, rank=2, **ends)]
    new = [
        StandingRow(model="new", rating=1300.0, rank=1, **ends),
        StandingRow(model="a", rating=1010.0, rank=2, **ends),
        StandingRow(model="b", rating=690.0, rank=3, **ends),
        StandingRow(model="unrated", rating=None, rank=None),
    ]
    history.append_fit(fit(id_, "validated", old, second=1))
    history.append_fit(fit("two", "validated", new, second=2, fingerprint=FINGERPRINT))
    with open_snapshot(history.publish(tmp_path / "snapshots").path) as reader:
        found = changes(reader, "judy", FitKey(), id_, "two")
    history.close()
    rows = {row["model"]: row for row in found["models"]["moved"]}
    assert (rows["a"]["rating_from"], rows["a"]["rating_to"], rows["a"]["moved"]) == (1100.0, 1010.0, 60.0)
    assert (rows["b"]["rank_from"], rows["b"]["rank_to"]) == (2, 3)
    assert (rows["b"]["common_rank_from"], rows["b"]["common_rank_to"]) == (2, 2)
    assert [rows[model]["beyond_interval"] for model in "ab"] == [False, True]
    assert "new" in found["models"]["joined"]
