"""Checks: one tiny priced request shows whether key, model, parameters and region are right."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace

from leaderboard.core.types import Judge, Model
from leaderboard.ledger import judges, models, requests
from leaderboard.providers.routes import lane_of
from leaderboard.tournament.clock import ago
from leaderboard.tournament.office import Office
from leaderboard.tournament.play import Player
from leaderboard.tournament.work import check_task

CHECK_LASTS = 86_400.0

Contestant = Model | Judge


def name_of(who: Contestant) -> str:
    """As messages name it."""
    return f"judge {who.id}" if isinstance(who, Judge) else f"model {who.id}"


def due_for_check(who: Contestant, now: str) -> bool:
    """Whether it has an endpoint and no good check within a day."""
    if who.endpoint is None:
        return False
    checked = who.endpoint.checked_at
    return who.endpoint.check_error is not None or checked is None or checked < ago(now, CHECK_LASTS)


async def check(office: Office, player: Player, run: str, everyone: Sequence[Contestant]) -> dict[str, str]:
    """Ask each of them once, side by side, and keep each result as soon as it is there, so that no interruption
    repeats it. Returns what is wrong, by `model X` or `judge Y`.

    One refusal stops nobody else: a lane is given up when none of its checks was good.
    """
    async with asyncio.TaskGroup() as group:
        asked = [(who, group.create_task(_check(office, player, run, who))) for who in everyone]
    player.end_checks()
    return {name_of(who): error for who, task in asked if (error := task.result()) is not None}


async def _check(office: Office, player: Player, run: str, who: Contestant) -> str | None:
    """What is wrong. A check that was not sent because its lane had failed is as wrong as the one that failed."""
    task = check_task(who, run, uuid.uuid4().hex)
    await player.play([task])
    with office.ledger.read() as tx:
        good = requests.known_keys(tx, [task.request.key]).get(task.request.key) == "done"
    failed = player.errors.pop(task.who, None) or player.dead.get(task.who) or player.dead.get(lane_of(task.endpoint))
    error = None if good else failed
    if good or error is not None:
        _keep(office, who, error)
    return error


def _keep(office: Office, who: Contestant, error: str | None) -> None:
    """Note the check on the newest stored row: others may have changed its state meanwhile."""
    table = models if isinstance(who, Model) else judges
    with office.ledger.write() as tx:
        row = table.get(tx, who.id)
        if row.endpoint is not None:
            endpoint = replace(row.endpoint, checked_at=office.now(), check_error=error)
            table.replace(tx, replace(row, endpoint=endpoint))


def price_trouble(everyone: Sequence[Contestant]) -> list[str]:
    """Who has no known price, named as messages name them."""
    return [name_of(who) for who in everyone if who.endpoint is not None and who.endpoint.price is None]
