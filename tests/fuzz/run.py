"""Many generated programs: `make fuzz ARGS=--programs=20000`. Prints every difference."""

from __future__ import annotations

import argparse
import functools
import os
import pathlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable

# Each program is new, and what is tested is the compiler: it verifies the IR after every pass.
os.environ["CUDA_DEVICE_CACHE"] = "off"
os.environ["CUDA_DEVICE_VERIFY"] = "1"
warnings.simplefilter("ignore", UserWarning)  # programs mix widths on purpose
TESTS, ROOT = pathlib.Path(__file__).resolve().parents[1:3]
sys.path[:0] = [str(TESTS), str(ROOT)]


ALL = [
    "interpreter",
    "avx512",
    "avx512x64",
    "avx2",
    "avx2x8",
    "avx2x16",
    "avx2x64",
    "sse4",
    "ptx",
    "cuda",
]
LIMIT = 600  # seconds for one program: far more than any takes


def check_seed(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz import harness

    fmad = harness.by_turns(seed) if by_turns else harness.BOTH
    return harness.check(seed, targets, blocks, fmad)


def check_atomics(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    """Every third program has barriers, and shared memory."""
    from tests.fuzz import harness

    fmad = harness.by_turns(seed) if by_turns else harness.BOTH
    return harness.check(seed, targets, blocks or seed % 3 == 2, fmad, atomics=True)


def check_warps(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.warp_harness import check_warps

    return check_warps(seed, targets)


def check_numbapro(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.numbapro_programs import check

    return check(seed, targets)


def check_waits(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.wait_harness import check_waits

    return check_waits(seed, targets)


def check_phases(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.phase_programs import check_phases

    return check_phases(seed, targets)


def check_calls(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.inlined_programs import check

    return check(seed, targets)


def check_recursion(seed: int, targets: list[str], blocks: bool, by_turns: bool) -> str | None:
    from tests.fuzz.recursive_programs import check

    return check(seed, targets)


# The C++ tests of IR with calls of which nothing is known, on machine code of each form.
OPAQUE = ROOT / "build/dev/tests/unit/codegen/test_codegen"


def run_opaque(options: argparse.Namespace) -> int:
    bounds = {
        "CUDA_DEVICE_FUZZ_FIRST": str(options.first),
        "CUDA_DEVICE_FUZZ_SEEDS": str(options.programs),
    }
    command = [str(OPAQUE), "--gtest_filter=OpaqueCalls.*"]
    return subprocess.run(command, env=os.environ | bounds, check=False).returncode


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--targets", help="by default all that this machine can run")
    parser.add_argument("--blocks", action="store_true", help="programs with barriers")
    parser.add_argument(
        "--atomics", action="store_true", help="programs with several atomic operations"
    )
    parser.add_argument("--warps", action="store_true", help="programs of warps")
    parser.add_argument("--numbapro", action="store_true", help="programs of NumbaPro's dialect")
    parser.add_argument("--calls", action="store_true", help="helpers, called and inlined")
    parser.add_argument("--recursion", action="store_true", help="helpers that call themselves")
    parser.add_argument(
        "--phases", action="store_true", help="programs whose threads wait at different barriers"
    )
    parser.add_argument(
        "--waits", action="store_true", help="programs of locks and flags, on the interpreter"
    )
    parser.add_argument("--opaque", action="store_true", help="IR with calls of unknown effect")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--by-turns", action="store_true", help="with contraction or without, not both"
    )
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for one program")
    return parser.parse_args(arguments)


def of_kind(options: argparse.Namespace) -> Callable:
    """What checks one program of the kind that is asked for."""
    if options.warps or options.atomics:
        return check_warps if options.warps else check_atomics
    if options.numbapro or options.phases:
        return check_numbapro if options.numbapro else check_phases
    if options.calls or options.recursion:
        return check_calls if options.calls else check_recursion
    return check_waits if options.waits else check_seed


def report(results: Iterable[tuple[int, str | None]]) -> int:
    """Prints what is found as it comes; how many programs something is found in."""
    start, failures = time.time(), 0
    for done, (_, found) in enumerate(results, 1):
        if found:
            failures += 1
            print(found, flush=True)
        if done % 500 == 0:
            rate = done / (time.time() - start)
            print(f"{done} programs, {failures} differ, {rate:.1f} a second", flush=True)
    return failures


def main(arguments: list[str] | None = None, check: Callable | None = None) -> int:
    from tests.fuzz import workers
    from tests.fuzz.harness import require, runs_here

    options = options_of(arguments)
    if options.opaque:
        return run_opaque(options)
    check = check or of_kind(options)
    if options.targets:
        targets = require(options.targets.split(","))
    elif options.waits:
        from tests.fuzz.wait_harness import TARGETS as targets
    else:
        targets = [target for target in ALL if runs_here(target)]
        print(f"left out here: {', '.join(set(ALL) - set(targets)) or 'none'}")
    print(f"{options.programs} programs on {', '.join(targets)}", flush=True)
    seeds = range(options.first, options.first + options.programs)
    one = functools.partial(
        check, targets=targets, blocks=options.blocks, by_turns=options.by_turns
    )
    failures = report(workers.run(one, seeds, options.jobs, options.limit))
    print(f"{options.programs} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
