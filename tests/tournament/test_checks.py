"""Checks side by side: one refusal says something of one model, and all of them something of the key."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from leaderboard.providers.errors import ErrorKind
from leaderboard.providers.port import ChatRequest
from tests.tournament.stage import (
    Actors,
    Line,
    Part,
    Stage,
    bench_judge,
    contestant,
    failure,
    in_character,
    mark_in,
    name_of,
    questions,
)

JUDGE = "judge-length"
FIELD = ("alpha", "beta", "gamma")
LANE = "openai|-|OPENAI_API_KEY"
KINDS: list[ErrorKind] = ["auth", "payment", "quota", "forbidden"]


def new_stage(folder: Path) -> Stage:
    return Stage.build(folder, [contestant(name) for name in FIELD], bench_judge(JUDGE, samples=1), questions(2))


def refusing(kind: ErrorKind) -> Part:
    return lambda request: failure(kind)


@pytest.mark.parametrize("concurrency", [1, 10])
@pytest.mark.parametrize("refused", FIELD)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_check_stops_its_model_and_no_other(
    tmp_path: Path, kind: ErrorKind, refused: str, concurrency: int
) -> None:
    """Whether it is asked first or last, alone or beside the others."""
    stage = new_stage(tmp_path / "home")
    actors = Actors({refused: refusing(kind)})
    record = stage.play(actors, concurrency=concurrency)
    why = f"{kind}: made up: {kind}"
    assert record["sat_out"] == {f"model {refused}": why}
    assert record["errors"] == [f"model {refused}: {why}"]
    assert actors.by_name()[refused] == 1
    others = {name for name in FIELD if name != refused}
    assert {name_of(request) for request in actors.answered} == others
    assert {name for name in FIELD if stage.model(name).endpoint.check_error} == {refused}  # type: ignore[union-attr]


def test_a_key_that_every_check_refuses_stops_its_lane(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "home")
    actors = Actors(dict.fromkeys(FIELD, refusing("auth")))
    record = stage.play(actors)
    assert Counter(map(name_of, actors.asked)) == {JUDGE: 1} | dict.fromkeys(FIELD, 1), "checks, and nothing more"
    assert set(record["sat_out"]) == {f"model {name}" for name in FIELD}
    assert f"{LANE}: auth: made up: auth" in record["errors"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_that_is_refused_later_is_named(tmp_path: Path, kind: ErrorKind) -> None:
    """Its lane served the check."""

    def part(request: ChatRequest) -> Line:
        return failure(kind) if mark_in(request) else in_character(request)

    record = new_stage(tmp_path / "home").play(Actors({JUDGE: part}))
    assert record["state"] == "failed"
    assert record["errors"] == [f"judge {JUDGE}: {kind}: made up: {kind}"]
