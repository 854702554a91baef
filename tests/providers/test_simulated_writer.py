"""Simulated contestants: their texts carry their quality, and nothing else of them."""

from __future__ import annotations

import json
import math
import statistics
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.providers.simulated_phrases import PHRASES, language_of
from leaderboard.providers.simulated_quality import errors_in, read_features, sentences_of, sort_of_point
from leaderboard.providers.simulated_writer import (
    STYLES,
    Contestant,
    latent_quality,
    salient_words,
    write_answer,
)

DATA = Path(__file__).parents[2] / "data"
ENGLISH = "Explain to a ten-year-old why the moon changes shape during the month, with a small experiment."
DUTCH = "Leg uit waarom een fiets overeind blijft zolang hij rijdt, en geef een voorbeeld voor kinderen."


def demo() -> dict[str, Any]:
    return tomllib.loads((DATA / "demo.toml").read_text())


def prompts() -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (DATA / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{**row, "text": row.get("text") or "\n\n".join(row["turns"])} for row in rows]


@settings(max_examples=60, deadline=None)
@given(st.floats(-2.5, 2.5), st.sampled_from(STYLES), st.integers(0, 10**6), st.sampled_from([ENGLISH, DUTCH]))
def test_the_text_says_how_good_it_is(skill: float, style: str, seed: int, prompt: str) -> None:
    contestant = Contestant(skill, style, seed)
    read = read_features(write_answer(contestant, prompt)).quality
    assert abs(read - latent_quality(contestant, prompt)) <= 0.1


def test_the_same_contestant_writes_the_same_and_another_does_not() -> None:
    contestant = Contestant(0.5)
    assert write_answer(contestant, ENGLISH) == write_answer(contestant, ENGLISH)
    others = [Contestant(0.6), Contestant(0.5, "formal"), Contestant(0.5, seed=1)]
    texts = {write_answer(other, ENGLISH) for other in others} | {write_answer(contestant, ENGLISH, index=1)}
    assert len(texts | {write_answer(contestant, ENGLISH)}) == 5


def test_answers_speak_the_prompts_language_and_its_words() -> None:
    for row in prompts():
        text = write_answer(Contestant(0.0), row["text"])
        assert language_of(row["text"]) == row["language"]
        assert language_of(text) == row["language"], row["id"]
        assert sum(word in text for word in salient_words(row["text"], row["language"])) >= 2


def test_a_prompt_without_long_words_gets_an_answer_too() -> None:
    assert "the matter" in write_answer(Contestant(0.0), "Why? And how so?")
    assert write_answer(Contestant(0.0), "")


@pytest.mark.parametrize("language", ["en", "nl"])
def test_the_grammar_is_what_the_judge_recognises(language: str) -> None:
    phrases = PHRASES["nl" if language == "nl" else "en"]
    right = {"w": "alpha", "v": "beta", "a": 3, "b": 4, "c": 12}
    wrong = {**right, "c": 13}
    for template in phrases.points:
        assert sort_of_point(template.format(**right)), template
        assert len(sentences_of(template.format(**right))) == 1
    for template in phrases.slips:
        assert len(errors_in(template.format(**wrong))) == 1, template
        assert sort_of_point(template.format(**wrong)) is None
    for template in (*phrases.asides, *phrases.chatter, *phrases.formal):
        features = read_features(template.format(**right))
        assert (features.point_count, features.errors) == (0, ()), template
    assert all(read_features(template.format(**right)).informal >= 1 for template in phrases.chatter)
    assert all(read_features(template.format(**right)).formal == 1 for template in phrases.formal)


def test_the_demos_field_is_in_no_order_that_its_names_give_away() -> None:
    skills = [model["params"]["skill"] for model in sorted(demo()["model"], key=lambda model: str(model["id"]))]
    assert len(skills) == 8
    gaps = [round(b - a, 9) for a, b in pairwise(sorted(skills))]
    assert gaps == [0.62] * 7
    assert skills != sorted(skills)
    assert skills != sorted(skills, reverse=True)
    for model in demo()["model"]:
        text = write_answer(Contestant(model["params"]["skill"], model["params"]["style"]), ENGLISH)
        assert str(abs(model["params"]["skill"])) not in text
        assert model["id"] not in text


def share(gap: float, tie_width: float = 0.3) -> float:
    """Expected score of a reading without bias under standard logistic noise, a tie counting half."""

    def below(x: float) -> float:
        return 1 / (1 + math.exp(-x))

    return 1 - below(tie_width - gap) + 0.5 * (below(tie_width - gap) - below(-tie_width - gap))


def elo(expected: float) -> float:
    return 400 * math.log10(expected / (1 - expected))


def test_neighbours_are_90_to_100_elo_apart_in_one_fair_reading() -> None:
    """The real texts of the field, on the real prompts, over four seeds; averaged over prompts per pair."""
    field = sorted((model["params"]["skill"], model["params"]["style"]) for model in demo()["model"])
    texts = [row["text"] for row in prompts()]
    gaps = []
    for seed in range(4):
        read = [
            [read_features(write_answer(Contestant(skill, style, seed), text)).quality for text in texts]
            for skill, style in field
        ]
        for weaker, stronger in pairwise(read):
            expected = statistics.mean(share(b - a) for a, b in zip(weaker, stronger, strict=True))
            gaps.append(elo(expected))
    assert 90 <= statistics.mean(gaps) <= 100
