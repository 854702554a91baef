"""Checks on request: a run of their own, so that they are reserved, paid and recorded like any request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from leaderboard.core.types import Judge, Model
from leaderboard.errors import BadInput
from leaderboard.ledger import judges, models
from leaderboard.ledger.runs import RunState
from leaderboard.tournament.checks import Contestant, check, name_of
from leaderboard.tournament.collect import collect, publish
from leaderboard.tournament.office import Office, resolve_judge
from leaderboard.tournament.start import Provider, begin_run, close_run, new_player, resolve_models


def check_everyone(
    office: Office, role: str, wanted: str | None, provider: Provider, run_id: str | None = None
) -> list[dict[str, object]]:
    """Check one by id, or every active one; a line each with what is wrong: key, name, parameter, price, region."""
    everyone, trouble = _who(office, role, wanted, provider)
    run = begin_run(office, "check", None, run_id, "cli")
    wrong = asyncio.run(_asked(office, provider, run.id, everyone))
    items = [*(_line(who.id, wrong.get(name_of(who)), who) for who in everyone), *trouble]
    state: RunState = "done" if all(item["ok"] for item in items) else "failed"
    close_run(office, run, state, record={"run": run.id, "items": items}, error=None)
    collect(office.ledger, office.history)
    publish(office.ledger, office.history, office.home.snapshots)
    return items


def _who(
    office: Office, role: str, wanted: str | None, provider: Provider
) -> tuple[Sequence[Contestant], list[dict[str, object]]]:
    with office.ledger.read() as tx:
        table = judges if role == "judge" else models
        chosen: list[Contestant] = [table.get(tx, wanted)] if wanted else [*table.all(tx, states=("active",))]
    if wanted and chosen[0].endpoint is None:
        raise BadInput(f"{wanted} has imported answers and no endpoint: there is nothing to check")
    resolved_judges = [resolve_judge(office, who, provider.resolve) for who in chosen if isinstance(who, Judge)]
    playing, sat_out = resolve_models(office, [who for who in chosen if isinstance(who, Model)], provider.resolve)
    asked: list[Contestant] = [*resolved_judges, *(model for model in playing if model.endpoint is not None)]
    return asked, [{"id": name.split(" ", 1)[1], "ok": False, "trouble": why} for name, why in sat_out.items()]


async def _asked(office: Office, provider: Provider, run: str, everyone: Sequence[Contestant]) -> dict[str, str]:
    async with new_player(office, provider, run, lambda settled: None) as player:
        return await check(office, player, run, everyone)


def _line(name: str, why: str | None, who: Contestant) -> dict[str, object]:
    """What is wrong, or what to know: a price that nobody knows does not fail a check."""
    unpriced = who.endpoint is not None and who.endpoint.price is None
    return {"id": name, "ok": why is None, "trouble": why or ("price unknown" if unpriced else None)}
