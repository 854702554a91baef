"""A group of ledger operations carried out in one transaction, with one statement of each kind.

A group holds at most one operation per request (`LedgerWriter` sees to it), so the order among statements of different
kinds does not matter. Budgets are checked in the order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, RowMapping, and_, bindparam, insert, select, update

from leaderboard.ledger import budgets, schema
from leaderboard.ledger.budgets import Budget
from leaderboard.ledger.requests import (
    AlreadyDone,
    AlreadyOpen,
    Attempt,
    Finished,
    NotOpen,
    Request,
    Row,
    attempt_row,
    outcome_row,
    request_row,
    samples_of,
    settled_samples,
)

Answer = bool | None | Exception
SampleKey = tuple[str, str, int]

_FRESH = {
    "state": "open",
    "payload": None,
    "served_model": None,
    "system_fingerprint": None,
    "prompt_tokens": None,
    "completion_tokens": None,
    "cost_nano": None,
    "unreadable": 0,
    "finished_at": None,
    "batch_id": None,
}
_CLOSING = ("ended_at", "state", "http_status", "error_kind", "error_text", "cost_nano")


@dataclass(frozen=True, slots=True)
class Opening:
    """Reserve money and open an attempt, and its request if it is not open."""

    key: str
    run: str
    request: Row
    attempt: Row


@dataclass(frozen=True, slots=True)
class Closing:
    """Close an attempt and book its cost; `outcome` None: the request will be tried again."""

    key: str
    attempt_id: str
    attempt: Row
    outcome: Row | None
    samples: list[Row]


@dataclass(frozen=True, slots=True)
class Noting:
    """Store a finished request that cost nothing and was never sent."""

    key: str
    request: Row


Operation = Opening | Closing | Noting


def opening(request: Request, attempt: Attempt) -> Opening:
    """The operation for an attempt that is about to be sent. ValueError if it is not one of this request."""
    if (attempt.call, attempt.run) != (request.key, request.run):
        raise ValueError(f"attempt {attempt.id!r} belongs to another request or run than {request.key!r}")
    return Opening(request.key, request.run, {**request_row(request), **_FRESH}, attempt_row(attempt))


def closing(attempt: Attempt, outcome: Finished | None) -> Closing:
    """The operation for an attempt that is over. ValueError if it is still open or the outcome is another request's."""
    if attempt.state == "open" or (outcome is not None and outcome.request.key != attempt.call):
        raise ValueError(f"attempt {attempt.id!r} cannot be closed as {attempt.state!r} with this outcome")
    values = attempt_row(attempt)
    return Closing(
        key=attempt.call,
        attempt_id=attempt.id,
        attempt={"at_id": attempt.id, **{name: values[name] for name in _CLOSING}},
        outcome=None if outcome is None else {"at_key": attempt.call, **outcome_row(outcome)},
        samples=[] if outcome is None else _sample_rows(outcome),
    )


def noting(done: Finished) -> Noting:
    """The operation for a fact that needs no provider."""
    return Noting(done.request.key, {**request_row(done.request), **outcome_row(done)})


def _sample_rows(done: Finished) -> list[Row]:
    asked = done.request
    shared = {"pairing": asked.pairing, "order": asked.order, "call": asked.key, "stage": asked.stage}
    return [{**shared, "sample": each["sample"]} for each in samples_of(done)]


def carry_out(tx: Connection, operations: Sequence[Operation]) -> list[Answer]:
    """Carry out the operations; one answer each, in order.

    An answer is an opening's True (open) or False (its budget has no room, nothing written), None, or the exception
    that refuses this operation and no other.
    """
    group = Group(
        calls=_calls(tx, [each.key for each in operations if not isinstance(each, Closing)]),
        held=_held(tx, [each.attempt_id for each in operations if isinstance(each, Closing)]),
        samples=_known_samples(tx, [each for each in operations if isinstance(each, Closing)]),
    )
    opened = [each.run for each in operations if isinstance(each, Opening)]
    group.budgets = budgets.load(tx, opened + [row["run"] for row in group.held.values()])
    answers = [group.take(each) for each in operations]
    group.write(tx)
    return answers


def _calls(tx: Connection, keys: Sequence[str]) -> dict[str, RowMapping]:
    if not keys:
        return {}
    requests, attempts = schema.requests, schema.attempts
    on_its_way = and_(attempts.c.call == requests.c.key, attempts.c.state == "open")
    query = (
        select(requests.c.key, requests.c.state, requests.c.run, attempts.c.id.label("on_its_way"))
        .outerjoin_from(requests, attempts, on_its_way)
        .where(requests.c.key.in_(keys))
    )
    return {row["key"]: row for row in tx.execute(query).mappings()}


def _held(tx: Connection, ids: Sequence[str]) -> dict[str, RowMapping]:
    if not ids:
        return {}
    table = schema.attempts
    query = select(table.c.id, table.c.state, table.c.run, table.c.reserved_nano).where(table.c.id.in_(ids))
    return {row["id"]: row for row in tx.execute(query).mappings()}


def _known_samples(tx: Connection, closings: Sequence[Closing]) -> set[SampleKey]:
    pairings = {sample["pairing"] for each in closings for sample in each.samples}
    known = settled_samples(tx, pairings)
    return {(pairing, order, sample) for (pairing, order), some in known.items() for sample in some}


def _sample_keys(samples: Iterable[Row]) -> set[SampleKey]:
    return {(each["pairing"], each["order"], each["sample"]) for each in samples}


@dataclass(slots=True)
class Group:
    """What is stored about a group's requests, and the rows to be written."""

    calls: dict[str, RowMapping]
    held: dict[str, RowMapping]
    samples: set[SampleKey]
    budgets: dict[str, Budget] = field(default_factory=dict)
    new_requests: list[Row] = field(default_factory=list)
    reopened: list[Row] = field(default_factory=list)
    opened: list[Row] = field(default_factory=list)
    closed: list[Row] = field(default_factory=list)
    outcomes: list[Row] = field(default_factory=list)
    new_samples: list[Row] = field(default_factory=list)

    def take(self, operation: Operation) -> Answer:
        """Book one operation, or refuse it."""
        match operation:
            case Opening():
                return self._open(operation)
            case Closing():
                return self._close(operation)
            case Noting():
                return self._note(operation)

    def _open(self, operation: Opening) -> Answer:
        call = self.calls.get(operation.key)
        if call is not None and call["state"] == "done":
            return AlreadyDone(f"request {operation.key} is done: it must not be paid again")
        if call is not None and call["on_its_way"] is not None:
            return AlreadyOpen(f"request {operation.key} is on its way as attempt {call['on_its_way']}")
        if not self.budgets[operation.run].hold(operation.attempt["reserved_nano"]):
            return False
        if call is None:
            self.new_requests.append(operation.request)
        elif (call["state"], call["run"]) != ("open", operation.run):
            self.reopened.append({"at_key": operation.key, **operation.request})
        self.opened.append(operation.attempt)
        return True

    def _close(self, operation: Closing) -> Answer:
        held = self.held.get(operation.attempt_id)
        if held is None or held["state"] != "open":
            return NotOpen(f"attempt {operation.attempt_id} of request {operation.key} is not open")
        came = _sample_keys(operation.samples)
        if len(came) < len(operation.samples) or came & self.samples:
            return AlreadyDone(f"request {operation.key} brings a sample that came back before")
        self._charge(held, operation.attempt)
        self.samples |= came
        self.closed.append(operation.attempt)
        self.new_samples += operation.samples
        if operation.outcome is not None:
            self.outcomes.append(operation.outcome)
        return None

    def _charge(self, held: RowMapping, attempt: Row) -> None:
        unknown = attempt["state"] == "unknown"
        if unknown and attempt["cost_nano"] is None:
            attempt["cost_nano"] = held["reserved_nano"]
        self.budgets[held["run"]].charge(held["reserved_nano"], attempt["cost_nano"], unknown)

    def _note(self, operation: Noting) -> Answer:
        call = self.calls.get(operation.key)
        if call is None:
            self.new_requests.append(operation.request)
        elif call["state"] != "done":
            return AlreadyOpen(f"request {operation.key} is {call['state']}: it was sent, so it is not free")
        return None

    def write(self, tx: Connection) -> None:
        """Write everything that was booked."""
        requests, attempts = schema.requests, schema.attempts
        at_key = update(requests).where(requests.c.key == bindparam("at_key"))
        at_id = update(attempts).where(attempts.c.id == bindparam("at_id"))
        for statement, rows in (
            (insert(requests), self.new_requests),
            (at_key, self.reopened),
            (insert(attempts), self.opened),
            (at_id, self.closed),
            (at_key, self.outcomes),
            (insert(schema.samples), self.new_samples),
        ):
            if rows:
                tx.execute(statement, rows)
        budgets.write(tx, self.budgets.values())
