"""The comparison as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from benchmarks.peers.running import Row

HEAD = f"{'':46}{'cpu s':>10}{'x ours':>9}{'ours x':>8}{'peak MiB':>10}{'error Elo':>11}"
LEGEND = (
    "cpu s: one thread, without imports and (peers) without loading; leaderboard reads its Parquet file on the clock.",
    "Each case ran in processes of its own; where it is quick, the least of several.",
    "x ours: against leaderboard's case of the same kind (a point fit, or a fit with 95 % intervals); ours x: inverse.",
    "error: largest distance to the estimator's exact maximum. A bootstrap is what its few rounds cost, no more.",
)
KINDS = {"point": "point fit", "interval": "fit and 95 % intervals"}
MEASURES = {"cpu_s": "CPU", "peak_mib": "peak memory"}


def of_rows(rows: Sequence[Row]) -> list[str]:
    lines = list(LEGEND)
    for size in dict.fromkeys(row["size"] for row in rows):
        here = [row for row in rows if row["size"] == size]
        first = here[0]
        lines += ["", f"{first['models']} models, {first['battles']:,} battles, {first['prompts']:,} prompts", HEAD]
        lines += [line for row in here for line in _lines(row)]
    return lines


def _lines(row: Row) -> Iterator[str]:
    name = str(row["case"]) + (f", {row['rounds']} rounds" if row["rounds"] else "")
    if row["left_out"]:
        yield f"{name:46}      left out: {row['left_out']}"
        return
    yield (
        f"{name:46}{_number(row['cpu_s'], 10, 4)}{_number(row['peer_over_ours'], 9, 2)}"
        f"{_number(row['ours_over_peer'], 8, 3)}{_number(row['peak_mib'], 10, 0)}{row['error_elo']:11.1e}"
    )
    if row["cpu_again_s"] is not None:
        yield f"{'   its second call in the process':46}{_number(row['cpu_again_s'], 10, 4)}"
    if row["round_cpu_s"] is not None:
        yield f"{'   a round, beyond its point fit':46}{_number(row['round_cpu_s'], 10, 4)}"


def _number(value: object, width: int, digits: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{cast(float, value):{width}.{digits}f}"


def of_targets(targets: Sequence[Row]) -> list[str]:
    return [_target(row) for row in targets]


def _target(row: Row) -> str:
    kind, measure = KINDS[str(row["gives"])], MEASURES[str(row["measure"])]
    what = f"{row['size']}, {kind}: {measure} at most {row['at_most']} x {row['peer']}"
    if row["met"] is None:
        return f"  ?   {what}: not measured"
    return f"{'yes' if row['met'] else ' NO':>4}  {what}: {row['ratio']:.3f}"
