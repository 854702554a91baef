"""Which readings a comparison needs."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.core.types import Order
from leaderboard.errors import BadInput

BOTH_ORDERS = frozenset(Order)


@dataclass(frozen=True, slots=True)
class Protocol:
    """`both_orders`: judged with each answer first. `many`: k samples an order. `drawn`: the one order is drawn."""

    name: str
    both_orders: bool
    many: bool
    drawn: bool = False


PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("single", both_orders=False, many=False),
        Protocol("random", both_orders=False, many=False, drawn=True),
        Protocol("swap", both_orders=True, many=False),
        Protocol("mec", both_orders=False, many=True),
        Protocol("mec_bpc", both_orders=True, many=True),
    )
}


def asked(protocol: str, k: int, drawn: Order | None = None) -> tuple[frozenset[Order], int]:
    """The orders that the protocol asks for, and how many samples in each.

    `drawn` is the pairing's own order under a protocol that draws it (`pairing.drawn_order`); the others ignore it.
    Raises BadInput for an unknown protocol, and ValueError for k < 1 or a drawn protocol without its order.
    """
    if k < 1:
        raise ValueError(f"samples must be at least 1, got {k}")
    wanted = protocol_named(protocol)
    return _orders(wanted, drawn), k if wanted.many else 1


def protocol_named(name: str) -> Protocol:
    """The protocol, or BadInput with the names there are."""
    if name not in PROTOCOLS:
        raise BadInput(f"no protocol named {name!r}: use one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def _orders(protocol: Protocol, drawn: Order | None) -> frozenset[Order]:
    if protocol.both_orders:
        return BOTH_ORDERS
    if not protocol.drawn:
        return frozenset({Order.AB})
    if drawn is None:
        raise ValueError(f"protocol {protocol.name} needs the order that was drawn for the pairing")
    return frozenset({drawn})
