from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.errors import BadInput
from leaderboard.ledger.ids import folded, storable, tidy_id

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.mark.parametrize(
    ("given_id", "tidied"),
    [
        ("gpt-4o", "gpt-4o"),
        ("  meta-llama/Llama 3.1:70b \n", "meta-llama/Llama 3.1:70b"),
        ("cafe\u0301", "caf\u00e9"),
        ("模型/五", "模型/五"),
        ("x" * 200, "x" * 200),
        ("\u00a0a\u00a0b\u00a0", "a\u00a0b"),
    ],
)
def test_ids_are_composed_and_trimmed(given_id: str, tidied: str) -> None:
    assert tidy_id(given_id) == tidied


@pytest.mark.parametrize(
    ("refused", "named"),
    [
        ("", "empty"),
        (" \t ", "empty"),
        ("x" * 201, "201"),
        ("a\0b", "position 2"),
        ("  a\nb", "position 4"),
        ("ab\u2028c", "position 3"),
        ("ab\u2029c", "position 3"),
        ("gpt\u200b-4", "position 4"),
        ("\u202eabc", "position 1"),
        ("a\u2066bc", "position 2"),
        ("abc\ufeff", "position 4"),
        ("a\u00adb", "U+00AD"),
        ("a\ufe0f", "U+FE0F"),
        ("a\u3164", "U+3164"),
        ("a\ud83d", "U+D83D"),
        ("a\x7fb", "U+007F"),
    ],
)
def test_what_cannot_be_seen_is_refused_by_its_place(refused: str, named: str) -> None:
    with pytest.raises(BadInput, match=re.escape(named)) as refusal:
        tidy_id(refused)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GPT-4o", "gpt-4O"),
        ("straße", "STRASSE"),
        ("ＧＰＴ", "gpt"),
        ("ﬁne", "fine"),
        ("сlaude", "claude"),  # Cyrillic es
        ("СLAUDE", "claude"),
        ("Мistral", "mistral"),  # Cyrillic em
        ("gрt", "gpt"),  # Cyrillic er
        ("νicuna", "vicuna"),  # Greek nu
        ("ΑΒΕ", "abe"),  # all Greek
        ("a\u00a0b", "a b"),
        ("cafe\u0301", "café"),
    ],
)
def test_look_alikes_fold_together(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("gpt-4", "gpt-4o"), ("café", "cafe"), ("a b", "ab"), ("a/b", "a:b"), ("l1", "ll")]
)
def test_different_names_stay_apart(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@given(st.text(max_size=30))
def test_a_tidied_id_is_tidy_and_composed(text: str) -> None:
    try:
        tidied = tidy_id(text)
    except BadInput:
        return
    assert tidy_id(tidied) == tidied
    assert unicodedata.is_normalized("NFC", tidied)
    assert folded(tidied) == folded(unicodedata.normalize("NFC", text).strip())


@given(ANY_TEXT)
def test_a_storable_text_encodes_and_only_lone_surrogates_change(text: str) -> None:
    kept, replaced = storable(text)
    assert kept.encode("utf-8").decode("utf-8") == kept
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", "x", text)
    lone = len(re.findall("[\ud800-\udfff]", joined))
    assert replaced == (lone > 0)
    assert kept.count("\ufffd") == lone + text.count("\ufffd")
    assert len(kept) == len(joined)


@pytest.mark.parametrize(
    ("text", "kept", "replaced"),
    [
        ("NUL \0 and \u2028 and 👩‍👩‍👧", "NUL \0 and \u2028 and 👩‍👩‍👧", False),
        ("half \ud83d", "half \ufffd", True),
        ("\ud83d\ude00", "😀", False),
        ("\ude00\ud83d", "\ufffd\ufffd", True),
    ],
)
def test_awkward_texts(text: str, kept: str, replaced: bool) -> None:
    assert storable(text) == (kept, replaced)
