"""Who takes part: newcomers, imported answers, identical answers, contestants and judges whose check fails."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.types import Endpoint
from leaderboard.errors import BadInput
from leaderboard.ledger import judges, models
from leaderboard.providers.port import ChatRequest
from leaderboard.tournament.enrol import move_model
from leaderboard.tournament.imported import import_answers
from leaderboard.tournament.run import JudgeUnusable
from tests.tournament.stage import (
    KEYS,
    NOW,
    Actors,
    Line,
    Stage,
    bench_judge,
    contestant,
    failure,
    name_of,
    questions,
    said,
    slots,
    user_of,
)

JUDGE = "judge-length"
FIELD = ("alpha", "beta", "gamma")
PROMPTS = 8


def new_stage(folder: Path, *names: str, prompts: int = PROMPTS, **more: Any) -> Stage:
    field = [contestant(name) for name in names or FIELD]
    return Stage.build(folder, field, bench_judge(JUDGE, samples=1), questions(prompts), **more)


def write_answers(file: Path, texts: dict[str, str]) -> Path:
    file.write_text("".join(json.dumps({"prompt_id": p, "text": t}) + "\n" for p, t in texts.items()), encoding="utf-8")
    return file


def give_answers(stage: Stage, model: str, texts: dict[str, str]) -> dict[str, object]:
    with stage.ledger() as ledger:
        return import_answers(ledger, model, write_answers(stage.home.path / f"{model}.jsonl", texts), NOW)


def test_a_newcomer_brings_its_own_pairings_and_no_others(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.play(Actors())
    old = set(stage.rows("SELECT id FROM verdicts"))
    stage.add_model(contestant("delta"))
    actors = Actors()
    record = stage.play(actors)
    assert record["state"] == "done"
    assert actors.by_name() == {"delta": 1 + PROMPTS, JUDGE: 3 * PROMPTS + 2 * 3 * PROMPTS}
    assert all(any("delta says" in text for text in slots(request)) for request in actors.judged)
    assert old < set(stage.rows("SELECT id FROM verdicts"))
    balance: Counter[str] = Counter()
    for a, b, first in stage.rows("SELECT model_a, model_b, shown_first FROM readings WHERE stage = 'screening'"):
        balance[a] += 1 if first == "a" else -1
        balance[b] += 1 if first == "b" else -1
    assert all(abs(surplus) <= 1 for surplus in balance.values()), "first as often as second, newcomer included"
    assert set(stage.ratings()) == {*FIELD, "delta"}


def test_a_newcomer_among_many_prompts_leaves_the_others_draw(tmp_path: Path) -> None:
    """With more prompts than pairings a pair, the draw of those who were there stays what it was."""
    stage = new_stage(tmp_path / "home", *[f"m{i}" for i in range(12)], prompts=13)
    stage.play(Actors(), "screening")
    before = set(stage.rows("SELECT pairing FROM verdicts"))
    stage.add_model(contestant("n12"))
    actors = Actors()
    stage.play(actors, "screening")
    assert all(any("n12 says" in text for text in slots(request)) for request in actors.judged)
    per_pair = Counter(
        other for a, b in stage.rows("SELECT model_a, model_b FROM verdicts") for other in (a, b) if "n12" in (a, b)
    )
    assert set(per_pair.values()) == {10, 120}, "ten prompts with each of the twelve"
    assert before < set(stage.rows("SELECT pairing FROM verdicts"))


def twins(request: ChatRequest) -> Line:
    """Answers the same as every other twin; on one prompt something of its own."""
    text = user_of(request)
    return said(f"{name_of(request)} differs") if "Question 0?" in text else said(f"The answer to {text}")


def test_identical_answers_are_a_tie_without_a_request(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", "alpha", "twin1", "twin2")
    actors = Actors({"twin1": twins, "twin2": twins})
    record = stage.play(actors)
    assert record["state"] == "done"
    same = stage.rows(
        "SELECT stage, outcome, consistent, identical, count(*) FROM verdicts "
        "WHERE model_a = 'twin1' AND prompt_id <> 'p00' GROUP BY ALL ORDER BY ALL"
    )
    assert same == [(stage_, "tie", None, True, PROMPTS - 1) for stage_ in ("screening", "validation")]
    assert all(len(set(slots(request))) == 2 for request in actors.judged)
    others = 2 * PROMPTS + 1
    assert len(actors.judged) == others + 2 * others
    gate = stage.board()["gate"]
    assert gate["n"] == others, "C is about pairings that somebody judged"
    ties = {row["model"]: row["ties"] for row in stage.board()["standings"]}
    assert ties["twin1"] >= PROMPTS - 1
    again = Actors()
    stage.play(again)
    assert again.asked == []


def test_imported_answers_take_part_where_both_are_there(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", "alpha", "beta")
    told = give_answers(stage, "human", {f"p{i:02}": f"A person wrote {i}" for i in range(5)})
    assert (told["imported"], told["missing"]) == (5, ["p05", "p06", "p07"])
    actors = Actors()
    record = stage.play(actors)
    assert record["state"] == "done"
    assert actors.by_name()["human"] == 0
    counted = stage.rows(
        "SELECT stage, count(*) FROM verdicts WHERE 'human' IN (model_a, model_b) GROUP BY ALL ORDER BY ALL"
    )
    assert counted == [("screening", 2 * 5), ("validation", 2 * 5)]
    n = {row["model"]: row["n"] for row in stage.board()["standings"]}
    assert n == {"alpha": PROMPTS + 5, "beta": PROMPTS + 5, "human": 10}
    give_answers(stage, "human", {f"p{i:02}": f"A person wrote {i}" for i in range(PROMPTS)})
    more = Actors()
    stage.play(more)
    assert len(more.judged) == 3 * 2 + 3 * 2 * 2, "the three prompts that came"


def test_a_tournament_of_imported_answers_alone(tmp_path: Path) -> None:
    stage = Stage.build(tmp_path / "home", [], bench_judge(JUDGE, samples=1), questions(4))
    for name in ("ann", "bob"):
        give_answers(stage, name, {f"p{i:02}": f"{name} {'long ' * i}" for i in range(4)})
    actors = Actors()
    record = stage.play(actors)
    assert (record["state"], record["calls"]["made"], record["calls"]["checks"]) == ("done", 4 + 8, 1)
    assert stage.rows("SELECT stage, count(*) FROM verdicts GROUP BY 1 ORDER BY 1") == [
        ("screening", 4), ("validation", 4)
    ]  # fmt: skip


def out_of_order(request: ChatRequest) -> Line:
    return failure("not_found")


def test_a_model_whose_check_fails_sits_out_and_says_why(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", *FIELD, "delta")
    actors = Actors({"delta": out_of_order})
    record = stage.play(actors)
    assert record["state"] == "failed"
    assert record["sat_out"] == {"model delta": "not_found: made up: not_found"}
    assert record["errors"] == ["model delta: not_found: made up: not_found"]
    assert actors.by_name()["delta"] == 1, "one tiny request, no more"
    assert set(stage.ratings()) == set(FIELD)
    assert stage.model("delta").endpoint.check_error == "not_found: made up: not_found"  # type: ignore[union-attr]
    healthy = Actors()
    assert stage.play(healthy)["state"] == "done"
    assert [name_of(request) for request in healthy.checks] == ["delta"], "the others were checked within a day"
    assert set(stage.ratings()) == {*FIELD, "delta"}


def test_a_check_that_its_lane_prevented_does_not_count_as_good(tmp_path: Path) -> None:
    """One at a time, and the first is told to wait for a day: whoever was not asked is not called checked."""
    stage = new_stage(tmp_path / "home", *FIELD)
    actors = Actors(dict.fromkeys(FIELD, lambda request: failure("rate_limit", retry_after=86_400)))
    record = stage.play(actors, concurrency=1)
    assert record["state"] == "failed"
    assert set(record["sat_out"]) == {f"model {name}" for name in FIELD}
    assert len(actors.asked) == 2, "the judge, and the first of the lane"
    assert all(stage.model(name).endpoint.check_error for name in FIELD)  # type: ignore[union-attr]
    healthy = Actors()
    assert stage.play(healthy)["state"] == "done"
    assert Counter(map(name_of, healthy.checks)) == dict.fromkeys(FIELD, 1)


def test_a_model_that_was_checked_well_plays_though_another_of_its_lane_fails(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", *FIELD)
    record = stage.play(Actors({"beta": lambda request: failure("forbidden")}))
    assert set(record["sat_out"]) == {"model beta"}
    assert stage.model("alpha").endpoint.check_error is None  # type: ignore[union-attr]


def test_a_judge_whose_check_fails_costs_nothing_but_the_checks(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    actors = Actors({JUDGE: lambda request: failure("auth")})
    with pytest.raises(JudgeUnusable, match="judge judge-length: auth: made up: auth"):
        stage.play(actors)
    assert len(actors.asked) == len(actors.checks) == 1 + len(FIELD)
    state, error = stage.ledger_rows("SELECT state, error FROM runs")[0]
    assert (state, error) == ("failed", "judge judge-length: auth: made up: auth")
    healthy = Actors()
    record = stage.play(healthy)
    assert record["state"] == "done"
    assert [name_of(request) for request in healthy.checks] == [JUDGE]
    assert len(stage.ledger_rows("SELECT 1 FROM runs")) == 1, "the same run went on"


def test_a_model_that_cannot_be_resolved_goes_to_sleep_with_the_reason(tmp_path: Path) -> None:
    """As one that was added over HTTP: its parameters are resolved before its first request."""
    stage = new_stage(tmp_path / "home")
    with stage.ledger() as ledger, ledger.write() as tx:
        models.add(tx, contestant("picky", price=None))
    picky = "openai/picky"

    def resolve(endpoint: Endpoint, now: str) -> Endpoint:
        if endpoint.litellm == picky:
            raise BadInput("temperature: the provider refuses 0")
        return replace(endpoint, sent=dict(endpoint.wanted), takes_n=True, resolved_at=now)

    record = stage.play(Actors(), resolve=resolve)
    assert record["sat_out"] == {"model picky": "temperature: the provider refuses 0"}
    sleeper = stage.model("picky")
    assert (sleeper.state, sleeper.reason) == ("asleep", "temperature: the provider refuses 0")


def test_a_strict_judge_that_is_refused_a_parameter_costs_nothing(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    with stage.ledger() as ledger, ledger.write() as tx:
        judges.add(tx, bench_judge("strict-judge"))

    def resolve(endpoint: Endpoint, now: str) -> Endpoint:
        raise BadInput("temperature: the provider refuses 1, and --strict was given")

    actors = Actors()
    with pytest.raises(BadInput, match="temperature: the provider refuses 1"):
        stage.play(actors, resolve=resolve, judge="strict-judge")
    assert actors.asked == []
    assert stage.ledger_rows("SELECT count(*) FROM runs") == [(0,)]


def test_two_active_models_are_needed(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", "alpha", "beta")
    with stage.ledger() as ledger:
        move_model(ledger, "beta", "pause")
    actors = Actors()
    with pytest.raises(BadInput, match="two active models, not 1"):
        stage.play(actors)
    assert actors.asked == []
    assert stage.ledger_rows("SELECT count(*) FROM runs") == [(0,)]


def test_a_validated_model_that_drops_out_of_the_kept_stays_on_the_list(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home", "alpha", "beta", "gamma", settings="top_k = 1\nkeep_cap = 2\n")
    first = stage.play(Actors())
    stage.add_model(contestant("delta-that-always-wins"))

    def long(request: ChatRequest) -> Line:
        return said("delta-that-always-wins says: " + "word " * 200 + user_of(request))

    second = stage.play(Actors({"delta-that-always-wins": long}))
    assert set(second["kept"]) != set(first["kept"])
    assert set(stage.ratings()) == set(first["kept"]) | set(second["kept"])


def test_models_sleep_and_wake_with_their_keys(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    stage.add_model(contestant("late", key="LATE_KEY"))
    found = []
    for environ in (KEYS, {**KEYS, "LATE_KEY": "k"}, {"LATE_KEY": "k"}):
        with stage.office() as office:
            office.environ = environ
            found.append([model.id for model in office.active_models()])
        assert stage.model("late").reason == (None if "LATE_KEY" in environ else "LATE_KEY is not set")
    assert found == [[*FIELD], [*FIELD, "late"], ["late"]]
