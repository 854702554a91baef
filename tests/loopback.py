"""A server on 127.0.0.1 that speaks the OpenAI and Anthropic chat formats, counts what it is asked and fails on order.

    with Loopback(plans={"m": ["429:2", "500"]}) as server:     # two faults for model m, then fine
        server.openai, server.anthropic                         # api_base for openai/… and anthropic/… routes
        server.counts()                                         # see `Counts`

`python -m tests.loopback --plan m=429:2,500 --latency 0.05` does the same in a process of its own: it prints its
address and serves the counts at `/_counts` and the judge prompts at `/_prompts`, so both outlive a killed client.

A model named `x~429:2` fails on every request. Faults: 429[:seconds] quota 400 too_long filter 401 402 403 404 500 502
503[:seconds] 529 hang trickle reset cut half garbage html error200 empty null length no_usage ok.
Models with `judge-first`, `judge-prefers-<word>`, `judge-length`, `judge-mute` in their name judge by content, every
other one like `judge-length`. Requests without a mark get a text that depends on (model, prompt).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from tests.loopback_replies import OPENAI_ERRORS, SECTION, Wire, flat, reply_text, user_text

Plans = dict[str, list[str]]


@dataclass
class Counts:
    """`marks`: requests by mark; `answers`: by `model|prompt`; `in_flight_max`: the most at one time."""

    total: int = 0
    in_flight: int = 0
    in_flight_max: int = 0
    models: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    prompts: dict[str, str] = field(default_factory=dict)
    times: dict[str, list[float]] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("prompts", "times", "last")}


class Loopback:
    """The server. `latency` in seconds; `honour_n=False` answers one choice however many are asked for."""

    def __init__(
        self, *, plans: Plans | None = None, latency: float = 0.0, honour_n: bool = True, hang: float = 3600.0
    ) -> None:
        self.plans = plans or {}
        self.latency, self.honour_n, self.hang = latency, honour_n, hang
        self.count = Counts()
        self.port = 0
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic(self) -> str:
        return self.url

    def counts(self) -> dict[str, Any]:
        return self.count.as_dict()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runner = self._loop.run_until_complete(self.start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._stop(runner))
        self._loop.close()

    async def _stop(self, runner: web.AppRunner) -> None:
        """End the requests that hang, then the server."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await runner.cleanup()

    async def start(self, port: int = 0) -> web.AppRunner:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_get("/_counts", self._show_counts)
        app.router.add_get("/_prompts", self._show_prompts)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.port = runner.addresses[0][1]
        return runner

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._chat(request, Wire("openai"))

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._chat(request, Wire("anthropic"))

    async def _show_counts(self, _: web.Request) -> web.Response:
        return web.json_response(self.counts())

    async def _show_prompts(self, _: web.Request) -> web.Response:
        return web.json_response(self.count.prompts)

    def _note(self, model: str, prompt: str, mark: str | None) -> None:
        count = self.count
        count.total += 1
        count.in_flight += 1
        count.in_flight_max = max(count.in_flight_max, count.in_flight)
        count.models[model] += 1
        count.times.setdefault(model, []).append(asyncio.get_running_loop().time())
        if mark is None:
            count.answers[f"{model}|{prompt}"] += 1
        else:
            count.marks[mark] += 1
            count.prompts[mark] = prompt

    def _fault(self, model: str) -> str:
        if "~" in model:
            return model.split("~", 1)[1]
        plan = self.plans.get(model, [])
        return plan.pop(0) if plan else "ok"

    async def _chat(self, request: web.Request, wire: Wire) -> web.StreamResponse:
        body = await request.json()
        self.count.last = {"body": body, "headers": {name.lower(): value for name, value in request.headers.items()}}
        model, prompt = body["model"], user_text(flat(body["messages"]))
        found = SECTION.search(prompt)
        mark = found[1] if found else None
        self._note(model, prompt, mark)
        try:
            await asyncio.sleep(self.latency)
            n = body.get("n", 1) if self.honour_n else 1
            texts = [reply_text(model, prompt, mark, index) for index in range(n)]
            return await self._answer(request, wire, model, prompt, texts, self._fault(model))
        finally:
            self.count.in_flight -= 1

    async def _answer(
        self, request: web.Request, wire: Wire, model: str, prompt: str, texts: list[str], fault: str
    ) -> web.StreamResponse:
        name, _, seconds = fault.partition(":")
        good = json.dumps(wire.reply(model, prompt, texts, name)).encode()
        if name in ("hang", "trickle", "reset", "cut"):
            return await self._broken(request, name, good)
        if name == "html":
            return web.Response(text="<html><body>Bad gateway</body></html>", content_type="text/html")
        if name == "garbage":
            return web.json_response({"hello": "world"})
        if name == "half":
            return web.Response(body=good[: len(good) // 2], content_type="application/json")
        if name == "error200":
            return web.json_response(wire.error("503")[1])
        if name.isdigit() or name in OPENAI_ERRORS:
            status, error = wire.error(name)
            return web.json_response(error, status=status, headers={"Retry-After": seconds} if seconds else {})
        return web.Response(body=good, content_type="application/json")

    async def _broken(self, request: web.Request, name: str, good: bytes) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(good)), "Content-Type": "application/json"})
        if name == "hang":
            await asyncio.sleep(self.hang)
        if name in ("cut", "trickle"):
            await response.prepare(request)
            await response.write(good[: len(good) // 2])
        if name == "trickle":
            with contextlib.suppress(ConnectionError):
                for byte in range(len(good) // 2, len(good) - 1):
                    await asyncio.sleep(0.1)
                    await response.write(good[byte : byte + 1])
        if request.transport is not None:
            request.transport.abort()
        return response


def parse_plans(given: Sequence[str]) -> Plans:
    """`model=429:2,500` as a plan."""
    return {name: faults.split(",") for name, _, faults in (plan.partition("=") for plan in given)}


async def serve(server: Loopback, port: int) -> None:
    await server.start(port)
    print(server.url, flush=True)  # noqa: T201  the parent process reads the address
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="Loopback chat server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--plan", action="append", default=[])
    parser.add_argument("--ignore-n", action="store_true")
    given = parser.parse_args()
    server = Loopback(plans=parse_plans(given.plan), latency=given.latency, honour_n=not given.ignore_n)
    asyncio.run(serve(server, given.port))


if __name__ == "__main__":
    main()
