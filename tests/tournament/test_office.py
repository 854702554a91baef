"""Who judges: named, or the only one that is awake; and when a judge wakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.core.types import Judge
from leaderboard.errors import BadInput, NotFound
from leaderboard.ledger import judges
from leaderboard.tournament.office import chosen_judge
from leaderboard.tournament.registry import Wish, new_judge
from tests.tournament.stage import Stage, bench_judge, contestant, questions

ASLEEP = {"state": "asleep", "reason": "MY_KEY is not set"}


def judge_of(name: str, **changes: Any) -> Judge:
    wish = Wish(litellm="openai/gpt-x", api_key_env="MY_KEY")
    made = new_judge(
        name, wish, template="scoring", protocol="swap", samples=1, rubric=None, system=None, family=None,
        now="2026-01-01T00:00:00.000000Z",
    )  # fmt: skip
    return replace(made, **changes)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """A tournament whose only judge is retired, so that those of a test decide."""
    field = [contestant("alpha"), contestant("beta")]
    return Stage.build(tmp_path / "home", field, replace(bench_judge("old"), state="retired"), questions(1))


def add_judges(stage: Stage, *added: Judge) -> None:
    with stage.ledger() as ledger, ledger.write() as tx:
        for judge in added:
            judges.add(tx, judge)


def states(stage: Stage) -> dict[str, tuple[str, str | None]]:
    with stage.ledger() as ledger, ledger.read() as tx:
        return {judge.id: (judge.state, judge.reason) for judge in judges.all(tx)}


def test_a_judge_wakes_when_its_key_has_come(stage: Stage) -> None:
    add_judges(stage, judge_of("j", **ASLEEP))
    with stage.office() as office:
        office.environ = {"MY_KEY": "k"}
        assert office.judge(None).id == "j"
    assert states(stage)["j"] == ("active", None)
    with stage.office() as office:
        office.environ = {}
        assert office.judge("j").state == "active", "a key that goes away is found by the check, not here"


def test_only_those_wake_whose_key_has_come(stage: Stage) -> None:
    other = judge_of("other", **{**ASLEEP, "reason": "OTHER_KEY is not set"})
    other = replace(other, endpoint=replace(other.endpoint, api_key_env="OTHER_KEY"))
    add_judges(stage, judge_of("j", **ASLEEP), other, judge_of("paused", state="paused"))
    with stage.office() as office:
        office.environ = {"MY_KEY": "k"}
        assert office.judge(None).id == "j"
    assert states(stage) == {
        "old": ("retired", None),
        "j": ("active", None),
        "other": ("asleep", "OTHER_KEY is not set"),
        "paused": ("paused", None),
    }


@pytest.mark.parametrize("value", [None, ""])
def test_while_its_key_is_missing_it_sleeps_and_the_refusal_says_why(stage: Stage, value: str | None) -> None:
    add_judges(stage, judge_of("j", **ASLEEP))
    with stage.office() as office:
        office.environ = {} if value is None else {"MY_KEY": value}
        with pytest.raises(BadInput, match=r"no judge is awake \(.*j: MY_KEY is not set.*\)"):
            office.judge(None)
    assert states(stage)["j"] == ("asleep", "MY_KEY is not set")


def test_when_all_sleep_each_is_named_with_its_reason() -> None:
    known = [
        judge_of("a", **ASLEEP),
        judge_of("b", state="asleep", reason="X is not set"),
        judge_of("c", state="paused"),
    ]
    with pytest.raises(BadInput) as refusal:
        chosen_judge(known, None)
    assert str(refusal.value) == "no judge is awake (a: MY_KEY is not set; b: X is not set; c: paused)"


def test_the_only_one_that_is_awake_judges() -> None:
    assert chosen_judge([judge_of("a", **ASLEEP), judge_of("b")], None).id == "b"


def test_of_several_one_must_be_named() -> None:
    known = [judge_of("a"), judge_of("b"), judge_of("c", **ASLEEP)]
    with pytest.raises(BadInput, match=r"which judge\? .*: a, b$"):
        chosen_judge(known, None)
    assert chosen_judge(known, "b").id == "b"
    with pytest.raises(NotFound, match="no judge named 'x'; there are: a, b, c"):
        chosen_judge(known, "x")
    with pytest.raises(BadInput, match="leaderboard judges add"):
        chosen_judge([], None)
