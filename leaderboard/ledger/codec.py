"""Values of the core as JSON text, and back. NUL is kept as an escape, lone surrogates are replaced."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any

from leaderboard.core.types import Endpoint, Price
from leaderboard.ledger.ids import storable

Document = dict[str, Any]


def to_json(value: object) -> str:
    """Compact JSON that every store can hold. ValueError: NaN or Infinity; TypeError: what JSON has no word for."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return storable(text)[0]


def from_json(text: str) -> Document:
    """The object that `to_json` wrote."""
    document: Document = json.loads(text)
    return document


def endpoint_document(endpoint: Endpoint) -> Document:
    """The endpoint with its price as decimal text."""
    values = {field.name: getattr(endpoint, field.name) for field in fields(endpoint)}
    document = {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}
    if endpoint.price is not None:
        document["price"] = {"input": str(endpoint.price.input), "output": str(endpoint.price.output)}
    return document


def endpoint_from(document: Document) -> Endpoint:
    """The endpoint that `endpoint_document` described."""
    price = document["price"]
    if price is not None:
        price = Price(Decimal(price["input"]), Decimal(price["output"]))
    return Endpoint(**{**document, "price": price})
