"""Routes, keys and parameter names, judged without loading litellm."""

from __future__ import annotations

import pytest

from leaderboard.core.types import Endpoint
from leaderboard.errors import BadInput
from leaderboard.providers.litellm_adapter import litellm_chat
from leaderboard.providers.routes import (
    KEY_VARIABLES,
    KEYLESS,
    LOCAL,
    ODD_NAMES,
    PROVIDERS,
    check_api_base,
    check_params,
    check_route,
    key_variable,
    key_variables,
    lane_of,
)


def test_the_shipped_list_is_litellms_own() -> None:
    litellm_chat()
    import litellm
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry

    theirs = {str(getattr(name, "value", name)) for name in litellm.provider_list}
    theirs |= {*JSONProviderRegistry._providers, "sim"}
    assert {"new there": theirs - PROVIDERS, "gone there": PROVIDERS - theirs} == {
        "new there": set(),
        "gone there": set(),
    }


def test_every_list_speaks_of_known_providers() -> None:
    assert {*KEY_VARIABLES, *KEYLESS, *LOCAL, *ODD_NAMES} <= PROVIDERS


@pytest.mark.parametrize(
    "route", ["openai/gpt-4o", "openrouter/meta-llama/llama-3:free", "sim/judge", "text-completion-openai/x"]
)
def test_good_routes_pass(route: str) -> None:
    check_route(route)


@pytest.mark.parametrize(
    ("route", "advice"),
    [
        ("my-own-model", "Write provider/name, for example openai/my-own-model"),
        ("claude-sonnet-4-5", "for example anthropic/claude-sonnet-4-5"),
        ("gemini", "for example gemini/"),
        ("", "Write provider/name"),
        ("anthorpic/claude-sonnet-4-5", "Did you mean anthropic/claude-sonnet-4-5?"),
        ("OpenAI/gpt-4o", "Did you mean openai/gpt-4o?"),
        ("qqqq/x", "For an OpenAI-compatible server write openai/x with its api_base"),
        ("openai/", "names no model"),
        ("open ai/x", "contains a space"),
        ("openai/x\u200b", "unprintable"),
    ],
)
def test_bad_routes_come_back_corrected(route: str, advice: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_route(route)
    assert str(caught.value).startswith("litellm: ")
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("route", "variable"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("anthropic/x", "ANTHROPIC_API_KEY"),
        ("gemini/x", "GEMINI_API_KEY"),
        ("together_ai/a/b", "TOGETHERAI_API_KEY"),
        ("nano-gpt/x", "NANOGPT_API_KEY"),
        ("novita/x", "NOVITA_API_KEY"),
        ("bedrock/x", None),
        ("vertex_ai/x", None),
        ("sim/judge", None),
    ],
)
def test_key_variables(route: str, variable: str | None) -> None:
    assert key_variable(route) == variable
    assert next(iter(key_variables(route)), None) == variable


@pytest.mark.parametrize(
    "name",
    [
        "n",
        "model",
        "api_key",
        "mock_response",
        "drop_params",
        "aws_secret_access_key",
        "fallbacks",
        "my_token",
        "Authorization",
    ],
)
def test_parameters_that_steer_the_client_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=f"params: {name}"):
        check_params([name])


def test_parameters_of_models_pass() -> None:
    check_params(["temperature", "max_tokens", "seed", "top_p", "skill", "reasoning_effort", "thinking", "min_p"])


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"thinking": {"api_key": "k"}}, "thinking.api_key"),
        ({"a": [{"b": ({"X-Api-Key": "k"},)}]}, "a.b.X-Api-Key"),
        ({"h": {"Authorization": "k"}}, "h.Authorization"),
        ({"h": {"proxy-authorization": "k"}}, "h.proxy-authorization"),
        ({"h": {"clientSecret": "k"}}, "h.clientSecret"),
        ({"h": {"access_token": "k"}}, "h.access_token"),
        ({"h": {"Password": "k"}}, "h.Password"),
        ({"h": {"Set-Cookie": "k"}}, "h.Set-Cookie"),
    ],
)
def test_credentials_are_refused_however_deep_and_never_repeated(params: dict[str, object], path: str) -> None:
    with pytest.raises(BadInput, match=f"^params: {path} ") as caught:
        check_params(params)
    assert "'k'" not in str(caught.value)
    assert "api_key_env" in str(caught.value)


def test_what_is_no_credential_passes_at_any_depth() -> None:
    schema = {"type": "object", "properties": {"model": {"type": "string"}, "user": {"type": "string"}, "n": {}}}
    check_params(
        {
            "response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}},
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "logit_bias": {"50256": -100},
            "stop": ["token", "password"],
        }
    )


def test_depth_itself_is_no_trouble() -> None:
    deep: object = {"secret": 1}
    for _ in range(20_000):
        deep = [deep]
    with pytest.raises(BadInput, match=r"x\.secret"):
        check_params({"x": deep})


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:8080/v1", "https://host.example/openai/deployments/x"])
def test_good_addresses_pass(url: str | None) -> None:
    check_api_base(url)


@pytest.mark.parametrize("end", ["?api-key=hush", "?", "#hush", "#", "/v1?a=1#b"])
def test_an_address_is_an_address_and_nothing_more(end: str) -> None:
    with pytest.raises(BadInput, match=r"^api_base: ") as caught:
        check_api_base(f"https://host.example/v1{end}")
    assert "hush" not in str(caught.value)
    with pytest.raises(BadInput, match="api_base"):
        check_api_base("https://user:hush@host.example/v1")


def test_lanes_are_apart_by_provider_key_and_address() -> None:
    endpoints = [
        Endpoint(litellm="openai/a"),
        Endpoint(litellm="openai/b"),
        Endpoint(litellm="openai/a", api_key_env="OTHER"),
        Endpoint(litellm="openai/a", api_base="http://127.0.0.1:1"),
        Endpoint(litellm="anthropic/a"),
    ]
    lanes = [lane_of(endpoint) for endpoint in endpoints]
    assert lanes[0] == lanes[1]
    assert len(set(lanes)) == 4
