#!/usr/bin/env python3
"""Checks the hand-written baselines: each against its reference at awkward sizes and thread
counts, and exp, log and erf by their largest error in ulps. `--exhaustive` takes every float32 of
the polynomials' domains instead of every 61st (minutes)."""

import argparse
import ctypes
import sys

import numpy as np
import problems
from peers import NotAvailable, hand
from scipy import special

ULP_LIMIT = 1.0
CHUNK = 1 << 22

# Function, float64 reference, and the domain as pieces that keep one sign.
POLYNOMIALS = {
    "hand_exp": (np.exp, ((-104, -1e-30), (1e-30, 89))),
    "hand_log": (np.log, ((1.2e-38, 3.4e38),)),
    "hand_erf": (special.erf, ((-10, -1e-37), (1e-37, 10))),
}


def floats_between(low, high, step):
    """Chunks of every `step`-th float32 of [low, high]; both of one sign."""
    ends = sorted(int(np.abs(np.float32(x)).view(np.uint32)) for x in (low, high))
    sign = np.uint32(1 << 31) if low < 0 else np.uint32(0)
    for first in range(ends[0], ends[1] + 1, CHUNK * step):
        bits = np.arange(first, min(first + CHUNK * step, ends[1] + 1), step, dtype=np.uint32)
        yield (bits | sign).view(np.float32)


def ulps(got, exact):
    """The error in units of the last place of the exact result, denormal ones included."""
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded)
    spacing = np.spacing(np.abs(rounded), where=finite, out=np.ones_like(rounded))
    error = np.abs(got.astype(np.float64) - exact) / spacing
    error[~finite] = np.where(got[~finite] == rounded[~finite], 0, np.inf)
    return error


def worst_ulps(function, reference, pieces, step):
    worst, where = 0.0, 0.0
    for low, high in pieces:
        for x in floats_between(low, high, step):
            y = np.empty_like(x)
            function(
                ctypes.c_void_p(y.ctypes.data),
                ctypes.c_void_p(x.ctypes.data),
                ctypes.c_int64(len(x)),
            )
            error = ulps(y, reference(x.astype(np.float64)))
            k = np.argmax(error)
            if not error[k] <= worst:
                worst, where = float(error[k]), float(x[k])
    return worst, where


def check_polynomials(compiler, step):
    lib, good = hand.library(compiler), True
    for name, (reference, pieces) in POLYNOMIALS.items():
        worst, where = worst_ulps(getattr(lib, name), reference, pieces, step)
        good &= worst <= ULP_LIMIT
        print(f"{compiler:6} {name}: {worst:.3f} ulp at {where!r}", flush=True)
    special_values = np.array([0, np.inf, -1], np.float32)
    y = np.empty_like(special_values)
    lib.hand_log(
        ctypes.c_void_p(y.ctypes.data),
        ctypes.c_void_p(special_values.ctypes.data),
        ctypes.c_int64(3),
    )
    if not (y[0] == -np.inf and y[1] == np.inf and np.isnan(y[2])):
        print(f"{compiler:6} hand_log: 0, inf, -1 give {y}")
        good = False
    return good


def small_problems():
    for name, make in problems.PROBLEMS.items():
        if not name.startswith("copy2d") or name == "copy2d 10x10":
            yield make(True)


def check_kernels(problem):
    good = True
    for threads in (1, 2, 3):
        for contestant in hand.contestants(problem, threads):
            problem.poison()
            contestant.run()
            try:
                problem.check()
                verdict = "right"
            except problems.WrongResult as error:
                verdict, good = f"WRONG: {error}", False
            detail = problem.reference.get("different", problem.reference.get("error", ""))
            print(f"{contestant.name:32} {threads} thread(s): {verdict} {detail}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exhaustive", action="store_true")
    step = 1 if parser.parse_args().exhaustive else 61
    try:
        good = all([check_polynomials(compiler, step) for compiler in hand.COMPILERS])
    except NotAvailable as reason:
        sys.exit(f"check_baselines: {reason}")
    good &= all([check_kernels(problem) for problem in small_problems()])
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
