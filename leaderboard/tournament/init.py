"""Making a home: secrets, commented settings, our prompts, and the models whose keys are there."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from leaderboard.core.types import Judge, Model
from leaderboard.errors import BadInput, NotFound
from leaderboard.home import Home
from leaderboard.ledger import judges, meta, models, prompts
from leaderboard.ledger.store import Ledger, Transaction, open_ledger
from leaderboard.settings import load_settings, read_toml
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.defaults import default_text
from leaderboard.tournament.imported import default_prompts
from leaderboard.tournament.listed import listed_judges, listed_models
from leaderboard.tournament.registry import missing_key, roused

MODELS, JUDGES, SETTINGS = "models.toml", "judges.toml", "tournament.toml"

Listed = TypeVar("Listed")


def make_home(home: Home, environ: Mapping[str, str], *, bare: bool) -> None:
    """Create what is missing and keep what is there; run again after an edit or a new key to take it up."""
    now = utc_now()
    field = [] if bare else _listed(home, MODELS, partial(listed_models, environ=environ, now=now))
    bench = [] if bare else _listed(home, JUDGES, partial(listed_judges, environ=environ, now=now))
    load_settings(home.settings_file)
    home.create()
    ledger = open_ledger(home.ledger_url)
    try:
        _refuse_demo(ledger, home)
        _register(ledger, field, bench, environ, with_prompts=not bare)
    finally:
        ledger.close()
    for name in (SETTINGS,) if bare else (MODELS, JUDGES, SETTINGS):
        _write_new(home.path / name, default_text(name))


def _listed(home: Home, name: str, read: Callable[[Mapping[str, object]], list[Listed]]) -> list[Listed]:
    """The home's own list where it has one, else the default. Raises BadInput that names the file and the entry."""
    own = home.path / name
    document = read_toml(own) if own.exists() else tomllib.loads(default_text(name))
    try:
        return read(document)
    except BadInput as error:
        raise BadInput(f"{own}: {error}") from None


def _refuse_demo(ledger: Ledger, home: Home) -> None:
    with ledger.read() as tx:
        if meta.get(tx, "demo") is not None:
            raise BadInput(f"{home.path} holds the demo: give the real tournament a folder of its own with --home")


def _register(
    ledger: Ledger, field: list[Model], bench: list[Judge], environ: Mapping[str, str], *, with_prompts: bool
) -> None:
    with ledger.write() as tx:
        for model in field:
            _add_or_wake_model(tx, model, environ)
        for judge in bench:
            _add_or_wake_judge(tx, judge, environ)
        if with_prompts and not prompts.count(tx):
            prompts.add_many(tx, default_prompts())


def _add_or_wake_model(tx: Transaction, model: Model, environ: Mapping[str, str]) -> None:
    try:
        known = models.get(tx, model.id)
    except NotFound:
        models.add(tx, model)
        return
    woken = roused(known, environ)
    if woken != known:
        models.replace(tx, woken)


def _add_or_wake_judge(tx: Transaction, judge: Judge, environ: Mapping[str, str]) -> None:
    try:
        known = judges.get(tx, judge.id)
    except NotFound:
        judges.add(tx, judge)
        return
    if known.state == "asleep" and missing_key(known.endpoint, environ) is None:
        judges.replace(tx, replace(known, state="active", reason=None))


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet."""
    if not path.exists():
        path.write_text(text, encoding="utf-8")
