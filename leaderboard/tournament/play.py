"""The dispatcher: sends tasks under a concurrency limit, a budget and a retry rule, and settles every attempt.

A request is written to the ledger before it leaves and settled right after it returns, so a kill at any moment
repeats at most what was in flight.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from leaderboard.core.keys import messages_hash
from leaderboard.core.messages import Message
from leaderboard.ledger.requests import Attempt
from leaderboard.ledger.writer import LedgerWriter
from leaderboard.providers.errors import ErrorKind, ProviderError
from leaderboard.providers.limiter import Limiter
from leaderboard.providers.port import ChatModel, ChatReply, ChatRequest
from leaderboard.providers.retry import pause_before, waits_too_long, wants_retry
from leaderboard.providers.routes import lane_of
from leaderboard.tournament.draft import Draft, text_record
from leaderboard.tournament.work import Task

Stopping = Literal["limit_reached", "cancelled"]
Over = Literal["again", "done", "failed", "split"]
REFUSES_THE_KEY: frozenset[ErrorKind] = frozenset({"auth", "payment", "quota"})
REFUSES_THE_MODEL: frozenset[ErrorKind] = frozenset({"forbidden", "not_found"})


@dataclass(frozen=True, slots=True)
class Settled:
    """What the progress display is told when a request is over. Cost in nano-dollars, None where unpriced."""

    task: Task
    ok: bool
    cost: int | None


@dataclass(slots=True, kw_only=True)
class Player:
    """Plays tasks. `stopping`, `dead` and `errors` tell afterwards why something was left undone.

    A key that is refused stops its lane, unless the lane has served somebody: then the key is good, and whoever was
    refused is stopped alone. Checks are meant to find that out, so their refusals count when `end_checks` is called.
    """

    chat: ChatModel
    writer: LedgerWriter
    limiter: Limiter
    concurrency: int
    call_timeout: float
    max_attempts: int
    retry_ceiling: float
    rng: random.Random
    now: Callable[[], str]
    on_settled: Callable[[Settled], None]
    pause: Callable[[int, float | None, random.Random], float] = pause_before
    stopping: Stopping | None = None
    dead: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    _served: set[str] = field(default_factory=set)
    _refused: dict[str, dict[str, str]] = field(default_factory=dict)
    _one_at_a_time: set[str] = field(default_factory=set)
    _workers: set[asyncio.Task[None]] = field(default_factory=set)
    _in_flight: set[asyncio.Task[None] | None] = field(default_factory=set)
    _closings: int = 0
    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, tasks: Iterable[Task]) -> None:
        """Play every task once. Returns when all are settled, or when stopped and nothing is in flight.

        Each lane has workers of its own, so a lane on hold keeps nobody else waiting.
        """
        lanes: dict[str, list[Task]] = defaultdict(list)
        for task in tasks:
            lanes[lane_of(task.endpoint)].append(task)
        async with asyncio.TaskGroup() as group:
            for queued in lanes.values():
                queue = iter(queued)
                for _ in range(min(self.concurrency, len(queued))):
                    worker = group.create_task(self._work(queue))
                    self._workers.add(worker)
                    worker.add_done_callback(self._workers.discard)

    def stop(self, why: Stopping) -> None:
        """Send nothing more; what is in flight is awaited and settled."""
        self.stopping = self.stopping or why
        self._announce()
        for worker in self._workers - self._in_flight:
            worker.cancel()

    def end_checks(self) -> None:
        """Stop the lanes that refused a check and served nobody."""
        for lane, refused in self._refused.items():
            self.dead.setdefault(lane, next(iter(refused.values())))

    async def _work(self, queue: Iterator[Task]) -> None:
        try:
            for task in queue:
                if self.stopping:
                    return
                for part in self._parts(task):
                    await self._perform(part)
        except asyncio.CancelledError:
            if not self.stopping:
                raise

    def _parts(self, task: Task) -> list[Task]:
        """The task, or one task a sample where the provider has shown that it refuses `n`."""
        if task.n == 1 or task.narrowed is None or task.who not in self._one_at_a_time:
            return [task]
        return [task.narrowed((sample,)) for sample in task.samples]

    async def _perform(self, task: Task) -> None:
        """One request with its retries, then the samples that its provider did not give."""
        draft = Draft.of(task)
        over: Over = "again"
        while over == "again" and not self._barred(task):
            if draft.pause:
                await asyncio.sleep(draft.pause)
            over = await self._attempt(draft)
        if over in {"done", "split"} and task.n > 1 and task.narrowed is not None:
            for sample in draft.ungiven:
                await self._perform(task.narrowed((sample,)))

    def _barred(self, task: Task) -> bool:
        return bool(self.stopping) or lane_of(task.endpoint) in self.dead or task.who in self.dead

    async def _attempt(self, draft: Draft) -> Over:
        """Send once and settle."""
        async with self.limiter.permit(lane_of(draft.task.endpoint)):
            if self._barred(draft.task):
                return "again"
            messages = draft.task.messages()
            attempt = draft.next_attempt(messages, self.now())
            if not await self._opened(draft.task, messages, attempt):
                return "again"
            try:
                return await self._send(draft, messages, attempt)
            finally:
                self._in_flight.discard(asyncio.current_task())
                self._announce()

    async def _opened(self, task: Task, messages: tuple[Message, ...], attempt: Attempt) -> bool:
        """Reserve the worst-case price and record the attempt; False when the budget cannot hold it.

        While others are in flight their settling may still make room, so their end is awaited.
        """
        request = replace(task.request, sent_sha256=messages_hash(messages))
        while not self.stopping:
            seen = self._closings
            self._in_flight.add(asyncio.current_task())
            if await self.writer.open_attempt(request, attempt):
                return True
            self._in_flight.discard(asyncio.current_task())
            if not self._in_flight:
                self.stop("limit_reached")
            elif seen == self._closings:
                await self._closed.wait()
        return False

    def _announce(self) -> None:
        """Wake those who wait for room in the budget."""
        self._closings += 1
        self._closed.set()
        self._closed.clear()

    async def _send(self, draft: Draft, messages: tuple[Message, ...], attempt: Attempt) -> Over:
        try:
            reply = await self._reply(draft.chat_request(messages, attempt, self.call_timeout))
        except ProviderError as error:
            unknown = error.billed == "maybe"
            cost = attempt.reserved_nano if unknown else 0
            draft.add_cost(cost)
            attempt = replace(attempt, state="unknown" if unknown else "settled", cost_nano=cost)
            return await self._settle_error(draft, attempt, error)
        self._note_served(lane_of(draft.task.endpoint))
        attempt = draft.charged(attempt, reply)
        if draft.task.samples:
            return await self._settle_judgement(draft, attempt, reply)
        return await self._settle_text(draft, attempt, reply)

    async def _reply(self, request: ChatRequest) -> ChatReply:
        """Whatever one provider's reply breaks is that request's failure: everybody else plays on."""
        try:
            return await self.chat(request)
        except ProviderError:
            raise
        except Exception as error:
            raise ProviderError(f"{type(error).__name__}: {error}", kind="garbage") from error

    async def _settle_text(self, draft: Draft, attempt: Attempt, reply: ChatReply) -> Over:
        choice = reply.choices[0]
        if choice.text is None and draft.task.request.kind == "answer":
            why = f"no text came back (finish reason: {choice.finish_reason})"
            return await self._settle_error(draft, attempt, ProviderError(why, kind="empty", http_status=200))
        return await self._finish(draft, attempt, text_record(choice))

    async def _settle_judgement(self, draft: Draft, attempt: Attempt, reply: ChatReply) -> Over:
        draft.take(reply)
        if draft.missing:
            await self.writer.close_attempt(self._ended(attempt, error_kind="cut"), None)
            return "again"
        return await self._finish(draft, attempt, {"samples": draft.came})

    async def _finish(self, draft: Draft, attempt: Attempt, payload: dict[str, object]) -> Over:
        finished = draft.finished("done", self.now(), payload=payload)
        await self.writer.close_attempt(self._ended(attempt), finished)
        self.on_settled(Settled(draft.task, True, draft.cost))
        return "done"

    async def _settle_error(self, draft: Draft, attempt: Attempt, error: ProviderError) -> Over:
        """Try again, split a refused `n` into single requests, keep what came before, or give the request up."""
        attempt = self._ended(attempt, http_status=error.http_status, error_kind=error.kind, error_text=str(error))
        if error.kind == "bad_request" and attempt.n > 1 and not draft.came:
            self._one_at_a_time.add(draft.task.who)
            await self.writer.close_attempt(attempt, draft.finished("lost", self.now()))
            return "split"
        if not self.stopping and wants_retry(error, draft.number, self.max_attempts, self.retry_ceiling):
            await self.writer.close_attempt(attempt, None)
            self._plan_pause(draft, error)
            return "again"
        if draft.came:
            partial = draft.finished("done", self.now(), payload={"samples": draft.came})
            await self.writer.close_attempt(attempt, partial)
            self.on_settled(Settled(draft.task, True, draft.cost))
            return "done"
        self._note_failure(draft.task, error)
        await self.writer.close_attempt(attempt, draft.finished("failed", self.now()))
        self.on_settled(Settled(draft.task, False, draft.cost))
        return "failed"

    def _ended(self, attempt: Attempt, **changes: object) -> Attempt:
        return replace(attempt, ended_at=self.now(), **changes)  # type: ignore[arg-type]

    def _plan_pause(self, draft: Draft, error: ProviderError) -> None:
        """Rate limits hold the whole lane; other errors only this request."""
        seconds = self.pause(draft.number + 1, error.retry_after, self.rng)
        if error.kind == "rate_limit":
            draft.pause = 0.0
            self.limiter.hold(lane_of(draft.task.endpoint), seconds)
        else:
            draft.pause = seconds

    def _note_failure(self, task: Task, error: ProviderError) -> None:
        text, lane = f"{error.kind}: {error}", lane_of(task.endpoint)
        self.errors.setdefault(task.who, text)
        if waits_too_long(error, self.retry_ceiling):
            self.dead.setdefault(lane, text)
        elif error.kind in REFUSES_THE_KEY and lane not in self._served:
            self._refused.setdefault(lane, {})[task.who] = text
            if task.request.kind != "check":
                self.dead.setdefault(lane, text)
        elif error.kind in REFUSES_THE_KEY | REFUSES_THE_MODEL:
            self.dead.setdefault(task.who, text)

    def _note_served(self, lane: str) -> None:
        """The lane's key is good: if it was stopped for a refusal it goes on, without those who were refused."""
        self._served.add(lane)
        refused = self._refused.pop(lane, {})
        if self.dead.get(lane) in refused.values():
            del self.dead[lane]
        self.dead.update(refused)
