"""Requests, their attempts and what came back: the paid part of a tournament."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, RowMapping, case, func, select, update

from leaderboard.ledger import budgets, schema
from leaderboard.ledger.codec import from_json, to_json
from leaderboard.ledger.registry import chunks

RequestKind = Literal["answer", "judgement", "check", "identical"]
RequestState = Literal["open", "done", "failed", "lost"]
AttemptState = Literal["open", "settled", "unknown"]
Row = dict[str, Any]
Counts = dict[str, int]


class AlreadyDone(RuntimeError):
    """A request, or a sample, that came back before was about to be paid again."""


class AlreadyOpen(RuntimeError):
    """A request was about to be sent while an attempt of it is on its way."""


class NotOpen(RuntimeError):
    """An attempt that is not open was about to be closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked. `key` is a content hash; `run` is the run that last opened it.

    `params` are those that were sent, `n` among them, and under "not_sent" those that the provider refuses. `price`
    is {"input", "output", "source"} in US dollars per million tokens as text, None when unknown. Samples count from
    `sample_from` to `sample_to`, both included.
    """

    key: str
    kind: RequestKind
    run: str
    stage: str | None = None
    model: str | None = None
    judge: str | None = None
    fingerprint: str | None = None
    prompt_id: str | None = None
    turn: int | None = None
    model_a: str | None = None
    model_b: str | None = None
    pairing: str | None = None
    order: str | None = None
    sample_from: int | None = None
    sample_to: int | None = None
    protocol: str | None = None
    template: str | None = None
    mark: str | None = None
    sent_sha256: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    price: dict[str, Any] | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A request and what came of it. `payload` is None when it failed, and once its batch is published.

    `cost_nano` is None when the price is unknown.
    """

    request: Request
    state: Literal["done", "failed", "lost"]
    payload: dict[str, Any] | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_nano: int | None = None
    finished_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One sending of a request. `call` is the request's key; `reserved_nano` its worst price, None when unknown.

    `state` unknown: it may have been billed, nobody can tell.
    """

    id: str
    call: str
    run: str
    kind: RequestKind
    stage: str | None = None
    model: str | None = None
    judge: str | None = None
    number: int = 1
    n: int = 1
    max_tokens: int | None = None
    reserved_nano: int | None = None
    started_at: str
    ended_at: str | None = None
    state: AttemptState = "open"
    http_status: int | None = None
    error_kind: str | None = None
    error_text: str | None = None
    cost_nano: int | None = None


def known_keys(tx: Connection, keys: Iterable[str]) -> dict[str, str]:
    """The state (open, done, failed, lost) of those of these requests that were ever opened."""
    table = schema.requests
    found: dict[str, str] = {}
    for part in chunks(sorted(set(keys))):
        rows = tx.execute(select(table.c.key, table.c.state).where(table.c.key.in_(part)))
        found.update({row.key: row.state for row in rows})
    return found


def finished(tx: Connection, keys: Iterable[str]) -> dict[str, Finished]:
    """Those of these requests that are done or failed, by key; payloads only until they are published."""
    table = schema.requests
    found: dict[str, Finished] = {}
    for part in chunks(sorted(set(keys))):
        query = select(table).where(table.c.key.in_(part), table.c.state.in_(("done", "failed")))
        found.update({row["key"]: finished_from(row) for row in tx.execute(query).mappings()})
    return found


def answered(tx: Connection, model: str) -> dict[tuple[str, int], str]:
    """The keys of a model's answers that are here, by (prompt, turn)."""
    table = schema.requests
    query = select(table.c.prompt_id, table.c.turn, table.c.key).where(
        table.c.kind == "answer", table.c.model == model, table.c.state == "done"
    )
    return {(row.prompt_id, row.turn): row.key for row in tx.execute(query)}


def settled_samples(tx: Connection, pairings: Iterable[str]) -> dict[tuple[str, str], set[int]]:
    """The samples that came back, readable or not, by (pairing key, order); nothing for an order without any."""
    table = schema.samples
    found: dict[tuple[str, str], set[int]] = {}
    for part in chunks(sorted(set(pairings))):
        query = select(table.c.pairing, table.c.order, table.c.sample).where(table.c.pairing.in_(part))
        for pairing, order, sample in tx.execute(query):
            found.setdefault((pairing, order), set()).add(sample)
    return found


def counts(tx: Connection, run: str) -> Counts:
    """The run's record: made, checks, failed, unreadable (replies), spent_nano (settled + unknown), unpriced attempts.

    Made are answers and judgements that are done or failed; checks are counted apart, identical answers not at all.
    """
    return {**_request_counts(tx, run), **_money_counts(tx, run)}


def _request_counts(tx: Connection, run: str) -> Counts:
    table = schema.requests
    paid = table.c.kind.in_(("answer", "judgement"))
    failed = table.c.state == "failed"
    query = select(
        _how_many(paid).label("made"),
        _how_many(table.c.kind == "check").label("checks"),
        _how_many(paid & failed).label("failed"),
        func.coalesce(func.sum(table.c.unreadable), 0).label("unreadable"),
    ).where(table.c.run == run, table.c.state.in_(("done", "failed")))
    return {name: int(value) for name, value in tx.execute(query).mappings().one().items()}


def _money_counts(tx: Connection, run: str) -> Counts:
    table = schema.attempts
    query = select(
        func.coalesce(func.sum(table.c.cost_nano), 0).label("spent_nano"),
        _how_many((table.c.state == "settled") & table.c.cost_nano.is_(None)).label("unpriced"),
    ).where(table.c.run == run, table.c.state.in_(("settled", "unknown")))
    return {name: int(value) for name, value in tx.execute(query).mappings().one().items()}


def _how_many(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


@dataclass(frozen=True, slots=True)
class Totals:
    """The whole ledger at a glance: attempts on their way, the oldest one's start, all money."""

    in_flight: int
    oldest: str | None
    spent_nano: int
    unpriced: int


def totals(tx: Connection) -> Totals:
    """Attempts on their way and money over all runs."""
    table = schema.attempts
    on_its_way = table.c.state == "open"
    query = select(
        _how_many(on_its_way),
        func.min(case((on_its_way, table.c.started_at))),
        func.coalesce(func.sum(table.c.cost_nano), 0),
        _how_many((table.c.state == "settled") & table.c.cost_nano.is_(None)),
    )
    return Totals(*tx.execute(query).one())


def recover(tx: Connection, now: str) -> int:
    """After a crash: open attempts become unknown at their reserved price, open requests lost. Returns the attempts.

    Only whoever has just taken the writer lock may call this. A lost request may be opened again under its key.
    """
    attempts, requests = schema.attempts, schema.requests
    still_open = attempts.c.state == "open"
    held = tx.execute(select(attempts.c.run, attempts.c.reserved_nano).where(still_open)).all()
    purses = budgets.load(tx, [row.run for row in held])
    for row in held:
        purses[row.run].charge(row.reserved_nano, row.reserved_nano, unknown=True)
    budgets.write(tx, purses.values())
    booked = {"state": "unknown", "ended_at": now, "cost_nano": attempts.c.reserved_nano}
    tx.execute(update(attempts).where(still_open).values(**booked))
    tx.execute(update(requests).where(requests.c.state == "open").values(state="lost"))
    return len(held)


def request_row(request: Request) -> Row:
    """The columns of `requests` that say what is asked."""
    values = {each.name: getattr(request, each.name) for each in fields(request)}
    price = None if request.price is None else to_json(request.price)
    return {**values, "params": to_json(request.params), "price": price}


def outcome_row(done: Finished) -> Row:
    """The columns of `requests` that say what came back."""
    return {
        "state": done.state,
        "payload": None if done.payload is None else to_json(done.payload),
        "served_model": done.served_model,
        "system_fingerprint": done.system_fingerprint,
        "prompt_tokens": done.prompt_tokens,
        "completion_tokens": done.completion_tokens,
        "cost_nano": done.cost_nano,
        "unreadable": sum(each["state"] == "unreadable" for each in samples_of(done)),
        "finished_at": done.finished_at,
        "batch_id": None,
    }


def samples_of(done: Finished) -> list[dict[str, Any]]:
    """The replies of a judgement, one a sample; none for any other kind."""
    if done.request.kind != "judgement" or done.state != "done" or done.payload is None:
        return []
    samples: list[dict[str, Any]] = done.payload["samples"]
    return samples


def attempt_row(attempt: Attempt) -> Row:
    """The attempt as a row of `attempts`."""
    return {each.name: getattr(attempt, each.name) for each in fields(attempt)}


def finished_from(row: RowMapping) -> Finished:
    """The request and its outcome from a row of `requests`."""
    asked = {each.name: row[each.name] for each in fields(Request)}
    asked["params"] = from_json(row["params"])
    asked["price"] = None if row["price"] is None else from_json(row["price"])
    return Finished(
        request=Request(**asked),
        state=row["state"],
        payload=None if row["payload"] is None else from_json(row["payload"]),
        served_model=row["served_model"],
        system_fingerprint=row["system_fingerprint"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        cost_nano=row["cost_nano"],
        finished_at=row["finished_at"],
    )


def attempt_from(row: RowMapping) -> Attempt:
    """The attempt from a row of `attempts`."""
    return Attempt(**{each.name: row[each.name] for each in fields(Attempt)})
