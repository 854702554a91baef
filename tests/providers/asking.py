"""Ask the adapter as a run does: one request, its own event loop, connections closed behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from leaderboard.core.messages import Message
from leaderboard.core.types import Endpoint
from leaderboard.providers.litellm_adapter import litellm_chat
from leaderboard.providers.port import ChatModel, ChatReply, ChatRequest

T = TypeVar("T")
KEY = "0123456789abcdef" * 4


def request_of(
    endpoint: Endpoint,
    text: str = "hello",
    *,
    n: int = 1,
    timeout: float = 20.0,
    key: str = KEY,
    params: Mapping[str, object] | None = None,
) -> ChatRequest:
    sent = {"max_tokens": 50} if params is None else params
    return ChatRequest(key=key, endpoint=endpoint, messages=(Message("user", text),), params=sent, n=n, timeout=timeout)


def with_chat(work: Callable[[ChatModel], Awaitable[T]]) -> T:
    async def main() -> T:
        chat = litellm_chat()
        try:
            return await work(chat)
        finally:
            await chat.aclose()

    return asyncio.run(main())


def ask(request: ChatRequest) -> ChatReply:
    async def work(chat: ChatModel) -> ChatReply:
        return await chat(request)

    return with_chat(work)
