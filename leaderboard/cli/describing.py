"""One model or judge for people: what it is, how it is reached, what is really sent to it, what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.cli.screen import facts

LINES = (
    ("state", "state"),
    ("reached by", "litellm"),
    ("address", "api_base"),
    ("key from", "api_key_env"),
    ("API version", "api_version"),
    ("region", "region"),
    ("family", "family"),
    ("system text", "system"),
    ("template", "template"),
    ("protocol", "protocol"),
    ("samples", "samples"),
    ("rubric", "rubric"),
    ("fingerprint", "fingerprint"),
    ("added", "created_at"),
    ("checked", "checked_at"),
    ("last check", "check_error"),
)
Shown = Mapping[str, Any]


def describe(shown: Shown) -> None:
    """What there is to say about it, a line each."""
    values = {label: shown.get(name) for label, name in LINES}
    values["state"] = f"{shown['state']}: {shown['reason']}" if shown["reason"] else shown["state"]
    if "litellm" in shown:
        values |= _sent(shown) | {"price": _price(shown)}
    else:
        values["reached by"] = "imported answers"
    facts(values.items())


def _sent(shown: Shown) -> dict[str, str]:
    if shown["sent"] is None:
        return {"wanted": f"{_pairs(shown['wanted'])} (what the provider takes is found out before the first request)"}
    refused: Mapping[str, str] = shown["not_sent"]
    sent = {name: value for name, value in shown["sent"].items() if name not in refused}
    lines = {"sent": _pairs(sent)}
    if refused:
        lines["not sent"] = "; ".join(f"{name}: {why}" for name, why in refused.items())
    return lines


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "nothing"


def _price(shown: Shown) -> str:
    if shown["input_price"] is None:
        return f"{shown['price_reason']}; give it with --input-price and --output-price"
    simulated = ", simulated" if shown["simulated"] else ""
    amounts = f"${shown['input_price']:g} in, ${shown['output_price']:g} out per million tokens"
    return f"{amounts} ({shown['price_source']}{simulated})"
