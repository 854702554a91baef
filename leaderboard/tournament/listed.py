"""Models and judges as they stand in a TOML file (`models.toml`, `judges.toml`, the demo's field)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.core.types import Judge, Model
from leaderboard.errors import BadInput
from leaderboard.tournament.registry import Wish, missing_key, new_judge, new_model

ENDPOINT_FIELDS = frozenset(
    {"litellm", "api_base", "api_version", "region", "temperature", "max_tokens", "params", "price_as", "strict"}
)
MODEL_FIELDS = ENDPOINT_FIELDS | {"id", "key", "family", "system", "input_price", "output_price"}
JUDGE_FIELDS = MODEL_FIELDS | {"template", "protocol", "samples", "rubric"}


def listed_models(document: Mapping[str, object], *, environ: Mapping[str, str], now: str) -> list[Model]:
    """Every [[model]]. Raises BadInput that names the entry."""
    return [_model(row, environ, now) for row in _rows(document, "model", MODEL_FIELDS)]


def listed_judges(document: Mapping[str, object], *, environ: Mapping[str, str], now: str) -> list[Judge]:
    """Every [[judge]]; one whose key is missing sleeps, with the reason."""
    return [_judge(row, environ, now) for row in _rows(document, "judge", JUDGE_FIELDS)]


def _rows(document: Mapping[str, object], name: str, known: frozenset[str]) -> list[dict[str, object]]:
    strangers = [key for key in document if key not in {"model", "judge"}]
    if strangers:
        raise BadInput(f"unknown table {strangers[0]!r}: expected [[{name}]]")
    rows = document.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{name} must be a list of tables: write [[{name}]]")
    for number, row in enumerate(rows, 1):
        _check(row, f"[[{name}]] number {number}", known)
    return rows


def _check(row: Mapping[str, object], place: str, known: frozenset[str]) -> None:
    for field in ("id", "litellm"):
        if not isinstance(row.get(field), str):
            raise BadInput(f"{place}: {field} is missing")
    for field in row:
        if field not in known:
            raise BadInput(f"{place} ({row['id']}): unknown field {field!r}; known: {', '.join(sorted(known))}")


def _wish(row: Mapping[str, object]) -> Wish:
    endpoint = {name: value for name, value in row.items() if name in ENDPOINT_FIELDS}
    prices = {name: str(row[name]) for name in ("input_price", "output_price") if name in row}
    return Wish(**endpoint, **prices, api_key_env=_text(row, "key"))  # type: ignore[arg-type]


def _model(row: Mapping[str, object], environ: Mapping[str, str], now: str) -> Model:
    try:
        return new_model(
            str(row["id"]),
            _wish(row),
            system=_text(row, "system"),
            family=_text(row, "family"),
            environ=environ,
            now=now,
        )
    except BadInput as error:
        raise BadInput(f"model {row['id']}: {error}") from None


def _judge(row: Mapping[str, object], environ: Mapping[str, str], now: str) -> Judge:
    try:
        judge = new_judge(
            str(row["id"]),
            _wish(row),
            template=_text(row, "template") or "scoring_evidence",
            protocol=_text(row, "protocol") or "mec_bpc",
            samples=int(str(row.get("samples", 3))),
            rubric=_text(row, "rubric"),
            system=_text(row, "system"),
            family=_text(row, "family"),
            now=now,
        )
    except BadInput as error:
        raise BadInput(f"judge {row['id']}: {error}") from None
    missing = missing_key(judge.endpoint, environ)
    return replace(judge, state="asleep", reason=f"{missing} is not set") if missing else judge


def _text(row: Mapping[str, object], name: str) -> str | None:
    value = row.get(name)
    return None if value is None else str(value)
