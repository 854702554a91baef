"""Starting a run, or going on with the unfinished one of its kind, and bringing it to an end."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import cast

from leaderboard.core.money import NANO
from leaderboard.core.pairing import stratified
from leaderboard.core.types import Judge, Model, Prompt
from leaderboard.errors import BadInput, LeaderboardError, causes
from leaderboard.ledger import budgets, models
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.runs import Run, RunState
from leaderboard.ledger.writer import LedgerWriter
from leaderboard.providers.limiter import Limiter
from leaderboard.providers.port import ChatModel
from leaderboard.tournament.checks import price_trouble
from leaderboard.tournament.enrol import Resolver
from leaderboard.tournament.kinds import RunKind
from leaderboard.tournament.office import Office, resolve_judge
from leaderboard.tournament.plan import Plan
from leaderboard.tournament.play import Player, Settled
from leaderboard.tournament.run import Progress, Round

Record = dict[str, object]
FLAGS = "flags"
"""Under this name a queued run keeps the flags it was asked for with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What reaches models: how to ask, and how to find out what may be sent."""

    chat: ChatModel
    resolve: Resolver


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who and what a run is about, resolved."""

    judge: Judge
    models: list[Model]
    prompts: list[Prompt]
    sat_out: dict[str, str]


def play_run(
    office: Office,
    kind: RunKind,
    provider: Provider,
    progress: Progress,
    *,
    judge: str | None = None,
    run_id: str | None = None,
    trigger: str = "cli",
    halt: threading.Event | None = None,
) -> Record:
    """Play a run to its end and return its record. `run_id` takes up a queued run.

    `halt` is set by the first interrupt, also by one that comes too late to stop anything; set before, it stops all.
    """
    cast_of = assemble(office, judge, provider.resolve)
    run = begin_run(office, kind, cast_of.judge, run_id, trigger)
    try:
        return asyncio.run(_play(office, run, cast_of, provider, progress, halt or threading.Event()))
    except BaseException as error:
        close_run(office, run, "failed", error=_reason(error))
        raise


def assemble(office: Office, judge: str | None, resolve: Resolver) -> Cast:
    """The judge, the active models and the prompts, with parameters resolved.

    A model that cannot be resolved sits out; a run with a budget refuses models without a price, by name.
    """
    judging = resolve_judge(office, office.judge(judge), resolve)
    playing, sat_out = resolve_models(office, office.active_models(), resolve)
    prompts = stratified(office.prompts(), office.settings.seed, office.settings.prompts)
    if len(playing) < 2:
        raise BadInput(f"a tournament needs two active models, not {len(playing)}: see `leaderboard models list`")
    if not prompts:
        raise BadInput("there are no prompts: add some with `leaderboard prompts import FILE`")
    if office.settings.budget is not None and (unpriced := price_trouble([judging, *playing])):
        raise BadInput(
            f"a budget needs a price for: {', '.join(unpriced)}\n"
            "set it with `leaderboard models price` or `judges price` (0 if it is free), or run without --budget"
        )
    return Cast(judge=judging, models=playing, prompts=prompts, sat_out=sat_out)


def resolve_models(office: Office, active: list[Model], resolve: Resolver) -> tuple[list[Model], dict[str, str]]:
    """The models whose parameters are resolved, and by name why the others are not: those go to sleep."""
    playing, sat_out = [], {}
    for model in active:
        try:
            playing.append(_resolved_model(office, model, resolve))
        except BadInput as error:
            sat_out[f"model {model.id}"] = str(error)
            with office.ledger.write() as tx:
                models.replace(tx, replace(model, state="asleep", reason=str(error)))
    return playing, sat_out


def _resolved_model(office: Office, model: Model, resolve: Resolver) -> Model:
    """Resolved once, at registration or before the first request; then it stays as it is."""
    if model.endpoint is None or model.endpoint.sent is not None:
        return model
    resolved = replace(model, endpoint=resolve(model.endpoint, office.now()))
    with office.ledger.write() as tx:
        models.replace(tx, resolved)
    return resolved


def begin_run(office: Office, kind: str, judge: Judge | None, run_id: str | None, trigger: str) -> Run:
    """The queued run, or the unfinished one of this kind and judge, or a new one; with the settings of now."""
    settings, now = office.settings, office.now()
    judge_id = judge.id if judge else None
    budget = None if settings.budget is None else int(settings.budget * NANO)
    with office.ledger.write() as tx:
        if run_id is None:
            unfinished = run_rows.latest_unfinished(tx, kind, judge_id)
            fresh = Run(id=new_run_id(now), kind=kind, judge=judge_id, created_at=now, trigger=trigger)
            run_id = (unfinished or fresh).id
            if unfinished is None:
                run_rows.create(tx, fresh)
        run = run_rows.claim(tx, run_id, pid=os.getpid(), now=now)
        config = {**settings.model_dump(mode="json"), FLAGS: run.config.get(FLAGS, {})}
        run = replace(run, judge=judge_id, config=config)
        run_rows.update(tx, run)
        budgets.set_budget(tx, run.id, budget)
    return run


def new_run_id(now: str) -> str:
    """Sorts by time, and says it: 20261130T042400-1a2b3c."""
    return f"{now[:19].replace('-', '').replace(':', '')}-{uuid.uuid4().hex[:6]}"


async def _play(
    office: Office, run: Run, cast_of: Cast, provider: Provider, progress: Progress, halt: threading.Event
) -> Record:
    async with new_player(office, provider, run.id, progress.settled) as player:
        at_work = Round(
            office=office,
            run=run,
            plan=Plan(office, cast_of.judge, cast_of.prompts),
            models=cast_of.models,
            player=player,
            progress=progress,
            sat_out=dict(cast_of.sat_out),
        )
        with _stoppable(player, halt):
            await at_work.play()
    return _end(at_work)


@asynccontextmanager
async def new_player(
    office: Office, provider: Provider, run: str, on_settled: Callable[[Settled], None]
) -> AsyncIterator[Player]:
    """A player with the office's settings and a ledger writer of its own, closed at the end."""
    writer = LedgerWriter(office.ledger)
    settings, rng = office.settings, random.Random(run)
    try:
        yield Player(
            chat=provider.chat,
            writer=writer,
            limiter=Limiter(settings.concurrency, rng),
            concurrency=settings.concurrency,
            call_timeout=settings.call_timeout,
            max_attempts=settings.max_attempts,
            retry_ceiling=settings.retry_ceiling,
            rng=rng,
            now=office.now,
            on_settled=on_settled,
        )
    finally:
        writer.close()
        await provider.chat.aclose()


@contextmanager
def _stoppable(player: Player, halt: threading.Event) -> Iterator[None]:
    """The first interrupt stops the run in good order, what is in flight is settled; the second one ends at once."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop() -> None:
        player.stop("cancelled")
        for number in before:
            loop.remove_signal_handler(number)

    for number in before:
        loop.add_signal_handler(number, stop)
        # The loop hears of a signal later, and never if it ends before; this one is called at once.
        signal.signal(number, lambda *_: halt.set())
    if halt.is_set():
        player.stop("cancelled")
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def _end(at_work: Round) -> Record:
    """Close the run: done only when nothing of its plan failed or was left out.

    Failures of an earlier start count no more: what they left is in this plan again, or nobody wants it any longer.
    """
    player = at_work.player
    trouble = {**at_work.sat_out, **player.dead, **player.errors}
    state: RunState = player.stopping or ("failed" if trouble else "done")
    record = {**at_work.record(state), "errors": [f"{who}: {why}" for who, why in trouble.items()]}
    reason = "; ".join(cast(list[str], record["errors"])) or None
    close_run(at_work.office, at_work.run, state, record=record, error=reason)
    return record


def close_run(office: Office, run: Run, state: RunState, *, record: Record | None = None, error: str | None) -> None:
    """Write the run's end; without a record the latest one it had stays."""
    with office.ledger.write() as tx:
        run_rows.finish(tx, run.id, state, record=record, error=error, now=office.now())


def _reason(error: BaseException) -> str:
    first = next(causes(error))
    return str(first) if isinstance(first, LeaderboardError) else f"{type(first).__name__}: {first}"
