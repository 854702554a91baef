"""Making a home: secrets, commented settings, our prompts, and the models whose keys are there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from leaderboard.core.types import Judge, Model
from leaderboard.errors import BadInput, NotFound
from leaderboard.home import Home
from leaderboard.ledger import judges, meta, models, prompts
from leaderboard.ledger.store import Ledger, Transaction, open_ledger
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.defaults import default_text
from leaderboard.tournament.imported import default_prompts
from leaderboard.tournament.listed import listed_judges, listed_models
from leaderboard.tournament.registry import missing_key, roused

LISTS = ("models.toml", "judges.toml")


def make_home(home: Home, environ: Mapping[str, str], *, bare: bool) -> None:
    """Create what is missing and keep what is there; run again after an edit or a new key to take it up."""
    document = {} if bare else _lists(home)
    now = utc_now()
    field = listed_models(document, environ=environ, now=now)
    bench = listed_judges(document, environ=environ, now=now)
    home.create()
    if not bare:
        for name in LISTS:
            _write_new(home.path / name, default_text(name))
    ledger = open_ledger(home.ledger_url)
    try:
        _refuse_demo(ledger, home)
        _register(ledger, field, bench, environ, with_prompts=not bare)
    finally:
        ledger.close()
    _write_new(home.settings_file, default_text("tournament.toml"))


def _lists(home: Home) -> dict[str, object]:
    """The home's own lists where it has them, else the defaults."""
    document: dict[str, object] = {}
    for name in LISTS:
        own = home.path / name
        try:
            text = own.read_text(encoding="utf-8") if own.exists() else default_text(name)
            document |= tomllib.loads(text)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{own}: not valid TOML: {error}") from None
    return document


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
