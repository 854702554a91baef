"""Prices out of the client library's table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from leaderboard.core.types import Price
from leaderboard.providers.routes import LOCAL, model_of, provider_of

Table = Mapping[str, Mapping[str, object]]

PER_MILLION = 1_000_000


def price_in(table: Table, route: str) -> tuple[Price, str] | None:
    """The route's price and the name of its entry; None if the table does not know it.

    A 0 counts as unknown unless the route is local: in the table it mostly means that nobody filled it in.
    """
    for name in _names(route):
        entry = table.get(name)
        if entry is not None and _belongs(entry, name, route):
            price = _price(entry, free=provider_of(route) in LOCAL)
            return (price, name) if price else None
    return None


def _names(route: str) -> Iterator[str]:
    yield route
    if "/" in route:
        yield model_of(route)


def _belongs(entry: Mapping[str, object], name: str, route: str) -> bool:
    """An entry without prefix may be another provider's model of the same name, at another price."""
    if name == route:
        return True
    provider, owner = provider_of(route), str(entry.get("litellm_provider", ""))
    return owner == provider or owner.startswith((f"{provider}_", f"{provider}-"))


def _price(entry: Mapping[str, object], *, free: bool) -> Price | None:
    values = [_per_million(entry.get(f"{side}_cost_per_token")) for side in ("input", "output")]
    if any(value is None or (value == 0 and not free) for value in values):
        return None
    given, taken = (value for value in values if value is not None)
    return Price(given, taken)


def _per_million(value: object) -> Decimal | None:
    """US dollars per million tokens, in plain digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return Decimal(format((Decimal(str(value)) * PER_MILLION).normalize(), "f"))
