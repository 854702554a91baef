"""GET /api/v1/leaderboard: the board of the newest snapshot, byte for byte the same until there is another."""

from __future__ import annotations

import math

import pytest
from api_facts import Client, Tournament, judge, standing, strict

from api.routes.leaderboard import matches
from api.schemas import Board
from leaderboard.history.reader import open_snapshot
from leaderboard.ledger import judges

BOARD = "/api/v1/leaderboard"


def rated(tournament: Tournament) -> None:
    gate = {"state": "unclear", "c": 0.8, "lower": 0.7, "upper": math.nan, "n": 12, "reason": "needs more"}
    top = standing("alpha", 1050.5, lower=1000.0, upper=1101.0, wins=3, losses=1, usd_per_verdict=0.0002)
    rows = [top, standing("beta", 949.5, rank=2, interval_reason="fewer than 10 prompts", flags=("thin",))]
    tournament.rate("validated", rows, gate=gate, head={"intervals": "95 %", "notes": ["a note"]})
    tournament.rate("screened", [standing("new", None, rank=None, component=None, n=0, flags=("no_matches",))])


def test_before_the_first_publication_the_board_has_its_full_shape(client: Client) -> None:
    response = client.get(BOARD)
    empty = strict(response.text)
    assert response.status_code == 200
    assert (empty["standings"], empty["snapshot"], empty["as_of"]) == ([], None, None)
    assert empty["notes"]
    Board.model_validate(empty)


def test_the_empty_board_has_the_keys_of_every_board(tournament: Tournament, client: Client) -> None:
    before = strict(client.get(BOARD).text)
    rated(tournament)
    tournament.publish()
    assert strict(client.get(BOARD).text).keys() == before.keys()


def test_the_board_is_the_readers_board_and_fits_the_schema(tournament: Tournament, client: Client) -> None:
    rated(tournament)
    snapshot = tournament.publish()
    board = strict(client.get(BOARD).text)
    with open_snapshot(snapshot.path) as reader:
        assert board == reader.board()
    assert [row["model"] for row in board["standings"]] == ["alpha", "beta"]
    assert board["gate"]["upper"] is None
    assert Board.model_validate(board, strict=True).model_dump(exclude_unset=True) == board


def test_an_unrated_model_is_null_and_last(tournament: Tournament, client: Client) -> None:
    unrated = standing("aardvark", None, rank=None, component=None, n=0)
    tournament.rate("validated", [unrated, standing("beta")])
    tournament.publish()
    rows = strict(client.get(BOARD).text)["standings"]
    assert [(row["model"], row["rating"], row["rank"]) for row in rows] == [
        ("beta", 1000.0, 1),
        ("aardvark", None, None),
    ]


@pytest.mark.parametrize("path", [BOARD, "/"])
def test_a_known_tag_gets_304_until_there_is_a_new_snapshot(tournament: Tournament, client: Client, path: str) -> None:
    rated(tournament)
    tournament.publish()
    first = client.get(path)
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    tournament.rate("validated", [standing("beta")], second=200)
    tournament.publish()
    after = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert after.status_code == 200
    assert after.headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("known", "same"),
    [('"a"', True), ('W/"a"', True), ('"b", "a"', True), ("*", True), ('"b"', False), ("a", False), ("", False)],
)
def test_tags_match_as_the_standard_says(known: str, same: bool) -> None:
    assert matches(known, '"a"') is same


def test_each_judge_has_a_board_and_the_newest_comes_without_asking(tournament: Tournament, client: Client) -> None:
    other = judge("other", rubric="Be kind.")
    with tournament.ledger.write() as tx:
        judges.add(tx, other)
    tournament.rate("validated", [standing("alpha")], second=100)
    tournament.rate("validated", [standing("beta")], second=200, judge="other", fingerprint=other.fingerprint)
    tournament.publish()
    shown = {name: client.get(BOARD, params=name and {"judge": name}).json() for name in ("", "judy", "other")}
    assert {name: (one["judge"], one["standings"][0]["model"]) for name, one in shown.items()} == {
        "": ("other", "beta"),
        "judy": ("judy", "alpha"),
        "other": ("other", "beta"),
    }


@pytest.mark.parametrize("published", [False, True])
def test_an_unknown_judge_is_404_and_the_known_ones_are_named(
    tournament: Tournament, client: Client, published: bool
) -> None:
    if published:
        tournament.publish()
    response = client.get(BOARD, params={"judge": "nobody"})
    assert response.status_code == 404
    assert "judy" in response.json()["detail"]
    assert client.get(BOARD, params={"judge": "judy"}).status_code == 200
