"""What is really sent, what it costs, and who takes several samples in one request."""

from __future__ import annotations

from decimal import Decimal

import pytest

from leaderboard.core.types import Endpoint, Price
from leaderboard.errors import BadInput
from leaderboard.providers.litellm_adapter import resolve
from leaderboard.providers.routes import PROVIDERS

NOW = "2026-11-29T12:00:00.000000Z"


def resolved(route: str, **wanted: object) -> Endpoint:
    return resolve(Endpoint(litellm=route, wanted=wanted), NOW)


@pytest.mark.parametrize(
    ("route", "wanted", "not_sent"),
    [
        ("openai/gpt-4o", {"temperature": 0.0, "seed": 1, "max_tokens": 10}, set()),
        ("openai/gpt-5", {"temperature": 0.0, "max_tokens": 10}, {"temperature"}),
        ("openai/gpt-5", {"temperature": 1.0, "max_tokens": 10}, set()),
        ("openai/o3-mini", {"temperature": 0.2}, {"temperature"}),
        ("anthropic/claude-opus-4-7", {"temperature": 0.0, "max_tokens": 10}, {"temperature"}),
        ("anthropic/claude-3-haiku-20240307", {"seed": 3, "temperature": 0.0}, {"seed"}),
        ("openai/my-own-model", {"min_p": 0.1, "temperature": 0.0}, set()),
        ("replicate/some-model", {"seed": 3}, {"seed"}),
        ("sim/judge", {"bias": 0.7, "temperature": 1.0, "max_tokens": 400}, set()),
    ],
)
def test_each_parameter_is_sent_or_named_as_not_sent(route: str, wanted: dict[str, object], not_sent: set[str]) -> None:
    endpoint = resolved(route, **wanted)
    assert set(endpoint.not_sent) == not_sent
    assert endpoint.sent == {name: value for name, value in wanted.items() if name not in not_sent}
    assert all(endpoint.not_sent.values())
    assert endpoint.resolved_at == NOW


def test_the_reason_names_the_value_and_gives_no_advice_to_drop_it() -> None:
    reason = resolved("openai/gpt-5", temperature=0.0).not_sent["temperature"]
    assert "temperature=0.0" in reason
    assert "drop" not in reason


def test_strict_refuses_instead() -> None:
    with pytest.raises(BadInput, match=r"params: temperature = 0\.0 cannot be sent to openai/gpt-5"):
        resolve(Endpoint(litellm="openai/gpt-5", wanted={"temperature": 0.0}, strict=True), NOW)


@pytest.mark.parametrize(
    ("route", "takes"),
    [
        ("openai/gpt-4o", True),
        ("azure/gpt-4o", True),
        ("gemini/gemini-2.5-flash", True),
        ("groq/llama-3.3-70b-versatile", True),
        ("deepseek/deepseek-chat", True),
        ("openrouter/openai/gpt-4o", True),
        ("hosted_vllm/m", True),
        ("cohere_chat/command-r", True),
        ("sim/judge", True),
        ("anthropic/claude-opus-4-7", False),
        ("bedrock/anthropic.claude-v2", False),
        ("mistral/mistral-large-latest", False),
        ("cerebras/llama-3.3-70b", False),
        ("ollama/llama3", False),
    ],
)
def test_several_samples_in_one_request(route: str, takes: bool) -> None:
    assert resolved(route).takes_n is takes


@pytest.mark.parametrize(
    ("endpoint", "price"),
    [
        (Endpoint(litellm="openai/gpt-4o"), Price(Decimal("2.5"), Decimal(10))),
        (Endpoint(litellm="anthropic/claude-opus-4-7"), Price(Decimal(5), Decimal(25))),
        (Endpoint(litellm="openai/my-own-model"), None),
        (Endpoint(litellm="openai/gpt-4o-2024-99-99"), None),
        (Endpoint(litellm="hosted_vllm/gpt-4o"), None),
        (Endpoint(litellm="codestral/codestral-latest"), None),
        (Endpoint(litellm="ollama/llama3"), Price(Decimal(0), Decimal(0))),
        (Endpoint(litellm="sim/judge"), None),
        (Endpoint(litellm="openai/mine", price_as="gpt-4o"), Price(Decimal("2.5"), Decimal(10))),
    ],
)
def test_the_price_is_known_or_unknown_but_never_a_guess(endpoint: Endpoint, price: Price | None) -> None:
    found = resolve(endpoint, NOW)
    assert found.price == price
    assert (found.price_source is None) == (price is None)


def test_the_operators_price_stays() -> None:
    own = Price(Decimal(0), Decimal("0.1"))
    endpoint = Endpoint(litellm="openai/gpt-4o", price=own, price_source="operator")
    found = resolve(endpoint, NOW)
    assert (found.price, found.price_source) == (own, "operator")


def test_a_price_taken_before_is_taken_anew() -> None:
    old = Endpoint(litellm="openai/my-own-model", price=Price(Decimal(1), Decimal(1)), price_source="litellm 1.0: x")
    assert resolve(old, NOW).price is None


@pytest.mark.parametrize(
    ("endpoint", "place"),
    [
        (Endpoint(litellm="my-own-model"), "litellm:"),
        (Endpoint(litellm="anthorpic/claude-3"), "litellm:"),
        (Endpoint(litellm="sim/nobody"), "litellm:"),
        (Endpoint(litellm="sim/judge", wanted={"skill": 1.0}), "params:"),
        (Endpoint(litellm="sim/judge", wanted={"bias": "much"}), "params:"),
        (Endpoint(litellm="openai/gpt-4o", wanted={"n": 3}), "params:"),
        (Endpoint(litellm="openai/gpt-4o", wanted={"mock_response": "hi"}), "params:"),
        (Endpoint(litellm="openai/gpt-4o", wanted={"api_key": "x"}), "params:"),
        (Endpoint(litellm="openai/gpt-4o", wanted={"input_cost_per_token": 0}), "params:"),
        (Endpoint(litellm="openai/mine", price_as="no-such-entry"), "price_as:"),
    ],
)
def test_what_cannot_work_is_refused_by_name(endpoint: Endpoint, place: str) -> None:
    with pytest.raises(BadInput) as caught:
        resolve(endpoint, NOW)
    assert str(caught.value).startswith(place)


def test_only_the_simulated_provider_is_simulated() -> None:
    assert resolved("sim/judge").simulated
    assert not resolved("openai/gpt-4o").simulated


def test_every_provider_can_be_resolved_without_a_network() -> None:
    """`loopback_only` watches; scaledown alone insists on its own model names and says so."""
    refused = []
    for provider in sorted(PROVIDERS - {"sim"}):
        try:
            resolved(f"{provider}/some-model", temperature=0.0, max_tokens=10, seed=1)
        except BadInput:
            refused.append(provider)
    assert refused == ["scaledown"]


def test_an_address_with_a_query_is_refused_without_repeating_it() -> None:
    with pytest.raises(BadInput, match="api_base") as caught:
        resolve(Endpoint(litellm="openai/m", api_base="http://127.0.0.1:1/v1?key=hush"), NOW)
    assert "hush" not in str(caught.value)


def test_a_secret_inside_a_parameter_is_refused() -> None:
    with pytest.raises(BadInput, match=r"params: extra\.authorization"):
        resolved("openai/m", extra={"authorization": "hush"})
