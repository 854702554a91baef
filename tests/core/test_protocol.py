"""Which readings a comparison needs."""

import pytest

from leaderboard.core.protocol import PROTOCOLS, asked
from leaderboard.core.types import Order
from leaderboard.errors import BadInput

AB, BA = Order.AB, Order.BA


@pytest.mark.parametrize(
    ("protocol", "orders", "samples"),
    [
        ("single", {AB}, 1),
        ("swap", {AB, BA}, 1),
        ("mec", {AB}, 3),
        ("mec_bpc", {AB, BA}, 3),
    ],
)
def test_a_protocol_asks_for_orders_and_samples(protocol, orders, samples):
    assert asked(protocol, 3) == (orders, samples)


@pytest.mark.parametrize("drawn", [AB, BA])
def test_the_random_protocol_asks_once_in_the_drawn_order(drawn):
    assert asked("random", 3, drawn) == ({drawn}, 1)


def test_the_random_protocol_needs_a_drawn_order():
    with pytest.raises(ValueError, match="drawn"):
        asked("random", 1)


def test_an_unknown_protocol_is_refused_with_the_names_there_are():
    with pytest.raises(BadInput) as refused:
        asked("double", 1)
    assert all(name in str(refused.value) for name in ("double", *PROTOCOLS))


def test_no_samples_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        asked("mec", 0)


def test_the_registry_is_keyed_by_name():
    assert all(protocol.name == name for name, protocol in PROTOCOLS.items())
