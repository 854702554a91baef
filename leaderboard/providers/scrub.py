"""Texts of providers made safe to store and show: no keys, one line, short."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 300
SHORTEST = 6
HIDDEN = "[secret]"
SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=*-]{6,}"),
    re.compile(
        r"(?i)\b((?:x-)?(?:api[-_ ]?key|key|token|secret|password|authorization))"
        r"(\"?'?\s*[=:]\s*\"?'?)[^\s\"'&,;)}]{4,}"
    ),
    re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|r8|pplx|nvapi|tgp|fw|key)[-_][\w*-]{6,}"),
    re.compile(r"\bAIza[\w-]{20,}"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}"),
    re.compile(r"\beyJ[\w-]{10,}\.[\w.-]{10,}"),
)


def scrub(text: str, secrets: Iterable[str | None] = ()) -> str:
    """`text` on one line of at most 300 characters, with known secrets and everything that looks like a key hidden."""
    for secret in secrets:
        if secret and len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN)
    for pattern in SECRETS:
        text = pattern.sub(_hide, text)
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _hide(match: re.Match[str]) -> str:
    """Keep the label (`Bearer`, `api_key=`), hide what follows it."""
    label = "".join(part for part in match.groups() if part)
    return f"{label} {HIDDEN}" if label and label[-1].isalpha() else f"{label}{HIDDEN}"
