"""Whole nano-dollars: exact, rounded up, and never more than was reserved."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.core.messages import Message
from leaderboard.core.money import content_bytes, cost_nano, usd, worst_case_nano
from leaderboard.core.types import Price

PRICE = st.builds(
    Price, *[st.decimals(0, 100, places=6, allow_nan=False, allow_infinity=False).map(abs) for _ in range(2)]
)
TOKENS = st.integers(0, 10**6)


@pytest.mark.parametrize(
    ("tokens", "price", "nano"),
    [
        ((1_000_000, 0), ("1", "0"), 10**9),  # the price is per million tokens
        ((1000, 500), ("2.50", "10"), 7_500_000),
        ((1, 0), ("0.0004", "1"), 1),  # 0.4 nano-dollars cost one
        ((3, 0), ("0.0015", "0"), 5),  # 4.5 cost five
        ((3, 7), ("0.1", "0.2"), 1700),  # exact: in floats 0.1 * 3 + 0.2 * 7 lies above 1.7
        ((0, 0), ("5", "5"), 0),
        ((10, 10), ("0", "0"), 0),
    ],
)
def test_cost_of_a_request(tokens, price, nano):
    assert cost_nano(*tokens, Price(*map(Decimal, price))) == nano


@given(TOKENS, TOKENS, PRICE)
def test_cost_is_rounded_up_by_less_than_one(prompt, completion, price):
    exact = 1000 * (prompt * Fraction(price.input) + completion * Fraction(price.output))
    assert 0 <= cost_nano(prompt, completion, price) - exact < 1


@pytest.mark.parametrize(("tokens", "price"), [((-1, 0), ("1", "1")), ((0, -1), ("1", "1")), ((1, 1), ("-1", "1"))])
def test_nothing_negative_is_priced(tokens, price):
    with pytest.raises(ValueError, match="negative"):
        cost_nano(*tokens, Price(*map(Decimal, price)))


@pytest.mark.parametrize(
    ("texts", "size"),
    [([], 0), (["abc", "d"], 4), (["é"], 2), (["漢字"], 6), (["🙂"], 4), (["\ud800"], 3), (["\x00"], 1)],
)
def test_content_bytes_are_utf8(texts, size):
    assert content_bytes(Message("user", text) for text in texts) == size


@given(st.lists(st.text(), max_size=4), st.integers(1, 5), st.integers(1, 4096), PRICE, st.data())
def test_the_worst_case_covers_every_byte_level_tokenizer(texts, n, limit, price, data):
    size = content_bytes(Message("user", text) for text in texts)
    prompt = data.draw(st.integers(0, size + 16 * len(texts) + 16))
    completion = data.draw(st.integers(0, n * limit))
    assert cost_nano(prompt, completion, price) <= worst_case_nano(size, len(texts), n, limit, price)


def test_the_worst_case_of_a_known_request():
    assert worst_case_nano(100, 2, 3, 50, Price(Decimal(1), Decimal(2))) == 1000 * (100 + 32 + 16) + 2000 * 150


@pytest.mark.parametrize(("limit", "price"), [(None, Price(Decimal(1), Decimal(1))), (100, None)])
def test_an_unknown_price_or_limit_has_no_worst_case(limit, price):
    assert worst_case_nano(10, 1, 1, limit, price) is None


@pytest.mark.parametrize(("nano", "dollars"), [(0, 0.0), (1, 1e-9), (1_234_567_890, 1.23456789), (10**18 + 1, 1e9)])
def test_dollars_are_the_nearest_float(nano, dollars):
    assert usd(nano) == dollars
