"""What scripts read: one strict JSON value a command, in documented shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.home import Home
from leaderboard.tournament.demo import prepare
from tests.cli.terminal import ledger_rows, strict_json, typed

LISTS = [["models", "list"], ["judges", "list"], ["prompts", "list"], ["runs"]]
READS = [
    *LISTS,
    ["board"],
    ["board", "--scope", "language=en"],
    ["board", "--scope", "category=math", "--policy", "soft"],
    ["board", "--control", "length"],
    ["compare", "sim-hazel", "sim-birch"],
    ["ratings", "--policy", "drop"],
    ["bias"],
    ["status"],
    ["models", "show", "sim-elm"],
    ["judges", "show", "sim-judge-biased"],
    ["prompts", "stats"],
    ["run", "--dry-run"],
    ["run", "--dry-run", "screening"],
    ["run", "--dry-run", "validation", "--top-k", "2"],
    ["sql", "select 'nan'::double as n, 1.5::decimal(4,2) as d, null as nothing, [1, 2] as list"],
]
STANDING = {
    *("model", "rating", "lower", "upper", "interval_reason", "rank", "rank_lower", "rank_upper", "n", "component"),
    *("flags", "wins", "losses", "ties", "usd_per_verdict", "tier", "p_top1", "p_topk", "expected_next"),
    *("more_pairings", "more_reason"),
}


@pytest.mark.parametrize("words", READS, ids=" ".join)
def test_a_reading_command_prints_one_strict_value(played_demo: Path, words: list[str]) -> None:
    ran = typed(*words, "--json", "--home", played_demo)
    assert isinstance(ran.json, dict)
    assert ran.err == ""
    assert ran.out.count("\n") == 1


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
def test_a_list_has_items_and_a_cursor(played_demo: Path, words: list[str]) -> None:
    found = typed(*words, "--json", "--home", played_demo).json
    assert set(found) == {"items", "next_cursor"}
    assert found["next_cursor"] is None
    assert found["items"]


def test_the_board(played_demo: Path) -> None:
    board = typed("board", "--json", "--home", played_demo).json
    assert {"method", "policy", "prior", "anchor", "n_battles", "components", "standings", "screened"} <= set(board)
    assert {"snapshot", "as_of", "scope", "judge", "simulated", "gate"} <= set(board)
    assert {"state", "c", "lower", "upper", "n"} <= set(board["gate"])
    assert (board["scope"], board["judge"], board["simulated"]) == ("overall", "sim-judge-biased", True)
    rows = board["standings"]
    assert all(set(row) >= STANDING for row in rows)
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert sum(row["rating"] for row in rows) / len(rows) == pytest.approx(1000)
    assert all("simulated" in row["flags"] for row in rows)
    assert sum(row["wins"] for row in rows) == sum(row["losses"] for row in rows)


def test_the_report_on_a_judge(played_demo: Path) -> None:
    reports = typed("bias", "--json", "--home", played_demo).json["judges"]
    assert [report["judge"] for report in reports] == ["sim-judge-biased"]
    assert {
        *("judge", "fingerprint", "samples", "readings", "readable", "pairings", "pairings_both", "swap_table"),
        *("flips", "c", "decided_share", "n_valid", "n_decided", "gate", "agreement", "first_position", "sign_test"),
        *("position_effect", "bpde", "order_conflicts", "labels", "by"),
    } <= set(reports[0])
    assert sum(reports[0]["swap_table"].values()) == reports[0]["pairings"]
    assert set(reports[0]["swap_table"]) >= {"consistent_a", "consistent_b", "consistent_tie", "inconsistent"}


def test_a_judge_that_has_not_validated_has_an_empty_report(played_demo: Path) -> None:
    assert (
        typed("bias", "--judge", "sim-judge-fair", "--json", "--home", played_demo).json["judges"][0]["readings"] == 0
    )


def test_the_runs(played_demo: Path) -> None:
    run = typed("runs", "--json", "--home", played_demo).json["items"][0]
    assert (run["state"], run["kind"], run["judge"]) == ("done", "tournament", "sim-judge-biased")
    assert set(run["calls"]) == {"made", "checks", "reused", "failed", "unreadable"}
    assert run["spent_usd"] > 0
    assert len(typed("runs", "--limit", "1", "--json", "--home", played_demo).json["items"]) == 1


def test_the_status(played_demo: Path) -> None:
    status = typed("status", "--json", "--home", played_demo).json
    assert status["models"] == {"active": 5}
    assert (status["writer_pid"], status["in_flight"], status["queued"]) == (None, 0, 0)
    assert status["snapshot_age_s"] >= 0
    assert status["free_bytes"] > 0
    assert status["run"]["state"] == "done"


def test_sql_answers_numbers_as_numbers(played_demo: Path) -> None:
    asked = "select 1.25::decimal(4,2) as d, 'inf'::double as i, count(*) as n from verdicts where stage = 'validation'"
    found = typed("sql", asked, "--json", "--home", played_demo).json
    assert found["columns"] == ["d", "i", "n"]
    assert found["rows"] == [[1.25, None, 100]]
    assert found["truncated"] is False
    cut = typed("sql", "select range from range(9)", "--limit", "4", "--json", "--home", played_demo).json
    assert (len(cut["rows"]), cut["truncated"]) == (4, True)


def test_a_dry_run_prices_every_model_and_stage(played_demo: Path) -> None:
    plan = typed("run", "--dry-run", "--json", "--home", played_demo).json
    assert {"requests", "usd", "minutes", "items", "notes"} <= set(plan)
    assert plan["requests"] == sum(item["requests"] for item in plan["items"]) == 0
    assert {item["stage"] for item in plan["items"]} == {"answers", "screening", "validation"}
    assert sum(item["who"].startswith("model ") for item in plan["items"]) == 5


def test_writing_commands_print_what_they_made(demo_home: Path) -> None:
    at_home = ("--json", "--home", demo_home)
    added = typed("models", "add", "new", "--litellm", "sim/contestant", "--param", "skill=1", *at_home).json
    assert (added["id"], added["state"], added["sent"]["skill"]) == ("new", "active", 1)
    assert (added["input_price"], added["price_reason"]) == (None, "price unknown")
    assert typed("models", "pause", "new", *at_home).json["state"] == "paused"
    assert typed("models", "resume", "new", *at_home).json["state"] == "active"
    assert typed("models", "retire", "new", *at_home).json["state"] == "retired"
    judge = typed("judges", "add", "second", "--litellm", "sim/judge", "--samples", "2", *at_home).json
    assert (judge["id"], judge["samples"], len(judge["fingerprint"])) == ("second", 2, 64)
    published = typed("snapshot", *at_home).json
    assert Path(published["file"]).exists()
    assert typed("board", *at_home).json["snapshot"] == published["snapshot"]


def test_reading_writes_nothing(demo_home: Path) -> None:
    before = ledger_rows(demo_home), sorted((demo_home / "snapshots").iterdir())
    for words in READS:
        if words[:1] != ["run"]:  # a plan gives seats to models that have none
            typed(*words, "--home", demo_home)
    assert (ledger_rows(demo_home), sorted((demo_home / "snapshots").iterdir())) == before


@pytest.fixture
def result(played_demo: Path) -> Any:
    """What the demo printed when it was played."""
    return strict_json((played_demo.parent / "result.json").read_text(encoding="utf-8"))


def test_the_demo_says_how_near_it_came(result: Any) -> None:
    assert {"models", "languages", "calls", "kendall_tau", "c", "p_first", "spent_usd", "board"} <= set(result)
    assert (result["models"], result["languages"], result["state"]) == (5, ["en", "nl"], "done")
    assert result["calls"]["made"] > 200
    assert -1 <= result["kendall_tau"] <= 1
    assert result["simulated"] is True


def test_the_demo_again_asks_nothing(demo_home: Path, result: Any) -> None:
    again = typed("demo", "--quick", "--seed", "3", "--home", demo_home, "--json").json
    assert (again["calls"]["made"], again["calls"]["checks"]) == (0, 0)
    assert again["calls"]["reused"] == result["calls"]["made"]
    assert again["board"] == result["board"]


def test_the_demo_takes_a_newcomer_of_unknown_strength(demo_home: Path) -> None:
    """Somebody added a model to the demo's home: it plays, and the truth is about the others."""
    answers = "\n".join(
        json.dumps({"prompt_id": prompt["id"], "turns": ["An answer."] * len(prompt["turns"])})
        for prompt in typed("prompts", "list", "--json", "--home", demo_home).json["items"]
    )
    (demo_home.parent / "answers.jsonl").write_text(answers)
    assert typed("models", "import-answers", "guest", "answers.jsonl", "--home", demo_home).code == 0
    again = typed("demo", "--quick", "--seed", "3", "--home", demo_home, "--json").json
    assert again["calls"]["made"] > 0
    assert "guest" in {row["model"] for row in [*again["board"], *again["screened"]]}
    assert (again["models"], len(again["truth"])) == (5, 5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--quick", "--seed", "4"], "seed 3"),
        (["--seed", "3"], "quick True"),
        (["--quick", "--seed", "3", "--judge", "sim-judge-fair"], "judge"),
    ],
)
def test_the_demo_refuses_the_home_of_another_demo(demo_home: Path, words: list[str], said: str) -> None:
    before = ledger_rows(demo_home)
    assert said in typed("demo", *words, "--home", demo_home).refusal
    assert ledger_rows(demo_home) == before


def test_the_demo_and_a_tournament_share_no_home(demo_home: Path, bare: Path) -> None:
    before = ledger_rows(bare)
    assert "real tournament" in typed("demo", "--quick", "--home", bare).refusal
    assert ledger_rows(bare) == before
    before = ledger_rows(demo_home)
    assert "demo" in typed("init", "--home", demo_home).refusal
    assert ledger_rows(demo_home) == before
    assert not (demo_home / "models.toml").exists()


def test_the_demo_knows_its_judges(tmp_path: Path) -> None:
    assert "sim-judge-fair" in typed("demo", "--judge", "nobody", "--home", "new").refusal
    assert not (tmp_path / "new").exists()


def test_a_demo_that_was_interrupted_before_it_had_a_field_is_made_again(bare: Path) -> None:
    """Else the demo would call its own beginnings a real tournament."""
    (bare / "tournament.toml").unlink()
    prepare(Home(bare), 3, quick=True, judge="sim-judge-fair")
    prepare(Home(bare), 3, quick=True, judge="sim-judge-fair")
    assert typed("status", "--json", "--home", bare).json["models"] == {"active": 5}
