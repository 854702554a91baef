"""Models, judges and prompts as people and scripts see them: plain values, no secrets."""

from __future__ import annotations

from leaderboard.core.types import Endpoint, Judge, Model, Prompt


def as_sent(endpoint: Endpoint) -> dict[str, object] | None:
    """The parameters as really sent, `not sent` for those that the provider refuses; None until they are resolved."""
    return None if endpoint.sent is None else {**endpoint.sent, **dict.fromkeys(endpoint.not_sent, "not sent")}


def shown_endpoint(endpoint: Endpoint) -> dict[str, object]:
    """Parameters as really sent; one that the provider refuses says `not sent`, with the reason beside it."""
    price = endpoint.price
    return {
        "litellm": endpoint.litellm,
        "api_base": endpoint.api_base,
        "api_key_env": endpoint.api_key_env,
        "api_version": endpoint.api_version,
        "region": endpoint.region,
        "wanted": dict(endpoint.wanted),
        "sent": as_sent(endpoint),
        "not_sent": dict(endpoint.not_sent),
        "takes_n": endpoint.takes_n if endpoint.sent is not None else None,
        "input_price": None if price is None else float(price.input),
        "output_price": None if price is None else float(price.output),
        "price_source": endpoint.price_source,
        "price_reason": _price_reason(endpoint),
        "simulated": endpoint.simulated,
        "resolved_at": endpoint.resolved_at,
        "checked_at": endpoint.checked_at,
        "check_error": endpoint.check_error,
    }


def _price_reason(endpoint: Endpoint) -> str | None:
    if endpoint.price is not None:
        return None
    return "not looked up yet" if endpoint.sent is None else "price unknown"


def shown_model(model: Model) -> dict[str, object]:
    """`state` is `unchecked` until the parameters of an active model are resolved."""
    unresolved = model.endpoint is not None and model.endpoint.sent is None
    return {
        "id": model.id,
        "state": "unchecked" if unresolved and model.state == "active" else model.state,
        "reason": model.reason,
        "family": model.family,
        "system": model.system,
        "imported": model.endpoint is None,
        "created_at": model.created_at,
        **({} if model.endpoint is None else shown_endpoint(model.endpoint)),
    }


def shown_judge(judge: Judge) -> dict[str, object]:
    return {
        "id": judge.id,
        "state": judge.state,
        "reason": judge.reason,
        "family": judge.family,
        "template": judge.template,
        "protocol": judge.protocol,
        "samples": judge.samples,
        "rubric": judge.rubric,
        "system": judge.system,
        "fingerprint": judge.fingerprint,
        "created_at": judge.created_at,
        **shown_endpoint(judge.endpoint),
    }


def shown_prompt(prompt: Prompt) -> dict[str, object]:
    return {
        "id": prompt.id,
        "turns": list(prompt.turns),
        "system": prompt.system,
        "category": prompt.category,
        "group": prompt.group,
        "language": prompt.language,
        "reference": prompt.reference,
        "visibility": prompt.visibility,
    }
