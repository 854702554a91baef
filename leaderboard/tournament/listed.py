"""Models and judges as they stand in a TOML file (`models.toml`, `judges.toml`, the demo's field)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from leaderboard.core.types import Judge, Model
from leaderboard.errors import BadInput
from leaderboard.ledger.ids import folded, tidy_id
from leaderboard.tournament.registry import Wish, missing_key, new_judge, new_model

Document = Mapping[str, object]
Kinds = tuple[tuple[type, ...], str]
"""What a field may be: as types, and in words."""

TEXT: Kinds = ((str,), "a text")
NUMBER: Kinds = ((int, float), "a number")
ENDPOINT_FIELDS: dict[str, Kinds] = {
    "litellm": TEXT,
    "api_base": TEXT,
    "api_version": TEXT,
    "region": TEXT,
    "price_as": TEXT,
    "temperature": NUMBER,
    "max_tokens": NUMBER,
    "params": ((dict,), "a table like { top_p = 0.9 }"),
    "strict": ((bool,), "true or false"),
}
PRICES: dict[str, Kinds] = {"input_price": NUMBER, "output_price": NUMBER}
MODEL_FIELDS: dict[str, Kinds] = {"id": TEXT, "key": TEXT, "family": TEXT, "system": TEXT, **ENDPOINT_FIELDS, **PRICES}
JUDGE_FIELDS: dict[str, Kinds] = {
    "template": TEXT,
    "protocol": TEXT,
    "samples": ((int,), "a whole number"),
    "rubric": TEXT,
    **MODEL_FIELDS,
}


def listed_models(document: Document, *, environ: Mapping[str, str], now: str) -> list[Model]:
    """Every [[model]]. Raises BadInput that names the entry."""
    return [_model(row, environ, now) for row in _rows(document, "model", MODEL_FIELDS)]


def listed_judges(document: Document, *, environ: Mapping[str, str], now: str) -> list[Judge]:
    """Every [[judge]]; one whose key is missing sleeps, with the reason."""
    return [_judge(row, environ, now) for row in _rows(document, "judge", JUDGE_FIELDS)]


def _rows(document: Document, name: str, known: Mapping[str, Kinds]) -> list[dict[str, Any]]:
    strangers = [key for key in document if key not in {"model", "judge"}]
    if strangers:
        raise BadInput(f"unknown table {strangers[0]!r}: expected [[{name}]]")
    rows = document.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{name} must be a list of tables: write [[{name}]]")
    first: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        _check(row, f"[[{name}]] number {number}", known)
        form = folded(tidy_id(row["id"]))
        if form in first:
            raise BadInput(f"[[{name}]] number {number}: the id {row['id']!r} is, or looks like, {first[form]!r} above")
        first[form] = row["id"]
    return rows


def _check(row: Mapping[str, Any], place: str, known: Mapping[str, Kinds]) -> None:
    for name in ("id", "litellm"):
        if name not in row:
            raise BadInput(f"{place}: {name} is missing")
    for name, value in row.items():
        if name not in known:
            raise BadInput(f"{place} ({row['id']}): unknown field {name!r}; {_meant(name, known)}")
        types, wording = known[name]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise BadInput(f"{place} ({row['id']}): {name} must be {wording}, not {value!r}")


def _meant(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"


def _wish(row: Mapping[str, Any]) -> Wish:
    endpoint: dict[str, Any] = {name: value for name, value in row.items() if name in ENDPOINT_FIELDS}
    prices: dict[str, Any] = {name: str(row[name]) for name in PRICES if name in row}
    return Wish(**endpoint, **prices, api_key_env=row.get("key"))


def _model(row: Mapping[str, Any], environ: Mapping[str, str], now: str) -> Model:
    try:
        return new_model(
            row["id"],
            _wish(row),
            system=row.get("system"),
            family=row.get("family"),
            environ=environ,
            now=now,
        )
    except BadInput as error:
        raise BadInput(f"model {row['id']}: {error}") from None


def _judge(row: Mapping[str, Any], environ: Mapping[str, str], now: str) -> Judge:
    try:
        judge = new_judge(
            row["id"],
            _wish(row),
            template=row.get("template", "scoring_evidence"),
            protocol=row.get("protocol", "mec_bpc"),
            samples=row.get("samples", 3),
            rubric=row.get("rubric"),
            system=row.get("system"),
            family=row.get("family"),
            now=now,
        )
    except BadInput as error:
        raise BadInput(f"judge {row['id']}: {error}") from None
    missing = missing_key(judge.endpoint, environ)
    return replace(judge, state="asleep", reason=f"{missing} is not set") if missing else judge
