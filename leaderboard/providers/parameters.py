"""Which of the wanted parameters a route takes, asked one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from leaderboard.errors import BadInput

Mapped = Callable[[Mapping[str, object]], Mapping[str, object]]


class Refused(Exception):
    """The client library says that the provider does not take these parameters."""


def accepted(wanted: Mapping[str, object], mapped: Mapped) -> tuple[dict[str, object], dict[str, str]]:
    """What is sent, and what is not sent with the reason.

    `mapped` translates parameters into what goes on the wire and raises `Refused`. Each parameter is tried on top of
    those already taken, so that of two that exclude each other the first stays. One that leaves no trace in the
    translation is dropped in silence and therefore counts as not sent.
    """
    sent: dict[str, object] = {}
    not_sent: dict[str, str] = {}
    for name, value in wanted.items():
        reason = why_not(sent, name, value, mapped)
        if reason is None:
            sent[name] = value
        else:
            not_sent[name] = reason
    return sent, not_sent


def why_not(sent: Mapping[str, object], name: str, value: object, mapped: Mapped) -> str | None:
    """The reason for which a parameter would not reach the provider; None if it would."""
    try:
        translated = mapped({**sent, name: value})
    except Refused as refusal:
        return first_sentence(str(refusal))
    return "never reaches the provider on this route" if translated == mapped(sent) else None


def check_strict(route: str, wanted: Mapping[str, object], not_sent: Mapping[str, str]) -> None:
    """Raise `BadInput` naming the first parameter that would not be sent."""
    for name, reason in not_sent.items():
        raise BadInput(
            f"params: {name} = {wanted[name]} cannot be sent to {route}: {reason}.\n"
            "Leave it out, or register without --strict to go on without it"
        )


def first_sentence(text: str) -> str:
    """The gist of the library's refusal, without its advice to drop parameters silently."""
    line = " ".join(text.removeprefix("litellm.UnsupportedParamsError: ").split())
    line = re.split(r"\. (?=[A-Z])|,? ?To drop ", line)[0]
    return line.rstrip(" .,")[:200]
