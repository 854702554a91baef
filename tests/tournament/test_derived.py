"""Boards that no refit stores, made from a snapshot by the same code."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.errors import BadInput, NotFound
from leaderboard.history.reader import SnapshotReader, open_snapshot
from leaderboard.history.records import FitKey, Row
from leaderboard.settings import Settings
from leaderboard.tournament.derived import derived_board
from tests.tournament.stage import Actors, Stage, bench_judge, contestant, questions

FIELD = ("alpha", "beta", "delta", "gamma")
PROMPTS = 12
SETTINGS = Settings(top_k=1, keep_cap=2)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Two of four models are validated."""
    built = Stage.build(
        tmp_path_factory.mktemp("derived") / "home",
        [contestant(name, family="f" if name == "alpha" else None) for name in FIELD],
        bench_judge("judge-length", samples=1, family="f"),
        questions(PROMPTS),
        settings="top_k = 1\nkeep_cap = 2\n",
    )
    assert built.play(Actors())["state"] == "done"
    return built


@pytest.fixture
def reader(stage: Stage) -> Iterator[SnapshotReader]:
    with open_snapshot(stage.snapshot) as opened:
        yield opened


STORED = [
    FitKey(),
    FitKey(policy="soft"),
    FitKey("language=nl"),
    FitKey(method="joint", policy=None),
    FitKey(method="joint", policy=None, control="length"),
]


@pytest.mark.parametrize("key", STORED, ids=str)
def test_a_derived_board_is_the_stored_one(reader: SnapshotReader, key: FitKey) -> None:
    """All but which fit it is and what only the stored one compares with others."""
    found, stored = derived_board(reader, SETTINGS, None, key), reader.board(None, key)
    of_storage = {"fit", "side_by_side", "judges", "screened_fit", "fitted_at", "as_of"}
    assert {name: value for name, value in found.items() if name not in of_storage} == {
        name: value for name, value in stored.items() if name not in of_storage
    }


@pytest.mark.parametrize(
    "key",
    [
        FitKey(method="elo"),
        FitKey("category=facts", "bt", "soft"),
        FitKey("language=nl", "joint", None),
        FitKey("category=style", "joint", None, "length"),
    ],
    ids=str,
)
def test_any_other_key_has_a_board_too(reader: SnapshotReader, key: FitKey) -> None:
    board = derived_board(reader, SETTINGS, "judge-length", key)
    assert (board["scope"], board["method"], board["policy"]) == (key.scope, key.method, key.policy)
    kept = {row["model"] for row in reader.board()["standings"]}
    assert {row["model"] for row in board["standings"]} == kept
    assert {row["model"] for row in board["screened"]} == set(FIELD) - kept
    assert board["gate"] == reader.board()["gate"]
    assert board["head"]["p_first"] == reader.board()["head"]["p_first"]
    assert ("self_judged" in _flags(board, "alpha"), "self_judged" in _flags(board, "beta")) == (True, False)


def _flags(board: Row, model: str) -> list[str]:
    return next(row["flags"] for row in [*board["standings"], *board["screened"]] if row["model"] == model)


def test_elo_says_that_it_depends_on_the_order_and_has_no_intervals(reader: SnapshotReader) -> None:
    board = derived_board(reader, SETTINGS, None, FitKey(method="elo"))
    assert any("order" in note for note in board["notes"])
    assert board["prior"] is None
    assert all((row["lower"], row["rank_lower"]) == (None, None) for row in board["standings"])
    assert all(row["interval_reason"] and row["rank_reason"] for row in board["standings"])
    again = derived_board(reader, SETTINGS, None, FitKey(method="elo"))
    assert again["standings"] == board["standings"], "the verdicts are replayed by a fixed key"


def test_a_derived_board_is_not_kept(stage: Stage, reader: SnapshotReader) -> None:
    before = stage.rows("SELECT count(*) FROM fit")
    derived_board(reader, SETTINGS, None, FitKey(method="elo"))
    assert stage.rows("SELECT count(*) FROM fit") == before


@pytest.mark.parametrize(
    ("key", "says"),
    [
        (FitKey(method="glicko"), "method: must be one of bt, joint, elo"),
        (FitKey(policy="fair"), "policy: must be one of tie, score, soft, drop"),
        (FitKey(policy=None), "policy: must be one of tie, score, soft, drop"),
        (FitKey(method="joint"), "policy: method joint takes every order outcome"),
        (FitKey(control="length"), "control: only 'length', with method joint"),
        (FitKey(method="joint", policy=None, control="style"), "control: only 'length', with method joint"),
    ],
)
def test_a_key_that_means_nothing_is_refused(reader: SnapshotReader, key: FitKey, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        derived_board(reader, SETTINGS, None, key)


@pytest.mark.parametrize("scope", ["language=fr", "group=hard", "everything"])
def test_an_unknown_scope_is_refused_with_those_that_there_are(reader: SnapshotReader, scope: str) -> None:
    with pytest.raises(NotFound, match="overall, category=facts, category=style, language=en, language=nl"):
        derived_board(reader, SETTINGS, None, FitKey(scope, "elo"))


def test_an_unknown_judge_is_refused(reader: SnapshotReader) -> None:
    with pytest.raises(NotFound, match="nobody"):
        derived_board(reader, SETTINGS, "nobody", FitKey(method="elo"))


def test_before_anybody_is_rated_the_board_is_empty(tmp_path: Path) -> None:
    stage = Stage.build(tmp_path / "home", [contestant("a")], bench_judge("judge-length"), questions(2))
    from leaderboard.tournament.collect import publish

    with stage.office() as office:
        publish(office.ledger, office.history, office.home.snapshots)
    with open_snapshot(stage.snapshot) as reader:
        board = derived_board(reader, SETTINGS, None, FitKey(method="elo"))
    assert (board["standings"], board["fitted_at"]) == ([], None)


@pytest.mark.parametrize(("gate", "shown"), [("warn", 3), ("block", 0)])
def test_a_derived_list_is_held_back_where_the_stored_one_is_whatever_the_settings_say_now(
    tmp_path: Path, gate: str, shown: int
) -> None:
    stage = Stage.build(
        tmp_path / "home",
        [contestant(name) for name in FIELD[:3]],
        bench_judge("judge-first", samples=1),
        questions(40),
        settings=f'gate = "{gate}"\ntop_k = 3\n',
    )
    assert stage.play(Actors())["state"] == "done"
    with open_snapshot(stage.snapshot) as reader:
        stored = reader.board()
        for now in ("warn", "block"):
            settings = Settings(gate=now, top_k=1)  # type: ignore[arg-type]
            board = derived_board(reader, settings, None, FitKey(policy="drop", scope="language=en"))
            assert (board["gate"]["state"], len(board["standings"]), board["k"]) == ("fail", shown, 3)
            assert board["held_back"] is stored["held_back"] is (shown == 0)
