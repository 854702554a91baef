"""Values on their way to JSON: decimals become numbers, times ISO text in UTC, NaN and infinity null."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any


def plain(value: object) -> Any:
    """A value that strict JSON can hold; what JSON has no word for becomes text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Fraction):
        return finite(value)
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    return _text(value)


def finite(value: float | Fraction | None) -> float | None:
    """The number, or None for what is not a number."""
    return float(value) if value is not None and math.isfinite(value) else None


def json_text(value: object) -> str:
    """Strict JSON with the same text for the same value."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, sort_keys=True)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and `Z`; a time without a zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _number(value: Decimal) -> int | float | None:
    if not value.is_finite():
        return None
    return int(value) if value.as_tuple().exponent == 0 else float(value)


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)
