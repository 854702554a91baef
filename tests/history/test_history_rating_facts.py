"""Verdicts as arrays: numbers for names, codes for outcomes, in an order that nothing but the verdicts decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from history_facts import FINGERPRINT, answer, batch, both_orders, identical, judgement, pairing_id

from leaderboard.core.judged import under_policy
from leaderboard.core.types import Prompt
from leaderboard.history.reader import SnapshotReader
from leaderboard.history.records import PromptFacts, RatingFacts
from leaderboard.history.verdicts import verdict_id
from leaderboard.history.writer import History
from leaderboard.ledger.requests import Finished

Published = Callable[[], SnapshotReader]

WINS_A, WINS_B, TIE = ("8", "6"), ("6", "8"), ("7", "7")
NONE = -1
COLUMNS = ("outcome", "outcome_score", "soft", "consistent", "ab", "ba")

CODED: list[tuple[str, list[Finished], tuple[int, ...]]] = [
    ("a in both orders", both_orders("p", [WINS_A], [WINS_B]), (2, 2, 4, 1, 2, 2)),
    ("b in both orders", both_orders("p", [WINS_B], [WINS_A]), (0, 0, 0, 1, 0, 0)),
    ("a tie in both orders", both_orders("p", [TIE], [TIE]), (1, 1, 2, 1, 1, 1)),
    ("the first shown wins", both_orders("p", [("9", "6")], [WINS_A]), (1, 2, 2, 0, 2, 0)),
    ("a win against a tie", both_orders("p", [WINS_A], [TIE]), (1, 2, 3, 0, 2, 1)),
    ("one order only", [judgement("p", "ab", [(1, *WINS_A)])], (NONE, NONE, NONE, NONE, 2, NONE)),
    ("identical answers", [identical("p")], (1, 1, 2, NONE, NONE, NONE)),
    ("unreadable", [judgement("p", "ba", [(1, None, None)])], (NONE,) * 6),
]  # fmt: skip
SINGLE_PASSES: list[tuple[str, list[Finished], tuple[int, ...]]] = [
    ("a pass", [judgement("p", "ba", [(0, *WINS_B)], stage="screening")], (2, 2, 4, NONE, NONE, 2)),
    ("an unreadable pass", [judgement("p", "ab", [(0, None, None)], stage="screening")], (NONE,) * 6),
]


def store(history: History, *requests: Finished) -> None:
    history.derive(history.insert_batch(batch(f"b{id(requests)}", requests)))


def facts(history: History, stage: str = "validation", **more: Any) -> RatingFacts:
    return history.rating_facts(stage, "judy", FINGERPRINT, **more)


def names(found: RatingFacts) -> list[tuple[str, str, str]]:
    """(prompt, a, b) by row."""
    judged = found.judged
    assert judged.prompt is not None
    return [
        (found.prompts[prompt].id, judged.models[a], judged.models[b])
        for prompt, a, b in zip(judged.prompt, judged.a, judged.b, strict=True)
    ]


@pytest.mark.parametrize(("stage", "case"), [
    *(("validation", case) for case in CODED), *(("screening", case) for case in SINGLE_PASSES),
], ids=lambda value: value if isinstance(value, str) else value[0])  # fmt: skip
def test_outcomes_are_parts_of_a_share(
    history: History, stage: str, case: tuple[str, list[Finished], tuple[int, ...]]
) -> None:
    _, requests, codes = case
    store(history, *requests)
    judged = facts(history, stage).judged
    assert tuple(int(getattr(judged, name)[0]) for name in COLUMNS) == codes
    assert {getattr(judged, name).dtype for name in COLUMNS} == {np.dtype(np.int8)}


def many(history: History) -> None:
    """Every outcome on a prompt of its own, between three models whose first meeting is not in order."""
    pairs = [("beta", "delta"), ("alpha", "delta"), ("alpha", "beta")]
    history.copy_registry(
        [], [], [Prompt(id="q00", turns=("Zeg iets",), category="chat", group="g", language="nl")], []
    )
    asked = [
        both_orders(f"q{number:02d}", [first], [second], a=pairs[number % 3][0], b=pairs[number % 3][1], second=number)
        for number, (first, second) in enumerate([(x, y) for x in (WINS_A, WINS_B, TIE) for y in (WINS_A, WINS_B, TIE)])
    ]
    store(history, *(request for requests in asked[::-1] for request in requests))


def test_models_count_by_name_prompts_by_id_rows_by_verdict_id(history: History) -> None:
    many(history)
    found = facts(history)
    assert found.judged.models == ("alpha", "beta", "delta")
    assert [prompt.id for prompt in found.prompts] == [f"q{number:02d}" for number in range(9)]
    assert found.prompts[:2] == (PromptFacts("q00", "chat", "nl", "g"), PromptFacts("q01"))
    assert found.judged.judges == ("judy",)
    ids = [verdict_id(pairing_id(*row), "validation") for row in names(found)]
    assert (len(ids), ids) == (9, sorted(ids))


def test_the_arrays_say_what_the_view_says(history: History, published: Published) -> None:
    many(history)
    reader = published()
    shares = {"a": 1.0, "b": 0.0, "tie": 0.5}
    rows = reader.sql("SELECT prompt_id, model_a, model_b, outcome, outcome_score, score_soft FROM verdicts")["rows"]
    told = {tuple(row[:3]): (shares[row[3]], shares[row[4]], row[5]) for row in rows}
    found = facts(history)
    by_policy = [under_policy(found.judged, policy).score.tolist() for policy in ("tie", "score", "soft")]
    assert dict(zip(names(found), zip(*by_policy, strict=True), strict=True)) == told


def test_a_snapshot_gives_the_same_facts(history: History, published: Published) -> None:
    many(history)
    store(history, answer("q00", "alpha", "hi"))
    live, copied = (
        facts(history, lengths=True),
        published().rating_facts("validation", "judy", FINGERPRINT, lengths=True),
    )
    assert (live.prompts, live.judged.models, names(live)) == (copied.prompts, copied.judged.models, names(copied))
    for name in COLUMNS:
        assert np.array_equal(getattr(live.judged, name), getattr(copied.judged, name))
    for name in ("nano_usd", "simulated", "length_a", "length_b"):
        assert np.array_equal(getattr(live, name), getattr(copied, name))


def test_money_is_whole_nano_dollars_and_unknown_is_not_zero(history: History) -> None:
    store(
        history,
        *both_orders("p1", [WINS_A], [WINS_B], cost_nano=123_456_789),
        *both_orders("p2", [WINS_A], [WINS_B], cost_nano=None),
        *both_orders("p3", [WINS_A], [WINS_B], cost_nano=0, simulated=True),
        identical("p4"),
    )
    found = facts(history)
    told = {row[0]: (int(n), bool(s)) for row, n, s in zip(names(found), found.nano_usd, found.simulated, strict=True)}
    assert told == {"p1": (246_913_578, False), "p2": (-1, False), "p3": (0, True), "p4": (0, False)}
    assert (str(found.nano_usd.dtype), str(found.simulated.dtype)) == ("int64", "bool")


def test_lengths_are_characters_of_the_newest_answers_of_all_turns(history: History) -> None:
    store(
        history,
        answer("p1", "alpha", "old and long"), answer("p1", "alpha", "né\U0001f600", version=2),
        answer("p1", "alpha", "12345", turn=1), answer("p1", "beta", ""), answer("p2", "beta", "elsewhere"),
        *both_orders("p1", [WINS_A], [WINS_B]), *both_orders("p3", [WINS_A], [WINS_B], a="beta", b="gamma"),
    )  # fmt: skip
    found = facts(history, lengths=True)
    assert found.length_a is not None
    assert found.length_b is not None
    told = {row: (int(a), int(b)) for row, a, b in zip(names(found), found.length_a, found.length_b, strict=True)}
    assert told == {("p1", "alpha", "beta"): (3 + 5, 0), ("p3", "beta", "gamma"): (0, 0)}
    assert facts(history).length_a is None


WHOSE: list[tuple[str, str | None, str | None, set[str]]] = [
    ("validation", "judy", FINGERPRINT, {"p1", "p2"}),
    ("validation", "judy", "e" * 64, {"p3"}),
    ("validation", "judy", None, {"p4"}),
    ("validation", "zoe", None, {"p5"}),
    ("screening", "judy", FINGERPRINT, {"p6"}),
    ("human", "judy", FINGERPRINT, set()),
]


@pytest.mark.parametrize(("stage", "judge", "fingerprint", "prompts"), WHOSE)
def test_facts_are_of_one_stage_and_fingerprint_incomplete_ones_among_them(
    history: History, stage: str, judge: str | None, fingerprint: str | None, prompts: set[str]
) -> None:
    store(
        history,
        *both_orders("p1", [WINS_A], [WINS_B]),
        judgement("p2", "ab", [(1, *WINS_A)]),
        *both_orders("p3", [WINS_A], [WINS_B], fingerprint="e" * 64),
        *both_orders("p4", [WINS_A], [WINS_B], fingerprint=None),
        *both_orders("p5", [WINS_A], [WINS_B], fingerprint=None, judge="zoe"),
        judgement("p6", "ab", [(0, *WINS_A)], stage="screening"),
    )
    found = history.rating_facts(stage, judge, fingerprint, lengths=True)
    assert {prompt.id for prompt in found.prompts} == prompts
    assert len(found.judged) == len(found.nano_usd) == len(prompts)
    assert found.judged.models == (("alpha", "beta") if prompts else ())


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[History]:
    """200,000 verdicts between 40 models on 300 prompts, in a file whose owner may use little memory."""
    history = History.open(tmp_path / "live.duckdb", memory_limit="120MB")
    history._con.execute("""
        INSERT INTO verdict BY NAME
        SELECT md5(i::VARCHAR)[:16] AS id, 'validation' AS stage, 'p' || i % 300 AS prompt_id, 'judy' AS judge,
               'm' || (i % 20) AS model_a, 'n' || (i // 20 % 20) AS model_b, repeat('f', 64) AS fingerprint,
               'decided' AS state, ['a', 'b', 'tie'][i % 3 + 1] AS outcome, outcome AS outcome_score
        FROM range(200000) t(i)""")
    yield history
    history.close()


def test_many_verdicts_fit_into_little_memory_and_come_in_the_same_order(crowded: History) -> None:
    one, again = facts(crowded), facts(crowded)
    assert len(one.judged) == 200_000
    shares = np.bincount(one.judged.outcome + 1, minlength=4)
    assert shares.tolist() == [0, 66_667, 66_666, 66_667]
    for name in ("a", "b", "prompt", "outcome"):
        assert np.array_equal(getattr(one.judged, name), getattr(again.judged, name))
