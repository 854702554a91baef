"""JSON that every strict parser takes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fastapi import Response


def strict_json(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response. ValueError for NaN or infinity: nothing here may contain them."""
    return Response(dumped(value), status, headers, "application/json")


def dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
