"""GET /api/v1/models: pages that neither overlap nor skip, ids with slashes, nothing secret."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest
from api_facts import ENDPOINT, Client, Tournament, model, stamp, strict

from api.cursors import cursor_after
from api.routes.models import quoted
from api.schemas import ModelPage, ShownModel
from leaderboard.core.types import Model
from leaderboard.ledger import models

MODELS = "/api/v1/models"
SLASHED = "openrouter/meta-llama/llama-3:free"


def add(tournament: Tournament, *new: Model) -> None:
    with tournament.ledger.write() as tx:
        for each in new:
            models.add(tx, each)


def pages(client: Client, limit: int) -> list[list[str]]:
    found, cursor = [], None
    while True:
        page = client.get(MODELS, params={"limit": limit} | ({"cursor": cursor} if cursor else {})).json()
        found.append([item["id"] for item in page["items"]])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def test_thirty_models_of_one_moment_come_once_each_over_five_pages(tournament: Tournament, client: Client) -> None:
    add(tournament, *(model(f"m{number:02d}", 9) for number in range(28)))
    found = pages(client, 7)
    assert [len(page) for page in found] == [7, 7, 7, 7, 2]
    assert len({id_ for page in found for id_ in page}) == 30


def test_pages_stay_while_models_are_added(tournament: Tournament, client: Client) -> None:
    add(tournament, *(model(f"m{number}", 10 + number) for number in range(4)))
    first = client.get(MODELS, params={"limit": 3}).json()
    add(tournament, model("0-newest", 500))
    rest = client.get(MODELS, params={"limit": 200, "cursor": first["next_cursor"]}).json()
    ids = [item["id"] for page in (first, rest) for item in page["items"]]
    assert ids == ["alpha", "beta", "m0", "m1", "m2", "m3", "0-newest"]
    assert rest["next_cursor"] is None


def test_a_page_that_ends_with_the_list_has_no_next(client: Client) -> None:
    assert client.get(MODELS, params={"limit": 2}).json()["next_cursor"] is None


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1e400", "NaN", ""])
def test_a_limit_outside_1_to_200_is_refused(client: Client, limit: str) -> None:
    response = client.get(MODELS, params={"limit": limit})
    assert response.status_code == 422
    assert [error["pointer"] for error in response.json()["errors"]] == ["/limit"]


@pytest.mark.parametrize("cursor", ["x", "!!!", "é", "W10", "WzEsMl0", "e30", "bnVsbA", "%00", "A" * 1999])
@pytest.mark.parametrize("path", [MODELS, "/api/v1/verdicts"])
def test_a_cursor_of_somebody_else_is_refused(tournament: Tournament, client: Client, path: str, cursor: str) -> None:
    tournament.publish()
    response = client.get(path, params={"cursor": cursor})
    assert response.status_code == 422
    assert [error["pointer"] for error in response.json()["errors"]] == ["/cursor"]


@pytest.mark.parametrize("path", [SLASHED, quote(SLASHED, safe="")])
def test_an_id_with_slashes_is_found(tournament: Tournament, client: Client, path: str) -> None:
    add(tournament, model(SLASHED))
    response = client.get(f"{MODELS}/{path}")
    assert response.status_code == 200
    assert strict(response.text)["id"] == SLASHED


@pytest.mark.parametrize("id_", ["a b", "a/../b", "/a", "a//b", "a%2Fb", "ä?x#y", "=1+1", "<b>", "a/"])
def test_the_path_of_any_id_leads_to_it(tournament: Tournament, client: Client, id_: str) -> None:
    add(tournament, model(id_))
    assert client.get(f"{MODELS}/{quoted(id_)}").json()["id"] == id_


def test_an_unknown_id_is_404_and_names_close_ones(client: Client) -> None:
    response = client.get(f"{MODELS}/alpa")
    assert response.status_code == 404
    assert "alpha" in response.json()["detail"]


@pytest.mark.parametrize("path", ["", "%00", "x" * 300])
def test_what_cannot_be_an_id_is_refused(client: Client, path: str) -> None:
    response = client.get(f"{MODELS}/{path}")
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/model_id"


def test_every_model_fits_its_schema(tournament: Tournament, client: Client) -> None:
    imported = Model(id="imported", endpoint=None, created_at=stamp(3))
    unresolved = model("unresolved", endpoint=replace(ENDPOINT, sent=None))
    add(tournament, imported, unresolved, model("gone", state="retired", reason="old"))
    page = strict(client.get(MODELS).text)
    ModelPage.model_validate(page, strict=True)
    states = {item["id"]: item["state"] for item in page["items"]}
    assert states == {
        "alpha": "active", "beta": "active", "gone": "retired", "imported": "active", "unresolved": "unchecked",
    }  # fmt: skip
    for id_ in states:
        ShownModel.model_validate(strict(client.get(f"{MODELS}/{id_}").text), strict=True)


def test_credentials_are_not_shown(tournament: Tournament, client: Client) -> None:
    hidden = {"extra_headers": {"Authorization": "Bearer hush"}, "auth_token": "hush", "top_p": 0.5}
    endpoint = replace(
        ENDPOINT, api_base="http://me:hush@127.0.0.1/v1?key=hush", api_key_env="MY_KEY", wanted=hidden, sent=hidden
    )
    add(tournament, model("careless", endpoint=endpoint))
    response = client.get(f"{MODELS}/careless")
    assert "hush" not in response.text + client.get(MODELS).text
    shown = response.json()
    assert (shown["api_base"], shown["api_key_env"], shown["sent"]["top_p"]) == ("http://127.0.0.1/v1", "MY_KEY", 0.5)


def test_a_cursor_names_a_place() -> None:
    assert cursor_after(("a", "b")) != cursor_after(("a", "c"))
