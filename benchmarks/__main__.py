"""`python -m benchmarks [--json]`: every benchmark in one run, as ratios against the bare library."""

from __future__ import annotations

import argparse
import json
import sys

from benchmarks import playing, rating, starting


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time, as ratios against the bare library in the same run.")
    parser.add_argument("--json", action="store_true", help="print one JSON value")
    as_json = parser.parse_args().json
    rows = [row for part in (starting, rating, playing) for row in part.measure()]
    if as_json:
        print(json.dumps({"items": rows}))
        return
    for row in rows:
        print(f"{float(str(row['ratio'])):8.2f} x   {float(str(row['cpu_s'])):10.5f} s   {row['what']}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
