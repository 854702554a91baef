"""Texts of providers made safe to store and show: no keys, nothing that a terminal obeys, one line, short."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 300
MOST_READ = 100_000
SHORTEST = 6
SHORTEST_KEY = 8
HIDDEN = "[secret]"
KEY_REMOVED = "[key removed]"
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
TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,2000}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
"""Escape sequences: colours and cursor moves, strings for the terminal (titles, links), two-character ones."""
UNSEEN = frozenset({"Cc", "Cf", "Cs"})
"""Unicode's control characters, format characters (zero width, direction) and halves of characters."""
TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)


def plain_line(text: str, longest: int = LONGEST, key: str | None = None) -> str:
    """`text` on one line of at most `longest` characters, without control and format characters and without `key`."""
    line = without_key(_seen(text), key)
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _seen(text: str) -> str:
    """What a screen shows of it, white space as single spaces."""
    bare = TERMINAL.sub("", text[:MOST_READ])
    shown = (one for one in bare if one.isspace() or unicodedata.category(one) not in UNSEEN)
    return " ".join("".join(shown).split())


def without_key(text: str, key: str | None) -> str:
    """`text` with the key replaced by a mark. One of fewer than eight characters may be an ordinary word: it stays."""
    key = (key or "").strip()
    return text.replace(key, KEY_REMOVED) if len(key) >= SHORTEST_KEY else text


def scrub(text: str, secrets: Iterable[str | None] = ()) -> str:
    """An error's text as a plain line: known secrets, what looks like a key and the trace of a program are left out."""
    text = _seen(TRACEBACK.sub("", text))
    for secret in (secret.strip() for secret in secrets if secret):
        if len(secret) >= SHORTEST:
            text = text.replace(secret, HIDDEN)
    for pattern in SECRETS:
        text = pattern.sub(_hide, text)
    return plain_line(text)


def _hide(match: re.Match[str]) -> str:
    """Keep the label (`Bearer`, `api_key=`), hide what follows it."""
    label = "".join(part for part in match.groups() if part)
    return f"{label} {HIDDEN}" if label and label[-1].isalpha() else f"{label}{HIDDEN}"
