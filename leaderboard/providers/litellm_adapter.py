"""litellm behind the port: the only module that imports it, and only inside a function.

One `acompletion` is one HTTP request. Its retries, cache, router, budgets, callbacks and silent dropping of parameters
stay off: each of them changes what was asked or hides what it cost.
"""

from __future__ import annotations

import asyncio
import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from leaderboard.core.types import Endpoint, Price
from leaderboard.errors import BadInput
from leaderboard.providers.classify import provider_error
from leaderboard.providers.errors import ProviderError
from leaderboard.providers.parameters import Refused, accepted, check_strict, why_not
from leaderboard.providers.port import ChatModel, ChatReply, ChatRequest
from leaderboard.providers.pricing import price_in
from leaderboard.providers.reply import reply_of
from leaderboard.providers.routes import (
    KEY_VARIABLES,
    KEYLESS,
    SIMULATED,
    check_api_base,
    check_params,
    check_route,
    key_variables,
    model_of,
    provider_of,
)
from leaderboard.providers.simulated import RefusedParameter, UnknownSimulation, check_sim_params, simulate

LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "litellm")
NOISY_MODULES = r"(litellm|pydantic)(\.|$)"
REGION_NAMES = {"vertex_ai": "vertex_location", "vertex_ai_beta": "vertex_location"}
NO_KEY_NEEDED = "none"
CALL_SETTINGS = ("n", "stream", "max_retries")


def litellm_chat() -> ChatModel:
    """The port over litellm, with the simulated provider registered. Loading takes a few seconds of CPU, once."""
    return _LitellmChat(_litellm())


def resolve(endpoint: Endpoint, now: str) -> Endpoint:
    """The endpoint with what is really sent to it, its price and whether it takes `n`, without any network call.

    Raises `BadInput` for an unknown provider, an address with more than an address in it, a name that is no parameter
    of a model, and, if the endpoint is strict, for the first parameter that the provider refuses.
    """
    check_route(endpoint.litellm)
    check_api_base(endpoint.api_base)
    check_params(endpoint.wanted)
    mapped = _mapping_of(endpoint.litellm)
    sent, not_sent = accepted(endpoint.wanted, mapped)
    if endpoint.strict:
        check_strict(endpoint.litellm, endpoint.wanted, not_sent)
    price, source = _price_of(endpoint)
    return replace(
        endpoint,
        sent=sent,
        not_sent=not_sent,
        takes_n=why_not({}, "n", 2, mapped) is None,
        price=price,
        price_source=source,
        simulated=provider_of(endpoint.litellm) == SIMULATED,
        resolved_at=now,
    )


@cache
def _litellm() -> Any:
    # Without this the import downloads a price table; with it prices belong to the installed version.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm

    _quieten(litellm)
    litellm.custom_provider_map = [{"provider": SIMULATED, "custom_handler": _simulated_handler(litellm)}]
    litellm.utils.custom_llm_setup()
    return litellm


def _quieten(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = False
    litellm.num_retries = None
    litellm.cache = None
    for hooks in ("callbacks", "input_callback", "success_callback", "failure_callback"):
        setattr(litellm, hooks, [])
    # What these say of a provider's odd reply is for their own developers, and a progress line would be torn by it.
    warnings.filterwarnings("ignore", category=UserWarning, module=NOISY_MODULES)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


def _simulated_handler(litellm: Any) -> Any:
    from litellm.llms.custom_llm import CustomLLMError

    class Simulated(litellm.CustomLLM):  # type: ignore[misc]
        async def acompletion(
            self,
            model: str,
            messages: Sequence[Mapping[str, object]],
            model_response: Any,
            optional_params: Mapping[str, object],
            litellm_params: Mapping[str, object],
            **_: object,
        ) -> Any:
            params = {name: value for name, value in optional_params.items() if name not in CALL_SETTINGS}
            n = optional_params.get("n")
            try:
                reply = simulate(model, messages, params, str(litellm_params["litellm_call_id"]), int(str(n or 1)))
            except RefusedParameter as error:
                raise CustomLLMError(400, str(error)) from error
            except UnknownSimulation as error:
                raise CustomLLMError(404, str(error)) from error
            return _as_response(litellm, model_response, model, reply)

    return Simulated()


def _as_response(litellm: Any, response: Any, model: str, reply: Any) -> Any:
    response.model = f"{SIMULATED}/{model}"
    response.choices = [
        litellm.Choices(
            index=index,
            message=litellm.Message(content=said.text, role="assistant"),
            finish_reason=said.finish_reason,
        )
        for index, said in enumerate(reply.said)
    ]
    response.usage = litellm.Usage(
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        total_tokens=reply.prompt_tokens + reply.completion_tokens,
    )
    return response


class _LitellmChat:
    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm

    async def __call__(self, request: ChatRequest) -> ChatReply:
        key = key_of(request.endpoint)
        try:
            async with asyncio.timeout(request.timeout):
                return reply_of(await self._litellm.acompletion(**_arguments(request, key)), key)
        except ProviderError:
            raise
        except TimeoutError:
            raise _timed_out(request) from None
        except Exception as error:  # noqa: BLE001  whatever the client raises becomes a ProviderError
            # Not chained: the client's exceptions carry request headers, and those carry the key.
            raise provider_error(error, datetime.now(UTC), [key]) from None

    async def aclose(self) -> None:
        await self._litellm.close_litellm_async_clients()
        self._litellm.in_memory_llm_clients_cache.flush_cache()


def _arguments(request: ChatRequest, key: str | None) -> dict[str, object]:
    endpoint = request.endpoint
    arguments: dict[str, object] = {
        "model": endpoint.litellm,
        "messages": [message.as_dict() for message in request.messages],
        "timeout": request.timeout,
        "max_retries": 0,
        "num_retries": 0,
        "litellm_call_id": request.key,
        "no-log": True,
        **request.params,
        **_address(endpoint, key),
    }
    if request.n > 1:
        arguments["n"] = request.n
    return arguments


def _address(endpoint: Endpoint, key: str | None) -> dict[str, object]:
    region_name = REGION_NAMES.get(provider_of(endpoint.litellm), "aws_region_name")
    parts = {
        "api_base": endpoint.api_base,
        "api_key": key,
        "api_version": endpoint.api_version,
        region_name: endpoint.region,
    }
    return {name: part for name, part in parts.items() if part is not None}


def key_of(endpoint: Endpoint) -> str | None:
    """The key from the environment; a placeholder for a server of one's own; None where litellm finds credentials.

    Raises `ProviderError` of kind `auth` that names the variable to set, before anything is sent.
    """
    names = (endpoint.api_key_env,) if endpoint.api_key_env else key_variables(endpoint.litellm)
    key = next((os.environ[name] for name in names if os.environ.get(name)), None)
    if key is not None:
        return key
    provider = provider_of(endpoint.litellm)
    if endpoint.api_key_env or (provider in KEY_VARIABLES and endpoint.api_base is None):
        wanted = " or ".join(names)
        raise ProviderError(f"no key: set the environment variable {wanted}", kind="auth", sent=False)
    return NO_KEY_NEEDED if endpoint.api_base and provider not in KEYLESS else None


def _timed_out(request: ChatRequest) -> ProviderError:
    return ProviderError(f"no complete reply within {request.timeout:g} s", kind="timeout")


def _mapping_of(route: str) -> Any:
    """The function that translates parameters for this route, as `parameters.accepted` wants it."""
    litellm = _litellm()
    provider, model = provider_of(route), model_of(route)

    def mapped(params: Mapping[str, object]) -> Mapping[str, object]:
        _refuse_owned(litellm, params)
        _check_simulated(provider, model, params)
        try:
            found: Mapping[str, object] = litellm.utils.get_optional_params(
                model=model, custom_llm_provider=provider, **params
            )
        except litellm.exceptions.UnsupportedParamsError as error:
            raise Refused(str(error)) from error
        except Exception as error:
            raise BadInput(f"litellm: {route} cannot be used: {error}") from error
        return found

    return mapped


def _refuse_owned(litellm: Any, params: Mapping[str, object]) -> None:
    for name in params:
        if litellm.types.utils.is_litellm_owned_kwarg(name):
            raise BadInput(f"params: {name} is a setting of the client library, not a parameter of a model")


def _check_simulated(provider: str, model: str, params: Mapping[str, object]) -> None:
    if provider != SIMULATED:
        return
    try:
        check_sim_params(model, {name: value for name, value in params.items() if name != "n"})
    except UnknownSimulation as error:
        raise BadInput(f"litellm: {error}") from error
    except RefusedParameter as error:
        raise BadInput(f"params: {error}") from error


def _price_of(endpoint: Endpoint) -> tuple[Price | None, str | None]:
    """The operator's own price, else the table's, else none."""
    if endpoint.price is not None and endpoint.price_source == "operator":
        return endpoint.price, "operator"
    litellm = _litellm()
    found = price_in(litellm.model_cost, endpoint.price_as or endpoint.litellm)
    if found is None and endpoint.price_as:
        raise BadInput(f"price_as: {endpoint.price_as!r} has no price in litellm's table. Give the price itself")
    if found is None:
        return None, None
    return found[0], f"litellm {_version()}: {found[1]}"


def _version() -> str:
    from importlib.metadata import version

    return version("litellm")
