"""POST /api/v1/models: what is taken, and everything that is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from api_facts import Client, Tournament, strict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.schemas import ShownModel
from leaderboard.core.types import Model
from leaderboard.ledger import models

MODELS = "/api/v1/models"
GOOD: dict[str, Any] = {"id": "new/one", "litellm": "openai/gpt-x"}
ALLOWED = "http://127.0.0.1:9/v1"


def stored(tournament: Tournament) -> list[Model]:
    with tournament.ledger.read() as tx:
        return models.all(tx)


@pytest.fixture
def add(tournament: Tournament, client: Client) -> Callable[..., Any]:
    """Posts fields over a good request, with the admin key."""

    def post(**fields: Any) -> Any:
        return client.post(MODELS, json={**GOOD, **fields}, headers=tournament.key)

    return post


@pytest.fixture
def raw(tournament: Tournament, client: Client) -> Callable[[bytes], Any]:
    """Posts bytes with the admin key."""

    def post(body: bytes) -> Any:
        return client.post(MODELS, content=body, headers={**tournament.key, "Content-Type": "application/json"})

    return post


# -- what is taken -----------------------------------------------------------------------------------------------------


def test_a_model_is_added_unchecked_and_can_be_read(tournament: Tournament, client: Client, add: Any) -> None:
    response = add(temperature=0, input_price=0.15, output_price="0.60", family="f", params={"top_p": 0.9})
    shown = strict(response.text)
    assert (response.status_code, response.headers["location"]) == (201, f"{MODELS}/new/one")
    assert shown["state"] == "unchecked"
    assert (shown["input_price"], shown["output_price"], shown["price_source"]) == (0.15, 0.6, "operator")
    assert shown["wanted"] == {"top_p": 0.9, "temperature": 0, "max_tokens": 2048}
    ShownModel.model_validate(shown, strict=True)
    assert client.get(response.headers["location"]).json() == shown
    assert stored(tournament)[-1].id == "new/one"


def test_the_id_is_tidied(add: Any) -> None:
    assert add(id="  e\u0301clair ").json()["id"] == "\u00e9clair"


def test_a_whole_number_is_a_temperature_and_a_price(add: Any) -> None:
    assert add(temperature=1, input_price=1, output_price=2).status_code == 201


# -- what is not -------------------------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"id": ""}, "/id"),
    ({"id": " "}, "/id"),
    ({"id": " .. "}, "/id"),
    ({"id": "a\u200bb"}, "/id"),
    ({"id": "a\nb"}, "/id"),
    ({"id": "x" * 201}, "/id"),
    ({"id": 7}, "/id"),
    ({"id": None}, "/id"),
    ({"litellm": "my-own-model"}, "/litellm"),
    ({"litellm": "anthorpic/claude"}, "/litellm"),
    ({"litellm": "openai/"}, "/litellm"),
    ({"litellm": "openai/a b"}, "/litellm"),
    ({"litellm": "huggingface/https://elsewhere.test/x"}, "/litellm"),
    ({"litellm": "openai/HTTPS:elsewhere.test"}, "/litellm"),
    ({"litellm": "openai///elsewhere.test"}, "/litellm"),
    ({"api_base": "http://elsewhere.test/v1"}, "/api_base"),
    ({"api_base": "http://169.254.169.254/latest"}, "/api_base"),
    ({"api_base": ""}, "/api_base"),
    ({"api_key_env": "sk-12345"}, "/api_key_env"),
    ({"api_key_env": "A=B"}, "/api_key_env"),
    ({"api_version": "1&x=y"}, "/api_version"),
    ({"region": "elsewhere.test/?"}, "/region"),
    ({"region": "eu@elsewhere"}, "/region"),
    ({"temperature": 2.1}, "/temperature"),
    ({"temperature": -1}, "/temperature"),
    ({"temperature": True}, "/temperature"),
    ({"temperature": "1"}, "/temperature"),
    ({"max_tokens": 0}, "/max_tokens"),
    ({"max_tokens": 1.5}, "/max_tokens"),
    ({"max_tokens": 10**30}, "/max_tokens"),
    ({"params": []}, "/params"),
    ({"params": {"api_base": "http://elsewhere.test"}}, "/params"),
    ({"params": {"base_url": "http://elsewhere.test"}}, "/params"),
    ({"params": {"extra_headers": {"x": "y"}}}, "/params"),
    ({"params": {"n": 3}}, "/params"),
    ({"params": {"aws_bedrock_runtime_endpoint": "http://elsewhere.test"}}, "/params"),
    ({"params": {"api_key": "x"}}, "/params"),
    ({"input_price": 1}, "/input_price"),
    ({"input_price": -1, "output_price": 1}, "/input_price"),
    ({"input_price": "NaN", "output_price": "1"}, "/input_price"),
    ({"input_price": "1e999999", "output_price": "1"}, "/input_price"),
    ({"input_price": 1, "output_price": 1, "price_as": "openai/gpt-x"}, "/input_price"),
    ({"strict": "yes"}, "/strict"),
    ({"state": "active"}, "/state"),
    ({"seat": 0}, "/seat"),
    ({"a/b~c": 1}, "/a~1b~0c"),
]


@pytest.mark.parametrize(("fields", "pointer"), REFUSED, ids=[str(fields)[:50] for fields, _ in REFUSED])
def test_a_field_that_cannot_be_used_is_pointed_at(
    tournament: Tournament, add: Any, fields: dict[str, Any], pointer: str
) -> None:
    response = add(**fields)
    assert response.status_code == 422
    pointers = {error["pointer"] for error in response.json()["errors"]}
    assert any(each == pointer or each.startswith(pointer + "/") for each in pointers)
    assert len(stored(tournament)) == 2


NO_NUMBERS = [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400", b"1" * 5000]


@pytest.mark.parametrize("number", NO_NUMBERS, ids=[number[:9].decode() for number in NO_NUMBERS])
@pytest.mark.parametrize("field", ["temperature", "max_tokens", "input_price", "id", "k", "params"])
def test_what_is_no_number_is_422(raw: Any, number: bytes, field: str) -> None:
    body = b'{"id": "a", "litellm": "openai/x", "%b": %b}' % (field.encode(), number)
    response = raw(body)
    assert response.status_code == 422
    strict(response.text)


@pytest.mark.parametrize("number", NO_NUMBERS, ids=[number[:9].decode() for number in NO_NUMBERS])
def test_nor_is_it_taken_deep_inside_the_parameters(tournament: Tournament, raw: Any, number: bytes) -> None:
    assert raw(b'{"id": "a", "litellm": "openai/x", "params": {"stop": [[%b]]}}' % number).status_code == 422
    assert all(
        len(json.dumps(dict(one.endpoint.wanted), allow_nan=False)) for one in stored(tournament) if one.endpoint
    )


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b'"x"', b"7", b"\xff\xfe", b"[" * 60_000, b'{"id": "a", "id": "b"}', b"{}", b"a=b"],
    ids=["empty", "cut", "null", "list", "text", "number", "bytes", "deep", "twice", "nothing", "form"],
)
def test_what_is_no_such_document_is_422(raw: Any, body: bytes) -> None:
    response = raw(body)
    assert response.status_code == 422
    assert response.json()["errors"]


@pytest.mark.parametrize("field", ["id", "system", "family", "params"])
def test_half_a_character_is_refused(raw: Any, field: str) -> None:
    value = '{"stop": "\\ud83d"}' if field == "params" else '"\\ud83d"'
    given_ = {"id": '"a"', "litellm": '"openai/x"', field: value}
    body = "{" + ", ".join(f'"{name}": {text}' for name, text in given_.items()) + "}"
    response = raw(body.encode())
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"].startswith(f"/{field}")


def test_awkward_but_whole_text_is_kept(client: Client, add: Any) -> None:
    text = "a\0b \u2028 \U0001f469\u200d\U0001f467 </script>"
    assert add(system=text).json()["system"] == text
    assert strict(client.get(f"{MODELS}/new/one").text)["system"] == text


def test_a_large_body_is_413_with_and_without_its_length(tournament: Tournament, client: Client) -> None:
    body = json.dumps({**GOOD, "system": "x" * 70_000}).encode()

    async def chunks() -> Any:
        for start in range(0, len(body), 8192):
            yield body[start : start + 8192]

    answers = [client.post(MODELS, content=content, headers=tournament.key) for content in (body, chunks())]
    assert [response.status_code for response in answers] == [413, 413]
    assert {response.headers["content-type"] for response in answers} == {"application/problem+json"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fields=st.dictionaries(
        st.sampled_from(["id", "litellm", "api_base", "temperature", "max_tokens", "params", "input_price", "strict"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=5,
        ),
    )
)
def test_whatever_is_sent_the_answer_is_a_problem_or_a_model(
    tournament: Tournament, client: Client, fields: dict[str, Any]
) -> None:
    body = json.dumps({**GOOD, **fields}).encode()
    response = client.post(MODELS, content=body, headers=tournament.key)
    assert response.status_code in {201, 409, 422}
    strict(response.text)


# -- names that are taken ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id_", ["alpha", "ALPHA", " alpha ", "\uff41lpha", "\u03b1lpha"])
def test_a_taken_id_or_a_look_alike_is_409_and_changes_nothing(tournament: Tournament, add: Any, id_: str) -> None:
    before = stored(tournament)
    response = add(id=id_)
    assert response.status_code == 409
    assert "alpha" in response.json()["detail"]
    assert stored(tournament) == before


def test_of_many_at_once_one_gets_the_id(tournament: Tournament, client: Client) -> None:
    given_ = {"json": GOOD, "headers": tournament.key}
    answers = client.many(*[("POST", MODELS, given_)] * 8)
    assert sorted(response.status_code for response in answers) == [201] + [409] * 7
    assert len(stored(tournament)) == 3


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def strict_client(tournament: Tournament) -> Iterator[Client]:
    allow(tournament.home.settings_file, ALLOWED + "/")
    opened = Client(tournament.home)
    yield opened
    opened.close()


def allow(file: Path, *urls: str) -> None:
    file.write_text(f"allowed_api_bases = {json.dumps(urls)}\n", encoding="utf-8")


ADDRESSES = [
    (ALLOWED, 201),
    (ALLOWED + "/", 201),
    (ALLOWED + "/more", 422),
    ("http://127.0.0.1:9", 422),
    ("https://127.0.0.1:9/v1", 422),
    ("http://127.0.0.1:9/v1@elsewhere.test", 422),
    ("http://me:pw@127.0.0.1:9/v1", 422),
    (ALLOWED + "?x=y", 422),
    (" " + ALLOWED, 422),
]


@pytest.mark.parametrize(("address", "status"), ADDRESSES)
def test_only_an_address_on_the_list_is_taken(
    tournament: Tournament, strict_client: Client, address: str, status: int
) -> None:
    response = strict_client.post(MODELS, json={**GOOD, "api_base": address}, headers=tournament.key)
    assert response.status_code == status
    assert status == 201 or response.json()["errors"][0]["pointer"] == "/api_base"


def test_the_list_is_taken_up_while_the_api_runs(tournament: Tournament, client: Client, add: Any) -> None:
    assert add(api_base=ALLOWED).status_code == 422
    allow(tournament.home.settings_file, ALLOWED)
    assert add(api_base=ALLOWED).status_code == 201
    allow(tournament.home.settings_file)
    assert add(id="another", api_base=ALLOWED).status_code == 422


def test_settings_that_broke_since_allow_no_address_and_name_no_path(
    tournament: Tournament, client: Client, add: Any
) -> None:
    tournament.home.settings_file.write_text("allowed_api_bases = [")
    response = add(api_base=ALLOWED)
    assert response.status_code == 503
    assert "tournament.toml" in response.json()["detail"]
    assert str(tournament.home.path) not in response.text
    assert add().status_code == 201
