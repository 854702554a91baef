"""What is measured: each case loads its own input, then hands back the work that is put on the clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.peers import arena_rank, arenakit, choix, evalica, fastchat, ours

if TYPE_CHECKING:
    from benchmarks.peers.field import Floats, Size

Work = Callable[[], "Floats"]
"""The timed part. Gives ratings in the order of the model's numbers: Elo points, in any origin."""

Prepare = Callable[[Path, "Size", int], Work]
"""(folder with the battles, size, bootstrap rounds): imports, and loads what the library starts from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`gives`: what is compared with what: "point" or "interval". `library`: the module that must be there.

    `prior`: of the estimator, so that its error is measured against its own maximum. `calls`: 2 where the first call
    compiles. `rounds`: of a bootstrap, by size; `point`: the same library's case without it. `left_out`: sizes that are
    not run, with the reason.
    """

    name: str
    gives: str
    library: str
    prepare: Prepare
    prior: float = 0.0
    calls: int = 1
    rounds: Mapping[str, int] = field(default_factory=dict)
    point: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


OURS = {"point": "leaderboard: point fit", "interval": "leaderboard: fit, intervals by prompt"}
EVALICA = "evalica: names as arrays"
ARENA_RANK = "arena-rank: fit, intervals by battle"
OBJECTS_BUILT = "arenakit: from its objects"
LATER = "FastChat's later method"

DENSE_DESIGN = "a dense design of 2 rows a battle: {:.1f} GB".format
OBJECTS = "one object a battle: by the size before, 9 GB and 45 s CPU until it starts"

CASES = (
    Case(name=OURS["point"], gives="point", library="leaderboard", prepare=ours.point, prior=0.5),
    Case(name=OURS["interval"], gives="interval", library="leaderboard", prepare=ours.interval, prior=0.5),
    Case(name=EVALICA, gives="point", library="evalica", prepare=evalica.names),
    Case(name="evalica: models numbered before", gives="point", library="evalica", prepare=evalica.numbers),
    Case(
        name="evalica: bootstrap intervals",
        gives="interval",
        library="evalica",
        prepare=evalica.bootstrap,
        rounds={"small": 100, "arena": 3},
        point=EVALICA,
        left_out={"large": "each round copies ten million names as objects: by the size before, 5 GB"},
    ),
    Case(name=ARENA_RANK, gives="interval", library="arena_rank", prepare=arena_rank.interval, calls=2),
    Case(
        name=OBJECTS_BUILT,
        gives="point",
        library="arenakit",
        prepare=arenakit.from_objects,
        prior=0.5,
        left_out={"large": OBJECTS},
    ),
    Case(
        name="arenakit: objects built on the clock",
        gives="point",
        library="arenakit",
        prepare=arenakit.from_rows,
        prior=0.5,
        left_out={"large": OBJECTS},
    ),
    Case(
        name="arenakit: bootstrap by prompt",
        gives="interval",
        library="arenakit",
        prepare=arenakit.bootstrap,
        prior=0.5,
        rounds={"small": 100, "arena": 5},
        point=OBJECTS_BUILT,
        left_out={"large": OBJECTS},
    ),
    Case(
        name="FastChat's first method",
        gives="point",
        library="sklearn",
        prepare=fastchat.dense,
        left_out={"arena": DENSE_DESIGN(3.5), "large": DENSE_DESIGN(80)},
    ),
    Case(name=LATER, gives="point", library="pandas", prepare=fastchat.aggregated),
    Case(
        name="FastChat's later method, bootstrap",
        gives="interval",
        library="pandas",
        prepare=fastchat.bootstrap,
        rounds={"small": 100, "arena": 10, "large": 5},
        point=LATER,
    ),
    Case(name="choix: matrix counted by numpy", gives="point", library="choix", prepare=choix.dense),
    Case(
        name="choix: list of pairs",
        gives="point",
        library="choix",
        prepare=choix.listed,
        left_out={"large": "a Python loop over 20 million pairs in each step: some 6 times the size before"},
    ),
)
BY_NAME = {case.name: case for case in CASES}
