"""CPU a request through the whole pipeline (ledger, history, verdicts, fit, snapshots), against bare litellm.

Both ask the same simulated models through litellm in this process; no time is spent waiting for a network.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import cast

from leaderboard.core.messages import Message
from leaderboard.home import Home
from leaderboard.ledger import judges, models
from leaderboard.ledger.store import open_ledger
from leaderboard.providers.litellm_adapter import litellm_chat, resolve
from leaderboard.providers.port import ChatModel, ChatRequest
from leaderboard.tournament import demo
from leaderboard.tournament.start import Provider

BARE_CALLS = 400
JUDGE = "sim-judge-biased"


class Silent:
    """No progress display."""

    def phase(self, name: str, total: int) -> None: ...

    def settled(self, settled: object) -> None: ...

    def note(self, text: str) -> None: ...


def measure() -> list[dict[str, object]]:
    chat = litellm_chat()
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        demo.prepare(home, 0, quick=True, judge=JUDGE)
        before = time.process_time()
        played = demo.play(home, Provider(chat=chat, resolve=resolve), Silent())
        whole = time.process_time() - before
        requests = sum(cast(dict[str, int], played["calls"])[name] for name in ("made", "checks"))
        bare = _bare(home, chat)
    return [
        {
            "what": f"a whole tournament of {requests} requests, CPU a request, against bare litellm answers",
            "cpu_s": whole / requests,
            "bare_cpu_s": bare,
            "ratio": whole / requests / bare,
        }
    ]


def _bare(home: Home, chat: ChatModel) -> float:
    """CPU seconds a call of the demo's own contestants and judge, nothing stored; half of each, as the demo asks."""
    ledger = open_ledger(home.ledger_url)
    with ledger.read() as tx:
        endpoints = [models.all(tx)[0].endpoint, judges.get(tx, JUDGE).endpoint]
    ledger.close()
    requests = [
        ChatRequest(
            key=f"bare {number}",
            endpoint=endpoint,
            messages=(Message("user", f"Name {number} reasons to keep a diary."),),
            params=dict(endpoint.sent or {}),
        )
        for number in range(BARE_CALLS)
        if (endpoint := endpoints[0]) is not None
    ]

    async def ask() -> None:
        await asyncio.gather(*(chat(request) for request in requests))

    before = time.process_time()
    asyncio.run(ask())
    return (time.process_time() - before) / BARE_CALLS
