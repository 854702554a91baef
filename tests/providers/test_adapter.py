"""What goes out and what comes back through litellm."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time

import pytest

from leaderboard.core.types import Endpoint
from leaderboard.providers.errors import ProviderError
from leaderboard.providers.litellm_adapter import NO_KEY_NEEDED, key_of
from leaderboard.providers.port import ChatModel, ChatReply, Choice, Usage
from tests.loopback import Loopback
from tests.providers.asking import KEY, ask, request_of, with_chat
from tests.providers.test_adapter_errors import endpoint_of

WIRES = ["openai", "anthropic"]


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_says_who_answered_and_what_it_took(server: Loopback, wire: str) -> None:
    reply = ask(request_of(endpoint_of(server, wire, "plain"), "How are you?"))
    assert len(reply.choices) == 1
    assert str(reply.choices[0].text).startswith("plain says: ")
    assert reply.choices[0].finish_reason == "stop"
    assert reply.served_model == "plain-0613"
    assert reply.usage is not None
    assert reply.usage.prompt_tokens == len("How are you?") // 4 + 1
    assert reply.usage.completion_tokens == len(str(reply.choices[0].text)) // 4 + 1


@pytest.mark.parametrize("wire", WIRES)
def test_only_what_was_asked_for_goes_out(server: Loopback, wire: str) -> None:
    ask(request_of(endpoint_of(server, wire, "plain"), params={"max_tokens": 70, "temperature": 0.25}))
    body, headers = server.count.last["body"], server.count.last["headers"]
    assert set(body) == {"model", "messages", "max_tokens", "temperature"}
    assert (body["max_tokens"], body["temperature"]) == (70, 0.25)
    assert KEY not in json.dumps([body, headers])


def test_extra_parameters_reach_an_openai_compatible_server(server: Loopback) -> None:
    ask(request_of(endpoint_of(server, "openai", "plain"), params={"min_p": 0.1, "seed": 4}))
    body = server.count.last["body"]
    assert (body["min_p"], body["seed"]) == (0.1, 4)


@pytest.mark.parametrize(("honoured", "choices"), [(True, 3), (False, 1)])
def test_as_many_choices_as_really_came(honoured: bool, choices: int) -> None:
    with Loopback(honour_n=honoured) as server:
        reply = ask(request_of(endpoint_of(server, "openai", "plain"), n=3))
    assert len(reply.choices) == choices


@pytest.mark.parametrize("wire", WIRES)
def test_no_content_is_a_choice_without_text(server: Loopback, wire: str) -> None:
    assert ask(request_of(endpoint_of(server, wire, "m~null"))).choices == (Choice(None, "stop"),)


@pytest.mark.parametrize("wire", WIRES)
def test_a_reply_cut_at_the_limit_says_so(server: Loopback, wire: str) -> None:
    assert ask(request_of(endpoint_of(server, wire, "m~length"))).choices[0].finish_reason == "length"


def test_usage_that_was_not_sent_is_not_invented(server: Loopback) -> None:
    assert ask(request_of(endpoint_of(server, "openai", "m~no_usage"))).usage is None


def test_the_key_comes_from_the_variable_that_is_named(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARE_KEY", "spare-key-222222")
    endpoint = Endpoint(litellm="openai/m", api_base=server.openai, api_key_env="SPARE_KEY")
    ask(request_of(endpoint))
    assert server.count.last["headers"]["authorization"] == "Bearer spare-key-222222"


@pytest.mark.parametrize(
    ("endpoint", "names"),
    [
        (Endpoint(litellm="openai/gpt-4o", api_key_env="NOT_SET_HERE"), "NOT_SET_HERE"),
        (Endpoint(litellm="gemini/gemini-2.5-flash"), "GEMINI_API_KEY or GOOGLE_API_KEY"),
        (Endpoint(litellm="mistral/mistral-small-latest"), "MISTRAL_API_KEY"),
    ],
)
def test_a_missing_key_is_named_before_anything_is_sent(
    endpoint: Endpoint, names: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in names.split(" or "):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ProviderError) as caught:
        ask(request_of(endpoint))
    assert (caught.value.kind, caught.value.billed) == ("auth", "no")
    assert names in str(caught.value)


def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert key_of(Endpoint(litellm="openai/m", api_base="http://127.0.0.1:9")) == NO_KEY_NEEDED
    assert key_of(Endpoint(litellm="bedrock/m", region="eu-west-1")) is None


def test_one_stuck_call_does_not_hold_up_the_others(server: Loopback) -> None:
    async def work(chat: ChatModel) -> float:
        stuck = asyncio.create_task(chat(request_of(endpoint_of(server, "openai", "m~hang"), timeout=3.0)))
        began = time.monotonic()
        await asyncio.gather(*(chat(request_of(endpoint_of(server, "openai", f"m{i}"))) for i in range(8)))
        took = time.monotonic() - began
        with pytest.raises(ProviderError):
            await stuck
        return took

    assert with_chat(work) < 2.5


def test_simulated_models_run_the_same_path() -> None:
    def sample(key: str) -> ChatReply:
        params = {"skill": 0.5, "seed": 1}
        return ask(request_of(Endpoint(litellm="sim/contestant"), "Why is the sky blue?", n=2, params=params, key=key))

    reply = sample("a" * 64)
    texts = [str(choice.text) for choice in reply.choices]
    assert len(set(texts)) == 2
    assert reply.served_model == "sim/contestant"
    assert reply.usage == Usage(5, sum(-(-len(text.encode()) // 4) for text in texts))
    assert sample("a" * 64) == reply


@pytest.mark.parametrize(
    ("route", "params", "kind"),
    [("sim/contestant", {"skil": 1.0}, "bad_request"), ("sim/nobody", {}, "not_found")],
)
def test_the_simulated_provider_refuses_like_a_real_one(route: str, params: dict[str, object], kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(request_of(Endpoint(litellm=route), params=params))
    assert caught.value.kind == kind


QUIET = """
import asyncio, sys
from leaderboard.providers.errors import ProviderError
from leaderboard.providers.litellm_adapter import litellm_chat, resolve
from leaderboard.core.types import Endpoint
from tests.providers.asking import request_of

async def main():
    chat = litellm_chat()
    for model in ("plain", "m~400", "m~500", "m~html", "m~hang"):
        try:
            await chat(request_of(Endpoint(litellm=f"openai/{model}", api_base=sys.argv[1]), timeout=1.0))
        except ProviderError:
            pass
    await chat.aclose()

resolve(Endpoint(litellm="openai/gpt-5", wanted={"temperature": 0.0}), "now")
resolve(Endpoint(litellm="gemini/gemini-3-pro", wanted={"temperature": 0.0}), "now")
asyncio.run(main())
"""


def test_the_client_library_prints_nothing(server: Loopback) -> None:
    done = subprocess.run(
        [sys.executable, "-c", QUIET, server.openai], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
