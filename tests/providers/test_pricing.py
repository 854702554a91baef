"""Prices from a table like litellm's."""

from __future__ import annotations

from decimal import Decimal

import pytest

from leaderboard.core.types import Price
from leaderboard.providers.pricing import price_in

TABLE: dict[str, dict[str, object]] = {
    "gpt-x": {"litellm_provider": "openai", "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1e-05},
    "azure/gpt-x": {"litellm_provider": "azure", "input_cost_per_token": 3e-06, "output_cost_per_token": 1.2e-05},
    "gem": {
        "litellm_provider": "vertex_ai-language-models",
        "input_cost_per_token": 1e-7,
        "output_cost_per_token": 1e-6,
    },
    "free/m": {"litellm_provider": "free", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
    "half": {"litellm_provider": "openai", "input_cost_per_token": 1e-06},
    "ollama/m": {"litellm_provider": "ollama", "input_cost_per_token": 0, "output_cost_per_token": 0},
}


def price(given: str, taken: str) -> Price:
    return Price(Decimal(given), Decimal(taken))


@pytest.mark.parametrize(
    ("route", "found"),
    [
        ("openai/gpt-x", (price("2.5", "10"), "gpt-x")),
        ("azure/gpt-x", (price("3", "12"), "azure/gpt-x")),
        ("vertex_ai/gem", (price("0.1", "1"), "gem")),
        ("gpt-x", (price("2.5", "10"), "gpt-x")),
        ("ollama/m", (price("0", "0"), "ollama/m")),
        ("hosted_vllm/gpt-x", None),
        ("free/m", None),
        ("openai/half", None),
        ("openai/gpt-x-2024", None),
    ],
)
def test_a_price_is_the_routes_own(route: str, found: tuple[Price, str] | None) -> None:
    assert price_in(TABLE, route) == found


def test_digits_are_plain() -> None:
    found = price_in(TABLE, "openai/gpt-x")
    assert found is not None
    assert (str(found[0].input), str(found[0].output)) == ("2.5", "10")
