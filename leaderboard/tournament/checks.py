"""Checks: one tiny priced request shows whether key, model, parameters and region are right."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from leaderboard.core.types import Judge, Model
from leaderboard.ledger import judges, models
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
    """Ask each of them once, side by side, and keep the result. Returns what is wrong, by `model X` or `judge Y`."""
    tasks = [check_task(who, run, uuid.uuid4().hex) for who in everyone]
    await player.play(tasks)
    wrong = {}
    for who, task in zip(everyone, tasks, strict=True):
        error = player.errors.pop(task.who, None) or player.dead.get(task.who)
        if error is None and player.stopping:
            continue
        if error is not None:
            wrong[task.who] = error
        _keep(office, who, error)
    return wrong


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
