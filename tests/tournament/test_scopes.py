"""Scopes: which verdicts belong to a category, a language or a group."""

from __future__ import annotations

import pytest

from leaderboard.errors import NotFound
from leaderboard.history.records import PromptFacts, RatingFacts
from leaderboard.tournament.scopes import in_scope, scopes_of
from tests.tournament.rating_facts import Row, facts

PROMPTS = [
    PromptFacts("p1", category="facts", language="en"),
    PromptFacts("p2", category="style", language="en", group="hard"),
    PromptFacts("p3", category="facts", language="nl"),
]


def judged() -> RatingFacts:
    rows = [
        Row("p1", "a", "b", "a", "a", nano_usd=1, lengths=(10, 20)),
        Row("p2", "a", "b", "b", "b", nano_usd=2, lengths=(30, 40)),
        Row("p2", "a", "c", "a", None, nano_usd=3, lengths=(30, 50)),
        Row("p3", "b", "c", "tie", "tie", nano_usd=4, lengths=(60, 70), simulated=True),
        Row("p4", "b", "c", "a", "a", nano_usd=5, lengths=(80, 90)),
    ]
    return facts(rows, PROMPTS)


def test_every_trait_of_a_judged_prompt_is_a_scope() -> None:
    assert scopes_of(judged()) == ["category=facts", "category=style", "group=hard", "language=en", "language=nl"]
    assert scopes_of(facts([])) == []


def test_scopes_of_several_stages_are_named_once() -> None:
    other = facts([Row("p9", "a", "b", "a", "a")], [PromptFacts("p9", category="facts", language="de")])
    assert scopes_of(judged(), other) == [*scopes_of(judged())[:3], "language=de", "language=en", "language=nl"]


@pytest.mark.parametrize(
    ("scope", "money"),
    [
        ("overall", [1, 2, 3, 4, 5]),
        ("language=en", [1, 2, 3]),
        ("language=nl", [4]),
        ("group=hard", [2, 3]),
        ("category=facts", [1, 4]),
    ],
)
def test_a_scope_keeps_its_rows_in_their_order_and_the_whole_field(scope: str, money: list[int]) -> None:
    found = in_scope(judged(), scope)
    assert found.nano_usd.tolist() == money
    assert found.judged.models == ("a", "b", "c")
    assert len(found.judged) == len(found.simulated) == len(money)
    assert found.length_a is not None
    assert found.length_a.tolist() == [[10, 30, 30, 60, 80][one - 1] for one in money]


@pytest.mark.parametrize("scope", ["language=fr", "language=", "en", "colour=en", "Category=facts"])
def test_an_unknown_scope_is_refused_with_those_that_there_are(scope: str) -> None:
    with pytest.raises(
        NotFound, match=r"overall, category=facts, category=style, group=hard, language=en, language=nl"
    ):
        in_scope(judged(), scope)
