"""`leaderboard plan`: how many pairings, calls and dollars it takes to see a difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leaderboard.cli import options as o
from leaderboard.cli.screen import facts, print_json, say, usd
from leaderboard.cli.stores import snapshot_of

if TYPE_CHECKING:
    from leaderboard.core.power import Of

OPTION = {"decided": "consistency"}


def plan(
    difference: Annotated[float, typer.Option("--difference", help="Share won minus share lost, for example 0.03.")],
    of: Annotated[str, typer.Option("--of", help="The difference is of all pairings, or of the decided ones.")] = "all",
    consistency: Annotated[
        float, typer.Option("--consistency", help="Share of pairings decided alike in both orders (D of `bias`).")
    ] = 1.0,
    power: Annotated[float, typer.Option("--power", help="Chance to see it if it is there.")] = 0.8,
    alpha: Annotated[float, typer.Option("--alpha", help="Chance to see it if it is not.")] = 0.05,
    protocol: Annotated[str, typer.Option("--protocol", help="single, random, swap, mec or mec_bpc.")] = "swap",
    samples: Annotated[int, typer.Option("--samples", min=1, help="Samples an order, where the protocol has k.")] = 3,
    judge: o.JudgeOption = None,
    home: o.HomeOption = o.DEFAULT_HOME,
    as_json: o.JsonOption = False,
) -> None:
    """Say how many pairings would show a difference.

    With --judge the price is what a reading of that judge has cost in validation so far.
    """
    pairings = math.ceil(_needed(difference, of, consistency, power, alpha))
    orders, k = _asked(protocol, samples)
    paid = _paid(home, judge) if judge is not None else Paid(reason="no judge is named")
    calls = pairings * orders * (1 if paid.takes_n else k)
    found: dict[str, object] = {
        "pairings": pairings,
        "calls": calls,
        "usd": None if paid.usd is None else pairings * orders * k * paid.usd,
        "usd_reason": paid.reason,
        "judge": judge,
        "protocol": protocol,
        "difference": difference,
        "of": of,
        "consistency": consistency,
        "power": power,
        "alpha": alpha,
    }
    print_json(found) if as_json else _show(found)


def _needed(difference: float, of: str, decided: float, power: float, alpha: float) -> float:
    from leaderboard.core.power import pairings_needed
    from leaderboard.errors import BadInput

    if of not in ("all", "decided"):
        raise BadInput(f"--of {of!r}: must be all or decided")
    of_what: Of = "all" if of == "all" else "decided"
    try:
        return pairings_needed(difference, of=of_what, decided=decided, power=power, alpha=alpha)
    except ValueError as error:
        name, _, rest = str(error).partition(" must ")
        raise BadInput(f"--{OPTION.get(name, name)} must {rest}" if rest else str(error)) from None


def _asked(protocol: str, samples: int) -> tuple[int, int]:
    """How many orders, and samples in each."""
    from leaderboard.core.protocol import protocol_named

    wanted = protocol_named(protocol)
    return 2 if wanted.both_orders else 1, samples if wanted.many else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """USD a reading of validation, as paid so far; None with the reason. `takes_n`: a call brings all samples."""

    usd: float | None = None
    reason: str | None = None
    takes_n: bool = False


def _paid(home: Path, judge: str) -> Paid:
    from leaderboard.errors import NotFound

    with snapshot_of(home) as reader:
        judges = {str(row["id"]): row for row in reader.judges()}
        charges = [row for row in reader.spend()["items"] if (row["judge"], row["stage"]) == (judge, "validation")]
    if judge not in judges:
        raise NotFound(f"no judge {judge!r}; there are: {', '.join(judges) or 'none'}")
    takes_n = bool(judges[judge]["takes_n"])
    readings = sum(facts["readings"] for facts in judges[judge]["readings"] if facts["stage"] == "validation")
    if not readings:
        return Paid(reason="the judge has validated nothing yet", takes_n=takes_n)
    if any(row["unpriced"] for row in charges):
        return Paid(reason="some of the judge's calls have no price", takes_n=takes_n)
    return Paid(usd=sum(row["cost_usd"] for row in charges) / readings, takes_n=takes_n)


def _show(found: Mapping[str, object]) -> None:
    say(f"{found['pairings']} pairings, {found['calls']} judge calls under {found['protocol']}")
    price = found["usd"]
    told = usd(price) if isinstance(price, float) else f"unknown: {found['usd_reason']}"
    facts([("price", told), ("beware", "pairings that share a prompt count less: multiply by the design effect")])
