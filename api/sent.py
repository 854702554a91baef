"""A verdict's evidence for readers: every prompt to the judge rendered again and compared with what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.core.keys import messages_hash
from leaderboard.core.messages import Message
from leaderboard.core.templates import FAMILIES, JudgeTemplate, render
from leaderboard.core.types import Order, Prompt
from leaderboard.history.records import Row
from leaderboard.tournament.work import judge_messages, shown_to_judge

Evidence = Mapping[str, Any]

TEMPLATES: dict[str, JudgeTemplate] = {
    template.name: template for members in FAMILIES.values() for template in members.values()
}
PRIVATE = "private"
UNKNOWN_PROMPT = "private: whether this prompt may be shown is not in this snapshot"
CHANGED = "rendered again it differs from what was sent: the prompt, an answer, the wording or the judge changed since"
ON_THE_CALL = (
    "state", "template", "sent_sha256", "params", "served_model", "prompt_tokens", "completion_tokens", "cost_usd",
    "finished_at",
)  # fmt: skip
WORDS_OF_A_PROMPT = ("turns", "system", "reference")


class CannotRender(Exception):
    """A part that the prompt was made of is not at hand."""


def detail(found: Evidence, *, private_too: bool) -> Row:
    """The verdict with `prompt`, `answers`, `readings` and `prompts`; texts are null where `private` says why."""
    parts = {"calls", "judge_row", "readings", "prompt", "answers"}
    withheld = None if private_too else why_withheld(found["prompt"])
    row: Row = {name: value for name, value in found.items() if name not in parts}
    return row | {
        "private": withheld,
        "prompt": _without(found["prompt"], WORDS_OF_A_PROMPT, withheld),
        "answers": {
            side: [_without(text, ("text",), withheld) for text in texts] for side, texts in found["answers"].items()
        },
        "readings": [_without(reading, ("text",), withheld) for reading in found["readings"]],
        "prompts": [_sent(call, found, withheld) for call in found["calls"]],
    }


def why_withheld(prompt: Evidence | None) -> str | None:
    """Why the texts around this prompt are for the operator only, None for a public one."""
    if prompt is None:
        return UNKNOWN_PROMPT
    return None if prompt["visibility"] == "public" else PRIVATE


def _without(row: Evidence | None, words: Sequence[str], withheld: str | None) -> Row | None:
    if row is None:
        return None
    return {**row} if withheld is None else {**row, **dict.fromkeys(words)}


def _sent(call: Evidence, found: Evidence, withheld: str | None) -> Row:
    messages, reason = (None, withheld) if withheld else _messages(call, found)
    return {
        "call": call["key"],
        "shown_first": call["shown_first"],
        "samples": list(range(call["sample_from"], call["sample_to"] + 1)),
        "messages": messages,
        "verified": messages is not None and reason is None,
        "reason": reason,
        **{name: call[name] for name in ON_THE_CALL},
    }


def _messages(call: Evidence, found: Evidence) -> tuple[list[dict[str, str]] | None, str | None]:
    """The prompt as far as it can be rendered, and why it is not what was sent (None: it is, to the letter)."""
    try:
        messages = rendered(call, found)
    except CannotRender as error:
        return None, str(error)
    same = messages_hash(messages) == call["sent_sha256"]
    return [message.as_dict() for message in messages], None if same else CHANGED


def rendered(call: Evidence, found: Evidence) -> tuple[Message, ...]:
    """The messages of a call, from the facts that the snapshot keeps. CannotRender names what is missing."""
    template, judge = TEMPLATES.get(call["template"]), found["judge_row"]
    if template is None:
        raise CannotRender(f"this version has no template {call['template']!r}")
    if judge is None:
        raise CannotRender("the judge as it was then is not in this snapshot")
    prompt = _prompt(found["prompt"])
    texts_a, texts_b = (_texts(found, side, prompt) for side in ("a", "b"))
    order = Order.AB if call["shown_first"] == "a" else Order.BA
    shown = shown_to_judge(prompt, texts_a, texts_b, order, rubric=judge["rubric"], mark=call["mark"])
    return judge_messages(judge["system"], render(template, shown))


def _prompt(row: Evidence | None) -> Prompt:
    if row is None:
        raise CannotRender("the prompt is not in this snapshot")
    return Prompt(
        id=row["id"],
        turns=tuple(row["turns"]),
        system=row["system"],
        category=row["category"],
        group=row["prompt_group"],
        language=row["language"],
        reference=row["reference"],
        visibility=row["visibility"],
        position=row["position"],
    )


def _texts(found: Evidence, side: str, prompt: Prompt) -> tuple[str, ...]:
    texts = tuple(answer["text"] for answer in found["answers"][side])
    if len(texts) != len(prompt.turns):
        raise CannotRender(f"the answer of {found[f'model_{side}']} is not in this snapshot")
    return texts
