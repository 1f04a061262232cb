"""Many generated programs: `make fuzz ARGS=--programs=20000`. Prints every difference."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pathlib
import sys
import time
import traceback

sys.path[:0] = [str(folder) for folder in pathlib.Path(__file__).resolve().parents[1:3]]


ALL = ["interpreter", "avx512", "avx512x64", "avx2", "sse4", "cuda"]


def check_seed(job: tuple[int, list[str], bool]) -> tuple[int, str | None]:
    from tests.fuzz.harness import check

    seed, targets, blocks = job
    try:
        return seed, check(seed, targets, blocks)
    except Exception:
        return seed, f"seed {seed}: {traceback.format_exc()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--targets", help="by default all that this machine can run")
    parser.add_argument("--blocks", action="store_true", help="programs with barriers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    from tests.fuzz.harness import require, runs_here

    if options.targets:
        targets = require(options.targets.split(","))
    else:
        targets = [target for target in ALL if runs_here(target)]
        print(f"left out here: {', '.join(set(ALL) - set(targets)) or 'none'}")
    print(f"{options.programs} programs on {', '.join(targets)}", flush=True)
    start, failures = time.time(), 0
    seeds = range(options.first, options.first + options.programs)
    jobs = [(seed, targets, options.blocks) for seed in seeds]
    # Spawned, and renewed now and then: a fault in compiled code ends one process, not the run.
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=500) as pool:
        for done, (_, found) in enumerate(pool.imap_unordered(check_seed, jobs, 10), 1):
            if found:
                failures += 1
                print(found, flush=True)
            if done % 500 == 0:
                rate = done / (time.time() - start)
                print(f"{done} programs, {failures} differ, {rate:.0f} a second", flush=True)
    print(f"{options.programs} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
