"""Runs: pieces of tournament that were asked for, with what they were asked and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from dataclasses import replace as changed
from typing import Any, Literal

from sqlalchemy import Connection, RowMapping, func, insert, select
from sqlalchemy import update as sql_update

from leaderboard.errors import Conflict, NotFound
from leaderboard.ledger.codec import from_json, to_json
from leaderboard.ledger.schema import runs

RunState = Literal["queued", "running", "done", "limit_reached", "failed", "cancelled"]

UNFINISHED: frozenset[str] = frozenset({"running", "failed", "limit_reached", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """`kind`: screening, validation, tournament, …. `config`: the resolved settings. `record`: the outcome.

    `trigger` says who asked (a person, a schedule's name); `pid` is the process that plays it. Times are UTC text.
    """

    id: str
    kind: str
    judge: str | None = None
    state: RunState = "queued"
    config: dict[str, Any] = field(default_factory=dict)
    record: dict[str, Any] = field(default_factory=dict)
    created_at: str = ""
    started_at: str | None = None
    ended_at: str | None = None
    pid: int | None = None
    trigger: str = "cli"
    error: str | None = None


def create(tx: Connection, run: Run) -> None:
    """Add a run; it is the newest from now on."""
    tx.execute(insert(runs).values(**_values(run)))


def get(tx: Connection, run_id: str) -> Run:
    """The run of this id, NotFound if there is none."""
    row = tx.execute(select(runs).where(runs.c.id == run_id)).mappings().first()
    if row is None:
        raise NotFound(f"no run {run_id!r}: `leaderboard runs` lists them")
    return _run(row)


def update(tx: Connection, run: Run) -> None:
    """Write the run anew. NotFound if there is none of this id."""
    written = tx.execute(sql_update(runs).where(runs.c.id == run.id).values(**_values(run)))
    if written.rowcount == 0:
        raise NotFound(f"no run {run.id!r}: `leaderboard runs` lists them")


def claim(tx: Connection, run_id: str, *, pid: int, now: str) -> Run:
    """Take a run that is not done, to play it or to go on with it; returns it as it is now.

    Only the holder of the writer lock may call this. Conflict: the run is done already.
    """
    run = get(tx, run_id)
    if run.state == "done":
        raise Conflict(f"run {run_id!r} is done")
    started = run.started_at or now
    taken = changed(run, state="running", pid=pid, started_at=started, ended_at=None, error=None)
    update(tx, taken)
    return taken


def next_queued(tx: Connection) -> Run | None:
    """The run that waits longest."""
    row = tx.execute(select(runs).where(runs.c.state == "queued").order_by(runs.c.number).limit(1)).mappings().first()
    return None if row is None else _run(row)


def count_queued(tx: Connection) -> int:
    """How many runs wait to be played."""
    return tx.execute(select(func.count()).select_from(runs).where(runs.c.state == "queued")).scalar_one()


def latest_unfinished(tx: Connection, kind: str, judge: str | None, trigger: str | None = None) -> Run | None:
    """The newest run of this kind and judge (and trigger, if given) that is begun and not done.

    None once a newer run of the same kind and judge is done: it did what the older one left.
    """
    same_judge = runs.c.judge.is_(None) if judge is None else runs.c.judge == judge
    query = select(runs).where(runs.c.kind == kind, same_judge, runs.c.state != "queued").order_by(runs.c.number.desc())
    for row in tx.execute(query).mappings():
        if row["state"] == "done":
            return None
        if row["state"] in UNFINISHED and trigger in (None, row["trigger"]):
            return _run(row)
    return None


def pending(tx: Connection, trigger: str) -> bool:
    """Whether a run of this trigger waits or is being played."""
    query = select(func.count()).select_from(runs)
    waiting = tx.execute(query.where(runs.c.trigger == trigger, runs.c.state.in_(("queued", "running")))).scalar_one()
    return waiting > 0


def requeue_running(tx: Connection, but_of: Sequence[str]) -> None:
    """Runs of a process that is gone wait again, save those of these triggers.

    Only whoever has just taken the writer lock may call this: nobody is playing then.
    """
    abandoned = (runs.c.state == "running") & runs.c.trigger.not_in(but_of)
    tx.execute(sql_update(runs).where(abandoned).values(state="queued", pid=None))


def finish(
    tx: Connection, run_id: str, state: RunState, *, record: dict[str, Any] | None, error: str | None, now: str
) -> None:
    """Write a run's end; without a record the latest one it had stays."""
    run = get(tx, run_id)
    kept = run.record if record is None else record
    update(tx, changed(run, state=state, record={**kept, "state": state}, ended_at=now, error=error))


def all(tx: Connection, limit: int = 100) -> list[Run]:
    """The newest runs, newest first."""
    rows = tx.execute(select(runs).order_by(runs.c.number.desc()).limit(limit)).mappings()
    return [_run(row) for row in rows]


def _values(run: Run) -> dict[str, Any]:
    values = {each.name: getattr(run, each.name) for each in fields(run)}
    return {**values, "config": to_json(run.config), "record": to_json(run.record)}


def _run(row: RowMapping) -> Run:
    values = {name: value for name, value in row.items() if name != "number"}
    return Run(**{**values, "config": from_json(row["config"]), "record": from_json(row["record"])})
