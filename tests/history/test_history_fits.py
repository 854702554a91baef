"""Fits are appended when they say something new; files of earlier versions learn the new columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from history_facts import FINGERPRINT, fit

from leaderboard.errors import BadInput
from leaderboard.history.connection import rows_of, sql
from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.records import FitKey, FitRecord, StandingRow
from leaderboard.history.trouble import HistoryFailed
from leaderboard.history.writer import History

Published = Callable[[], SnapshotReader]

OTHER = "e" * 64
START = datetime(2026, 3, 1, tzinfo=UTC)
ALPHA = StandingRow(
    model="alpha", rating=1050.123456789, lower=1000.0, upper=1101.0, rank=1, tier=1, p_top1=0.75, p_topk=0.99,
    expected_next=0.6, more_pairings=120, usd_per_verdict=Decimal("0.0001"),
)  # fmt: skip
BETA = StandingRow(model="beta", rating=949.876543211, rank=2, more_reason="not with these prompts")
FIRST = fit("first", "validated", [ALPHA, BETA], gate={"state": "pass", "c": 0.9}, head={"notes": ["n"], "k": 5})


def stored(history: History) -> list[str]:
    return [row["id"] for row in rows_of(history._con, "SELECT id FROM fit ORDER BY rowid")]


SAME: list[tuple[str, FitRecord]] = [
    ("made by another run at another time", replace(FIRST, run="run-2", fitted_at="2026-04-01T00:00:00.000000Z")),
    ("models in another order", replace(FIRST, standings=(BETA, ALPHA))),
    ("a last digit of the arithmetic", replace(FIRST, standings=(replace(ALPHA, rating=1050.1234567890002), BETA))),
    ("no number instead of null", replace(FIRST, standings=(ALPHA, replace(BETA, lower=math.nan)))),
]
NEW: list[tuple[str, FitRecord]] = [
    ("a rating", replace(FIRST, standings=(replace(ALPHA, rating=1050.2), BETA))),
    ("a chance", replace(FIRST, standings=(replace(ALPHA, p_top1=0.76), BETA))),
    ("a flag", replace(FIRST, standings=(replace(ALPHA, flags=("thin",)), BETA))),
    ("a model less", replace(FIRST, standings=(ALPHA,))),
    ("the number of verdicts", replace(FIRST, n_battles=13)),
    ("the gate", replace(FIRST, gate={"state": "fail", "c": 0.8})),
    ("the head", replace(FIRST, head={"notes": ["n"], "k": 6})),
    ("a failure", replace(FIRST, standings=(), failure="did not converge")),
    ("the fingerprint", replace(FIRST, fingerprint=OTHER)),
    ("the judge", replace(FIRST, judge="zoe")),
    ("the list", replace(FIRST, board="screened")),
    ("the scope", replace(FIRST, scope="language=nl")),
    ("the method", replace(FIRST, method="joint", policy=None)),
    ("the policy", replace(FIRST, policy="soft")),
    ("the control", replace(FIRST, control="length")),
    ("no judge", replace(FIRST, judge=None)),
]


@pytest.mark.parametrize("again", [record for _, record in SAME], ids=[name for name, _ in SAME])
def test_a_fit_that_says_the_same_is_not_stored_again(history: History, again: FitRecord) -> None:
    assert history.append_fit(FIRST) is True
    assert history.append_fit(replace(again, id="again")) is False
    assert stored(history) == ["first"]
    assert len(rows_of(history._con, "SELECT * FROM standing")) == 2


@pytest.mark.parametrize("other", [record for _, record in NEW], ids=[name for name, _ in NEW])
def test_a_fit_that_says_something_else_is_stored_and_the_first_stays(history: History, other: FitRecord) -> None:
    history.append_fit(FIRST)
    assert history.append_fit(replace(other, id="other")) is True
    assert history.append_fit(replace(other, id="other again")) is False
    assert stored(history) == ["first", "other"]


RETURNS = {
    "to former ratings": replace(FIRST, n_battles=13),
    "after a failure": replace(FIRST, standings=(), failure="did not converge"),
    "to a former fingerprint": replace(FIRST, fingerprint=OTHER),
    "to a former judge": replace(FIRST, judge="zoe", fingerprint=OTHER),
}


@pytest.mark.parametrize("between", RETURNS.values(), ids=RETURNS)
def test_a_return_to_what_was_is_something_new(history: History, published: Published, between: FitRecord) -> None:
    for record in (FIRST, replace(between, id="between"), replace(FIRST, id="back")):
        assert history.append_fit(record) is True
    board = published().board()
    assert (board["fit"], board["fingerprint"], board["judge"], board["old"]) == ("back", FINGERPRINT, "judy", None)


def test_many_are_stored_as_one_would_be_after_the_other(history: History) -> None:
    second = replace(FIRST, id="second", n_battles=13)
    records = [FIRST, replace(FIRST, id="same"), second, replace(second, id="same too"), replace(FIRST, id="back")]
    assert history.append_fits(records) == [True, False, True, False, True]
    assert stored(history) == ["first", "second", "back"]
    assert len(rows_of(history._con, "SELECT * FROM standing")) == 6
    assert history.append_fits([]) == []


def test_many_are_stored_all_or_none(history: History) -> None:
    with pytest.raises(HistoryFailed):
        history.append_fits([FIRST, replace(FIRST, id="bad", scope="language=nl", fitted_at="no time")])
    assert stored(history) == []
    assert history.append_fit(FIRST) is True


def scopes_of_a_refit(number: int) -> list[FitRecord]:
    keys = [FitKey(), FitKey(policy="soft"), FitKey(method="joint", policy=None), FitKey(scope="language=nl")]
    return [
        fit(
            f"{number}-{place}", "validated", [ALPHA, BETA], second=number, scope=key.scope, method=key.method,
            policy=key.policy,
        )
        for place, key in enumerate(keys)
    ]  # fmt: skip


def test_two_hundred_refits_of_unchanged_facts_append_nothing(history: History, tmp_path: Path) -> None:
    assert [history.append_fit(record) for record in scopes_of_a_refit(0)] == [True] * 4
    size = history.publish(tmp_path / "snapshots", now=START).bytes
    said = [history.append_fit(record) for number in range(1, 201) for record in scopes_of_a_refit(number)]
    assert said == [False] * 800
    assert len(stored(history)) == 4
    assert history.publish(tmp_path / "snapshots", now=START + timedelta(days=1)).bytes == size


def test_what_is_stored_comes_back(history: History, published: Published) -> None:
    history.append_fit(replace(FIRST, control="length", method="joint", policy=None))
    reader = published()
    columns = "control, model, tier, p_top1, p_topk, expected_next, more_pairings"
    rows = reader.sql(f"SELECT {columns} FROM leaderboard ORDER BY model")["rows"]
    assert rows == [
        ["length", "alpha", 1, 0.75, 0.99, 0.6, 120], ["length", "beta", None, None, None, None, None],
    ]  # fmt: skip
    reasons = reader.sql("SELECT policy, more_reason FROM standings ORDER BY model")["rows"]
    assert reasons == [[None, None], [None, "not with these prompts"]]


def test_failed_fits_are_followed_in_sql_and_never_lead(history: History, published: Published) -> None:
    history.append_fit(FIRST)
    history.append_fit(replace(FIRST, id="failed", standings=(), failure="did not converge", fingerprint=OTHER))
    reader = published()
    assert reader.sql("SELECT model, fit FROM leaderboard ORDER BY model")["rows"] == [
        ["alpha", "first"], ["beta", "first"],
    ]  # fmt: skip
    assert reader.sql("SELECT id, failure FROM fits ORDER BY id")["rows"] == [
        ["failed", "did not converge"], ["first", None],
    ]  # fmt: skip


EARLIER_VIEW = """
    CREATE VIEW leaderboard AS
    WITH newest AS (SELECT *, rowid AS place FROM fit QUALIFY row_number() OVER (PARTITION BY judge ORDER BY place) = 1)
    SELECT f.scope, s.model, s.rating FROM newest f JOIN standing s ON s.fit = f.id"""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A file of the version that knew nothing of controls, failures and tiers, with a fit in it."""
    path = tmp_path / "earlier.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(sql("schema").split("-- Columns that came later")[0])
        con.execute(sql("views").split("-- leaderboard:")[0])
        con.execute(EARLIER_VIEW)
        con.execute(
            "INSERT INTO fit BY NAME SELECT 'f0' AS id, TIMESTAMP '2026-02-01' AS fitted_at, 'judy' AS judge, "
            "repeat('f', 64) AS fingerprint, 'overall' AS scope, 'screened' AS board, 'bt' AS method, 'tie' AS policy, "
            "0.5 AS prior, 4 AS n_battles, 2 AS n_prompts, 1 AS components, FALSE AS simulated, '{}' AS head"
        )
        con.execute("INSERT INTO standing BY NAME SELECT 'f0' AS fit, 'alpha' AS model, 1001.5 AS rating, 1 AS rank")
    return path


def test_a_file_of_an_earlier_version_gets_the_new_columns_and_keeps_its_fits(earlier: Path, tmp_path: Path) -> None:
    for opening in (1, 2):
        history = History.open(earlier)
        assert history.append_fit(replace(FIRST, fitted_at="2026-03-01T00:00:00.000000Z")) is (opening == 1)
        with open_snapshot(history.publish(tmp_path / "snapshots").path) as reader:
            assert [row["model"] for row in reader.board()["standings"]] == ["alpha", "beta"]
            before = reader.board(as_of="2026-02-02")
            assert [(row["model"], row["rating"], row["tier"]) for row in before["standings"]] == [
                ("alpha", 1001.5, None)
            ]
        history.close()


def test_a_snapshot_of_an_earlier_version_still_shows_its_board(earlier: Path) -> None:
    with open_snapshot(earlier) as reader:
        assert reader.sql("SELECT count(*) FROM duckdb_columns() WHERE column_name = 'failure'")["rows"] == [[0]]
        (row,) = reader.board()["standings"]
        assert (row["model"], row["rating"], row["more_reason"]) == ("alpha", 1001.5, None)
        assert [one["fit"] for one in reader.stored()] == ["f0"]
        assert [(one["fit"], one["control"]) for one in reader.ratings()["items"]] == [("f0", None)]


LATER = "published by an earlier version: `leaderboard snapshot` publishes it anew"
ASKED = [
    ("SELECT * FROM fits", LATER),
    ("SELECT model FROM Standings", LATER),
    ("SELECT leaderboard.control FROM leaderboard", LATER),
    ("SELECT tier FROM leaderboard", LATER),
    ("SELECT nothing FROM verdicts", 'Referenced column "nothing" not found'),
    ("SELECT * FROM nowhere", "nowhere"),
    ("SELEC * FROM fits", "syntax error"),
]


@pytest.mark.parametrize(("text", "says"), ASKED)
def test_a_snapshot_of_an_earlier_version_says_so_where_a_view_or_column_is_not_there_yet(
    earlier: Path, text: str, says: str
) -> None:
    with open_snapshot(earlier) as reader:
        with pytest.raises(BadInput, match=says):
            reader.sql(text)
        assert reader.sql("SELECT model FROM leaderboard")["rows"] == [["alpha"]]
    History.open(earlier).close()
    with open_snapshot(earlier) as reader:
        if LATER in says:
            assert reader.sql(text)["columns"]
