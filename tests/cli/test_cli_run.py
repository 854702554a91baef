"""`leaderboard run`: plans, budgets, and a run that another process has to play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from leaderboard.home import Home, writer_lock
from leaderboard.tournament.kinds import RUN_KINDS
from tests.cli.terminal import ledger_rows, strict_json, typed
from tests.loopback import Loopback


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture
def at_server(bare: Path, tmp_path: Path, server: Loopback) -> Path:
    """Three models and a judge at the loopback server, three prompts; one model has no price."""
    (tmp_path / "p.jsonl").write_text("\n".join(f'{{"id": "p{i}", "text": "Say {i} words."}}' for i in range(1, 4)))
    assert typed("prompts", "import", "p.jsonl", "--home", bare).code == 0
    priced = ("--input-price", "1", "--output-price", "2")
    for name, price in (("one", priced), ("two", priced), ("free", ())):
        add = ("models", "add", name, "--litellm", f"openai/{name}", "--api-base", server.openai, "--max-tokens", "100")
        assert typed(*add, *price, "--home", bare).code == 0
    judge = ("judges", "add", "judge", "--litellm", "openai/judge-length", "--api-base", server.openai, *priced)
    assert typed(*judge, "--samples", "1", "--home", bare).code == 0
    return bare


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_a_dry_run_asks_nothing(at_server: Path, server: Loopback, kind: str) -> None:
    before = server.counts()["total"]
    for more in ((), ("--json",)):
        assert typed("run", kind, "--dry-run", *more, "--home", at_server).code == 0
    assert server.counts()["total"] == before
    assert typed("runs", "--json", "--home", at_server).json["items"] == []


def test_a_dry_run_counts_and_prices_by_model_and_stage(at_server: Path) -> None:
    """By hand: 3 prompts x 3 models; 3 pairs x 3 prompts, one pass then two; prices at the token limit or above."""
    plan = typed("run", "--dry-run", "--json", "--home", at_server).json
    counted = {(item["stage"], item["who"]): (item["requests"], item["usd"]) for item in plan["items"]}
    requests = {place: count for place, (count, _) in counted.items()}
    assert requests == {
        ("answers", "model one"): 3,
        ("answers", "model two"): 3,
        ("answers", "model free"): 3,
        ("screening", "judge judge"): 9,
        ("validation", "judge judge"): 18,
    }
    assert plan["requests"] == 36
    output_at_least = Decimal(3 * 100 * 2) / 1_000_000
    assert output_at_least < Decimal(str(counted["answers", "model one"][1])) < 3 * output_at_least
    assert counted["answers", "model free"][1] is None
    assert plan["usd"] is None
    shown = typed("run", "--dry-run", "--home", at_server).out
    assert "price unknown" in shown
    assert "36 requests" in shown


def test_a_plan_follows_the_flags(at_server: Path) -> None:
    plan = typed("run", "--dry-run", "--prompts", "2", "--samples", "2", "--json", "--home", at_server).json
    by_stage = {item["stage"]: item["requests"] for item in plan["items"]}
    assert (by_stage["answers"], by_stage["screening"]) == (2, 6)
    takes_n = typed("judges", "show", "judge", "--json", "--home", at_server).json["takes_n"]
    assert by_stage["validation"] == 3 * 2 * 2 * (1 if takes_n else 2)


def test_a_budget_refuses_models_without_a_price_by_name(at_server: Path, server: Loopback) -> None:
    before = server.counts()["total"], ledger_rows(at_server)
    refusal = typed("run", "-y", "--budget", "1", "--home", at_server).refusal
    assert "model free" in refusal
    assert "`leaderboard models price` or `judges price`" in refusal
    assert "model one" not in refusal
    assert (server.counts()["total"], ledger_rows(at_server)) == before
    assert "model free" in typed("run", "--dry-run", "--budget", "1", "--home", at_server).refusal
    assert typed("models", "price", "free", "--input-price", "1", "--output-price", "2", "--home", at_server).code == 0
    assert typed("run", "--dry-run", "--budget", "1", "--home", at_server).code == 0


def test_a_run_from_the_keyboard_plays_to_its_end(at_server: Path, server: Loopback) -> None:
    before = server.counts()["total"]
    ran = typed("run", "-y", "--json", "--home", at_server)
    record = ran.json
    assert record["state"] == "done"
    assert record["calls"]["made"] + record["calls"]["checks"] == server.counts()["total"] - before
    assert record["calls"]["failed"] == record["calls"]["unreadable"] == 0
    assert {"run", "spent_usd", "unpriced"} <= set(record)
    assert record["unpriced"] > 0
    assert "checks: 4 requests" in ran.err
    again = typed("run", "-y", "--json", "--home", at_server).json
    assert (again["calls"]["made"], again["state"]) == (0, "done")
    said = typed("run", "-y", "--home", at_server).out
    assert "0 requests made" in said
    assert len(typed("runs", "--home", at_server).out.splitlines()) == 2 + 3


def test_without_models_judges_or_prompts_it_says_what_is_missing(bare: Path) -> None:
    assert "leaderboard judges add" in typed("run", "-y", "--home", bare).refusal
    typed("judges", "add", "j", "--litellm", "sim/judge", "--home", bare)
    assert "two active models" in typed("run", "-y", "--home", bare).refusal
    for name in ("a", "b"):
        typed("models", "add", name, "--litellm", "sim/contestant", "--home", bare)
    assert "leaderboard prompts import" in typed("run", "-y", "--home", bare).refusal
    typed("judges", "add", "j2", "--litellm", "sim/judge", "--home", bare)
    assert "which judge?" in typed("run", "-y", "--home", bare).refusal


def test_a_plan_and_a_check_wait_for_whoever_writes(demo_home: Path) -> None:
    """They would give seats and record requests, which is the right of the process that holds the lock."""
    with writer_lock(Home(demo_home)):
        for words in (["run", "--dry-run"], ["models", "check"], ["snapshot"]):
            assert "process " in typed(*words, "--home", demo_home).refusal
        assert typed("board", "--home", demo_home).code == 0
        assert typed("status", "--json", "--home", demo_home).json["writer_pid"] is not None


@pytest.mark.parametrize("noun", ["models", "judges"])
def test_a_check_says_in_a_line_each_what_is_wrong(at_server: Path, noun: str) -> None:
    dead = ("--litellm", "openai/x~401", "--input-price", "1", "--output-price", "1", "--home", at_server)
    base = ("--api-base", strict_json(typed("judges", "show", "judge", "--json", "--home", at_server).out)["api_base"])
    assert typed(noun, "add", "dead", *base, *dead).code == 0
    ran = typed(noun, "check", "--json", "--home", at_server)
    items = {item["id"]: item for item in strict_json(ran.out)["items"]}
    assert ran.code == 1
    assert not items["dead"]["ok"]
    assert all(item["ok"] for name, item in items.items() if name != "dead")
    assert "\n" not in items["dead"]["trouble"]
    assert typed(noun, "check", next(name for name in items if name != "dead"), "--home", at_server).code == 0


def test_nobody_is_asked_for_consent_without_a_terminal() -> None:
    """The tests above would hang if they were."""
    assert not sys.stdin.isatty()
