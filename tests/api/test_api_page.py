"""The page: everything readable without scripts, nothing from elsewhere, every text inert."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_facts import Client, Tournament, standing
from hypothesis import given
from hypothesis import strategies as st
from page_facts import Seen, effect, page, row

from api.app import STATIC
from api.asked import Asked
from api.figures import chance, dollars, elo, moment, p_value, share, signed
from api.standings import groups, scale_of
from api.words import FLAGS
from leaderboard.history.boards import NONE_MADE, OLD
from leaderboard.history.records import FitKey

NASTY = ["<script>alert(1)</script>", '=HYPERLINK("http://x";"y")', '"><img src=x onerror=alert(1)>', "a'b&c/../d?e#f"]


@pytest.mark.parametrize("text", NASTY)
def test_a_text_from_outside_is_inert_wherever_it_stands(text: str) -> None:
    rows = [row(text, rating=1.0, component=0, flags=[text], interval_reason=text), row(text, rank_reason=text)]
    pair = {"a": text, "b": text, "here": 1.0, "there": -1.0}
    seen = page(
        Asked(as_of=text, key=FitKey(f"category={text}", text, text, text)),
        judge=text, notes=[text], standings=rows, screened=rows, snapshot=text, policy=text, method=text, scope=text,
        gate={"state": text, "c": 0.5, "lower": 0.4, "upper": 0.6, "n": 3, "reason": text},
        head={"intervals": text, "p_first": {"share": 0.5, "lower": 0.4, "upper": 0.6}},
        judges=[{"judge": text, "first_position": effect(reason=text), "tie": {"nu": 0.4}}] * 2,
        control={"name": text, "effect": effect(None, reason=text), "rows": 4, "left_out": 1},
        old={"since": text, "reason": text},
        convergence={"solver": text, "residual": 1e-9},
        side_by_side={"fits": [beside(text, policy=text, method=text, reversed=[pair])]},
    )  # fmt: skip
    plain = page(judge="x", notes=["x"], standings=[row()] * 2, screened=[row()] * 2, side_by_side={"fits": [beside()]})
    assert {tag for tag, _ in seen.tags} <= {tag for tag, _ in plain.tags} | {"svg", "line", "b", "strong", "time"}
    assert not [name for _, attributes in seen.tags for name in attributes if name.startswith("on")]
    assert seen.text.count(text) > 20


def beside(reason: str | None = None, **values: object) -> dict[str, object]:
    unknown = {"kendall_tau": None, "tau_reason": reason}
    return {"method": "bt", "policy": "score", **unknown, "models": 2, "reversed": [], **values}


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
    titles = page(standings=[unpriced, unrated]).titles
    assert {"no matches", "no verdicts yet", "price unknown", "no interval: fewer than 10 prompts"} <= titles
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
    gate = {"state": "fail", "c": 0.6, "lower": 0.5, "upper": 0.7, "n": 240, "threshold": 0.85}
    tournament.rate("validated", [], gate=gate, head={"notes": ["The list is held back."]})
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
        (0, ["a"]),
        (1, ["b"]),
        (None, ["c", "d"]),  # nothing links a model without a rating, whatever its number
    ]
    assert found[0].scale != found[1].scale
    assert found[2].scale is None
    assert [group.last for group in found] == ["a", "b", None]


def test_tiers_are_lines_in_the_list() -> None:
    rows = [row(name, component=0, rating=1000.0, tier=tier) for name, tier in (("a", 1), ("b", 1), ("c", 2))]
    assert [(tier.number, len(tier.rows)) for tier in groups(rows)[0].tiers] == [(1, 2), (2, 1)]
    assert re.search(r"Tier 1 .*\ba\b.*\bb\b.* Tier 2 .*\bc\b", page(standings=rows).words)
    assert "Tier" not in page(standings=[each | {"tier": None} for each in rows]).text


def test_a_row_shows_what_the_fit_knows_of_it() -> None:
    top = row(
        "a", component=0, rating=1100.4, lower=1050.0, upper=1150.0, rank=1, rank_lower=1, rank_upper=3, n=1234, tier=1,
        p_top1=0.954, p_topk=0.9999, expected_next=0.614, more_pairings=1820, wins=3, losses=2, ties=1,
    )  # fmt: skip
    words = page(standings=[top, row("b", component=0, rating=900.0)], k=3).words
    for shown in ("1 to 3", "1100 1050 to 1150", "≈ 0.95 top 3: > 0.99", "0.61", "1,820", "3 / 2 / 1", "1234"):
        assert shown in words


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"more_reason": "too near to nothing"}, "too near to nothing"),
        ({"interval_reason": "needs 10 prompts, has 4"}, "needs 10 prompts, has 4"),
        ({}, "not estimated by this method"),
        ({"more_pairings": 40, "more_reason": "not with these prompts"}, "nobody is ranked below"),
        ({"more_pairings": 0}, "These two alone are told apart already"),
    ],
)
def test_what_is_not_known_against_the_next_says_why(values: dict[str, object], reason: str) -> None:
    seen = page(standings=[row("a", component=0, rating=1100.0, **values), row("b", component=0, rating=900.0)])
    assert reason in seen.titles
    assert "nobody is ranked below" in seen.titles
    assert "None" not in seen.text


def test_more_pairings_than_there_are_prompts_say_so_beside_the_number() -> None:
    top = row("a", component=0, rating=1100.0, more_pairings=40, more_reason="not with these prompts")
    assert "40 not with these prompts" in page(standings=[top, row("b", component=0, rating=1.0)]).words


def test_every_column_is_explained_in_its_heading() -> None:
    seen = page(standings=[row()], k=3)
    said = " ".join(seen.titles)
    for words in ("expected score under this judge and policy", "approximate", "interval of ranks", "on new prompts"):
        assert words in said
    assert "Ratings are the expected score under this judge and policy" in seen.text


def test_the_position_effect_is_shown_in_points_and_logits_with_interval_and_p() -> None:
    seen = page(judges=[{"judge": "judy", "first_position": effect(), "tie": {"nu": 0.4}}])
    assert "+54 Elo +36 to +71" in seen.words
    assert "+0.31 logits (+0.21 to +0.41), p < 0.001" in seen.words


def test_a_position_effect_that_cannot_be_given_says_why() -> None:
    reason = "no row says which answer was shown first"
    blank = dict.fromkeys(("se", "se_model", "lower", "upper", "elo", "p_value"))
    seen = page(judges=[{"judge": None, "first_position": effect(None, **blank, reason=reason), "tie": {"nu": None}}])
    assert reason in seen.titles
    assert "None" not in seen.text


def test_an_old_list_says_so_and_why() -> None:
    old = {"since": "2026-03-01T10:00:07.000001Z", "reason": "no solver reached the maximum"}
    words = page(old=old).words
    assert "This list is old: the last fit failed because no solver reached the maximum." in words
    assert "2026-03-01 10:00:07 UTC" in words
    assert "This list is old" not in page().text


def test_a_list_that_was_never_made_is_not_called_old() -> None:
    old = {"since": "2026-03-01T10:00:07.000001Z", "reason": "no solver reached the maximum"}
    words = page(old=old, notes=[NONE_MADE.format(**old), OLD.format(**old), "another"]).words
    assert "No list: the ratings could not be made because no solver reached the maximum." in words
    assert "This list is old" not in words
    assert words.count("no solver reached the maximum") == 1
    assert "another" in words


def test_a_board_of_another_time_says_so_and_links_to_the_newest() -> None:
    seen = page(Asked("judy", FitKey(policy="soft"), "2026-03-01T10:00:00Z"))
    assert "as it was known at 2026-03-01T10:00:00Z" in seen.text
    assert "?judge=judy&policy=soft" in {link["href"] for link in seen.all("a")}


def test_controlled_ratings_stand_beside_the_plain_ones() -> None:
    held = {"rating": 1020.0, "lower": 1000.0, "upper": 1040.0, "rank": 2, "rank_lower": 1, "rank_upper": 4}
    control = {"name": "length", "effect": effect(), "rows": 4000, "left_out": 12}
    rows = [row("a", rating=1100.0, component=0, controlled=held), row("b", rating=9.0, component=0, controlled=None)]
    seen = page(control=control, standings=rows)
    for shown in (
        "1020 1000 to 1040 rank 2, 1 to 4",
        "1100",
        "Length held equal",
        "Effect of length",
        "12 rows left out",
    ):
        assert shown in seen.words
    assert "no rating with this held equal" in seen.titles
    assert "Length held equal" not in page(standings=[row()]).text


def test_reversed_pairs_are_named_and_a_missing_tau_says_why() -> None:
    found = [
        beside(kendall_tau=0.931, reversed=[{"a": "x", "b": "y", "here": 40.0, "there": -12.4}]),
        beside("fewer than two models", method="joint", policy=None),
        beside(policy="soft", reversed=[{"a": f"m{n}", "b": "y", "here": n, "there": -1} for n in range(7)]),
    ]
    seen = page(side_by_side={"fits": found})
    assert "bt, score 0.93 2 1: x over y by 40 here, by −12 there joint" in seen.words
    assert "7: m0 over y by 0 here, by −1 there; m1 over y" in seen.words
    assert "m4 over y by 4 here, by −1 there and more" in seen.words
    assert "fewer than two models" in seen.titles


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


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "< 0.01"), (0.0099, "< 0.01"), (0.0103, "≈ 0.01"), (0.954, "≈ 0.95"), (0.9951, "> 0.99"), (1, "> 0.99")],
)
def test_an_approximate_chance_is_never_shown_as_certain(value: float, text: str) -> None:
    assert chance(value) == text


def test_effects_have_a_sign_and_p_is_never_nought() -> None:
    assert (signed(-0.0548), elo(-0.0548), signed(0.31)) == ("−0.05", "−10", "+0.31")
    assert (p_value(0.0), p_value(0.00099), p_value(0.0287)) == ("p < 0.001", "p < 0.001", "p = 0.029")
