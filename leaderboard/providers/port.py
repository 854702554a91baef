"""The one door to a language model: a request goes in, choices come out or a `ProviderError` is raised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from leaderboard.core.messages import Message
from leaderboard.core.types import Endpoint

MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One HTTP request to be. `params` is what is sent besides `n`; `key` names the request on our side only.

    `timeout` is wall-clock seconds for the whole call, whether or not bytes arrive meanwhile.
    """

    key: str
    endpoint: Endpoint
    messages: tuple[Message, ...]
    params: Mapping[str, object]
    n: int = 1
    timeout: float = 120.0


@dataclass(frozen=True, slots=True)
class Choice:
    """One sample. `text` is None where the provider sent no content, which is not an error here."""

    text: str | None
    finish_reason: str | None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; `cached_tokens` are part of `prompt_tokens`.

    Raises ValueError for a count below 0 or above 10^12: no provider means that, and no store holds it.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0

    def __post_init__(self) -> None:
        counts = (self.prompt_tokens, self.completion_tokens, self.cached_tokens)
        if not all(0 <= count <= MOST_TOKENS for count in counts):
            raise ValueError(f"token counts lie between 0 and {MOST_TOKENS}, got {counts}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What came back: at least one choice, perhaps fewer than were asked for. `usage` is None if none was sent."""

    choices: tuple[Choice, ...]
    usage: Usage | None
    served_model: str | None
    system_fingerprint: str | None = None


class ChatModel(Protocol):
    """Raises `leaderboard.providers.errors.ProviderError` and nothing else for what a provider does wrong."""

    async def __call__(self, request: ChatRequest) -> ChatReply: ...

    async def aclose(self) -> None:
        """Close connections of the running event loop; call before the loop ends."""
        ...
