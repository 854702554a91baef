"""No key in a text that is stored or shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.providers.scrub import scrub


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Incorrect API key provided: sk-proj-abcdef123456.", "Incorrect API key provided: [secret]."),
        ("header Authorization: Bearer abcdef.123456", "header Authorization: [secret] [secret]"),
        ("Bearer abcdef.123456 is wrong", "Bearer [secret] is wrong"),
        ("GET /x?key=AbCd1234&alt=json", "GET /x?key=[secret]&alt=json"),
        ('{"api_key": "zzzzzz"}', '{"api_key": "[secret]"}'),
        ("AIzaSyA1234567890abcdefghijklmn", "[secret]"),
        ("AKIAIOSFODNN7EXAMPLE", "[secret]"),
        ("gsk_abcdefgh12345 xai-abcdefgh1234", "[secret] [secret]"),
        ("max_tokens: 100 is too many tokens", "max_tokens: 100 is too many tokens"),
        ("two\n lines\tand  more", "two lines and more"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, clean: str) -> None:
    assert scrub(text) == clean


def test_the_key_in_use_is_hidden_whatever_it_looks_like() -> None:
    assert scrub("you sent hunter2hunter2", ["hunter2hunter2", None]) == "you sent [secret]"


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=400),
    st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=40),
    st.text(max_size=400),
)
def test_no_known_secret_survives(before: str, secret: str, after: str) -> None:
    clean = scrub(before + secret + after, [secret])
    assert secret not in clean
    assert len(clean) <= 300
