"""Which fit makes a board: by key, by time, by what could be made, and of fits that were just made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from history_facts import FINGERPRINT, batch, both_orders, fit

from leaderboard.core.types import Endpoint, Judge
from leaderboard.errors import BadInput, NotFound
from leaderboard.history.boards import (
    INSTEAD,
    NO_FIT,
    NONE_MADE,
    NONE_VALIDATED,
    OLD,
    OLD_BELOW,
    UNLINKED,
    UNLINKED_BELOW,
    NotStored,
)
from leaderboard.history.reader import SnapshotReader
from leaderboard.history.records import OVERALL, Board, FitKey, FitRecord, StandingRow
from leaderboard.history.writer import History

Published = Callable[[], SnapshotReader]

OTHER = "e" * 64
JOINT = FitKey(method="joint", policy=None)
LENGTH = FitKey(method="joint", policy=None, control="length")
SOFT = FitKey(policy="soft")
DUTCH = FitKey(scope="language=nl")
WHY = "the fit did not converge"


def made(
    id_: str, key: FitKey = OVERALL, board: Board = "validated", *, model: str | None = None, **more: Any
) -> FitRecord:
    """A fit whose only model has the fit's name, so that a board tells which fit it shows."""
    rows = [StandingRow(model=model or id_, rating=1000.0, rank=1)]
    given = {"scope": key.scope, "method": key.method, "policy": key.policy, "control": key.control}
    return fit(id_, board, rows, **(given | more))


def failed(id_: str, key: FitKey = OVERALL, board: Board = "validated", *, why: str = WHY, **more: Any) -> FitRecord:
    return replace(made(id_, key, board, **more), standings=(), failure=why)


def store(history: History, *records: FitRecord) -> None:
    assert [history.append_fit(record) for record in records] == [True] * len(records)


def names(rows: Any) -> list[str]:
    return [row["model"] for row in rows]


FULL = [
    made("bt"), made("soft", SOFT), made("joint", JOINT), made("nl", DUTCH), made("screened", JOINT, "screened"),
    made("screened nl", replace(JOINT, scope="language=nl"), "screened"),
    made("screened chat", replace(JOINT, scope="category=chat"), "screened"),
]  # fmt: skip

BY_KEY = [
    (OVERALL, "validated", "bt", ["screened"]),
    (SOFT, "validated", "soft", ["screened"]),
    (JOINT, "validated", "joint", ["screened"]),
    (DUTCH, "validated", "nl", ["screened nl"]),
    (FitKey(scope="category=chat"), "screened", "screened chat", []),
    (FitKey(scope="category=chat", method="elo"), "screened", "screened chat", []),
]


@pytest.mark.parametrize(("key", "board", "shown", "below"), BY_KEY)
def test_a_key_has_its_validated_list_and_the_scopes_screened_one(
    history: History, published: Published, key: FitKey, board: str, shown: str, below: list[str]
) -> None:
    store(history, *FULL)
    found = published().board("judy", key)
    assert (found["board"], names(found["standings"]), names(found["screened"])) == (board, [shown], below)
    assert (found["scope"], found["fit"]) == (key.scope, shown)
    assert (NONE_VALIDATED in found["notes"]) is (board == "screened")


NOT_STORED = [
    (FitKey(method="elo"), r"no fit of overall, elo, tie is stored\nstored: overall, bt, tie; overall, bt, soft; "),
    (LENGTH, "no fit of overall, joint, length is stored"),
    (FitKey(scope="language=de"), "no fit of language=de, bt, tie is stored"),
    (FitKey(scope="language=nl", policy="soft"), "no fit of language=nl, bt, soft is stored"),
]


@pytest.mark.parametrize(("key", "text"), NOT_STORED)
def test_what_is_not_stored_is_refused_and_names_what_is(
    history: History, published: Published, key: FitKey, text: str
) -> None:
    store(history, *FULL)
    with pytest.raises(NotStored, match=text) as refused:
        published().board("judy", key)
    assert len(str(refused.value).splitlines()) <= 4


def test_before_the_first_fit_only_the_usual_board_is_there_and_empty(published: Published) -> None:
    reader = published()
    assert reader.board()["notes"] == [NO_FIT]
    with pytest.raises(NotStored, match="no fit of overall, bt, soft is stored\nstored: none yet"):
        reader.board(None, SOFT)
    with pytest.raises(NotFound, match="no judge 'judi'"):
        reader.board("judi", SOFT)
    with pytest.raises(NotFound, match="no judge 'judi'"):
        reader.stored("judi")
    assert reader.stored() == []


def test_the_board_names_the_other_boards(history: History, published: Published) -> None:
    store(history, *FULL, failed("elo", FitKey(method="elo")), made("zoe", judge="zoe", fingerprint=OTHER))
    reader = published()
    found = reader.board("judy")
    assert found["scopes"] == ["overall", "category=chat", "language=nl"]
    assert found["fits"] == [
        {"method": "bt", "policy": "tie", "control": None}, {"method": "bt", "policy": "soft", "control": None},
        {"method": "joint", "policy": None, "control": None},
    ]  # fmt: skip
    assert {row["fit"] for row in reader.stored("judy")} == {record.id for record in FULL}
    assert [(row["fit"], row["judge"], row["fingerprint"], row["old"]) for row in reader.stored()] == [
        ("zoe", "zoe", OTHER, None)
    ]


def test_what_the_writer_put_into_the_head_stands_on_the_board(history: History, published: Published) -> None:
    above = {
        "judges": [{"judge": "judy"}], "side_by_side": {"fits": []}, "convergence": {"solver": "newton"},
        "versions": {"numpy": "2"}, "k": 5,
    }  # fmt: skip
    store(history, made("bt", head=above | {"intervals": "95 %", "notes": ["n"]}), made("s", JOINT, "screened"))
    found = published().board()
    assert {name: found[name] for name in above} == above
    assert (found["head"], found["notes"], found["control"]) == ({"intervals": "95 %"}, ["n"], None)
    assert {name: found["screened_fit"][name] for name in above} == {
        "judges": [], "side_by_side": None, "convergence": None, "versions": {}, "k": None,
    }  # fmt: skip


AT: list[tuple[str | None, str, str]] = [
    ("2026-03-01T10:00:10.000001Z", FINGERPRINT, "one"),
    ("2026-03-01T10:00:15", FINGERPRINT, "one"),
    ("2026-03-01T12:00:15+02:00", FINGERPRINT, "one"),
    ("2026-03-01T10:00:25Z", OTHER, "other judge"),
    ("2026-03-01T10:00:35Z", FINGERPRINT, "two"),
    ("2026-03-01", FINGERPRINT, "three"),
    ("20260301", FINGERPRINT, "three"),
    ("2999-01-01", FINGERPRINT, "three"),
    (None, FINGERPRINT, "three"),
]


@pytest.mark.parametrize(("as_of", "fingerprint", "shown"), AT)
def test_the_board_as_it_was(
    history: History, published: Published, as_of: str | None, fingerprint: str, shown: str
) -> None:
    history.insert_batch(batch("b1", both_orders("p1", [("8", "6")], [("6", "8")], second=5)))
    store(
        history,
        made("one", second=10), made("other judge", second=20, fingerprint=OTHER), made("two", second=30),
        made("three", second=40),
    )  # fmt: skip
    found = published().board("judy", as_of=as_of)
    assert (found["fingerprint"], found["fit"]) == (fingerprint, shown)
    assert (found["as_of"], found["notes"]) == ("2026-03-01T10:00:05.000001Z", [])


@pytest.mark.parametrize("key", [OVERALL, SOFT, LENGTH, FitKey("language=de"), FitKey(method="elo")], ids=str)
@pytest.mark.parametrize("judge", [None, "judy"])
def test_before_the_first_fit_there_is_no_board_of_any_key(
    history: History, published: Published, key: FitKey, judge: str | None
) -> None:
    early = "2026-03-01T10:00:09Z"
    with pytest.raises(NotFound, match=f"^nothing was rated by {early}: there is no fit yet$"):
        published().board(None, key, early)
    store(history, failed("bad", second=1), made("one", second=10), made("soft", SOFT, second=20))
    with pytest.raises(
        NotFound, match=f"^nothing was rated by {early}: the first fit is of 2026-03-01T10:00:10.000001Z$"
    ):
        published().board(judge, key, early)
    with pytest.raises(NotFound, match="no judge 'judi'"):
        published().board("judi", key, early)


def group(*rows: tuple[str, int | None, int | None]) -> list[StandingRow]:
    return [StandingRow(model=model, rating=rank and 1000.0, component=part, rank=rank) for model, part, rank in rows]


UNSORTED = group(("e", 1, 1), ("z", 0, 1), ("b", None, None), ("d", 1, 2), ("c", 0, 2), ("a", 0, 2), ("y", 2, None))
SORTED = ["z", "a", "c", "e", "d", "y", "b"]


def test_groups_that_nothing_links_stand_one_after_the_other_and_a_note_says_so(
    history: History, published: Published
) -> None:
    records = [fit("bt", "validated", UNSORTED), fit("low", "screened", UNSORTED, method="joint", policy=None)]
    store(history, *records)
    reader = published()
    found = reader.board()
    assert (names(found["standings"]), names(found["screened"])) == (SORTED, SORTED)
    assert found["notes"] == [UNLINKED.format(n=2), UNLINKED_BELOW.format(n=2)]
    assert reader.board_of(records) == found | {"fit": None}
    store(history, fit("one", "validated", [row for row in UNSORTED if row.component == 0]))
    assert published().board()["notes"] == [UNLINKED_BELOW.format(n=2)]


BY_ITSELF = [OVERALL, JOINT, DUTCH]


@pytest.mark.parametrize("key", [*BY_ITSELF, SOFT, FitKey(method="elo")], ids=str)
def test_a_screened_list_that_stands_in_for_another_fit_says_so(
    history: History, published: Published, key: FitKey
) -> None:
    store(history, made("low", replace(JOINT, scope=key.scope), "screened"))
    asked = INSTEAD.format(asked=f"overall, {key.method}, {key.policy}", shown="joint")
    assert published().board(None, key)["notes"] == [NONE_VALIDATED, *([] if key in BY_ITSELF else [asked])]


@pytest.mark.parametrize("as_of", ["", "soon", "2026-13-01", "2026-03-01T25:00", "0001-01-01T00:00+14:00", "9" * 5000])
def test_a_time_that_is_none_is_refused(history: History, published: Published, as_of: str) -> None:
    store(history, made("one"))
    with pytest.raises(BadInput, match=r"^as_of: not a time: .{0,50}; write 2026-03-01 or 2026-03-01T10:00:00Z$"):
        published().board(as_of=as_of)


SINCE, LATER = "2026-03-01T10:03:20.000001Z", 210

FAILURES: list[tuple[str, list[FitRecord], str | None, str | None]] = [
    ("none", [made("good")], "good", None),
    ("a newer one", [made("good"), failed("bad", second=200)], "good", OLD),
    ("twice", [made("good"), failed("bad", second=200, why="?"), failed("bad 2", second=LATER)], "good", OLD),
    ("before the good one", [failed("bad", second=200), made("good", second=LATER)], "good", None),
    ("of another key", [made("good"), failed("bad", SOFT, second=200)], "good", None),
    ("of another judge", [made("good"), failed("bad", second=200, judge="zoe")], "good", None),
    ("all of a new fingerprint", [made("good"), failed("bad", second=200, fingerprint=OTHER)], "good", OLD),
    ("the only one", [failed("bad", second=200)], None, NONE_MADE),
    ("beside the screened", [failed("bad", second=200), made("low", JOINT, "screened")], "low", NONE_MADE),
    ("of the list below", [made("good"), failed("bad", JOINT, "screened", second=200)], "good", None),
    ("of the screened board", [made("low", JOINT, "screened"), failed("x", JOINT, "screened", second=200)], "low", OLD),
]  # fmt: skip


@pytest.mark.parametrize(("records", "shown", "says"), [case[1:] for case in FAILURES], ids=[c[0] for c in FAILURES])
def test_a_failed_fit_leaves_the_last_board_standing_marked_old(
    history: History, published: Published, records: list[FitRecord], shown: str | None, says: str | None
) -> None:
    store(history, *records)
    found = published().board("judy")
    old = None if says is None else {"since": SINCE, "reason": WHY}
    assert (found["fit"], names(found["standings"]), found["old"]) == (shown, [shown] if shown else [], old)
    own = [] if says is None else [says.format(since=SINCE, reason=WHY)]
    assert [note for note in found["notes"] if note != NONE_VALIDATED] == own
    assert (NONE_VALIDATED in found["notes"]) is (found["board"] == "screened" and says in (None, OLD))


def test_a_screened_list_that_is_old_has_a_note(history: History, published: Published) -> None:
    store(history, made("bt"), made("low", JOINT, "screened"), failed("bad", JOINT, "screened", second=200))
    found = published().board()
    assert (found["old"], found["screened_fit"]["old"]) == (None, {"since": SINCE, "reason": WHY})
    assert found["notes"] == [OLD_BELOW.format(since=SINCE, reason=WHY)]


def test_a_failed_key_is_not_stored_and_says_why(history: History, published: Published) -> None:
    store(history, made("bt"), failed("bad", SOFT))
    with pytest.raises(
        NotStored, match=f"overall, bt, soft is stored\nit could not be made: {WHY}\nstored: overall, bt"
    ):
        published().board(None, SOFT)


EFFECT = {"name": "length", "effect": {"logit": 0.25, "reason": None}, "rows": 10, "left_out": 2}


def controlled(second: int = 100) -> list[FitRecord]:
    rows = [
        StandingRow(model="alpha", rating=1010.0, lower=990.0, upper=1030.0, rank=1, rank_lower=1, rank_upper=2),
        StandingRow(model="beta", rating=990.0, rank=2),
    ]
    plain: dict[str, Any] = {"method": "joint", "policy": None, "second": second}
    gone = replace(rows[0], rating=1020.0)
    return [
        fit("plain", "validated", rows, **plain),
        fit("controlled", "validated", [gone], control="length", head={"control": EFFECT}, **plain),
        made("low", JOINT, "screened", second=second),
    ]


def test_with_a_control_the_plain_ratings_have_the_controlled_ones_beside_them(
    history: History, published: Published
) -> None:
    store(history, *controlled())
    reader = published()
    found = reader.board("judy", LENGTH)
    assert (found["fit"], found["control"], names(found["screened"])) == ("plain", EFFECT, ["low"])
    assert [(row["model"], row["rating"], row["controlled"]) for row in found["standings"]] == [
        ("alpha", 1010.0, {
            "rating": 1020.0, "lower": 990.0, "upper": 1030.0, "rank": 1, "rank_lower": 1, "rank_upper": 2,
        }),
        ("beta", 990.0, None),
    ]  # fmt: skip
    assert {"method": "joint", "policy": None, "control": "length"} in found["fits"]
    plain = reader.board("judy", JOINT)
    assert (plain["control"], plain["standings"][0].keys() & {"controlled"}) == (None, set())


HELD_BACK = replace(made("bt", gate={"state": "fail"}, head={"notes": ["held back"]}), standings=())


def test_a_list_that_the_gate_holds_back_is_marked(history: History, published: Published) -> None:
    low = made("low", JOINT, "screened")
    for record, held in ((HELD_BACK, True), (made("shown", gate={"state": "fail"}), False)):
        store(history, record)
        found = published().board()
        assert (found["board"], found["held_back"], found["fit"]) == ("validated", held, record.id)
        assert published().board_of([record, low])["held_back"] is held
    assert published().board_of([low])["held_back"] is False


MADE: list[tuple[str, FitKey, list[FitRecord]]] = [
    ("validated and screened", OVERALL, [made("bt", gate={"c": 0.9}), made("low", JOINT, "screened")]),
    ("validated alone", SOFT, [made("soft", SOFT, head={"k": 3, "notes": ["n"]})]),
    ("screened alone", OVERALL, [made("low", JOINT, "screened", gate={"c": 0.5})]),
    ("held back", OVERALL, [HELD_BACK, made("low", JOINT, "screened")]),
    ("with a control", LENGTH, controlled()),
    ("unsorted", OVERALL, [fit("bt", "validated", [
        StandingRow(model="z", rating=None), StandingRow(model="y", rating=1.0, rank=2, flags=("thin",)),
        StandingRow(model="x", rating=1.0, rank=2), StandingRow(model="w", rating=float("nan")),
    ])]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "records"), [case[1:] for case in MADE], ids=[case[0] for case in MADE])
def test_fits_that_were_just_made_give_the_board_that_they_give_when_stored(
    history: History, published: Published, key: FitKey, records: list[FitRecord]
) -> None:
    history.insert_batch(batch("b1", both_orders("p1", [("8", "6")], [("6", "8")], second=5)))
    store(history, *records)
    reader = published()
    stored = reader.board("judy", key)
    assert reader.board_of(records) == stored | {"fit": None}
    assert stored["as_of"] == "2026-03-01T10:00:05.000001Z"


def test_a_board_just_made_names_what_is_stored(history: History, published: Published) -> None:
    history.copy_registry([], [Judge(id="judy", endpoint=Endpoint(litellm="sim/judge"))], [], [])
    store(history, *FULL)
    found = published().board_of([made("elo", FitKey(method="elo"))])
    assert (names(found["standings"]), found["fit"], found["method"]) == (["elo"], None, "elo")
    assert found["scopes"] == ["overall", "category=chat", "language=nl"]
    assert [(one["method"], one["policy"]) for one in found["fits"]] == [("bt", "tie"), ("bt", "soft"), ("joint", None)]


@pytest.mark.parametrize(("records", "text"), [([], "no fit to show"), ([failed("bad")], WHY)])
def test_a_board_of_nothing_is_refused(published: Published, records: list[FitRecord], text: str) -> None:
    with pytest.raises(NotStored, match=text):
        published().board_of(records)


def test_a_screened_list_of_an_earlier_version_stands_until_a_joint_one_is_made(
    history: History, published: Published
) -> None:
    store(history, made("bt"), made("early", OVERALL, "screened"))
    assert names(published().board()["screened"]) == ["early"]
    store(history, made("new", JOINT, "screened"))
    reader = published()
    assert names(reader.board()["screened"]) == ["new"]
    assert [row["fit"] for row in reader.stored()] == ["bt", "new"]


def test_the_view_shows_one_screened_list_of_a_scope_the_joint_one(history: History, published: Published) -> None:
    store(
        history, made("bt"), made("soft", SOFT), made("early", OVERALL, "screened"),
        made("early nl", DUTCH, "screened"), made("new", JOINT, "screened"),
    )  # fmt: skip
    rows = published().sql("SELECT board, scope, method, model FROM leaderboard ORDER BY ALL")["rows"]
    assert rows == [
        ["screened", "language=nl", "bt", "early nl"], ["screened", "overall", "joint", "new"],
        ["validated", "overall", "bt", "bt"], ["validated", "overall", "bt", "soft"],
    ]  # fmt: skip
