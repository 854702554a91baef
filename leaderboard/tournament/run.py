"""One run of the tournament: screening of everybody, full validation of the kept, ratings, publication.

A run derives what is missing from the plan and from what the stores hold, so the same run can be played again after
any interruption: what is there is not asked for a second time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from leaderboard.core.money import usd
from leaderboard.core.screening import Keep
from leaderboard.core.types import Judge, Model
from leaderboard.errors import LeaderboardError
from leaderboard.ledger import requests
from leaderboard.ledger import runs as run_rows
from leaderboard.ledger.requests import Finished
from leaderboard.ledger.runs import Run, RunState
from leaderboard.tournament import fit
from leaderboard.tournament.checks import check, due_for_check, name_of
from leaderboard.tournament.collect import Collector, collect, publish
from leaderboard.tournament.office import Office
from leaderboard.tournament.plan import SCREENING_PROTOCOL, Plan
from leaderboard.tournament.play import Player, Settled
from leaderboard.tournament.work import (
    Comparison,
    Task,
    identical_request,
)

REFIT_EVERY = 30.0


class JudgeUnusable(LeaderboardError):
    """The judge cannot be asked, so nothing else is paid for."""


class Progress(Protocol):
    """What a run tells about itself while it plays."""

    def phase(self, name: str, total: int) -> None: ...

    def settled(self, settled: Settled) -> None: ...

    def note(self, text: str) -> None: ...


@dataclass(slots=True, kw_only=True)
class Round:
    """A run at work. `found` counts by stage the requests of its plan that were there when the stage began.

    `before` are those that this run itself had made when it was taken up again.
    """

    office: Office
    run: Run
    plan: Plan
    models: list[Model]
    player: Player
    progress: Progress
    found: dict[str, int] = field(default_factory=dict)
    before: int = 0
    checked: set[str] = field(default_factory=set)
    sat_out: dict[str, str] = field(default_factory=dict)
    keep: Keep | None = None

    async def play(self) -> None:
        """Play the stages of this run's kind, then rate and publish."""
        collect(self.office.ledger, self.office.history)
        counted = self._counted()
        self.before = counted["made"] - counted["failed"]
        if self.run.kind in {"screening", "tournament"}:
            await self.screening()
        if self.run.kind in {"validation", "tournament"} and not self.player.stopping:
            await self.validation()
        self.refit()
        publish(self.office.ledger, self.office.history, self.office.home.snapshots)

    async def screening(self) -> None:
        """Everybody against everybody, each prompt for a few drawn pairs, one pass in a drawn order."""
        await self.answers(self.models)
        await self._judge("screening", self.plan.screening(self.models), SCREENING_PROTOCOL)

    async def validation(self) -> None:
        """The kept models, all pairs, on all prompts, as often as the judge's protocol asks."""
        kept = self._kept()
        await self.answers(kept)
        playing = [model.id for model in kept if f"model {model.id}" not in self.sat_out]
        await self._judge("validation", self.plan.validation(playing), self.plan.judge.protocol)

    async def answers(self, models: Sequence[Model]) -> None:
        """Ask for every missing answer, turn after turn."""
        self.found.setdefault("answers", self.plan.answered_turns(models))
        asked_for: set[str] = set()
        while not self.player.stopping:
            tasks = [
                task for task in self.plan.missing_answers(models, self.run.id) if task.request.key not in asked_for
            ]
            if not tasks:
                return
            asked_for |= {task.request.key for task in tasks}
            out = await self._checked([model for model in models if _asked_in(tasks, model)])
            await self._phase("answers", [task for task in tasks if task.request.model not in out])

    async def _judge(self, name: str, items: Iterable[Comparison | None], protocol: str) -> None:
        ready = [item for item in items if item is not None]
        await self._settle_identical([item for item in ready if item.identical], protocol)
        compared = [item for item in ready if not item.identical]
        tasks = self.plan.missing_judgements(compared, protocol, self.run.id)
        self.found[name] = sum(self.plan.requests_for(item) for item in compared) - len(tasks)
        if tasks:
            await self._checked([])
        await self._phase(name, tasks)

    async def _checked(self, models: Sequence[Model]) -> set[str]:
        """Check whoever is about to be asked and was not checked within a day; the judge is always among them.

        A model with trouble sits this run out. Raises JudgeUnusable when it is the judge.
        """
        everyone: list[Model | Judge] = [self.plan.judge, *models]
        due = [who for who in everyone if name_of(who) not in self.checked and due_for_check(who, self.office.now())]
        self.checked |= {name_of(who) for who in due}
        if due and not self.player.stopping:
            self.progress.phase("checks", len(due))
            self.sat_out |= await check(self.office, self.player, self.run.id, due)
        trouble = self.sat_out.get(f"judge {self.plan.judge.id}")
        if trouble is not None:
            raise JudgeUnusable(f"judge {self.plan.judge.id}: {trouble}")
        self.models = [model for model in self.models if f"model {model.id}" not in self.sat_out]
        return {model.id for model in models if f"model {model.id}" in self.sat_out}

    async def _settle_identical(self, items: Sequence[Comparison], protocol: str) -> None:
        """Note pairs of identical answers: ties that cost nothing."""
        for item in items:
            request = identical_request(self.plan.judge, item, run=self.run.id, protocol=protocol)
            fact = Finished(request=request, state="done", payload={}, finished_at=self.office.now())
            await self.player.writer.finish_free(fact)

    async def _phase(self, name: str, tasks: list[Task]) -> None:
        """Play tasks while a collector moves what is finished to the history."""
        if tasks and not self.player.stopping:
            self.progress.phase(name, len(tasks))
            loop = asyncio.get_running_loop()
            collector = self._collector(lambda: loop.call_soon_threadsafe(self.player.stop, "cancelled"))
            collector.start()
            try:
                await self.player.play(tasks)
            finally:
                await asyncio.to_thread(collector.finish)
        collect(self.office.ledger, self.office.history)

    def _collector(self, on_failure: Callable[[], object]) -> Collector:
        """A collector that stops the spending when it can write no more."""
        return Collector(
            self.office.ledger,
            self.office.history,
            self.office.home.snapshots,
            publish_every=self.office.settings.publish_every,
            refit_every=REFIT_EVERY,
            refit=self.refit,
            beat=self.beat,
            on_failure=on_failure,
        )

    def beat(self) -> None:
        """Keep the run's row current for those who follow it."""
        record = self.record("running")
        with self.office.ledger.write() as tx:
            run_rows.update(tx, replace(self.run, record=record))

    def _kept(self) -> list[Model]:
        """Who goes on to validation, by the keep rule over the screening fit."""
        self.keep = self.plan.keep(self.models)
        for note in self.keep.notes:
            self.progress.note(note)
        return [model for model in self.models if model.id in self.keep.kept]

    def refit(self) -> None:
        """Rate both lists from what the history holds now."""
        fit.refit(self.office, self.plan.judge, self.run.id)

    def _counted(self) -> requests.Counts:
        with self.office.ledger.read() as tx:
            return requests.counts(tx, self.run.id)

    def record(self, state: RunState) -> dict[str, object]:
        """The run's record: what people and scripts read of it. A call is one request."""
        counted = self._counted()
        names = ("made", "checks", "failed", "unreadable")
        return {
            "run": self.run.id,
            "kind": self.run.kind,
            "judge": self.plan.judge.id,
            "state": state,
            "calls": {name: counted[name] for name in names}
            | {"reused": max(0, sum(self.found.values()) - self.before)},
            "spent_usd": usd(counted["spent_nano"]),
            "unpriced": counted["unpriced"],
            "kept": None if self.keep is None else list(self.keep.kept),
            "chances": None if self.keep is None else dict(self.keep.chances),
            "notes": [] if self.keep is None else list(self.keep.notes),
            "sat_out": dict(self.sat_out),
        }


def _asked_in(tasks: Sequence[Task], model: Model) -> bool:
    return any(task.request.model == model.id for task in tasks)
