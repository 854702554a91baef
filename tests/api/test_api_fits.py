"""Stored fits over HTTP: each under its own words, the others refused; links among them; ratings over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from api_facts import Client, Tournament, stamp, standing, strict
from page_facts import Seen

from api.asked import Asked
from api.choices import fit_choices, judge_choices, nearest, scope_choices
from api.schemas import Board, RatingPage
from leaderboard.history.records import FitKey

BOARD = "/api/v1/leaderboard"
RATINGS = "/api/v1/ratings"
POLICIES = ("tie", "score", "soft", "drop")
JOINT = FitKey(method="joint", policy=None)
LENGTH = FitKey(method="joint", policy=None, control="length")
KEYS = [FitKey(), FitKey(policy="soft"), JOINT, LENGTH, FitKey("language=nl"), FitKey("category=a b/c")]
EFFECT = {
    "logit": 0.31, "se": 0.05, "se_model": 0.04, "lower": 0.21, "upper": 0.41, "elo": 53.9, "p_value": 0.001,
    "reason": None,
}  # fmt: skip
HEAD = {
    "judges": [{"judge": "judy", "first_position": EFFECT, "tie": {"nu": 0.4}}],
    "convergence": {"solver": "newton", "residual": 1e-12, "steps": 5},
    "versions": {"leaderboard": "0.1.0"},
    "k": 3,
}


def store(tournament: Tournament, key: FitKey, second: int = 100, **values: Any) -> None:
    """The fit of a key: alpha first by more the later it is made."""
    rows = [
        standing("alpha", 1100.0 + second, lower=1050.0, upper=1150.0, tier=1, p_top1=0.9, p_topk=1.0),
        standing("org/beta", 900.0 - second, rank=2, tier=2, expected_next=None, more_reason="nobody below"),
    ]
    head = dict(HEAD)
    if key.control:
        head["control"] = {"name": "length", "effect": EFFECT, "rows": 40, "left_out": 2}
    given = {"scope": key.scope, "method": key.method, "policy": key.policy, "control": key.control, "head": head}
    tournament.rate("validated", rows, second=second, **given | values)


@pytest.fixture
def stored(tournament: Tournament) -> Tournament:
    """Every key once, published."""
    for second, key in enumerate(KEYS, start=100):
        store(tournament, key, second)
    tournament.publish()
    return tournament


@pytest.mark.parametrize("key", KEYS)
def test_every_stored_fit_has_a_board_and_a_page(stored: Tournament, client: Client, key: FitKey) -> None:
    query = Asked("judy", key).query
    board = strict(client.get(BOARD + query).text)
    assert Board.model_validate(board, strict=True).model_dump(exclude_unset=True) == board
    assert (board["scope"], board["method"], board["policy"]) == (key.scope, key.method, key.policy)
    assert (board["k"], board["convergence"]["solver"], board["standings"][0]["tier"]) == (3, "newton", 1)
    page = client.get("/" + query)
    assert page.status_code == 200
    assert "org/beta" in page.text
    assert client.get("/" + query, headers={"If-None-Match": page.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(
    "key", [FitKey(policy="drop"), FitKey(method="elo"), FitKey("group=x"), FitKey("language=nl", policy="soft")]
)
@pytest.mark.parametrize("path", [BOARD, "/"])
def test_a_fit_that_is_not_stored_is_404_and_says_what_is(
    stored: Tournament, client: Client, path: str, key: FitKey
) -> None:
    response = client.get(path + Asked("judy", key).query)
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    detail = response.json()["detail"]
    assert "soft" in detail or "language=nl" in detail
    assert "`leaderboard board` derives" in detail


@pytest.mark.parametrize("key", KEYS)
def test_no_link_of_a_page_leads_nowhere(stored: Tournament, client: Client, key: FitKey) -> None:
    seen = Seen(client.get("/" + Asked("judy", key).query).text)
    links = {str(link["href"]) for link in seen.all("a") if "models/" not in str(link["href"])}
    assert {link: client.get("/" + link).status_code for link in links} == dict.fromkeys(links, 200)
    assert len([link for link in links if link.startswith("?")]) >= 3
    assert len([link for link in seen.all("a") if link.get("aria-current") == "page"]) == 2 - (key.scope != "overall")


def test_links_keep_the_other_choices_where_such_a_fit_is_stored() -> None:
    asked = Asked("a/b", FitKey("language=nl", "bt", "soft"), "2026-03-01T10:00:00Z")
    keys = [*(FitKey(policy=policy) for policy in POLICIES), FitKey("language=nl"), asked.key, FitKey("language=en")]
    scopes = scope_choices(asked, keys)
    assert {kind: [choice.text for choice in found] for kind, found in scopes.items()} == {
        "Scope": ["overall"],
        "Language": ["en", "nl"],
    }
    assert scopes["Scope"][0].query == "?judge=a%2Fb&policy=soft&as_of=2026-03-01T10%3A00%3A00Z"
    assert scopes["Language"][0].query == "?judge=a%2Fb&scope=language%3Den&as_of=2026-03-01T10%3A00%3A00Z"
    assert [(choice.text, choice.current) for choice in fit_choices(asked, keys)] == [
        ("bt, tie", False),
        ("bt, soft", True),
    ]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (FitKey(policy="soft"), FitKey("language=nl")),
        (JOINT, FitKey("language=nl", "joint", None)),
        (LENGTH, FitKey("language=nl")),
    ],
)
def test_the_nearest_fit_of_another_scope_is_the_same_or_the_default(wanted: FitKey, found: FitKey) -> None:
    stored = [FitKey("language=nl", "joint", None), FitKey("language=nl"), FitKey("language=en", policy="soft")]
    assert nearest(wanted, "language=nl", stored) == found
    assert nearest(JOINT, "language=en", stored) == FitKey("language=en", policy="soft")


def test_where_there_is_nothing_to_choose_nothing_is_offered() -> None:
    assert scope_choices(Asked(), [FitKey(), JOINT]) == {}
    assert fit_choices(Asked(), [FitKey(), FitKey("language=nl")]) == []
    assert judge_choices(Asked(), ["judy"], "judy") == []


def test_the_fits_of_the_scope_stand_side_by_side_on_one_scale(stored: Tournament, client: Client) -> None:
    seen = Seen(client.get("/").text)
    (drawn,) = [each for each in seen.all("table") if each.get("class") == "plot"]
    groups = [each for each in seen.all("g") if str(each.get("class")).startswith("fit ")]
    assert drawn
    assert len(groups) == 3 + 2 * 3 + 2 * 3  # the headings, and for each model the drawing and the keys of its cells
    assert "alpha" in seen.words.partition("Side by side")[2]
    for shown in ("1200", "1201", "1202", "bt, tie", "bt, soft", "joint"):
        assert shown in seen.words.partition("Ratings with intervals")[2]


def test_a_scope_with_one_fit_has_nothing_beside_it(stored: Tournament, client: Client) -> None:
    assert "Side by side" not in client.get("/" + Asked("judy", FitKey("language=nl")).query).text


def test_the_board_as_it_was_known_then(tournament: Tournament, client: Client) -> None:
    for second in (100, 200):
        store(tournament, FitKey(), second)
    tournament.publish()
    shown = {second: client.get(BOARD, params={"as_of": stamp(second)}).json() for second in (100, 150, 200, 300)}
    assert {second: board["standings"][0]["rating"] for second, board in shown.items()} == {
        100: 1200.0,
        150: 1200.0,
        200: 1300.0,
        300: 1300.0,
    }
    assert "Not the newest" in client.get("/", params={"as_of": stamp(150)}).text


@pytest.mark.parametrize("query", [{}, {"policy": "soft"}, {"scope": "language=de"}, {"judge": "judy"}])
@pytest.mark.parametrize("path", [BOARD, "/"])
def test_before_the_first_fit_there_is_no_board(
    tournament: Tournament, client: Client, path: str, query: dict[str, str]
) -> None:
    early = {**query, "as_of": stamp(1)}
    assert (client.get(path, params=early).status_code, client.get(BOARD).status_code) == (404, 200)
    store(tournament, FitKey(), 100)
    tournament.publish()
    response = client.get(path, params=early)
    assert response.status_code == 404
    assert response.json()["detail"] == f"nothing was rated by {stamp(1)}: the first fit is of {stamp(100)}"


def test_a_failed_fit_leaves_the_last_board_standing_and_marks_it_old(tournament: Tournament, client: Client) -> None:
    store(tournament, FitKey(), 100)
    tournament.rate("validated", [], second=200, failure="no solver reached the maximum")
    tournament.publish()
    board = strict(client.get(BOARD).text)
    assert board["old"] == {"since": stamp(200), "reason": "no solver reached the maximum"}
    assert board["standings"][0]["rating"] == 1200.0
    words = Seen(client.get("/").text).words
    assert "This list is old" in words
    assert words.count("no solver reached the maximum") == 1


def test_figures_that_are_no_numbers_never_leave(tournament: Tournament, client: Client) -> None:
    nothing = {"p_top1": math.nan, "p_topk": math.inf, "expected_next": math.nan, "lower": -math.inf, "upper": math.nan}
    tournament.rate("validated", [standing("alpha", **nothing), standing("beta", math.nan, rank=None)])
    tournament.publish()
    for row in strict(client.get(BOARD).text)["standings"]:
        assert [row[name] for name in nothing] == [None] * len(nothing)
    page = client.get("/").text
    assert not {"nan", "inf", "None"} & set(Seen(page).words.split())
    strict(client.get(RATINGS).text)


def test_ratings_over_time_are_newest_first_and_end(tournament: Tournament, client: Client) -> None:
    for second in (100, 200, 300):
        store(tournament, FitKey(), second)
        store(tournament, FitKey(policy="soft"), second)
    tournament.publish()
    pages = all_pages(client, {"model": "org/beta", "limit": "2"})
    assert [[item["rating"] for item in page["items"]] for page in pages] == [[600.0, 700.0], [800.0]]
    for page in pages:
        RatingPage.model_validate(page, strict=True)
        assert {(item["model"], item["policy"], item["judge"]) for item in page["items"]} == {
            ("org/beta", "tie", "judy")
        }


def all_pages(client: Client, query: Mapping[str, str]) -> list[dict[str, Any]]:
    pages = [strict(client.get(RATINGS, params=query).text)]
    while pages[-1]["next_cursor"]:
        pages.append(strict(client.get(RATINGS, params={**query, "cursor": pages[-1]["next_cursor"]}).text))
    return pages


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("query", [{"scope": "category=nope"}, {"method": "elo"}, {"policy": "drop"}])
def test_ratings_of_a_fit_that_is_not_stored_are_404(
    tournament: Tournament, client: Client, published: bool, query: dict[str, str]
) -> None:
    if published:
        tournament.rate("validated", [standing("alpha")])
        tournament.rate("screened", [standing("beta")], method="joint", policy=None)
        tournament.publish()
    found = [client.get(path, params=query) for path in (RATINGS, BOARD)]
    assert [response.status_code for response in found] == [404, 404]
    assert {response.headers["content-type"] for response in found} == {"application/problem+json"}


def test_the_page_of_a_screened_list_links_to_its_ratings(tournament: Tournament, client: Client) -> None:
    tournament.rate("screened", [standing("alpha")], method="joint", policy=None)
    tournament.publish()
    seen = Seen(client.get("/", params={"policy": "soft"}).text)
    assert "Asked for overall, bt, soft" in seen.words
    (link,) = [str(each["href"]) for each in seen.all("a") if "ratings" in str(each["href"])]
    assert len(client.get("/" + link).json()["items"]) == 1


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize(("model", "status"), [("nobody", 404), ("no/body?<b>", 404), ("beta", 200)])
def test_a_model_without_ratings_has_none_and_an_unknown_one_is_404(
    tournament: Tournament, client: Client, published: bool, model: str, status: int
) -> None:
    if published:
        tournament.rate("validated", [standing("alpha")])
        tournament.publish()
    response = client.get(RATINGS, params={"model": model})
    assert response.status_code == status
    assert status == 404 or response.json() == {"items": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("query", "pointer"), [({"limit": "0"}, "/limit"), ({"limit": "201"}, "/limit"), ({"cursor": "x"}, "/cursor")]
)
def test_a_page_that_cannot_be_is_422(stored: Tournament, client: Client, query: dict[str, str], pointer: str) -> None:
    response = client.get(RATINGS, params=query)
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, pointer)
