from __future__ import annotations

from tests.loopback_only import loopback_only

__all__ = ["loopback_only"]
