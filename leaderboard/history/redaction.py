"""Keeps credentials out of the history, which anybody may query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

HIDDEN = "(hidden)"
_SECRET_NAME = re.compile(r"api[-_]?key|authorization|secret|password|credential|(^|[-_])token$", re.IGNORECASE)


def without_secrets(value: object) -> object:
    """The same value with the content of every field that is named like a credential hidden, at any depth."""
    if isinstance(value, Mapping):
        return {
            str(name): HIDDEN if _SECRET_NAME.search(str(name)) else without_secrets(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_secrets(inner) for inner in value]
    return value


def without_credentials(url: str | None) -> str | None:
    """A URL without user, password, query and fragment."""
    if url is None:
        return None
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
