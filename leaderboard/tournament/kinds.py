"""What a run may be about."""

from __future__ import annotations

from typing import Literal

RunKind = Literal["screening", "validation", "tournament"]
RUN_KINDS: tuple[RunKind, ...] = ("screening", "validation", "tournament")
