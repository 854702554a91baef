"""Replies of a provider that means no harm and sends odd things: each is coerced or refused, none is passed on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.types import Endpoint
from leaderboard.providers.errors import ProviderError
from leaderboard.providers.port import MOST_TOKENS, ChatModel, ChatReply, Choice, Usage
from leaderboard.providers.reply import LONGEST_NAME, reply_of
from tests.providers.asking import ask, request_of, with_chat
from tests.providers.odd_server import odd_server, saying

KEY = "sk-test-openai-000000000000"
UNSEEN = f"bad \ud800 \x1b[31m{KEY[:9]}\u200b{KEY[9:]}\u202e\nTraceback (most recent call last):\n  File"
WELL = (Choice("well", "stop"),)

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")


def anthropic(endpoint: Endpoint) -> Endpoint:
    return replace(endpoint, litellm="anthropic/plain", api_base=str(endpoint.api_base).removesuffix("/v1"))


def usage(prompt: object, completion: object = 2, **more: object) -> dict[str, object]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": 5, **more}
    return {"usage": counts}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (usage(-1), {"usage": None}),
        (usage(3, -2), {"usage": None}),
        (usage(10**30), {"usage": None}),
        (usage(MOST_TOKENS + 1), {"usage": None}),
        (usage(MOST_TOKENS), {"usage": Usage(MOST_TOKENS, 2)}),
        (usage(3, 2, prompt_tokens_details={"cached_tokens": -4}), {"usage": Usage(3, 2)}),
        ({"usage": None}, {"usage": None}),
        ({"model": 7}, {"served_model": None}),
        ({"model": ["a"]}, {"served_model": None}),
        ({"model": {}}, {"served_model": None}),
        ({"model": "a\x1b[31m\nb\u202e\ud800c"}, {"served_model": "a bc"}),
        ({"model": "x" * 1000}, {"served_model": "x" * (LONGEST_NAME - 1) + "…"}),
        ({"model": f"m of {KEY}"}, {"served_model": "m of [key removed]"}),
        ({"model": "x" * (LONGEST_NAME - 10) + KEY}, {"served_model": "x" * (LONGEST_NAME - 10) + "[key remo…"}),
        ({"system_fingerprint": {}}, {"system_fingerprint": None}),
        ({"system_fingerprint": 7}, {"system_fingerprint": None}),
        ({"system_fingerprint": "\x00"}, {"system_fingerprint": None}),
        ({"system_fingerprint": f"fp {KEY}"}, {"system_fingerprint": "fp [key removed]"}),
        (saying(f"Your key is {KEY}, {KEY}!"), {"text": "Your key is [key removed], [key removed]!"}),
        (saying("two\nlines\x00 \u202e"), {"text": "two\nlines\x00 \u202e"}),
        ({"id": 7, "created": "x", "object": 9}, {}),
    ],
)
def test_what_is_odd_is_left_out_and_the_rest_stays(changes: Mapping[str, object], expected: dict[str, object]) -> None:
    with odd_server(changes) as endpoint:
        reply = ask(request_of(endpoint))
    text = expected.pop("text", "well")
    plain = {"usage": Usage(3, 2), "served_model": "plain-0613", "system_fingerprint": None}
    assert reply == ChatReply(choices=(Choice(str(text), "stop"),), **(plain | expected))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        usage("many"),
        usage(1.5),
        usage(float("inf")),
        {"usage": []},
        {"choices": {}},
        {"choices": None},
        {"choices": [7]},
        {"choices": [{"index": 0, "message": None, "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": {"a": 1}}, "finish_reason": "stop"}]},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": ["a"]}]},
    ],
)
def test_what_is_no_reply_at_all_is_garbage_that_may_have_cost_money(changes: Mapping[str, object]) -> None:
    with odd_server(changes) as endpoint, pytest.raises(ProviderError) as caught:
        ask(request_of(endpoint))
    assert (caught.value.kind, caught.value.billed) == ("garbage", "maybe")
    assert "Traceback" not in str(caught.value)
    assert "File" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"usage": {"input_tokens": -1, "output_tokens": 2}}, None),
        ({"usage": {"input_tokens": 10**30, "output_tokens": 2}}, None),
        ({"model": ["a"]}, Usage(3, 2)),
    ],
)
def test_the_other_wire_format_is_no_less_odd(changes: dict[str, object], expected: Usage | None) -> None:
    body: dict[str, object] = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "text", "text": "well"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    with odd_server({**body, **changes}) as endpoint:
        reply = ask(request_of(anthropic(endpoint)))
    assert (reply.choices, reply.usage) == (WELL, expected)
    assert reply.served_model == (None if "model" in changes else "plain-0613")


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "error",
    [
        {"message": UNSEEN, "code": 10**30},
        {"message": 7, "code": {}},
        {"message": ["a"], "code": -5},
        [1],
    ],
)
def test_an_odd_error_is_an_error_like_any_other(status: int, error: object) -> None:
    with (
        odd_server({"error": error, "choices": None}, status=status) as endpoint,
        pytest.raises(ProviderError) as caught,
    ):
        ask(request_of(endpoint))
    found = caught.value
    assert found.http_status is None or 100 <= found.http_status <= 599
    assert str(found).isprintable()
    assert len(str(found)) <= 300
    for hidden in (KEY, "Traceback", "[31m"):
        assert hidden not in str(found)


@pytest.mark.parametrize("value", ["Fri, 31 Dec 9999 23:59:59 -2300", "9" * 400, "-5", "nan", "soon"])
def test_an_odd_retry_after_is_no_more_than_that(value: str) -> None:
    with odd_server({}, status=429, headers={"Retry-After": value}) as endpoint, pytest.raises(ProviderError) as caught:
        ask(request_of(endpoint))
    assert caught.value.kind == "rate_limit"
    assert caught.value.retry_after in {None, 365 * 86_400.0}


def test_a_short_key_may_be_a_word_and_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, said in (("welling", "welling up"), ("welling.", "[key removed] up")):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with odd_server(saying(f"{key} up")) as endpoint:
            assert ask(request_of(endpoint)).choices[0].text == said


def test_the_key_that_is_removed_is_the_endpoints_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARE_KEY", "spare-key-222222")
    with odd_server(saying(f"{KEY} and spare-key-222222")) as endpoint:
        reply = ask(request_of(replace(endpoint, api_key_env="SPARE_KEY")))
    assert reply.choices[0].text == f"{KEY} and [key removed]"


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=300), st.lists(st.integers(), max_size=2)
)


@given(JUNK, JUNK, JUNK, JUNK, JUNK, JUNK)
def test_a_reply_holds_only_what_a_store_can_hold(
    text: Any, finish: Any, prompt: Any, completion: Any, model: Any, fingerprint: Any
) -> None:
    response = SimpleNamespace(
        choices=[SimpleNamespace(message=SimpleNamespace(content=text), finish_reason=finish)],
        usage=SimpleNamespace(prompt_tokens=prompt, completion_tokens=completion),
        model=model,
        system_fingerprint=fingerprint,
    )
    reply = reply_of(response, KEY)
    for name in (reply.served_model, reply.system_fingerprint, reply.choices[0].finish_reason):
        assert name is None or (name and len(name) <= LONGEST_NAME)
        assert name is None or name.encode().decode() == " ".join(name.split())
    assert reply.choices[0].text is None or reply.choices[0].text == text
    if reply.usage is not None:
        assert 0 <= reply.usage.prompt_tokens + reply.usage.completion_tokens <= 2 * MOST_TOKENS


@pytest.mark.parametrize("counts", [(-1, 0), (0, -1), (MOST_TOKENS + 1, 0), (0, 0, -1)])
def test_no_usage_beyond_reason_can_be_made(counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="token counts"):
        Usage(*counts)


QUIET = """
import asyncio, sys, warnings
from leaderboard.core.types import Endpoint
from leaderboard.providers.litellm_adapter import litellm_chat
from tests.providers.asking import request_of

async def main():
    chat = litellm_chat()
    await chat(request_of(Endpoint(litellm="openai/plain", api_base=sys.argv[1])))
    await chat.aclose()

asyncio.run(main())
warnings.warn("of our own", UserWarning)
"""


def test_the_librarys_warnings_about_odd_replies_stay_off_the_screen() -> None:
    with odd_server({"id": 7, "created": "x"}) as endpoint:
        done = subprocess.run(
            [sys.executable, "-c", QUIET, str(endpoint.api_base)],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == ["<string>:13: UserWarning: of our own"]


def test_an_odd_reply_does_not_spoil_those_beside_it() -> None:
    async def work(chat: ChatModel) -> list[object]:
        asked = (chat(request_of(endpoint)) for endpoint in (odd, good))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    with odd_server({"choices": [7]}) as odd, odd_server({}) as good:
        refused, reply = with_chat(work)
    assert isinstance(refused, ProviderError)
    assert isinstance(reply, ChatReply)
    assert reply.choices == WELL
