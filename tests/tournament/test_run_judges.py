"""Whole tournaments with judges of known character: what their bias does to verdicts, C and ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.core.types import Prompt
from leaderboard.providers.port import ChatRequest
from tests.loopback_replies import SECTION
from tests.tournament.stage import (
    Actors,
    Line,
    Stage,
    bench_judge,
    contestant,
    in_character,
    mark_in,
    questions,
    said,
    slots,
    user_of,
)

FIELD = ("alpha", "beta", "gamma")
PROMPTS = 10
PAIRINGS = 3 * PROMPTS
PER_STAGE = "SELECT stage, outcome, consistent, count(*) FROM verdicts GROUP BY ALL ORDER BY ALL"


def played(folder: Path, judge: str, actors: Actors | None = None, *, takes_n: bool = True) -> tuple[Stage, Actors]:
    """A tournament of three models by one judge, played to its end."""
    actors = actors or Actors()
    stage = Stage.build(
        folder, [contestant(name) for name in FIELD], bench_judge(judge), questions(PROMPTS), takes_n=takes_n
    )
    assert stage.play(actors)["state"] == "done"
    return stage, actors


@pytest.mark.parametrize("takes_n", [True, False])
def test_a_judge_that_always_prefers_the_first_tells_nothing(tmp_path: Path, takes_n: bool) -> None:
    stage, actors = played(tmp_path / "home", "judge-first", takes_n=takes_n)
    validation = [row[1:] for row in stage.rows(PER_STAGE) if row[0] == "validation"]
    assert validation == [("tie", False, PAIRINGS)]
    ratings = list(stage.ratings().values())
    assert len(ratings) == len(FIELD)
    assert max(map(float, ratings)) - min(map(float, ratings)) < 1e-9  # type: ignore[arg-type]
    board = stage.board()
    assert board["gate"]["c"] == 0
    assert board["head"]["p_first"]["share"] == 1
    assert {row["rank"] for row in board["standings"]} == {1}
    readings = stage.rows("SELECT shown_first, sample, count(*) FROM readings WHERE stage = 'validation' GROUP BY ALL")
    assert sorted(readings) == [(first, sample, PAIRINGS) for first in "ab" for sample in (1, 2, 3)]
    requests = PAIRINGS * 2 * (1 if takes_n else 3)
    assert len(actors.judged) == requests + PAIRINGS, "k separate samples in each order, and one single pass before"


def test_a_judge_that_prefers_a_text_puts_its_author_first(tmp_path: Path) -> None:
    stage, _ = played(tmp_path / "home", "judge-prefers-beta")
    board = stage.board()
    assert board["gate"]["c"] == 1
    assert board["head"]["p_first"]["share"] == 0.5
    best = board["standings"][0]
    assert (best["model"], best["rank"]) == ("beta", 1)
    won = stage.rows(
        "SELECT count(*) FROM verdicts WHERE stage = 'validation' AND consistent AND "
        "((model_a = 'beta' AND outcome = 'a') OR (model_b = 'beta' AND outcome = 'b'))"
    )
    assert won == [(2 * PROMPTS,)]
    assert "unbeaten" in best["flags"]


def test_in_the_second_pass_answer_b_stands_first(tmp_path: Path) -> None:
    """Checked on the prompts as they were sent, for every single request."""
    stage, actors = played(tmp_path / "home", "judge-length", takes_n=False)
    texts = {(prompt, model): text for prompt, model, text in stage.rows("SELECT prompt_id, model, text FROM answers")}
    about = {
        mark: (prompt, a, b, order, level)
        for mark, prompt, a, b, order, level in stage.ledger_rows(
            "SELECT mark, prompt_id, model_a, model_b, \"order\", stage FROM requests WHERE kind = 'judgement'"
        )
    }
    seen = {"ab": 0, "ba": 0}
    for request in actors.judged:
        prompt, a, b, order, level = about[str(mark_in(request))]
        expected = (texts[prompt, a], texts[prompt, b])
        assert slots(request) == (expected if order == "ab" else expected[::-1])
        seen[order] += level == "validation"
    assert seen == {"ab": 3 * PAIRINGS, "ba": 3 * PAIRINGS}
    assert len(about) == len(actors.judged), "every request has a mark of its own"


def test_each_prompt_is_judged_in_its_own_language(tmp_path: Path) -> None:
    stage, _ = played(tmp_path / "home", "judge-length")
    languages = stage.ledger_rows("SELECT template, prompt_id FROM requests WHERE kind = 'judgement' ORDER BY 2")
    dutch = {prompt.id for prompt in questions(PROMPTS) if prompt.language == "nl"}
    assert {prompt for template, prompt in languages if template == "scoring_evidence_nl"} == dutch
    assert {template for template, _ in languages} == {"scoring_evidence", "scoring_evidence_nl"}


def test_screening_shows_each_model_first_as_often_as_second(tmp_path: Path) -> None:
    stage, _ = played(tmp_path / "home", "judge-length")
    rows = stage.rows("SELECT model_a, model_b, shown_first FROM readings WHERE stage = 'screening'")
    firsts = dict.fromkeys(FIELD, 0)
    for a, b, first in rows:
        firsts[a if first == "a" else b] += 1
        firsts[b if first == "a" else a] -= 1
    assert len(rows) == PAIRINGS
    assert all(abs(surplus) <= 1 for surplus in firsts.values())


def test_an_unreadable_judge_makes_no_tie_and_no_rating(tmp_path: Path) -> None:
    stage = Stage.build(
        tmp_path / "home", [contestant(name) for name in FIELD], bench_judge("judge-mute"), questions(PROMPTS)
    )
    record = stage.play(Actors())
    assert record["calls"]["unreadable"] == PAIRINGS * 7
    assert {(outcome, consistent) for _, outcome, consistent, _ in stage.rows(PER_STAGE)} == {("incomplete", None)}
    board = stage.board()
    assert all(row["rating"] is None and row["rank"] is None for row in board["standings"])
    assert board["gate"] is None or board["gate"]["c"] is None
    assert len(stage.rows("SELECT 1 FROM readings WHERE state = 'unreadable' AND text IS NOT NULL")) == PAIRINGS * 7
    again = Actors()
    stage.play(again)
    assert again.asked == [], "an unreadable reply was given and paid: it is not asked for a second time"


def sometimes_mute(request: ChatRequest) -> Line:
    """Prefers beta, and says nothing about every third prompt."""
    text = user_of(request)
    if SECTION.search(text) and any(f"Question {number}?" in text for number in range(0, PROMPTS, 3)):
        return said(*["I would rather not say."] * request.n)
    return in_character(request)


def test_unreadable_pairings_never_raise_c(tmp_path: Path) -> None:
    """Against a judge that always prefers the first, C stays 0 however much cannot be read."""
    stage, _ = played(tmp_path / "home", "judge-first", Actors({"judge-first": sometimes_mute}))
    gate = stage.board()["gate"]
    readable = 3 * (PROMPTS - len(range(0, PROMPTS, 3)))
    assert (gate["c"], gate["n"]) == (0, readable)
    assert [row for row in stage.rows(PER_STAGE) if row[0] == "validation"] == [
        ("validation", "incomplete", None, PAIRINGS - readable),
        ("validation", "tie", False, readable),
    ]
    assert {row["n"] for row in stage.board()["standings"]} == {readable * 2 // 3}


def only_in_first_order(request: ChatRequest) -> Line:
    """Readable only while beta stands second."""
    text = user_of(request)
    if not SECTION.search(text) or "beta" not in slots(request)[0]:
        return in_character(request)
    return said(*["?"] * request.n)


def test_half_a_pairing_decides_nothing(tmp_path: Path) -> None:
    stage, _ = played(tmp_path / "home", "judge-prefers-beta", Actors({"judge-prefers-beta": only_in_first_order}))
    outcomes = stage.rows(
        "SELECT DISTINCT outcome, consistent FROM verdicts WHERE stage = 'validation' AND 'beta' IN (model_a, model_b)"
    )
    assert outcomes == [("incomplete", None)]


def test_every_turn_is_asked_with_the_turns_before_it(tmp_path: Path) -> None:
    prompts = [Prompt(id=f"t{i}", turns=(f"First {i}?", "Second?", "Third?"), system="Be brief.") for i in range(3)]
    stage = Stage.build(
        tmp_path / "home", [contestant("alpha"), contestant("beta")], bench_judge("judge-length"), prompts
    )
    actors = Actors()
    record = stage.play(actors)
    assert record["state"] == "done"
    assert len(actors.answered) == 2 * 3 * 3
    texts = {(p, m, t): x for p, m, t, x in stage.rows("SELECT prompt_id, model, turn, text FROM answers")}
    last = [request for request in actors.answered if len(request.messages) == 6]
    assert len(last) == 6
    for request in last:
        model = request.endpoint.litellm.removeprefix("openai/")
        prompt = f"t{request.messages[1].content[6]}"
        said_before = [message.content for message in request.messages if message.role == "assistant"]
        assert said_before == [texts[prompt, model, 0], texts[prompt, model, 1]]
        assert request.messages[0].content == "Be brief."
    judged = actors.judged[0]
    mark = mark_in(judged)
    assert all(f"<<turn {turn} {mark}>>" in user_of(judged) for turn in (1, 2, 3))
    assert record["calls"]["made"] == 18 + 3 + 3 * 2
