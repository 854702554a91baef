"""What `models add` and `judges add` share: from the parsed options to a registered endpoint."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leaderboard.cli.stores import ledger_of

Options = Mapping[str, Any]
SHARED = (
    "litellm",
    "api_base",
    "api_key_env",
    "api_version",
    "region",
    "temperature",
    "max_tokens",
    "input_price",
    "output_price",
    "price_as",
    "strict",
)


def add_model(options: Options) -> dict[str, object]:
    """Register a model with its parameters resolved; returns it as it is shown."""
    from leaderboard.providers.litellm_adapter import resolve
    from leaderboard.tournament.clock import utc_now
    from leaderboard.tournament.enrol import enrol_model
    from leaderboard.tournament.registry import new_model
    from leaderboard.tournament.shown import shown_model

    now = utc_now()
    with ledger_of(options["home"]) as ledger:
        new = new_model(
            options["model"],
            _wish(options),
            system=options["system"],
            family=options["family"],
            environ=os.environ,
            now=now,
        )
        return shown_model(enrol_model(ledger, new, resolve, now))


def add_judge(options: Options) -> dict[str, object]:
    """Register a judge with its parameters resolved, hence with a fingerprint; returns it as it is shown."""
    from leaderboard.providers.litellm_adapter import resolve
    from leaderboard.tournament.clock import utc_now
    from leaderboard.tournament.enrol import enrol_judge
    from leaderboard.tournament.registry import new_judge
    from leaderboard.tournament.shown import shown_judge

    now = utc_now()
    with ledger_of(options["home"]) as ledger:
        new = new_judge(
            options["judge"],
            _wish(options),
            template=options["template"],
            protocol=options["protocol"],
            samples=options["samples"],
            rubric=_rubric(options["rubric"]),
            system=options["system"],
            family=options["family"],
            now=now,
        )
        return shown_judge(enrol_judge(ledger, new, resolve, now))


def _wish(options: Options) -> Any:
    from leaderboard.tournament.registry import Wish, parse_params

    shared = {name: options[name] for name in SHARED}
    return Wish(**shared, params=parse_params(options["param"] or ()))


def _rubric(file: Path | None) -> str | None:
    from leaderboard.formats.jsonl import read_text

    return None if file is None else read_text(file)


def reprice(home: Path, table: Any, name: str, input_price: str, output_price: str) -> dict[str, object]:
    """Set what a model or judge costs from now on; returns its endpoint as it is shown."""
    from leaderboard.tournament.enrol import set_price
    from leaderboard.tournament.registry import price_of
    from leaderboard.tournament.shown import shown_endpoint

    price = price_of(input_price, output_price)
    with ledger_of(home) as ledger:
        return {"id": name, **shown_endpoint(set_price(ledger, table, name, price))}
