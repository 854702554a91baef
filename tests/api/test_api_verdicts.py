"""GET /api/v1/verdicts and /{id}: every answer is about what was asked, and the evidence is what was sent."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from api_facts import PROMPTS, Client, Tournament, answer_of, judge, strict

from api.schemas import VerdictDetail, VerdictPage
from api.sent import CHANGED
from leaderboard.core.types import Prompt
from leaderboard.ledger import judges
from leaderboard.ledger.requests import Finished, Request

VERDICTS = "/api/v1/verdicts"
ENGLISH, DUTCH, SECRET = PROMPTS


@pytest.fixture
def played(tournament: Tournament, client: Client) -> Client:
    """alpha against beta on all three prompts, published."""
    for second, prompt in enumerate(PROMPTS, start=1):
        tournament.judged(prompt, "alpha", "beta", second=second)
    tournament.publish()
    return client


def listed(client: Client, **filters: Any) -> list[dict[str, Any]]:
    response = client.get(VERDICTS, params=filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = strict(response.text)["items"]
    return items


def detail(client: Client, prompt: Prompt, **headers: str) -> dict[str, Any]:
    (row,) = listed(client, prompt=prompt.id)
    response = client.get(f"{VERDICTS}/{row['id']}", headers=headers)
    assert response.status_code == 200, response.text
    shown: dict[str, Any] = strict(response.text)
    VerdictDetail.model_validate(shown)
    return shown


# -- the list ----------------------------------------------------------------------------------------------------------


def test_before_the_first_publication_there_are_none(client: Client) -> None:
    assert client.get(VERDICTS).json() == {"items": [], "next_cursor": None}
    response = client.get(f"{VERDICTS}/0123456789abcdef")
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")


FILTERS = [
    ({}, ["p-secret", "p-nl", "p-en"]),
    ({"model": "alpha"}, ["p-secret", "p-nl", "p-en"]),
    ({"model": "beta", "opponent": "alpha"}, ["p-secret", "p-nl", "p-en"]),
    ({"opponent": "nobody"}, []),
    ({"judge": "judy", "category": "science"}, ["p-nl", "p-en"]),
    ({"language": "nl"}, ["p-nl"]),
    ({"prompt": "p-en"}, ["p-en"]),
    ({"stage": "validation", "outcome": "a"}, ["p-secret", "p-nl", "p-en"]),
    ({"stage": "screening"}, []),
    ({"outcome": "b"}, []),
    ({"model": "' OR 1=1 --"}, []),
]


@pytest.mark.parametrize(("filters", "prompts"), FILTERS, ids=[str(filters) for filters, _ in FILTERS])
def test_filters_all_apply_and_the_newest_comes_first(
    played: Client, filters: dict[str, str], prompts: list[str]
) -> None:
    assert [row["prompt_id"] for row in listed(played, **filters)] == prompts


@pytest.mark.parametrize(
    ("name", "value"),
    [("stage", "final"), ("outcome", "alpha"), ("limit", "0"), ("limit", "201"), ("model", "x" * 401)],
)
def test_a_filter_that_cannot_be_is_pointed_at(played: Client, name: str, value: str) -> None:
    response = played.get(VERDICTS, params={name: value})
    assert response.status_code == 422
    assert [(error["pointer"], error["in"]) for error in response.json()["errors"]] == [(f"/{name}", "query")]


def test_pages_do_not_overlap_while_verdicts_are_added(tournament: Tournament, played: Client) -> None:
    first = played.get(VERDICTS, params={"limit": 2}).json()
    tournament.judged(replace(ENGLISH, id="p-new"), "alpha", "beta", second=50)
    tournament.publish()
    rest = played.get(VERDICTS, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [row["prompt_id"] for row in first["items"] + rest["items"]] == ["p-secret", "p-nl", "p-en"]
    assert rest["next_cursor"] is None


def test_the_list_fits_its_schema(played: Client) -> None:
    VerdictPage.model_validate(strict(played.get(VERDICTS).text), strict=True)


def test_fifty_requests_at_once_are_each_about_the_model_asked_for(tmp_path: Path) -> None:
    """One connection shared by threads gives wrong rows without an error."""
    names = [f"lab/m{number:02d}" for number in range(11)]
    tournament = Tournament.make(tmp_path / "home", names)
    for a, b in combinations(names, 2):
        tournament.judged(ENGLISH, a, b)
    tournament.publish()
    client = Client(tournament.home)
    asked = [names[number % len(names)] for number in range(50)]
    answers = client.many(*[("GET", VERDICTS, {"params": {"model": name}}) for name in asked])
    shown = client.many(*[("GET", f"/api/v1/models/{name}", {}) for name in asked])
    for name, answer in zip(asked, answers, strict=True):
        rows = answer.json()["items"]
        assert len(rows) == 10
        assert all(name in (row["model_a"], row["model_b"]) for row in rows)
    assert [one.json()["id"] for one in shown] == asked
    client.close()
    tournament.close()


# -- the evidence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", [ENGLISH, DUTCH], ids=["english", "dutch, two turns"])
def test_prompts_are_shown_as_they_were_sent(played: Client, prompt: Prompt) -> None:
    shown = detail(played, prompt)
    assert [(one["verified"], one["reason"], one["samples"]) for one in shown["prompts"]] == [(True, None, [1, 2])] * 2
    assert [one["shown_first"] for one in shown["prompts"]] == ["a", "b"]
    for sent in shown["prompts"]:
        system, user = sent["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert system["content"].startswith("You are fair.")
        assert "Be strict." in user["content"]
        a, b = (user["content"].index(answer_of(name, prompt).texts[0]) for name in ("alpha", "beta"))
        assert (a < b) is (sent["shown_first"] == "a")


def test_all_readings_are_there(played: Client) -> None:
    shown = detail(played, ENGLISH)
    assert [(one["shown_first"], one["sample"], one["text"]) for one in shown["readings"]] == [
        ("a", 1, "ab reply 1"), ("a", 2, "ab reply 2"), ("b", 1, "ba reply 1"), ("b", 2, "ba reply 2"),
    ]  # fmt: skip
    assert (shown["outcome"], shown["consistent"], shown["private"]) == ("a", True, None)


def test_an_unknown_verdict_is_404(played: Client) -> None:
    assert played.get(f"{VERDICTS}/nothing").status_code == 404


def test_a_prompt_that_was_sent_otherwise_is_not_called_verified(tournament: Tournament, client: Client) -> None:
    """The stored hash is that of what was sent: here the answer that stood last before it is another one."""
    altered = answer_of("alpha", ENGLISH).texts[0] + " (another)"
    late = Finished(
        request=Request(key="late", kind="answer", run="run-1", model="alpha", prompt_id="p-en", turn=0),
        state="done", payload={"text": altered, "finish_reason": "stop", "note": None},
        finished_at="2026-03-01T10:00:05.000001Z",
    )  # fmt: skip
    tournament.judged(ENGLISH, "alpha", "beta", second=9, meanwhile=[late])
    tournament.publish()
    sent = detail(client, ENGLISH)["prompts"]
    assert [(one["verified"], one["reason"]) for one in sent] == [(False, CHANGED)] * 2
    assert all(altered in one["messages"][1]["content"] for one in sent)


def test_what_is_missing_is_named_instead_of_a_prompt(tournament: Tournament, client: Client) -> None:
    stranger = judge("stranger", rubric="Never registered.")
    tournament.judged(ENGLISH, "alpha", "beta", judge=stranger)
    tournament.publish()
    sent = detail(client, ENGLISH)["prompts"]
    assert {(one["messages"], one["verified"], one["reason"]) for one in sent} == {
        (None, False, "the judge as it was then is not in this snapshot")
    }


def test_a_judge_that_changed_since_is_shown_as_it_was(tournament: Tournament, played: Client) -> None:
    with tournament.ledger.write() as tx:
        judges.replace(tx, judge(rubric="Be kind."))
    tournament.publish()
    assert all(one["verified"] for one in detail(played, ENGLISH)["prompts"])


# -- private prompts ---------------------------------------------------------------------------------------------------


def test_texts_around_a_private_prompt_are_withheld(played: Client) -> None:
    shown = detail(played, SECRET)
    told = str(shown)
    hidden = [*SECRET.turns, *answer_of("alpha", SECRET).texts, *answer_of("beta", SECRET).texts, "reply 1"]
    assert [text for text in hidden if text in told] == []
    assert (shown["private"], shown["outcome"]) == ("private", "a")
    assert [(one["messages"], one["verified"], one["reason"]) for one in shown["prompts"]] == [
        (None, False, "private")
    ] * 2


def test_the_admin_key_shows_them(tournament: Tournament, played: Client) -> None:
    shown = detail(played, SECRET, **tournament.key)
    assert shown["private"] is None
    assert all(one["verified"] and SECRET.turns[0] in one["messages"][1]["content"] for one in shown["prompts"])
    assert shown["readings"][0]["text"] == "ab reply 1"


def test_a_wrong_key_is_refused_rather_than_ignored(played: Client) -> None:
    (row,) = listed(played, prompt=SECRET.id)
    response = played.get(f"{VERDICTS}/{row['id']}", headers={"Authorization": "Bearer wrong"})
    assert response.status_code == 401


def test_a_prompt_of_unknown_visibility_is_taken_as_private(tournament: Tournament, client: Client) -> None:
    tournament.judged(replace(ENGLISH, id="p-unknown"), "alpha", "beta")
    tournament.publish()
    shown = detail(client, replace(ENGLISH, id="p-unknown"))
    assert shown["private"]
    assert ENGLISH.turns[0] not in str(shown)


def test_no_cache_keeps_what_one_visitor_may_see_for_another(played: Client) -> None:
    (row,) = listed(played, prompt=SECRET.id)
    headers = played.get(f"{VERDICTS}/{row['id']}").headers
    assert (headers["vary"], headers["cache-control"]) == ("Authorization", "private, no-cache")
