"""Texts that a database can hold."""

from __future__ import annotations

import re

REPLACED = "lone surrogates were replaced"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD: half a character has no UTF-8 form."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
