"""Ratings over time, and what changed between two fits."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from history_facts import FINGERPRINT, fit

from leaderboard.core.types import Endpoint, Judge
from leaderboard.errors import BadInput, NotFound
from leaderboard.history.boards import NotStored
from leaderboard.history.reader import SnapshotReader
from leaderboard.history.records import FitKey, FitRecord, StandingRow
from leaderboard.history.writer import History

Published = Callable[[], SnapshotReader]

OTHER = "e" * 64
SOFT = FitKey(policy="soft")
LENGTH = FitKey(method="joint", policy=None, control="length")
JOINT = {"method": "joint", "policy": None}


def row(model: str, rating: float | None, rank: int | None = 1, **more: Any) -> StandingRow:
    return StandingRow(model=model, rating=rating, rank=rank, n=12, **more)


def store(history: History, *records: FitRecord) -> None:
    assert [history.append_fit(record) for record in records] == [True] * len(records)


FITS = [
    fit("screened", "screened", [row("alpha", 1000.0)], second=1, **JOINT),
    fit("one", "validated", [row("alpha", 1010.0, lower=990.0, upper=1030.0), row("beta", 990.0, 2)], second=2),
    fit("soft", "validated", [row("alpha", 1005.0)], second=3, policy="soft"),
    fit("controlled", "validated", [row("alpha", 1006.0)], second=4, control="length", **JOINT),
    fit("dutch", "validated", [row("alpha", 1007.0)], second=5, scope="language=nl"),
    fit("failed", "validated", [], second=6, failure="did not converge"),
    fit("two", "validated", [row("alpha", 1020.0), row("gamma", None, None)], second=7, fingerprint=OTHER),
    fit("zoe's", "validated", [row("alpha", 1111.0)], second=8, judge="zoe"),
]

OVER_TIME: list[tuple[str, dict[str, Any], list[tuple[str, str, float | None]]]] = [
    ("everybody", {"judge": "judy"}, [
        ("two", "alpha", 1020.0), ("one", "alpha", 1010.0), ("one", "beta", 990.0),
        ("screened", "alpha", 1000.0),
    ]),
    ("a model", {"judge": "judy", "model": "beta"}, [("one", "beta", 990.0)]),
    ("nobody of that name", {"judge": "judy", "model": "delta"}, []),
    ("another policy", {"judge": "judy", "key": SOFT}, [("soft", "alpha", 1005.0), ("screened", "alpha", 1000.0)]),
    ("a control", {"judge": "judy", "key": LENGTH}, [("controlled", "alpha", 1006.0)]),
    ("a scope", {"judge": "judy", "key": FitKey("language=nl")}, [("dutch", "alpha", 1007.0)]),
    ("the judge of the newest fit", {}, [("zoe's", "alpha", 1111.0)]),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "items"), [case[1:] for case in OVER_TIME], ids=[case[0] for case in OVER_TIME])
def test_ratings_over_time_newest_first(
    history: History, published: Published, asked: dict[str, Any], items: list[tuple[str, str, float | None]]
) -> None:
    store(history, *FITS)
    found = published().ratings(**asked)
    assert [(item["fit"], item["model"], item["rating"]) for item in found["items"]] == items
    assert found["next_cursor"] is None


def test_an_item_says_which_fit_and_list_it_is_of(history: History, published: Published) -> None:
    store(history, *FITS)
    assert published().ratings("alpha", "judy")["items"][1] == {
        "fitted_at": "2026-03-01T10:00:02.000001Z", "fit": "one", "board": "validated", "judge": "judy",
        "fingerprint": FINGERPRINT, "scope": "overall", "method": "bt", "policy": "tie", "control": None,
        "model": "alpha", "rating": 1010.0, "lower": 990.0, "upper": 1030.0, "rank": 1, "rank_lower": None,
        "rank_upper": None, "n": 12,
    }  # fmt: skip


def test_in_a_refit_the_validated_list_goes_first_and_each_list_by_group_and_rank(
    history: History, published: Published
) -> None:
    places = [("d", 0, 10), ("c", 0, 9), ("b", 1, 1), ("a", 1, 2), ("e", None, None)]
    rows = [row(model, rank and 1000.0, rank, component=part) for model, part, rank in places]
    store(history, fit("a", "screened", rows, **JOINT), fit("b", "validated", rows[::-1]))
    items = published().ratings()["items"]
    order = ["c", "d", "b", "a"]
    assert [(item["fit"], item["model"]) for item in items] == [(id_, model) for id_ in "ba" for model in order]


def screened(id_: str, second: int, **more: Any) -> FitRecord:
    return fit(id_, "screened", [row("alpha", 1000.0 + second)], second=second, **more)


NEVER_STORED = [
    (FITS, FitKey(method="elo"), "no fit of overall, elo, tie is stored\nstored: overall, bt, tie"),
    (FITS, FitKey("category=nope"), "no fit of category=nope, bt, tie is stored"),
    (FITS, FitKey("language=nl", policy="soft"), "no fit of language=nl, bt, soft is stored"),
    (FITS[:1], FitKey(method="elo"), "no fit of overall, elo, tie is stored"),
    (FITS[:1], SOFT, "no fit of overall, bt, soft is stored"),
    (FITS[:1], LENGTH, "no fit of overall, joint, length is stored"),
    ([], SOFT, "no fit of overall, bt, soft is stored\nstored: none yet"),
]


@pytest.mark.parametrize(("records", "key", "text"), NEVER_STORED)
def test_ratings_of_a_key_that_was_never_stored_are_refused_and_not_of_another(
    history: History, published: Published, records: list[FitRecord], key: FitKey, text: str
) -> None:
    store(history, *records)
    with pytest.raises(NotStored, match=text):
        published().ratings(judge="judy" if records else None, key=key)


@pytest.mark.parametrize("key", [FitKey(), FitKey(method="joint", policy=None)], ids=str)
def test_with_nobody_validated_the_usual_ratings_are_the_screened_ones(
    history: History, published: Published, key: FitKey
) -> None:
    store(history, *FITS[:1])
    assert [item["fit"] for item in published().ratings(key=key)["items"]] == ["screened"]


@pytest.mark.parametrize("size", [1, 7, 20])
def test_pages_hold_every_item_once(history: History, published: Published, size: int) -> None:
    """Two fits at one moment, and models that are equal in everything but their name."""
    models = [row(f"m{number:02d}", 1000.0) for number in range(10)]
    store(history, fit("a", "validated", models), fit("b", "validated", models[1:]), fit("0", "validated", models[:1]))
    reader, seen, cursor = published(), [], None
    for _ in itertools.count():
        page = reader.ratings(limit=size, cursor=cursor)
        seen += [(item["fit"], item["model"]) for item in page["items"]]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == [("0", "m00"), *(("a", one.model) for one in models), *(("b", one.model) for one in models[1:])]


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"judge": "judi"}, NotFound, "no judge 'judi': there are judy, zoe"),
    ({"limit": 0}, BadInput, "limit: must be 1 to 200"),
    ({"cursor": "nonsense"}, BadInput, "cursor: not one that this list gave"),
]


@pytest.mark.parametrize(("asked", "error", "text"), REFUSED)
def test_what_cannot_be_listed_is_refused(
    history: History, published: Published, asked: dict[str, Any], error: type[Exception], text: str
) -> None:
    store(history, *FITS)
    with pytest.raises(error, match=text):
        published().ratings(**asked)


def test_a_judge_without_fits_has_no_ratings(history: History, published: Published) -> None:
    history.copy_registry([], [Judge(id="ann", endpoint=Endpoint(litellm="sim/judge"))], [], [])
    reader = published()
    assert reader.ratings() == reader.ratings(judge="ann") == {"items": [], "next_cursor": None}


BEFORE = fit(
    "before", "validated", second=10, n_battles=100, n_prompts=10, standings=[
        row("steady", 1100.0, 1, lower=1050.0, upper=1150.0), row("riser", 1000.0, 2, lower=980.0, upper=1020.0),
        row("slider", 990.0, 3, lower=900.0, upper=1080.0), row("leaver", 950.0, 4), row("bare", 900.0, 5),
        row("silent", None, None),
    ],
)  # fmt: skip
AFTER = fit(
    "after", "validated", second=20, n_battles=130, n_prompts=12, fingerprint=OTHER, standings=[
        row("steady", 1100.0000001, 1), row("riser", 1040.0, 2), row("newcomer", 995.0, 3), row("slider", 980.0, 4),
        row("bare", 900.0, 6), row("silent", 880.0, 7),
    ],
)  # fmt: skip


def test_what_changed_between_two_fits(history: History, published: Published) -> None:
    store(history, BEFORE, AFTER)
    found = published().changes()
    assert (found["from"]["fit"], found["to"]["fit"]) == ("before", "after")
    assert (found["models"]["joined"], found["models"]["left"]) == (["newcomer"], ["leaver"])
    moved = [tuple(move.values()) for move in found["models"]["moved"]]
    assert list(found["models"]["moved"][0]) == [
        "model", "rating_from", "rating_to", "rank_from", "rank_to", "beyond_interval",
    ]  # fmt: skip
    assert moved == [
        ("riser", 1000.0, 1040.0, 2, 2, True), ("slider", 990.0, 980.0, 3, 4, False),
        ("bare", 900.0, 900.0, 5, 6, None), ("silent", None, 880.0, None, 7, None),
    ]  # fmt: skip
    assert found["held_back"] == {"from": False, "to": False}
    assert (found["verdicts"], found["prompts"]) == ({"from": 100, "to": 130}, {"from": 10, "to": 12})
    assert found["judge"] == {"fingerprint_from": FINGERPRINT, "fingerprint_to": OTHER, "changed": True}


SERIES = [fit(f"f{n}", "validated", [row("alpha", 1000.0 + n)], second=10 * n) for n in (1, 2, 3, 4)]
WHICH: list[tuple[str | None, str | None, tuple[str, str]]] = [
    (None, None, ("f3", "f4")),
    ("f1", None, ("f1", "f4")),
    (None, "f2", ("f1", "f2")),
    ("f1", "f3", ("f1", "f3")),
    ("f3", "f1", ("f3", "f1")),
    ("2026-03-01T10:00:25Z", None, ("f2", "f4")),
    ("2026-03-01T10:00:15Z", "2026-03-01T10:00:35Z", ("f1", "f3")),
    (None, "2026-03-01", ("f3", "f4")),
]


@pytest.mark.parametrize(("before", "after", "shown"), WHICH)
def test_fits_are_named_by_id_or_time(
    history: History, published: Published, before: str | None, after: str | None, shown: tuple[str, str]
) -> None:
    store(history, *SERIES, *FITS[2:6])
    found = published().changes("judy", before=before, after=after)
    assert (found["from"]["fit"], found["to"]["fit"]) == shown
    assert found["judge"]["changed"] is False


HELD_BACK = fit("held", "validated", [], second=15, gate={"state": "fail"})
HELD: list[tuple[list[FitRecord], tuple[bool, bool]]] = [
    ([BEFORE, HELD_BACK], (False, True)),
    ([HELD_BACK, AFTER], (True, False)),
    ([HELD_BACK, replace(HELD_BACK, id="held too", n_battles=13)], (True, True)),
]


@pytest.mark.parametrize(("records", "held"), HELD)
def test_from_a_list_that_is_held_back_nobody_left_or_joined(
    history: History, published: Published, records: list[FitRecord], held: tuple[bool, bool]
) -> None:
    store(history, *records)
    found = published().changes()
    assert found["held_back"] == {"from": held[0], "to": held[1]}
    assert found["models"] == {"joined": [], "left": [], "moved": []}
    assert found["verdicts"] == {"from": records[0].n_battles, "to": records[1].n_battles}


NO_TWO: list[tuple[list[FitRecord], dict[str, Any], type[Exception], str]] = [
    ([], {}, NotStored, "no earlier fit of overall, bt, tie to compare with: 0 stored"),
    (SERIES[:1], {}, NotStored, "no earlier fit of overall, bt, tie to compare with: 1 stored"),
    ([*SERIES, *FITS[:1]], {"key": SOFT}, NotStored, "overall, bt, soft to compare with: 0 stored"),
    (SERIES, {"after": "f1"}, NotStored, "no earlier fit"),
    (SERIES, {"before": "f9"}, BadInput, "before: not the id of one of these fits or a time: 'f9'"),
    (SERIES, {"after": "2026-02-01"}, NotStored, "after: no fit of overall, bt, tie was stored by 2026-02-01"),
    (SERIES, {"judge": "judi"}, NotFound, "no judge 'judi': there is judy"),
]


@pytest.mark.parametrize(("records", "asked", "error", "text"), NO_TWO)
def test_without_two_fits_there_is_nothing_to_compare(
    history: History,
    published: Published,
    records: list[FitRecord],
    asked: dict[str, Any],
    error: type[Exception],
    text: str,
) -> None:
    store(history, *records)
    with pytest.raises(error, match=text):
        published().changes(**asked)


def test_with_nobody_validated_the_screened_lists_are_compared(history: History, published: Published) -> None:
    store(history, *(fit(f"s{n}", "screened", [row("alpha", 1000.0 + n)], second=n, **JOINT) for n in (1, 2)))
    found = published().changes()
    assert (found["from"]["fit"], found["to"]["fit"], found["to"]["board"]) == ("s1", "s2", "screened")


def test_screened_lists_of_two_methods_are_not_compared(history: History, published: Published) -> None:
    """An earlier version rated them by another method."""
    store(history, screened("bt 1", 1), screened("bt 2", 2), screened("s1", 3, **JOINT))
    with pytest.raises(NotStored, match="no earlier fit of overall, bt, tie to compare with: 1 stored"):
        published().changes()
    with pytest.raises(BadInput, match="before: not the id of one of these fits"):
        published().changes(before="bt 2")
    store(history, screened("s2", 4, **JOINT))
    found = published().changes()
    assert (found["from"]["fit"], found["to"]["fit"]) == ("s1", "s2")
