"""From the client library's response to a `ChatReply`. Providers send odd things: each is coerced or left out here."""

from __future__ import annotations

from typing import Any

from leaderboard.providers.errors import ProviderError
from leaderboard.providers.port import MOST_TOKENS, ChatReply, Choice, Usage
from leaderboard.providers.scrub import plain_line, without_key

LONGEST_NAME = 200


def reply_of(response: Any, key: str | None) -> ChatReply:
    """What the response says, with `key` (the one that was sent) replaced by a mark wherever it comes back.

    Raises `ProviderError` of kind `empty` for a response without choices; anything else that it raises means that
    the response has not the shape of a reply.
    """
    choices = tuple(_choice(choice, key) for choice in response.choices)
    if not choices:
        raise ProviderError("the reply holds no choices", kind="empty", http_status=200)
    return ChatReply(
        choices=choices,
        usage=_usage(getattr(response, "usage", None)),
        served_model=_name(getattr(response, "model", None), key),
        system_fingerprint=_name(getattr(response, "system_fingerprint", None), key),
    )


def _choice(choice: Any, key: str | None) -> Choice:
    text = choice.message.content
    return Choice(without_key(text, key) if isinstance(text, str) else None, _name(choice.finish_reason, key))


def _name(value: object, key: str | None) -> str | None:
    """One line of at most 200 characters; None for what is no text or an empty one."""
    if not isinstance(value, str):
        return None
    return plain_line(value, LONGEST_NAME, key) or None


def _usage(usage: Any) -> Usage | None:
    """litellm writes zeros where the provider sent no usage; a request of no tokens does not exist."""
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        return None
    prompt, completion = _count(usage.prompt_tokens), _count(usage.completion_tokens)
    if prompt is None or completion is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(prompt, completion, _count(getattr(details, "cached_tokens", None)) or 0)


def _count(tokens: object) -> int | None:
    """A number of tokens, 0 where none is given; None for what cannot be one."""
    if tokens is None:
        return 0
    return tokens if type(tokens) is int and 0 <= tokens <= MOST_TOKENS else None
