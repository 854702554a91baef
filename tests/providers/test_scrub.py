"""No key in a text that is stored or shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.providers.errors import ProviderError
from leaderboard.providers.scrub import plain_line, scrub


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
        ("\x1b[31mred\x1b[0m, \x9b1mbold\x9b0m", "red, bold"),
        ("\x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b(B", "a link"),
        ("\x1b]0;never closed", "0;never closed"),
        ("a\x00b\x85c\x9fd\u202ee\u2066f\u200bg\ufeffh\u2028i\ud800j", "ab cdefgh ij"),
        ("Bearer \u200babc\x07def.123\x1b[1m456", "Bearer [secret]"),
        ("It broke Traceback (most recent call last):\n  File x\n    key", "It broke"),
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


@given(st.text(max_size=400))
def test_what_remains_is_seen_and_has_no_effect(text: str) -> None:
    for line in (scrub(text), plain_line(text), str(ProviderError(text, kind="server"))):
        assert "".join(line.split(" ")).isprintable() or not line.isascii()
        assert not any(ord(one) < 32 or 127 <= ord(one) < 160 or one in "\u202e\u2066\u200f\u2028" for one in line)
        assert line.encode()[:1200].decode() == " ".join(line.split())


def test_the_error_of_a_provider_is_scrubbed_whoever_makes_it() -> None:
    assert str(ProviderError("Bearer abcdef.123456\nno\x1b[2J", kind="auth")) == "Bearer [secret] no"
    assert str(ProviderError("\x00", kind="auth")) == "auth"


def test_a_huge_text_takes_no_time_to_speak_of() -> None:
    for flood in ("\x9d", "\x1b]", "\u200b", "Bearer ", "x"):
        assert len(scrub(flood * 1_000_000)) <= 300
