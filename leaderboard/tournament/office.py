"""An open tournament: its home, settings, ledger and history, held together by the process that may write them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from leaderboard.core.types import Judge, Model, Prompt
from leaderboard.errors import BadInput, NotFound
from leaderboard.history.writer import History
from leaderboard.home import Home, writer_lock
from leaderboard.ledger import judges, models, prompts
from leaderboard.ledger.requests import recover
from leaderboard.ledger.store import Ledger, open_ledger
from leaderboard.settings import Settings
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.collect import reconcile
from leaderboard.tournament.enrol import Resolver
from leaderboard.tournament.registry import fingerprinted, missing_key, roused


@dataclass(slots=True, kw_only=True)
class Office:
    """Everything a run needs besides a model to talk to. `warnings` are for the operator to read."""

    home: Home
    settings: Settings
    ledger: Ledger
    history: History
    now: Callable[[], str] = utc_now
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    warnings: list[str] = field(default_factory=list)

    def judge(self, wanted: str | None) -> Judge:
        """The judge by flag, by tournament.toml, or the only one that is awake. Those whose key has come wake up."""
        with self.ledger.write() as tx:
            for judge in judges.all(tx, states=("asleep",)):
                if missing_key(judge.endpoint, self.environ) is None:
                    judges.replace(tx, replace(judge, state="active", reason=None))
            return chosen_judge(judges.all(tx), wanted or self.settings.judge)

    def active_models(self) -> list[Model]:
        """Those who play, by id. A model sleeps while its key is missing here, and wakes when it has come."""
        with self.ledger.write() as tx:
            for model in models.all(tx, states=("active", "asleep")):
                found = roused(model, self.environ)
                if found != model:
                    models.replace(tx, found)
            return sorted(models.all(tx, states=("active",)), key=lambda model: model.id)

    def prompts(self) -> list[Prompt]:
        with self.ledger.read() as tx:
            return prompts.all(tx)


def chosen_judge(known: list[Judge], wanted: str | None) -> Judge:
    """Raises NotFound for an unknown name and BadInput when there is none, or more than one and none is named."""
    usable = [judge for judge in known if judge.state == "active"]
    if wanted is not None:
        for judge in known:
            if judge.id == wanted:
                return judge
        raise NotFound(f"no judge named {wanted!r}; there are: {_names(known)}")
    if not usable and known:
        asleep = "; ".join(f"{judge.id}: {judge.reason or judge.state}" for judge in known)
        raise BadInput(f"no judge is awake ({asleep})")
    if not usable:
        raise BadInput("there is no judge yet: add one with `leaderboard judges add ID --litellm PROVIDER/NAME`")
    if len(usable) > 1:
        raise BadInput(f"which judge? Name one with --judge or in tournament.toml: {_names(usable)}")
    return usable[0]


def _names(known: list[Judge]) -> str:
    return ", ".join(judge.id for judge in known) or "none"


@contextmanager
def open_office(
    home: Home, settings: Settings, now: Callable[[], str] = utc_now, *, role: str = "command"
) -> Iterator[Office]:
    """Take the writer lock, open both stores and settle whatever an earlier process left open. Raises Busy."""
    home.require()
    with writer_lock(home, role):
        ledger = open_ledger(home.ledger_url)
        history = History.open(home.history_file)
        try:
            yield _put_in_order(Office(home=home, settings=settings, ledger=ledger, history=history, now=now))
        finally:
            history.close()
            ledger.close()


def _put_in_order(office: Office) -> Office:
    with office.ledger.write() as tx:
        recover(tx, office.now())
    office.warnings += office.history.warnings
    office.warnings += reconcile(office.ledger, office.history, office.home.snapshots)
    return office


def resolve_judge(office: Office, judge: Judge, resolver: Resolver) -> Judge:
    """The judge resolved, with the fingerprint of its present wording; a new one is kept beside the old verdicts."""
    endpoint = judge.endpoint if judge.endpoint.sent is not None else resolver(judge.endpoint, office.now())
    current = fingerprinted(replace(judge, endpoint=endpoint))
    if current != judge:
        with office.ledger.write() as tx:
            judges.replace(tx, current)
    return current
