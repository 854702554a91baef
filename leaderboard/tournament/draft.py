"""A request on its way: what was asked, what has come back over its attempts, and what that costs."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import Literal

from leaderboard.core.messages import Message
from leaderboard.core.money import content_bytes, cost_nano, worst_case_nano
from leaderboard.core.types import Parsed, Unreadable
from leaderboard.ledger.ids import storable
from leaderboard.ledger.requests import Attempt, Finished
from leaderboard.providers.port import ChatReply, ChatRequest, Choice, Usage
from leaderboard.tournament.work import Task

MORE_ROOM = 2
CUT = "cut off by the token limit"
REPLACED = "characters that no text can hold were replaced"
ABOVE_RESERVATION = "usage above the reservation"

Charge = tuple[int | None, Literal["settled", "unknown"]]


@dataclass(slots=True)
class Draft:
    """`missing` are the samples still to come; `room` multiplies the token limit of the next attempt.

    `samples` were given for good. `cut_off` came back cut by the token limit and stand, as unreadable, if the one
    attempt with more room brings nothing better.
    """

    task: Task
    missing: tuple[int, ...]
    number: int = 0
    room: int = 1
    pause: float = 0.0
    samples: list[dict[str, object]] = field(default_factory=list)
    cut_off: list[dict[str, object]] = field(default_factory=list)
    reply: ChatReply | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: int | None = 0

    @classmethod
    def of(cls, task: Task) -> Draft:
        return cls(task, task.samples)

    @property
    def came(self) -> list[dict[str, object]]:
        """Every sample that came back, cut ones included unless a whole one followed."""
        whole = {row["sample"] for row in self.samples}
        return [*self.samples, *(row for row in self.cut_off if row["sample"] not in whole)]

    @property
    def ungiven(self) -> list[int]:
        """The samples that the task asked for and that no reply brought."""
        given = {row["sample"] for row in self.came}
        return [sample for sample in self.task.samples if sample not in given]

    @property
    def max_tokens(self) -> int:
        endpoint = self.task.endpoint
        wanted = (endpoint.sent or {}).get("max_tokens", endpoint.wanted.get("max_tokens"))
        return int(str(wanted)) * self.room

    @property
    def can_grow(self) -> bool:
        """Whether one more attempt with a larger token limit is possible and not yet made."""
        return self.room == 1 and "max_tokens" in self.task.params

    def next_attempt(self, messages: tuple[Message, ...], now: str) -> Attempt:
        """The record of the next attempt, with its worst-case price reserved."""
        self.number += 1
        request = self.task.request
        n = max(1, len(self.missing))
        price = self.task.endpoint.price
        return Attempt(
            id=str(uuid.uuid4()),
            call=request.key,
            run=request.run,
            kind=request.kind,
            stage=request.stage,
            model=request.model,
            judge=request.judge,
            number=self.number,
            n=n,
            max_tokens=self.max_tokens,
            reserved_nano=worst_case_nano(content_bytes(messages), len(messages), n, self.max_tokens, price),
            started_at=now,
            ended_at=None,
            state="open",
            http_status=None,
            error_kind=None,
            error_text=None,
            cost_nano=None,
        )

    def chat_request(self, messages: tuple[Message, ...], attempt: Attempt, timeout: float) -> ChatRequest:
        params = self.task.params
        if "max_tokens" in params:
            params["max_tokens"] = attempt.max_tokens
        return ChatRequest(
            key=self.task.request.key,
            endpoint=self.task.endpoint,
            messages=messages,
            params=params,
            n=attempt.n,
            timeout=timeout,
        )

    def charged(self, attempt: Attempt, reply: ChatReply) -> Attempt:
        """The attempt with what the reply used. Without a usage report the reservation is booked, as unknown."""
        self.reply = reply
        cost, state = self._charge(attempt, reply.usage)
        self.add_cost(cost)
        above = cost is not None and attempt.reserved_nano is not None and cost > attempt.reserved_nano
        return replace(
            attempt, state=state, cost_nano=cost, http_status=200, error_text=ABOVE_RESERVATION if above else None
        )

    def _charge(self, attempt: Attempt, usage: Usage | None) -> Charge:
        price = self.task.endpoint.price
        if usage is None:
            return (None, "settled") if price is None else (attempt.reserved_nano, "unknown")
        self.prompt_tokens = (self.prompt_tokens or 0) + usage.prompt_tokens
        self.completion_tokens = (self.completion_tokens or 0) + usage.completion_tokens
        cost = None if price is None else cost_nano(usage.prompt_tokens, usage.completion_tokens, price)
        return cost, "settled"

    def add_cost(self, nano: int | None) -> None:
        self.cost = None if nano is None or self.cost is None else self.cost + nano

    def take(self, reply: ChatReply) -> None:
        """Read the samples of a judge's reply. Those cut by the token limit stay missing while there is more room."""
        cut = []
        for sample, choice in zip(self.missing, reply.choices, strict=False):
            again = choice.finish_reason == "length" and self.can_grow
            (self.cut_off if again else self.samples).append(sample_record(self.task, sample, choice))
            cut += [sample] if again else []
        self.missing = tuple(cut)
        if cut:
            self.room = MORE_ROOM

    def finished(
        self,
        state: Literal["done", "failed", "lost"],
        now: str,
        *,
        payload: dict[str, object] | None = None,
    ) -> Finished:
        """The request and what came of it; who answered is known once a reply came, tokens once one reported them."""
        reply = self.reply
        return Finished(
            request=self.task.request,
            state=state,
            payload=payload,
            served_model=reply.served_model if reply else None,
            system_fingerprint=reply.system_fingerprint if reply else None,
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cost_nano=self.cost,
            finished_at=now,
        )


def sample_record(task: Task, sample: int, choice: Choice) -> dict[str, object]:
    """One judge reply as the ledger keeps it: the raw text, and what was read of it, in positions."""
    if task.read is None:
        raise ValueError(f"a judgement without a reader: {task.request.key}")
    parsed: Parsed = Unreadable(CUT) if choice.finish_reason == "length" else task.read(choice.text)
    text = None if choice.text is None else storable(choice.text)[0]
    return {"sample": sample, "text": text, "finish_reason": choice.finish_reason, **parsed_record(parsed)}


def parsed_record(parsed: Parsed) -> dict[str, object]:
    if isinstance(parsed, Unreadable):
        return {"state": "unreadable", "first": None, "second": None, "scored": False, "reason": parsed.reason}
    return {
        "state": "read",
        "first": str(parsed.first),
        "second": str(parsed.second),
        "scored": parsed.scored,
        "reason": None,
    }


def text_record(choice: Choice) -> dict[str, object]:
    """An answer as the ledger keeps it."""
    text, replaced = storable(choice.text or "")
    return {"text": text, "finish_reason": choice.finish_reason, "note": REPLACED if replaced else None}
