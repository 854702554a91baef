"""Models, judges, prompts and runs are copied in as versions; never with a secret."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from leaderboard.core.types import Endpoint, Judge, Model, Price, Prompt
from leaderboard.history.connection import rows_of
from leaderboard.history.redaction import HIDDEN, without_credentials, without_secrets
from leaderboard.history.writer import History
from leaderboard.ledger.runs import Run

ENDPOINT = Endpoint(
    litellm="openai/gpt-x",
    api_base="https://user:pw@host.example:8443/v1?key=abc#frag",
    api_key_env="OPENAI_API_KEY",
    wanted={"temperature": 0, "api_key": "abc"},
    sent={"max_tokens": 10},
    not_sent={"temperature": "refused"},
    price=Price(Decimal("0.15"), Decimal("0.6")),
)
MODEL = Model(id="alpha", endpoint=ENDPOINT, seat=0)
JUDGE = Judge(id="judy", endpoint=ENDPOINT, rubric="Be fair.", fingerprint="f" * 64)
PROMPT = Prompt(id="p1", turns=("one", "two"), group="g")
RUN = Run(id="run-1", kind="screening", config={"k": 3}, created_at="2026-03-01T10:00:00.000000Z")


def copy(history: History, model: Model = MODEL, run: Run = RUN) -> int:
    return history.copy_registry([model], [JUDGE], [PROMPT], [run])


def test_only_what_changed_is_appended(history: History) -> None:
    assert copy(history) == 4
    assert copy(history) == 0
    assert copy(history, replace(MODEL, state="paused", reason="rest"), replace(RUN, state="done")) == 2
    found = rows_of(history._con, "SELECT id, version, state, reason FROM models")
    assert found == [{"id": "alpha", "version": 2, "state": "paused", "reason": "rest"}]
    assert history._con.execute("SELECT count(*) FROM model_row").fetchall() == [(2,)]
    assert history._con.execute("SELECT state FROM runs").fetchall() == [("done",)]


def test_what_changes_back_is_a_version_again(history: History) -> None:
    for model in (MODEL, replace(MODEL, state="asleep"), MODEL):
        copy(history, model)
    assert history._con.execute("SELECT version, state FROM models").fetchall() == [(3, "active")]


def test_views_show_what_is_sent_and_no_secret(history: History) -> None:
    copy(history)
    model = rows_of(history._con, "SELECT * FROM models")[0]
    assert (model["api_base"], model["api_key_env"]) == ("https://host.example:8443/v1", "OPENAI_API_KEY")
    assert (model["sent"], model["not_sent"]) == ('{"max_tokens": 10}', '{"temperature": "refused"}')
    assert (model["input_price"], model["imported"]) == (Decimal("0.150000000"), False)
    everything = str(rows_of(history._con, "SELECT * FROM models")) + str(rows_of(history._con, "SELECT * FROM judges"))
    assert "abc" not in everything
    assert "pw@" not in everything
    prompt = rows_of(history._con, "SELECT * FROM prompts")[0]
    assert (prompt["turns"], prompt["prompt_group"]) == (["one", "two"], "g")


def test_imported_answers_have_no_endpoint(history: History) -> None:
    copy(history, Model(id="old", endpoint=None))
    assert history._con.execute("SELECT imported, litellm, simulated FROM models").fetchall() == [(True, None, False)]


def test_a_run_that_was_not_started_has_no_times(history: History) -> None:
    copy(history, run=Run(id="run-2", kind="screening"))
    assert history._con.execute("SELECT created_at, started_at FROM runs").fetchall() == [(None, None)]


@pytest.mark.parametrize(
    "name", ["api_key", "api-key", "x-api-key", "Authorization", "client_secret", "token", "azure_ad_token"]
)
def test_fields_named_like_credentials_are_hidden(name: str) -> None:
    assert without_secrets({"deep": [{name: "abc"}]}) == {"deep": [{name: HIDDEN}]}


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "tokenizer"])
def test_other_fields_stay(name: str) -> None:
    assert without_secrets({name: 3}) == {name: 3}


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (None, None),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("https://key@host/v1", "https://host/v1"),
        ("https://host/v1?api_key=abc", "https://host/v1"),
    ],
)
def test_urls_lose_their_credentials(url: str | None, kept: str | None) -> None:
    assert without_credentials(url) == kept
