"""A small tournament in a real home, made of the same requests that a run makes, and a client for its API."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from api.app import create_app
from leaderboard.core.keys import answer_key, messages_hash
from leaderboard.core.types import Answer, Endpoint, Judge, Model, Order, Pairing, Prompt, Stage
from leaderboard.history.records import FitRecord, Snapshot, StandingRow
from leaderboard.history.writer import History
from leaderboard.home import Home
from leaderboard.ledger import judges, models, prompts
from leaderboard.ledger.outbox import Batch
from leaderboard.ledger.requests import Finished, Request
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.settings import load_settings
from leaderboard.tournament.registry import fingerprinted
from leaderboard.tournament.work import Comparison, comparison, judgement_task

RUN = "run-1"
ENDPOINT = Endpoint(litellm="sim/steady", wanted={"max_tokens": 9}, sent={"max_tokens": 9}, simulated=True)
PROMPTS = (
    Prompt(id="p-en", turns=("What is a tide?",), category="science", reference="The sea rises and falls."),
    Prompt(id="p-nl", turns=("Wat is eb?", "En vloed?"), category="science", language="nl", system="Kort."),
    Prompt(id="p-secret", turns=("The hidden question",), category="writing", visibility="private"),
)


def stamp(second: int) -> str:
    return f"2026-03-01T10:{second // 60:02d}:{second % 60:02d}.000001Z"


def model(id_: str, second: int = 0, **values: Any) -> Model:
    return Model(**{"id": id_, "endpoint": ENDPOINT, "created_at": stamp(second), **values})


def judge(id_: str = "judy", **values: Any) -> Judge:
    given = {"id": id_, "endpoint": ENDPOINT, "created_at": stamp(0), "rubric": "Be strict.", "system": "You are fair."}
    return fingerprinted(Judge(**{**given, **values}))


def answer_of(model_id: str, prompt: Prompt) -> Answer:
    texts = tuple(f"{model_id} answers turn {turn} of {prompt.id}" for turn in range(len(prompt.turns)))
    return Answer(prompt_id=prompt.id, model=model_id, texts=texts)


def standing(id_: str, rating: float | None = 1000.0, **values: Any) -> StandingRow:
    return StandingRow(**{"model": id_, "rating": rating, "rank": 1, "component": 0, "n": 4, **values})


@dataclass
class Tournament:
    """An open home. `history` is the live file's owner, as a jobs process would be."""

    home: Home
    ledger: Ledger
    history: History
    judge: Judge

    @classmethod
    def make(cls, folder: Path, model_ids: Sequence[str] = ("alpha", "beta"), settings: str = "") -> Tournament:
        home = Home(folder)
        home.create()
        home.settings_file.write_text(settings, encoding="utf-8")
        ledger = open_ledger(home.ledger_url)
        with ledger.write() as tx:
            for second, id_ in enumerate(model_ids):
                models.add(tx, model(id_, second))
            named = judges.add(tx, judge())
            prompts.add_many(tx, PROMPTS)
        return cls(home, ledger, History.open(home.history_file), named)

    def close(self) -> None:
        self.history.close()
        self.ledger.close()

    @property
    def key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.home.admin_key_file.read_text().strip()}"}

    def insert(self, facts: Sequence[Finished]) -> None:
        self.history.derive(self.history.insert_batch(Batch(str(uuid.uuid4()), list(facts), [])))

    def judged(
        self,
        prompt: Prompt,
        a: str,
        b: str,
        *,
        second: int = 1,
        judge: Judge | None = None,
        meanwhile: Sequence[Finished] = (),
    ) -> None:
        """Both orders of a pairing with two samples each: a is better by far, whoever stands first.

        `meanwhile` are facts that come after the answers and before the judgements.
        """
        who = judge or self.judge
        texts = {(prompt.id, id_): answer_of(id_, prompt) for id_ in (a, b)}
        item = comparison(
            who, prompt, Pairing(prompt.id, a, b), texts, stage=Stage.VALIDATION, orders=Order, samples=(1, 2)
        )
        assert item is not None
        facts = [fact for id_ in (a, b) for fact in self._answers(id_, prompt)]
        facts += [*meanwhile, *(self._judgement(who, item, order, second) for order in Order)]
        self.insert(facts)

    def _answers(self, id_: str, prompt: Prompt) -> list[Finished]:
        return [
            Finished(
                request=Request(
                    key=answer_key(id_, ENDPOINT, None, prompt, turn), kind="answer", run=RUN, model=id_,
                    prompt_id=prompt.id, turn=turn,
                ),
                state="done",
                payload={"text": text, "finish_reason": "stop", "note": None},
                finished_at=stamp(0),
            )
            for turn, text in enumerate(answer_of(id_, prompt).texts)
        ]  # fmt: skip

    def _judgement(self, who: Judge, item: Comparison, order: Order, second: int) -> Finished:
        task = judgement_task(who, item, order, (1, 2), run=RUN, secret=self.home.secret(), protocol="mec_bpc")
        asked = replace(task.request, sent_sha256=messages_hash(task.messages()))
        scores = {"first": "9", "second": "2"} if order is Order.AB else {"first": "2", "second": "9"}
        read = {"finish_reason": "stop", "state": "read", "scored": True, "reason": None, **scores}
        samples = [{"sample": number, "text": f"{order} reply {number}", **read} for number in (1, 2)]
        return Finished(
            request=asked, state="done", payload={"samples": samples}, cost_nano=200, finished_at=stamp(second)
        )

    def rate(self, board: str, standings: Sequence[StandingRow], *, second: int = 100, **values: Any) -> None:
        given = {
            "judge": self.judge.id, "fingerprint": self.judge.fingerprint, "method": "bt", "policy": "tie",
            "prior": 0.5, "n_battles": 4, "n_prompts": 2, "components": 1, "simulated": False,
        }  # fmt: skip
        given |= {"id": str(uuid.uuid4()), "fitted_at": stamp(second), "run": RUN, "board": board}
        self.history.append_fit(FitRecord(standings=tuple(standings), **{**given, **values}))

    def publish(self) -> Snapshot:
        with self.ledger.read() as tx:
            self.history.copy_registry(models.all(tx), judges.all(tx), prompts.all(tx), [])
        return self.history.publish(self.home.snapshots)


class Client:
    """Sends requests to an app inside this process; errors of the app come back as responses."""

    def __init__(self, home: Home) -> None:
        self.app = create_app(home, load_settings(home.settings_file))

    def close(self) -> None:
        self.app.state.desk.close()

    def send(self, method: str, path: str, **given: Any) -> httpx.Response:
        return asyncio.run(self._all([(method, path, given)]))[0]

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.send("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self.send("POST", path, **given)

    def many(self, *wanted: tuple[str, str, dict[str, Any]]) -> list[httpx.Response]:
        """All at once, answers in the order asked."""
        return asyncio.run(self._all(wanted))

    async def _all(self, wanted: Sequence[tuple[str, str, dict[str, Any]]]) -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://board.test") as client:
            return await asyncio.gather(*(client.request(method, path, **given) for method, path, given in wanted))


def strict(text: str) -> Any:
    """The JSON of a parser that knows no NaN."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)
