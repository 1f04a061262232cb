#!/usr/bin/env python3
"""Two runs of `run.py --json` beside each other: bench/compare.py BEFORE.json AFTER.json

Prints the ratio after ÷ before of the median figures of one column, row by row, and their geometric
mean. Exits with 1 where that mean, or a row, is below what is allowed. Rows that one run lacks are
named and left out. Both runs should be of one machine, one right after the other.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from peers import OURS
from report import best_of


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("before", type=Path)
    p.add_argument("after", type=Path)
    p.add_argument("--column", default=OURS)
    p.add_argument("--mean", type=float, default=0.98, help="the least geometric mean")
    p.add_argument("--row", type=float, default=0.93, help="the least ratio of a row")
    return p.parse_args(argv)


def medians(path, column):
    """{(kernel, threads): the median figure of the column}"""
    results = json.loads(path.read_text())["results"]
    found = {(r["problem"], r["threads"]): best_of(r, column) for r in results}
    return {row: figure["median"] for row, figure in found.items() if figure}


def main(argv):
    options = parse(argv)
    before, after = (medians(path, options.column) for path in (options.before, options.after))
    ratios = {row: after[row] / before[row] for row in before if row in after}
    if not ratios:
        sys.exit(f"compare: the two runs have no row of '{options.column}' in common")
    for (name, threads), ratio in ratios.items():
        low = "  (low)" if ratio < options.row else ""
        print(f"{name:24} {threads:2} {ratio:6.3f}{low}")
    for name, threads in sorted(before.keys() ^ after.keys()):
        print(f"{name:24} {threads:2}   in one run alone")
    mean = statistics.geometric_mean(ratios.values())
    print(f"geometric mean of {len(ratios)} rows: {mean:.3f}")
    return 1 if mean < options.mean or min(ratios.values()) < options.row else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
