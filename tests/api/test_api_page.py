"""The page: everything readable without scripts, nothing from elsewhere, every text inert."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from api_facts import Client, Tournament, standing
from hypothesis import given
from hypothesis import strategies as st

from api.app import STATIC
from api.pages import FLAGS, board_page, dollars, groups, moment, scale_of, share
from leaderboard.history.boards import empty_board

NASTY = ["<script>alert(1)</script>", '=HYPERLINK("http://x";"y")', '"><img src=x onerror=alert(1)>', "a'b&c/../d?e#f"]


class Seen(HTMLParser):
    """What a browser would make of a page: the tags with their attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def row(id_: str = "alpha", **values: Any) -> dict[str, Any]:
    blank: dict[str, Any] = dict.fromkeys(
        ("rating", "lower", "upper", "interval_reason", "rank", "rank_lower", "rank_upper", "rank_reason", "component",
         "usd_per_verdict")
    )  # fmt: skip
    return {"model": id_, **blank, "n": 0, "flags": [], "wins": 0, "losses": 0, "ties": 0, "simulated": False, **values}


def page(**values: Any) -> Seen:
    rated = {"board": "validated", "method": "bt", "policy": "tie", "judge": "judy", "notes": []}
    return Seen(board_page(empty_board([]) | rated | values, ["judy"]).decode())


@pytest.mark.parametrize("text", NASTY)
def test_a_text_from_outside_is_inert_wherever_it_stands(text: str) -> None:
    rows = [row(text, rating=1.0, component=0, flags=[text], interval_reason=text), row(text, rank_reason=text)]
    gate = {"state": text, "c": 0.5, "lower": 0.4, "upper": 0.6, "n": 3, "reason": text}
    seen = page(
        judge=text, notes=[text], standings=rows, screened=rows, gate=gate, snapshot=text, policy=text, method=text,
        head={"intervals": text, "p_first": {"share": 0.5, "lower": 0.4, "upper": 0.6}},
    )  # fmt: skip
    plain = page(judge="x", notes=["x"], standings=[row()] * 2, screened=[row()] * 2)
    assert {tag for tag, _ in seen.tags} <= {tag for tag, _ in plain.tags} | {"svg", "line", "b"}
    assert not [name for _, attributes in seen.tags for name in attributes if name.startswith("on")]
    assert text in seen.text


def test_ids_in_the_ledger_reach_the_page_escaped(tournament: Tournament, client: Client) -> None:
    tournament.rate("validated", [standing(text, 1000.0 + place) for place, text in enumerate(NASTY)])
    tournament.publish()
    response = client.get("/")
    seen = Seen(response.text)
    assert all(text in seen.text for text in NASTY)
    assert not seen.all("script")
    assert not seen.all("img")
    paths = [str(link["href"]) for link in seen.all("a") if str(link["href"]).startswith("api/v1/models/")]
    assert [client.get("/" + path).status_code for path in paths] == [404] * len(NASTY)


def test_nothing_comes_from_elsewhere_and_nothing_runs() -> None:
    seen = page(standings=[row(rating=1.0, component=0)])
    places = [attributes[name] for _, attributes in seen.tags for name in ("src", "href") if name in attributes]
    assert places
    assert not [place for place in places if place is not None and re.match(r"(\w+:|//)", place)]
    assert not [tag for tag, attributes in seen.tags if tag in {"script", "style"} or "style" in attributes]


def test_the_stylesheet_loads_nothing() -> None:
    css = (STATIC / "board.css").read_text(encoding="utf-8")
    assert "url(" not in css
    assert "@import" not in css


def test_what_the_page_links_to_is_there(tournament: Tournament, client: Client) -> None:
    tournament.rate("validated", [standing("alpha")])
    tournament.publish()
    seen = Seen(client.get("/").text)
    links = [str(link["href"]) for link in seen.all("a") + seen.all("link")]
    answers = {link: client.get("/" + link).status_code for link in links}
    assert set(answers.values()) == {200}
    assert {"openapi.json", "api/v1/leaderboard?judge=judy", "static/board.css"} <= answers.keys()


def test_the_title_names_the_judge_and_tables_have_captions_and_headings() -> None:
    seen = page(standings=[row()], screened=[row()])
    assert "Leaderboard, judged by judy" in seen.text
    assert len(seen.all("caption")) == len(seen.all("table")) == 2
    assert {cell.get("scope") for cell in seen.all("th")} == {"col", "row"}
    assert len(seen.all("h1")) == 1
    assert seen.all("html") == [{"lang": "en"}]


def test_a_missing_figure_is_a_dash_that_says_why() -> None:
    unrated = row(rank_reason="no matches", flags=["no_matches"])
    unpriced = row("beta", rating=1000.0, rank=1, component=0, n=3, interval_reason="fewer than 10 prompts")
    titles = [str(one.get("title")) for one in page(standings=[unpriced, unrated]).all("abbr")]
    assert {"no matches", "no verdicts yet", "price unknown", "no interval: fewer than 10 prompts"} <= set(titles)
    assert "None" not in page(standings=[unpriced, unrated]).text


def test_every_flag_is_a_badge_with_a_title() -> None:
    badges = [one for one in page(standings=[row(flags=list(FLAGS))]).all("span") if one.get("class") == "flag"]
    assert [badge["title"] for badge in badges] == list(FLAGS.values())


@pytest.mark.parametrize("simulated", [True, False])
def test_a_simulated_board_says_so(simulated: bool) -> None:
    assert ("say nothing about real ones" in page(simulated=simulated).text) is simulated


def test_the_head_shows_how_far_the_judge_can_be_trusted() -> None:
    gate = {"state": "fail", "c": 0.614, "lower": 0.55, "upper": 0.68, "n": 240, "threshold": 0.85}
    first = {"share": 0.709, "lower": 0.66, "upper": 0.75, "tie": 3}
    text = page(gate=gate, head={"p_first": first}, as_of="2026-03-01T10:00:07.000001Z", snapshot="snap-1").text
    for shown in (
        "0.61",
        "0.55 to 0.68",
        "fails the gate",
        "0.71",
        "0.66 to 0.75",
        "2026-03-01 10:00:07 UTC",
        "snap-1",
    ):
        assert shown in text


def test_an_unclear_gate_gives_its_own_reason() -> None:
    gate = {"state": "unclear", "c": 0.6, "lower": 0.5, "upper": 0.7, "n": 3, "reason": "needs 30 prompts, has 24"}
    assert "unclear: needs 30 prompts, has 24" in page(gate=gate).text


def test_a_held_back_list_is_empty_and_the_notes_say_why(tournament: Tournament, client: Client) -> None:
    tournament.rate("validated", [], head={"notes": ["The list is held back."]})
    tournament.publish()
    text = Seen(client.get("/").text).text
    assert "The list is held back." in text
    assert "Nobody is on this list" in text


def test_with_nobody_validated_there_is_one_provisional_list() -> None:
    seen = page(board="screened", standings=[row(flags=["provisional"])])
    assert len(seen.all("table")) == 1
    assert "Screened only" in seen.text
    assert "Validated" not in seen.text


def test_before_the_first_publication_the_page_says_what_to_expect(client: Client) -> None:
    response = client.get("/")
    assert response.status_code == 200
    assert "No ratings yet" in response.text
    assert not Seen(response.text).all("table")


def test_models_that_never_met_stand_apart_each_group_on_its_own_scale() -> None:
    rows = [row("a", component=0, rating=1400.0), row("b", component=1, rating=1000.0), row("c"), row("d", component=0)]
    found = groups(rows)
    assert [(group.number, [one["model"] for one in group.rows]) for group in found] == [
        (0, ["a", "d"]),
        (1, ["b"]),
        (None, ["c"]),
    ]
    assert found[0].scale != found[1].scale
    assert found[2].scale is None


@given(st.lists(st.floats(-3000, 5000), min_size=1, max_size=20))
def test_the_scale_holds_every_rating_in_order(ratings: list[float]) -> None:
    scale = scale_of([row(rating=rating) for rating in ratings])
    assert scale is not None
    places = [scale.place(rating) for rating in sorted(ratings)]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100
    assert 0 < scale.middle < 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "$0"),
        (12.5, "$12.50"),
        (0.002, "$0.0020"),
        (0.00057, "$0.00057"),
        (1.2e-8, "$0.000000012"),
        (1234.5, "$1234.50"),
    ],
)
def test_money_is_never_shown_in_powers_of_ten(value: float, text: str) -> None:
    assert dollars(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0.00"), (1, "1.00"), (0.5, "0.50"), (0.999, "0.9990"), (0.0004, "0.0004"), (0.614, "0.61")]
)
def test_a_share_that_is_nearly_one_is_not_shown_as_one(value: float, text: str) -> None:
    assert share(value) == text


def test_a_time_is_shown_in_utc() -> None:
    assert moment("2026-03-01T10:00:07.000001Z") == "2026-03-01 10:00:07 UTC"


def test_styles_come_with_their_type(client: Client) -> None:
    response = client.get("/static/board.css")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert client.get("/static/../app.py").status_code == 404
    assert client.get("/static/%2e%2e/app.py").status_code == 404
    assert Path(STATIC, "../app.py").exists()
