"""Who may write: the one with the admin key, and nobody where there is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from api_facts import Client, Tournament

from api.keys import is_key
from leaderboard.ledger import models

MODELS = "/api/v1/models"
GOOD: dict[str, Any] = {"id": "new/one", "litellm": "openai/gpt-x"}


def stored(tournament: Tournament) -> int:
    with tournament.ledger.read() as tx:
        return len(models.all(tx))


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic abc", "Bearer é", "Bearer \xff", "bearer  "]
)
@pytest.mark.parametrize("body", [b"{}", b"not json", json.dumps(GOOD).encode()])
def test_without_the_right_key_nothing_is_looked_at(
    tournament: Tournament, client: Client, header: str | None, body: bytes
) -> None:
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    response = client.post(MODELS, content=body, headers=headers)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.headers["content-type"] == "application/problem+json"
    assert stored(tournament) == 2


def test_part_of_the_key_or_more_than_it_is_wrong(tournament: Tournament, client: Client) -> None:
    key = tournament.key["Authorization"]
    answers = [client.post(MODELS, json=GOOD, headers={"Authorization": text}) for text in (key[:-1], key + "x")]
    assert [response.status_code for response in answers] == [401, 401]


def test_the_key_is_read_at_each_request(tournament: Tournament, client: Client) -> None:
    old = tournament.key
    tournament.home.admin_key_file.write_text("another\n")
    assert client.post(MODELS, json=GOOD, headers=old).status_code == 401
    assert client.post(MODELS, json=GOOD, headers=tournament.key).status_code == 201


@pytest.mark.parametrize("change", ["gone", "empty"])
def test_without_a_key_file_nobody_may(tournament: Tournament, client: Client, change: str) -> None:
    old = tournament.key
    tournament.home.admin_key_file.unlink()
    if change == "empty":
        tournament.home.admin_key_file.write_text("\n")
    for headers in (old, {"Authorization": "Bearer  "}, {}):
        assert client.post(MODELS, json=GOOD, headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("text", "written", "right"),
    [
        ("k", b"k\n", True),
        ("k", b"k", True),
        ("", b"\n", False),
        ("", b"", False),
        ("K", b"k\n", False),
        ("é", b"k", False),
    ],
)
def test_an_empty_key_is_nobodys_key(tmp_path: Path, text: str, written: bytes, right: bool) -> None:
    (tmp_path / "key").write_bytes(written)
    assert is_key(text, tmp_path / "key") is right
