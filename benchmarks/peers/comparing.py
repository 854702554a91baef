"""From what was measured to ratios, and to whether this program keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.peers.cases import ARENA_RANK, EVALICA, OURS
from benchmarks.peers.running import Row


@dataclass(frozen=True, slots=True)
class Target:
    """This program's `measure` (a column) shall be at most `most` times that of `peer`."""

    size: str
    gives: str
    peer: str
    measure: str
    most: float


TARGETS = (
    Target("arena", "point", EVALICA, "cpu_s", 0.25),
    Target("arena", "interval", ARENA_RANK, "cpu_s", 0.2),
    Target("large", "point", EVALICA, "cpu_s", 0.5),
    Target("large", "point", EVALICA, "peak_mib", 0.5),
)


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Each row with `peer_over_ours` and `ours_over_peer`: CPU against this program's case that gives the same.

    `round_cpu_s`: what a bootstrap's round cost beyond the point fit.
    """
    own = {(row["size"], row["gives"]): row["cpu_s"] for row in rows if row["case"] in OURS.values()}
    cpu: dict[object, dict[object, object]] = {row["size"]: {} for row in rows}
    for row in rows:
        cpu[row["size"]][row["case"]] = row["cpu_s"]
    return [
        row
        | {
            "peer_over_ours": _over(row["cpu_s"], own.get((row["size"], row["gives"]))),
            "ours_over_peer": _over(own.get((row["size"], row["gives"])), row["cpu_s"]),
            "round_cpu_s": _round(row, cpu[row["size"]]),
        }
        for row in rows
    ]


def _round(row: Row, cpu: dict[object, object]) -> float | None:
    whole, point, rounds = row["cpu_s"], cpu.get(row.get("point")), row.get("rounds")
    if not (isinstance(whole, float) and isinstance(point, float) and isinstance(rounds, int)):
        return None
    return (whole - point) / rounds


def kept(rows: Sequence[Row]) -> list[Row]:
    """A row a target: the ratio and `met`, None where one of the two was not measured."""
    found = {(row["size"], row["case"]): row for row in rows}
    return [_kept(target, found) for target in TARGETS if any(row["size"] == target.size for row in rows)]


def _kept(target: Target, found: dict[tuple[object, object], Row]) -> Row:
    own, peer = (found.get((target.size, name), {}) for name in (OURS[target.gives], target.peer))
    ratio = _over(own.get(target.measure), peer.get(target.measure))
    return {
        "size": target.size,
        "gives": target.gives,
        "peer": target.peer,
        "measure": target.measure,
        "at_most": target.most,
        "ratio": ratio,
        "met": None if ratio is None else ratio <= target.most,
    }


def _over(above: object, below: object) -> float | None:
    return above / below if isinstance(above, float) and isinstance(below, float) and below else None
