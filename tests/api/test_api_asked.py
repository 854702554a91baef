"""The words of a query: which fit they mean, which are refused and where, and how a link says them again."""

from __future__ import annotations

from typing import get_args
from urllib.parse import parse_qsl

import pytest
from api_facts import Client, Tournament, standing

import api.words
from api.asked import Asked, Method, Policy
from leaderboard.core.calibration import POLICIES
from leaderboard.core.judged import SHARES
from leaderboard.core.ratings import METHODS
from leaderboard.history.records import FitKey

BOARD = "/api/v1/leaderboard"
LENGTH = FitKey("overall", "joint", None, "length")
MEANT = [
    ({}, FitKey()),
    ({"policy": "soft"}, FitKey(policy="soft")),
    ({"method": "elo"}, FitKey(method="elo")),
    ({"method": "elo", "policy": "drop"}, FitKey(method="elo", policy="drop")),
    ({"method": "joint"}, FitKey(method="joint", policy=None)),
    ({"control": "length"}, LENGTH),
    ({"method": "joint", "control": "length"}, LENGTH),
    ({"scope": "category=a=b/c & d"}, FitKey("category=a=b/c & d")),
    ({"scope": "group=é"}, FitKey("group=é")),
]
REFUSED = [
    ("/scope", {"scope": "everything"}),
    ("/scope", {"scope": "language="}),
    ("/scope", {"scope": "category"}),
    ("/scope", {"scope": ""}),
    ("/method", {"method": "glicko"}),
    ("/policy", {"policy": "toss"}),
    ("/policy", {"policy": ""}),
    ("/policy", {"method": "joint", "policy": "tie"}),
    ("/policy", {"control": "length", "policy": "tie"}),
    ("/control", {"control": "style"}),
    ("/control", {"control": "length", "method": "bt"}),
]
TIMES = ["yesterday", "", "2026-13-01", "1e9", "2026-03-01T10:00:00Z' OR 1"]


@pytest.mark.parametrize(("query", "key"), MEANT)
def test_a_stored_fit_is_found_by_the_words_that_mean_it(
    tournament: Tournament, client: Client, query: dict[str, str], key: FitKey
) -> None:
    tournament.rate("validated", [standing("plain")])
    control = {"name": "length", "effect": None, "rows": 4, "left_out": 0} if key.control else None
    for each in {key, FitKey(key.scope, key.method, key.policy)}:
        fields = {"scope": each.scope, "method": each.method, "policy": each.policy, "control": each.control}
        tournament.rate("validated", [standing("meant")], second=200, **fields, head={"control": control})
    tournament.publish()
    board = client.get(BOARD, params=query).json()
    assert (board["scope"], board["method"], board["policy"]) == (key.scope, key.method, key.policy)
    assert board["standings"][0]["model"] == "meant"


@pytest.mark.parametrize("path", [BOARD, "/"])
@pytest.mark.parametrize(("pointer", "query"), [*REFUSED, *(("/as_of", {"as_of": time}) for time in TIMES)])
def test_other_words_are_422_and_the_pointer_names_the_parameter(
    client: Client, path: str, pointer: str, query: dict[str, str]
) -> None:
    response = client.get(path, params=query)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert [(error["pointer"], error["in"]) for error in response.json()["errors"]] == [(pointer, "query")]


@pytest.mark.parametrize(("pointer", "query"), REFUSED)
def test_ratings_over_time_take_the_same_words(client: Client, pointer: str, query: dict[str, str]) -> None:
    response = client.get("/api/v1/ratings", params=query)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, pointer)


ROUTES = [BOARD, "/", "/api/v1/ratings", "/api/v1/models", "/api/v1/models/alpha", "/api/v1/verdicts"]
MISSPELT = [("polcy=soft", "polcy"), ("asof=2026-03-01", "asof"), ("a%2Fb=", "a~1b"), ("%3Cb%3E=1&", "<b>")]


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(("query", "name"), MISSPELT)
def test_a_parameter_that_is_not_known_is_422_and_names_those_that_are(
    client: Client, path: str, query: str, name: str
) -> None:
    response = client.get(f"{path}?{query}")
    assert (response.status_code, response.headers["content-type"]) == (422, "application/problem+json")
    assert [(error["pointer"], error["in"]) for error in response.json()["errors"]] == [(f"/{name}", "query")]
    known = {BOARD: "as_of, control, judge, method, policy, scope", "/api/v1/models": "cursor, limit"}.get(path, "")
    assert f"known: {known}" in response.json()["detail"]


@pytest.mark.parametrize(
    ("path", "query"),
    [(BOARD, "scope=overall&scope=overall"), ("/", "judge=a&judge=b"), ("/api/v1/verdicts", "model=a&limit=1&model=a")],
)
def test_a_parameter_that_is_given_twice_is_422(client: Client, path: str, query: str) -> None:
    response = client.get(f"{path}?{query}")
    (error,) = response.json()["errors"]
    assert (response.status_code, error["pointer"]) == (422, f"/{query.partition('=')[0]}")
    assert "given 2 times" in response.json()["detail"]


@pytest.mark.parametrize("path", [BOARD, "/", "/api/v1/ratings"])
@pytest.mark.parametrize("value", ["x" * 401, "nobody\x00", "%ff"])
def test_no_text_in_a_query_breaks_anything(tournament: Tournament, client: Client, path: str, value: str) -> None:
    tournament.rate("validated", [standing("alpha")])
    tournament.publish()
    for name in ("judge", "scope", "model", "cursor", "as_of"):
        assert client.get(path, params={name: value}).status_code in {200, 404, 422}
        assert client.get(path, params={value: name}).status_code == 422


def test_the_words_are_those_that_the_core_knows() -> None:
    assert _words(Method) == set(METHODS)
    assert _words(Policy) == set(POLICIES) == set(SHARES)
    assert (api.words.METHODS.keys(), api.words.POLICIES.keys()) == (METHODS.keys(), POLICIES.keys())


def _words(parameter: object) -> set[str]:
    (literal, _) = get_args(get_args(parameter)[0])
    return set(get_args(literal))


@pytest.mark.parametrize("judge", [None, "a/b & c?"])
@pytest.mark.parametrize("as_of", [None, "2026-03-01T10:00:00+01:00"])
@pytest.mark.parametrize("key", [key for _, key in MEANT])
def test_a_link_says_what_was_asked_and_leaves_out_the_rest(judge: str | None, as_of: str | None, key: FitKey) -> None:
    words = dict(parse_qsl(Asked(judge, key, as_of).query.removeprefix("?")))
    assert (words.pop("judge", None), words.pop("as_of", None)) == (judge, as_of)
    assert "overall" not in words.values()
    joint = key.method == "joint"
    assert words.get("scope", "overall") == key.scope
    assert words.get("method", "joint" if "control" in words else "bt") == key.method
    assert words.get("policy", None if joint else "tie") == key.policy
    assert words.get("control") == key.control


def test_the_default_board_needs_no_words() -> None:
    assert Asked().query == ""
