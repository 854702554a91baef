"""`python -m benchmarks [--json] [--only PART,...] [--sizes SIZE,...]`: every benchmark in one run, in CPU time."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from benchmarks import coverage, playing, refitting, starting
from benchmarks.peers import comparing, running, table
from benchmarks.peers.field import SIZES

AGAINST_BARE = {"starting": starting.measure, "playing": playing.measure, "refitting": refitting.measure}
USUAL = (*AGAINST_BARE, "peers")
PARTS = (*USUAL, "coverage")
COVERAGE = {"runs": 1000, "regime_runs": 400, "seed": 0}
"""It counts, takes several minutes and is no matter of speed: it runs when it is asked for."""


def main() -> None:
    asked = _arguments()
    found: dict[str, object] = {}
    for part in asked.only:
        values, lines = _against_bare(part) if part in AGAINST_BARE else OTHERS[part](asked.sizes)
        found |= {name: [*found.get(name, ()), *rows] for name, rows in values.items()}  # type: ignore[misc]
        if not asked.json:
            print("\n".join(lines), flush=True)
    if asked.json:
        print(json.dumps(found))


Part = tuple[dict[str, list[dict[str, object]]], list[str]]
"""What goes into the JSON by name, and the same as lines of text."""


def _against_bare(part: str) -> Part:
    rows = AGAINST_BARE[part]()
    figures = ((float(str(row["ratio"])), float(str(row["cpu_s"])), row["what"]) for row in rows)
    return {"items": rows}, [f"{ratio:8.2f} x   {cpu:10.5f} s   {what}" for ratio, cpu, what in figures]


def _peers(sizes: tuple[str, ...]) -> Part:
    rows = comparing.with_ratios(running.measure(sizes, _note))
    targets = comparing.kept(rows)
    return {"peers": rows, "targets": targets}, [*table.of_rows(rows), "", *table.of_targets(targets)]


def _coverage(sizes: tuple[str, ...]) -> Part:
    rows = list(coverage.measure(**COVERAGE))
    return {"coverage": rows}, [coverage.line(row) for row in rows]


OTHERS: dict[str, Callable[[tuple[str, ...]], Part]] = {"peers": _peers, "coverage": _coverage}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="CPU time, as ratios in the same run.")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    _add_list(parser, "only", PARTS, USUAL, "parts")
    _add_list(parser, "sizes", tuple(SIZES), tuple(SIZES), "sizes at which peers are measured")
    return parser.parse_args()


def _add_list(
    parser: argparse.ArgumentParser, name: str, all_: tuple[str, ...], usual: tuple[str, ...], what: str
) -> None:
    def read(text: str) -> tuple[str, ...]:
        asked = set(text.split(","))
        if unknown := asked - set(all_):
            raise argparse.ArgumentTypeError(f"no {', '.join(sorted(unknown))} here; there are {', '.join(all_)}")
        return tuple(one for one in all_ if one in asked)

    parser.add_argument(
        f"--{name}",
        type=read,
        default=usual,
        metavar="A,B",
        help=f"{what}: {', '.join(all_)} (usual: {', '.join(usual)})",
    )


def _note(text: str) -> None:
    """On stderr, so that stdout holds the results alone."""
    print(f"... {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
