"""Parameters tried one on top of the other."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from leaderboard.errors import BadInput
from leaderboard.providers.parameters import Refused, accepted, check_strict, first_sentence


def picky(params: Mapping[str, object]) -> Mapping[str, object]:
    """Takes no seed, not temperature with top_p, and drops `user_tag` in silence."""
    if "seed" in params:
        raise Refused("litellm.UnsupportedParamsError: seed is unknown. To drop these, set drop_params")
    if {"temperature", "top_p"} <= set(params):
        raise Refused("temperature and top_p exclude each other")
    return {name: value for name, value in params.items() if name != "user_tag"}


def test_of_two_that_exclude_each_other_the_first_stays() -> None:
    sent, not_sent = accepted({"top_p": 0.9, "seed": 1, "temperature": 0, "user_tag": "x", "max_tokens": 5}, picky)
    assert sent == {"top_p": 0.9, "max_tokens": 5}
    assert not_sent == {
        "seed": "seed is unknown",
        "temperature": "temperature and top_p exclude each other",
        "user_tag": "never reaches the provider on this route",
    }


def test_strict_names_the_first() -> None:
    check_strict("openai/x", {"seed": 1}, {})
    with pytest.raises(BadInput, match="params: seed = 1 cannot be sent to openai/x: no seed"):
        check_strict("openai/x", {"seed": 1}, {"seed": "no seed"})


def test_reasons_are_short() -> None:
    assert len(first_sentence("word " * 200)) <= 200
    assert (
        first_sentence("litellm.UnsupportedParamsError: a=0.0 is not taken. Only 1 is. To drop") == "a=0.0 is not taken"
    )
