"""One tournament over two wire formats, through litellm, against a server on this machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.core.types import Endpoint, Judge, Model, Price
from leaderboard.ledger import judges, models
from leaderboard.providers.litellm_adapter import litellm_chat, resolve
from leaderboard.tournament.start import Provider, play_run
from tests.loopback import Loopback
from tests.tournament.stage import FREE, KEYS, NOW, Record, Silent, Stage, bench_judge, contestant, questions

PROMPTS = 4
PAIRINGS = 3 * PROMPTS
CLAUDE = "claude-haiku-4-5"
ROUTES = ("openai/gpt-one", "openai/gpt-two", f"anthropic/{CLAUDE}")

pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier.*:UserWarning")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


def at(server: Loopback, route: str, price: Price | None = FREE, **wanted: object) -> Endpoint:
    """An endpoint as an operator registers it: nothing is resolved."""
    base = server.openai if route.startswith("openai/") else server.anthropic
    source = "operator" if price else None
    return Endpoint(
        litellm=route, api_base=base, wanted={"max_tokens": 200, **wanted}, price=price, price_source=source
    )


def new_stage(folder: Path, server: Loopback) -> Stage:
    stage = Stage.build(folder, [], bench_judge("spare"), questions(PROMPTS))
    field = [replace(contestant(route.split("/")[1]), endpoint=at(server, route)) for route in ROUTES]
    bench = [
        Judge(id=name, endpoint=at(server, f"{name}/judge-length", temperature=1.0), samples=2, created_at=NOW)
        for name in ("openai", "anthropic")
    ]
    register(stage, field, bench)
    return stage


def register(stage: Stage, field: list[Model], bench: list[Judge]) -> None:
    with stage.ledger() as ledger, ledger.write() as tx:
        for model in field:
            models.add(tx, model)
        for judge in bench:
            judges.add(tx, judge)


def play(stage: Stage, judge: str) -> Record:
    with stage.office(judge=judge) as office:
        return play_run(office, "tournament", Provider(chat=litellm_chat(), resolve=resolve), Silent(), judge=judge)


def test_openai_and_anthropic_in_one_tournament(tmp_path: Path) -> None:
    """Two judges that judge alike: one is asked for k samples at once, the other k times."""
    plans = {"gpt-one": ["ok", "429:0.1", "500", "no_usage"], CLAUDE: ["ok", "html"]}
    with Loopback(plans=plans) as server:
        stage = new_stage(tmp_path / "home", server)
        first = play(stage, "anthropic")
        asked = dict(server.count.models)
        wire = server.count.last
        second = play(stage, "openai")
        asked_later = server.count.models["judge-length"] - asked["judge-length"]
    assert (first["state"], first["errors"], second["state"], second["errors"]) == ("done", [], "done", [])
    assert asked["judge-length"] == 1 + PAIRINGS + PAIRINGS * 2 * 2, "no n on this wire: one request a sample"
    assert asked_later == 1 + PAIRINGS + PAIRINGS * 2
    assert "system" in wire["body"], "the system text has a place of its own in this format"
    assert wire["headers"]["x-api-key"] == KEYS["ANTHROPIC_API_KEY"]
    assert asked == {"gpt-one": 1 + PROMPTS + 2, "gpt-two": 1 + PROMPTS, CLAUDE: 1 + PROMPTS + 1} | {
        "judge-length": asked["judge-length"]
    }
    check_records(stage)
    outcomes = {
        judge: stage.rows(
            f"SELECT prompt_id, model_a, model_b, outcome FROM verdicts WHERE judge = '{judge}' ORDER BY ALL"
        )
        for judge in ("openai", "anthropic")
    }
    assert outcomes["openai"] == outcomes["anthropic"]
    assert len(outcomes["openai"]) == 2 * PAIRINGS
    assert stage.ratings("openai") == pytest.approx(stage.ratings("anthropic"), abs=1e-9)


def check_records(stage: Stage) -> None:
    """What really answered is kept with each request, and every try stands in the books."""
    served = stage.rows("SELECT DISTINCT model, served_model, finish_reason FROM answers ORDER BY ALL")
    assert served == [(name, f"{name}-0613", "stop") for name in sorted((CLAUDE, "gpt-one", "gpt-two"))]
    assert stage.rows("SELECT count(*) FROM answers WHERE prompt_tokens IS NULL") == [(1,)], "one told no usage"
    errors = stage.rows("SELECT model, error_kind, http_status FROM attempts WHERE error_kind IS NOT NULL ORDER BY ALL")
    assert [(model, kind) for model, kind, _ in errors] == [
        (CLAUDE, "garbage"), ("gpt-one", "rate_limit"), ("gpt-one", "server")
    ]  # fmt: skip
    assert [status for _, kind, status in errors if kind != "garbage"] == [429, 500]
