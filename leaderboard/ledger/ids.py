"""Names people give: tidied, kept apart from look-alikes, and texts that any store can hold."""

from __future__ import annotations

import unicodedata

from leaderboard.errors import BadInput

LONGEST = 200

# Marks and fillers that take no room on the screen although Unicode does not class them as format characters.
_INVISIBLE = frozenset(
    chr(point)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for point in range(first, last + 1)
)
_REFUSED = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Zl": "a line break",
    "Zp": "a line break",
    "Cs": "half a character",
}

# Letters of other scripts that look like a Latin one in lower or in upper case, by their lower-case form.
_CYRILLIC = dict(zip("авеёзкмнорстухіїјѕԁһӏԛԝ", "abeë3kmhopctyxiïjsdhlqw", strict=True))
_GREEK = dict(zip("αβεζηικμνορτυχγ", "abezhikmvoptyxy", strict=True))
_LOOKALIKES = str.maketrans(_CYRILLIC | _GREEK)


def tidy_id(text: str) -> str:
    """The id in Unicode NFC without surrounding white space.

    Slashes, colons, dots and inner spaces are fine. BadInput: empty, over 200 characters, or a character that cannot
    be seen (control, line break, zero width, direction mark), named by its position.
    """
    _refuse_unseen(text)
    tidied = unicodedata.normalize("NFC", text).strip()
    if not tidied:
        raise BadInput("an id may not be empty")
    if len(tidied) > LONGEST:
        raise BadInput(f"the id {tidied[:40]!r}… has {len(tidied)} characters: {LONGEST} is the most")
    return tidied


def _refuse_unseen(text: str) -> None:
    lead = len(text) - len(text.lstrip())
    for place, character in enumerate(text.strip(), start=lead + 1):
        kind = "an invisible character" if character in _INVISIBLE else _REFUSED.get(unicodedata.category(character))
        if kind:
            raise BadInput(f"the id {text[:80]!r} has {kind} (U+{ord(character):04X}) at position {place}: remove it")


def folded(text: str) -> str:
    """What two ids may not share: case, compatibility forms, Cyrillic and Greek look-alikes of Latin letters folded."""
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return composed.translate(_LOOKALIKES)


def storable(text: str) -> tuple[str, bool]:
    """The text with every lone surrogate replaced by U+FFFD, and whether there was one. NUL stays.

    A surrogate pair that arrives as two halves is joined, which replaces nothing.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        kept = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in joined)
        return kept, kept != joined
    return text, False
