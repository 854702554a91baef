"""Judge templates: the prompt that is sent, together with the reader of what comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from leaderboard.core import wording_en, wording_nl
from leaderboard.core.keys import content_hash
from leaderboard.core.messages import Message
from leaderboard.core.readers import READERS, Reader
from leaderboard.core.types import Prompt
from leaderboard.errors import BadInput

__all__ = ["FAMILIES", "READERS", "JudgeTemplate", "Reader", "Shown", "render", "template_for"]

Kind = Literal["scoring", "comparing"]


@dataclass(frozen=True, slots=True)
class JudgeTemplate:
    """One family in one language. `body` has slots such as {question} and optional parts {?rubric}...{/rubric}."""

    name: str
    family: str
    language: str
    kind: Kind
    system: str
    body: str
    read: Reader

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the name and every word that is sent."""
        return content_hash({"name": self.name, "system": self.system, "body": self.body})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one judgement shows: the prompt, two answers (a text per turn) by position, and the mark of the request.

    `mark` is 16 hex digits that no author of an answer can know (see `core.keys.mark_of`).
    """

    prompt: Prompt
    first: tuple[str, ...]
    second: tuple[str, ...]
    rubric: str | None
    mark: str


# Scoring families read scores, comparing families read a winner; `_evidence` asks for the evidence first.
_KINDS: dict[str, Kind] = {
    "scoring": "scoring",
    "comparing": "comparing",
    "scoring_evidence": "scoring",
    "comparing_evidence": "comparing",
}
_WORDINGS = {
    "en": (wording_en.SYSTEM, wording_en.BODIES),
    "nl": (wording_nl.SYSTEM, wording_nl.BODIES),
}


def _template(family: str, language: str) -> JudgeTemplate:
    name = family if language == "en" else f"{family}_{language}"
    system, bodies = _WORDINGS[language]
    return JudgeTemplate(name, family, language, _KINDS[family], system, bodies[family], READERS[name])


FAMILIES: dict[str, dict[str, JudgeTemplate]] = {
    family: {language: _template(family, language) for language in _WORDINGS} for family in _KINDS
}


def template_for(family: str, language: str) -> JudgeTemplate:
    """The family's member for a language tag (`nl-BE` is Dutch), English if it has none. BadInput: no such family."""
    members = FAMILIES.get(family)
    if members is None:
        raise BadInput(f"no template family {family!r}: choose one of {', '.join(FAMILIES)}")
    return members.get(re.split("[-_]", language.lower())[0], members["en"])


_OPTIONAL = re.compile(r"\{\?(\w+)\}(.*?)\{/\1\}", re.DOTALL)
_SLOT = re.compile(r"\{(mark|system|question|reference|rubric|answer_1|answer_2)\}")


def _turns(texts: tuple[str, ...], mark: str) -> str:
    """One text as it is; several each behind a line with the turn's number."""
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"<<turn {number} {mark}>>\n{text}" for number, text in enumerate(texts, start=1))


def _values(shown: Shown) -> Mapping[str, str]:
    return {
        "mark": shown.mark,
        "system": shown.prompt.system or "",
        "question": _turns(shown.prompt.turns, shown.mark),
        "reference": shown.prompt.reference or "",
        "rubric": shown.rubric or "",
        "answer_1": _turns(shown.first, shown.mark),
        "answer_2": _turns(shown.second, shown.mark),
    }


def _filled(body: str, values: Mapping[str, str]) -> str:
    """The body with its slots filled. Only the body is searched for slots: what goes in is never read again."""
    chosen = _OPTIONAL.sub(lambda part: part[2] if values[part[1]] else "", body)
    pieces = _SLOT.split(chosen)
    pieces[1::2] = [values[slot] for slot in pieces[1::2]]
    return "".join(pieces)


def render(template: JudgeTemplate, shown: Shown) -> tuple[Message, ...]:
    """The messages for the judge: its instructions and the material in sections that carry the request's mark."""
    return (Message("system", template.system), Message("user", _filled(template.body, _values(shown))))
