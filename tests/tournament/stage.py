"""A tournament on a stage: a real home with a real ledger and history, and models that are plain functions.

The functions answer like the loopback server does: a judge whose name holds `judge-first`, `judge-prefers-<word>`,
`judge-length` or `judge-mute` judges by content, everybody else writes words drawn from (model, prompt).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from leaderboard.core.types import Endpoint, Judge, Model, Price, Prompt
from leaderboard.history.reader import open_snapshot
from leaderboard.history.snapshots import current
from leaderboard.home import Home
from leaderboard.ledger import judges, models, prompts
from leaderboard.ledger.store import open_ledger
from leaderboard.providers.errors import ErrorKind, ProviderError
from leaderboard.providers.port import ChatReply, ChatRequest, Choice, Usage
from leaderboard.settings import load_settings
from leaderboard.tournament.enrol import Resolver, enrol_judge, enrol_model
from leaderboard.tournament.kinds import RunKind
from leaderboard.tournament.office import Office, open_office
from leaderboard.tournament.start import Provider, play_run
from leaderboard.tournament.work import CHECK_TEXT
from tests.loopback_replies import SECTION, reply_text, section

NOW = "2030-01-01T00:00:00.000000Z"
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "nobody-issued-this")
FREE = Price(Decimal(0), Decimal(0))
Record = dict[str, Any]
MOST_ROWS = 10_000


def name_of(request: ChatRequest) -> str:
    """The model's name without its provider."""
    return request.endpoint.litellm.split("/", 1)[1]


def user_of(request: ChatRequest) -> str:
    return "\n".join(message.content for message in request.messages if message.role == "user")


def mark_in(request: ChatRequest) -> str | None:
    found = SECTION.search(user_of(request))
    return found[1] if found else None


def said(*texts: str | None, finish: str = "stop", usage: Usage | None = Usage(10, 5)) -> ChatReply:  # noqa: B008
    return ChatReply(choices=tuple(Choice(text, finish) for text in texts), usage=usage, served_model="served")


def failure(kind: ErrorKind, *, retry_after: float | None = None) -> ProviderError:
    return ProviderError(f"made up: {kind}", kind=kind, http_status=400, retry_after=retry_after)


def in_character(request: ChatRequest) -> ChatReply:
    """What everybody says who is not told otherwise."""
    text, mark = user_of(request), mark_in(request)
    return said(*(reply_text(name_of(request), text, mark, sample) for sample in range(request.n)))


Line = ChatReply | ProviderError
Part = Callable[[ChatRequest], Line]


@dataclass
class Actors:
    """A chat model: `parts` by model name replace what a model says. Everything asked is kept in `asked`."""

    parts: Mapping[str, Part] = field(default_factory=dict)
    latency: float = 0.0
    asked: list[ChatRequest] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    closed: int = 0

    async def __call__(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self.latency)
            line = self.parts.get(name_of(request), in_character)(request)
        finally:
            self.in_flight -= 1
        if isinstance(line, ProviderError):
            raise line
        return line

    async def aclose(self) -> None:
        self.closed += 1

    @property
    def checks(self) -> list[ChatRequest]:
        return [request for request in self.asked if user_of(request) == CHECK_TEXT]

    @property
    def judged(self) -> list[ChatRequest]:
        return [request for request in self.asked if mark_in(request)]

    @property
    def answered(self) -> list[ChatRequest]:
        return [request for request in self.asked if not mark_in(request) and user_of(request) != CHECK_TEXT]

    def by_name(self) -> Counter[str]:
        return Counter(name_of(request) for request in self.asked)


def slots(request: ChatRequest) -> tuple[str, str]:
    """What a judge sees in the first and in the second place."""
    mark = mark_in(request)
    assert mark is not None
    return section(user_of(request), "answer_1", mark), section(user_of(request), "answer_2", mark)


def taking(n: bool) -> Callable[[Endpoint, str], Endpoint]:
    """A resolver: everything wished for is sent, and `n` is taken or not."""

    def resolve(endpoint: Endpoint, now: str) -> Endpoint:
        return replace(endpoint, sent=dict(endpoint.wanted), takes_n=n, resolved_at=now)

    return resolve


def contestant(name: str, *, price: Price | None = FREE, key: str | None = None, **more: Any) -> Model:
    endpoint = Endpoint(litellm=f"openai/{name}", wanted={"max_tokens": 200}, price=price, api_key_env=key)
    return Model(id=name, endpoint=endpoint, created_at=NOW, **more)


def bench_judge(name: str, *, price: Price | None = FREE, temperature: float = 1.0, **more: Any) -> Judge:
    wanted = {"max_tokens": 200, "temperature": temperature}
    endpoint = Endpoint(litellm=f"anthropic/{name}", wanted=wanted, price=price)
    return Judge(id=name, endpoint=endpoint, created_at=NOW, **more)


def questions(count: int, **more: Any) -> list[Prompt]:
    """Prompts in two categories and two languages."""
    return [
        Prompt(
            id=f"p{number:02}",
            turns=(f"Question {number}?",),
            category=("facts", "style")[number % 2],
            language=("en", "nl")[number // 2 % 2],
            position=number,
            **more,
        )
        for number in range(count)
    ]


@dataclass
class Stage:
    """A home and what may happen in it."""

    home: Home
    takes_n: bool = True

    @classmethod
    def build(
        cls,
        folder: Path,
        models: Iterable[Model],
        judge: Judge,
        prompts: Sequence[Prompt],
        *,
        takes_n: bool = True,
        settings: str = "top_k = 5\n",
    ) -> Stage:
        home = Home(folder)
        home.create()
        home.settings_file.write_text("publish_every = 60\n" + settings, encoding="utf-8")
        stage = cls(home, takes_n)
        stage.add_prompts(prompts)
        for model in models:
            stage.add_model(model)
        stage.add_judge(judge)
        return stage

    def add_model(self, model: Model) -> None:
        with self.ledger() as ledger:
            enrol_model(ledger, model, taking(self.takes_n), NOW)

    def add_judge(self, judge: Judge) -> None:
        with self.ledger() as ledger:
            enrol_judge(ledger, judge, taking(self.takes_n), NOW)

    def add_prompts(self, some: Sequence[Prompt]) -> None:
        with self.ledger() as ledger, ledger.write() as tx:
            prompts.add_many(tx, some)

    def change_judge(self, judge_id: str, **changes: Any) -> None:
        with self.ledger() as ledger, ledger.write() as tx:
            judges.replace(tx, replace(judges.get(tx, judge_id), **changes))

    def model(self, model_id: str) -> Model:
        with self.ledger() as ledger, ledger.read() as tx:
            return models.get(tx, model_id)

    def ledger(self) -> Any:
        return closing(open_ledger(self.home.ledger_url))

    def ledger_rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.ledger() as ledger, ledger.read() as tx:
            return [tuple(row) for row in tx.exec_driver_sql(sql)]

    def play(
        self, actors: Actors, kind: RunKind = "tournament", *, resolve: Resolver | None = None, **flags: object
    ) -> Record:
        """Play a run to its end, as `leaderboard run` does."""
        provider = Provider(chat=actors, resolve=resolve or taking(self.takes_n))
        with self.office(**flags) as office:
            return play_run(office, kind, provider, Silent(), judge=office.settings.judge)

    @contextmanager
    def office(self, **flags: object) -> Iterator[Office]:
        """The tournament opened for writing, in an environment where every key is set."""
        with open_office(self.home, load_settings(self.home.settings_file, flags)) as office:
            office.environ = KEYS
            yield office

    def warnings(self) -> list[str]:
        """What is said when the tournament is opened."""
        with self.office() as office:
            return office.warnings

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """A question to the published snapshot."""
        with open_snapshot(self.snapshot) as reader:
            return [
                tuple(row.values()) if isinstance(row, dict) else tuple(row)
                for row in reader.sql(sql, MOST_ROWS)["rows"]
            ]

    def board(self, judge: str | None = None) -> Record:
        with open_snapshot(self.snapshot) as reader:
            return reader.board(judge)

    @property
    def snapshot(self) -> Path:
        found = current(self.home.snapshots)
        assert found is not None, "nothing is published"
        return found

    def ratings(self, judge: str | None = None) -> dict[str, float | None]:
        board = self.board(judge)
        return {row["model"]: row["rating"] for row in board["standings"]}


class Silent:
    """Nobody watches."""

    def phase(self, name: str, total: int) -> None: ...

    def settled(self, settled: object) -> None: ...

    def note(self, text: str) -> None: ...
