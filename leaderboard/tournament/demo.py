"""The demo: a simulated field of known strength plays a whole tournament through the path of real providers."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from typing import cast

from leaderboard.core.agreement import kendall_tau
from leaderboard.core.types import Endpoint, Judge, Model, Prompt
from leaderboard.errors import BadInput
from leaderboard.history.reader import open_snapshot
from leaderboard.history.snapshots import current
from leaderboard.home import Home
from leaderboard.ledger import judges, meta, models, prompts
from leaderboard.ledger.store import Transaction, open_ledger
from leaderboard.settings import load_settings
from leaderboard.tournament.clock import utc_now
from leaderboard.tournament.defaults import default_text
from leaderboard.tournament.imported import default_prompts
from leaderboard.tournament.listed import listed_judges, listed_models
from leaderboard.tournament.office import open_office
from leaderboard.tournament.run import Progress
from leaderboard.tournament.start import Provider, play_run

MARKER = "demo"
TOP_K = 4
QUICK_MODELS = 5
QUICK_PROMPTS = 10
DEMO_SETTINGS = """\
# The demo's settings: a simulated tournament. `leaderboard init --home DIR` makes a real one.
seed = {seed}
judge = "{judge}"
top_k = {top_k}
"""

Result = dict[str, object]


@dataclass(frozen=True, slots=True)
class Field:
    """Who takes part in a demo, and the prompts."""

    models: list[Model]
    judges: list[Judge]
    prompts: list[Prompt]


def prepare(home: Home, seed: int, *, quick: bool, judge: str) -> None:
    """Make the demo's home, or find it made with the same seed. Refuses a home that holds anything else."""
    wanted = json.dumps({"seed": seed, "quick": quick, "judge": judge}, sort_keys=True)
    field = _drawn(seed, quick=quick)
    if judge not in {each.id for each in field.judges}:
        raise BadInput(f"no demo judge {judge!r}; there are: {', '.join(each.id for each in field.judges)}")
    home.create(demo_seed=seed)
    ledger = open_ledger(home.ledger_url)
    try:
        with ledger.write() as tx:
            if not _is_there(tx, home, wanted):
                _fill(tx, field, wanted)
    finally:
        ledger.close()
    if not home.exists():
        text = DEMO_SETTINGS.format(seed=seed, judge=judge, top_k=TOP_K)
        home.settings_file.write_text(text, encoding="utf-8")


def _is_there(tx: Transaction, home: Home, wanted: str) -> bool:
    """Whether the home holds this very demo. Raises BadInput when it holds something else."""
    found = meta.get(tx, MARKER)
    if found is None and (home.exists() or models.all(tx) or judges.all(tx) or prompts.count(tx)):
        raise BadInput(f"{home.path} holds a real tournament: give the demo a folder of its own with --home")
    if found is not None and found != wanted:
        was = ", ".join(f"{name} {value}" for name, value in json.loads(found).items())
        raise BadInput(f"{home.path} holds a demo with {was}: give this one a folder of its own with --home")
    return found is not None


def _drawn(seed: int, *, quick: bool) -> Field:
    """The shipped field with this seed in everybody's parameters."""
    now = utc_now()
    document = tomllib.loads(default_text("demo.toml"))
    field = listed_models(document, environ={}, now=now)
    bench = listed_judges(document, environ={}, now=now)
    asked = default_prompts()
    if quick:
        field, asked = field[:QUICK_MODELS], asked[-QUICK_PROMPTS:]
    return Field(
        [replace(each, endpoint=_seeded(each.endpoint, seed)) for each in field if each.endpoint is not None],
        [replace(each, endpoint=_seeded(each.endpoint, seed)) for each in bench],
        asked,
    )


def _seeded(endpoint: Endpoint, seed: int) -> Endpoint:
    return replace(endpoint, wanted={**endpoint.wanted, "seed": seed})


def _fill(tx: Transaction, field: Field, marker: str) -> None:
    for model in field.models:
        models.add(tx, model)
    for judge in field.judges:
        judges.add(tx, judge)
    prompts.add_many(tx, field.prompts)
    meta.put(tx, MARKER, marker)


def play(home: Home, provider: Provider, progress: Progress) -> Result:
    """Play the demo's tournament and say how near the board comes to the known truth."""
    with open_office(home, load_settings(home.settings_file)) as office:
        record = play_run(office, "tournament", provider, progress, trigger="demo")
        with office.ledger.read() as tx:
            field, languages = models.all(tx), sorted({prompt.language for prompt in prompts.all(tx)})
    return result(home, record, known_truth(field), languages)


def known_truth(field: list[Model]) -> dict[str, float]:
    """The skill of each simulated contestant. A model that was added to the demo's home has none."""
    wanted = {model.id: model.endpoint.wanted for model in field if model.endpoint is not None}
    return {name: float(str(params["skill"])) for name, params in wanted.items() if "skill" in params}


def result(home: Home, record: Result, truth: dict[str, float], languages: list[str]) -> Result:
    """The demo's figures, read from the published snapshot."""
    snapshot = current(home.snapshots)
    if snapshot is None:
        raise BadInput(f"the demo in {home.path} has published nothing: {record['state']}")
    with open_snapshot(snapshot) as reader:
        board = reader.board()
    validated = cast(list[Result], board["standings"])
    screened = cast(list[Result], board["screened"])
    order = [str(row["model"]) for row in [*validated, *screened] if row["model"] in truth]
    calls = cast(dict[str, int], record["calls"])
    gate = cast(Result, board["gate"] or {})
    head = cast(Result, board["head"])
    return {
        "simulated": True,
        "run": record["run"],
        "state": record["state"],
        "models": len(truth),
        "languages": languages,
        "calls": calls,
        "kendall_tau": kendall_tau(order, truth),
        "c": gate.get("c"),
        "c_lower": gate.get("lower"),
        "c_upper": gate.get("upper"),
        "p_first": cast(Result, head.get("p_first") or {}).get("share"),
        "spent_usd": record["spent_usd"],
        "judge": board["judge"],
        "truth": truth,
        "board": validated,
        "screened": screened,
        "notes": board["notes"],
        "errors": record["errors"],
    }
