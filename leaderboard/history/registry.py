"""Models, judges, prompts and runs as versioned rows: a row is appended only when its content changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import duckdb

from leaderboard.core.keys import content_hash
from leaderboard.core.types import Endpoint, Judge, Model, Prompt
from leaderboard.history.appending import append
from leaderboard.history.plain import json_text, plain
from leaderboard.history.records import Row
from leaderboard.history.redaction import without_credentials, without_secrets

if TYPE_CHECKING:
    from leaderboard.ledger.runs import Run


def append_changed(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Row]) -> int:
    """Append the rows that differ from the newest version of their id; returns how many did."""
    newest = _newest(con, table)
    changed = []
    for row in rows:
        content = content_hash(plain(row))
        version, known = newest.get(str(row["id"]), (0, None))
        if content != known:
            changed.append(row | {"version": version + 1, "content": content})
    return append(con, table, changed)


def model_rows(models: Iterable[Model]) -> list[Row]:
    return [
        {
            "id": model.id,
            "family": model.family,
            "state": model.state,
            "reason": model.reason,
            "seat": model.seat,
            "system": model.system,
            "imported": model.endpoint is None,
            "created_at": model.created_at,
            **_endpoint_columns(model.endpoint),
        }
        for model in models
    ]


def judge_rows(judges: Iterable[Judge]) -> list[Row]:
    return [
        {
            "id": judge.id,
            "fingerprint": judge.fingerprint,
            "template": judge.template,
            "protocol": judge.protocol,
            "samples": judge.samples,
            "rubric": judge.rubric,
            "family": judge.family,
            "state": judge.state,
            "reason": judge.reason,
            "system": judge.system,
            "imported": False,
            "created_at": judge.created_at,
            **_endpoint_columns(judge.endpoint),
        }
        for judge in judges
    ]


def prompt_rows(prompts: Iterable[Prompt]) -> list[Row]:
    return [
        {
            "id": prompt.id,
            "turns": list(prompt.turns),
            "system": prompt.system,
            "category": prompt.category,
            "prompt_group": prompt.group,
            "language": prompt.language,
            "reference": prompt.reference,
            "visibility": prompt.visibility,
            "position": prompt.position,
        }
        for prompt in prompts
    ]


def run_rows(runs: Iterable[Run]) -> list[Row]:
    return [
        {
            "id": run.id,
            "kind": run.kind,
            "judge": run.judge,
            "state": run.state,
            "started_by": run.trigger,
            "config": json_text(without_secrets(run.config)),
            "record": json_text(without_secrets(run.record)),
            "error": run.error,
            "created_at": run.created_at or None,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
        }
        for run in runs
    ]


def _endpoint_columns(endpoint: Endpoint | None) -> Row:
    """The endpoint without anything secret: of a key only the variable's name."""
    if endpoint is None:
        return {"simulated": False}
    return {
        "litellm": endpoint.litellm,
        "api_base": without_credentials(endpoint.api_base),
        "api_key_env": endpoint.api_key_env,
        "api_version": endpoint.api_version,
        "region": endpoint.region,
        "wanted": json_text(without_secrets(endpoint.wanted)),
        "sent": None if endpoint.sent is None else json_text(without_secrets(endpoint.sent)),
        "not_sent": json_text(endpoint.not_sent),
        "strict": endpoint.strict,
        "takes_n": endpoint.takes_n,
        "input_price": endpoint.price.input if endpoint.price else None,
        "output_price": endpoint.price.output if endpoint.price else None,
        "price_source": endpoint.price_source,
        "price_as": endpoint.price_as,
        "simulated": endpoint.simulated,
    }


def _newest(con: duckdb.DuckDBPyConnection, table: str) -> dict[str, tuple[int, str]]:
    found = con.execute(f"SELECT id, max(version), arg_max(content, version) FROM {table} GROUP BY id")
    return {id_: (version, content) for id_, version, content in found.fetchall()}
