"""A judge's reply as plain lines: without its reasoning, its markdown and its invisible characters.

Every step takes time linear in the length of the reply.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank, with single spaces. `quoted`: in a code fence, a block quote or quotation marks."""

    text: str
    quoted: bool


# A tag behind a quotation mark is being talked about: `</think>` in a quoted answer must not hide the judge's verdict.
_REASONING_TAG = re.compile(
    r"(?<![`\"'“‘«])(?:<(/?)(?:think|thinking|thought|reasoning)(?:\s[^<>]{0,200})?>|\[(/?)THINK\]|◁(/?)think▷)",
    re.IGNORECASE,
)
_INVISIBLE = dict.fromkeys(
    (0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A)), None
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
# A run of marks goes if it touches the outside of a word. Between two letters or figures it stays: `KANDIDAAT_1` needs
# its underscore, and `1**0` must not become 10. Each run is tried once, from its start.
_EMPHASIS = re.compile(r"(?<![\w*`~])[*_`~]++|(?<![*_`~])[*_`~]++(?![^\W_])")
_LINE_START = re.compile(r"(?:[>#\s]|[-+•·–—](?=\s))*+")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})[^`]*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "”", "‘": "’", "«": "»"}
_QUOTATION_ENDS = tuple('"”»')


def without_reasoning(text: str) -> str:
    """Drop reasoning blocks and everything before a lone closing tag; a block that never closes leaves nothing."""
    kept: list[str] = []
    inside, position = False, 0
    for tag in _REASONING_TAG.finditer(text):
        closing = any(tag.groups())
        if closing and not inside:
            kept.clear()
        elif not inside:
            kept.append(text[position : tag.start()])
        inside, position = not closing, tag.end()
    return "" if inside else " ".join([*kept, text[position:]])


def _unwrapped(text: str) -> tuple[str, bool]:
    """A text without the quotation marks around it, and whether it is a quotation or the first or last line of one."""
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1].strip(), True
    return text, text.startswith(tuple(_QUOTES)) or text.endswith(_QUOTATION_ENDS)


def _plain(raw: str, fenced: bool) -> Line:
    squeezed = " ".join(_EMPHASIS.sub("", _ESCAPED.sub(r"\1", raw)).split())
    start = _LINE_START.match(squeezed)
    prefix = start[0] if start else ""
    text, wrapped = _unwrapped(squeezed[len(prefix) :])
    return Line(text, fenced or wrapped or ">" in prefix)


def plain_lines(text: str) -> list[Line]:
    """The reply's lines that say something, in order; none for a reply that says nothing."""
    lines: list[Line] = []
    fenced = False
    for raw in without_reasoning(text).translate(_INVISIBLE).splitlines():
        if _FENCE.fullmatch(raw):
            fenced = not fenced
        else:
            lines.append(_plain(raw, fenced))
    return [line for line in lines if line.text]
