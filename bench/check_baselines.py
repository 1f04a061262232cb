#!/usr/bin/env python3
"""Checks the hand-written baselines: each against its reference at awkward sizes and thread
counts, and exp, log and erf by their largest error in ulps. `--exhaustive` takes every float32 of
the polynomials' domains instead of every 61st (minutes)."""

import argparse
import ctypes
import sys

import numpy as np
import problems
from arrays import aligned
from peers import NotAvailable, hand
from scipy import special

ULP_LIMIT = 1.0
CHUNK = 1 << 22

# Function, float64 reference, and the domain as pieces that keep one sign.
POLYNOMIALS = {
    "hand_exp": (np.exp, ((-104, -1e-30), (1e-30, 89))),
    "hand_log": (np.log, ((1.5e-45, 3.4e38),)),
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


def builds():
    """{compiler and form: library}"""
    return {" ".join(key): lib for key, lib in hand.libraries().items()}


def check_polynomials(build, lib, step):
    good = True
    for name, (reference, pieces) in POLYNOMIALS.items():
        worst, where = worst_ulps(getattr(lib, name), reference, pieces, step)
        good &= worst <= ULP_LIMIT
        print(f"{build:12} {name}: {worst:.3f} ulp at {where!r}", flush=True)
    special_values = np.array([0, -0.0, np.inf, -1, -np.inf, np.nan], np.float32)
    y = np.empty_like(special_values)
    lib.hand_log(
        ctypes.c_void_p(y.ctypes.data),
        ctypes.c_void_p(special_values.ctypes.data),
        ctypes.c_int64(len(y)),
    )
    if not ((y[:2] == -np.inf).all() and y[2] == np.inf and np.isnan(y[3:]).all()):
        print(f"{build:12} hand_log: of {special_values} are {y}")
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


# Functions at awkward sizes -------------------------------------------------------------------
#
# A case is (label, output shape and dtype, arguments after `threads`, check). Among the arguments
# OUT stands for the output; an array is passed by address, an int as int64, a float as float32.
# `check` takes the output and returns its worst error in units of what is allowed.

OUT = object()
EPSILON = 2.0**-24  # of a float32 rounding


def uniform(seed, *shape):
    array = aligned(shape, np.float32)
    array[...] = np.random.default_rng(seed).random(shape, np.float32) * 2 - 1
    return array


def worst(got, exact, allowed):
    """The largest error over what is allowed there; NaN in `got` counts as infinite."""
    if got.size == 0:
        return 0.0
    with np.errstate(invalid="ignore"):
        error = np.abs(got.astype(np.float64) - exact) / allowed
    return float(np.nan_to_num(error, nan=np.inf).max())


def equal(expected):
    return lambda got: 0.0 if np.array_equal(got, expected) else np.inf


def nbody_cases():
    eps2 = 0.01
    for n in (1, 15, 33, 130, 1025):
        bodies = [uniform(n + i, n) for i in range(4)]
        x, y, z, mass = (a.astype(np.float64) for a in bodies)
        delta = np.stack([a[None, :] - a[:, None] for a in (x, y, z)])
        weight = mass / ((delta**2).sum(0) + np.float64(np.float32(eps2))) ** 1.5
        exact = (delta * weight).sum(2)
        # Each term: a dozen roundings, among them those of the differences, which d2 doubles; the
        # sum adds half a rounding a term on the whole, n/2 at worst.
        allowed = (24 + n / 2) * EPSILON * np.abs(delta * weight).sum(2) + 1e-30
        arguments = [(OUT, 0), (OUT, 1), (OUT, 2), *bodies, eps2, n]
        for function in ("hand_nbody", "hand_nbody_exact"):
            yield (
                function,
                f"n = {n}",
                ((3, n), np.float32),
                arguments,
                lambda got, e=exact, a=allowed: worst(got, e, a),
            )


def sgemm_cases():
    sizes = [(1, 1, 1), (14, 32, 256), (13, 31, 5), (15, 33, 257), (97, 300, 513), (200, 65, 700)]
    for m, n, k in sizes:
        a, b = uniform(m, m, k), uniform(n, k, n)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        allowed = k * EPSILON * (np.abs(a).astype(np.float64) @ np.abs(b)) + 1e-30
        yield (
            "hand_sgemm",
            f"{m} x {n} x {k}",
            ((m, n), np.float32),
            [OUT, a, b, m, n, k],
            lambda got, e=exact, w=allowed: worst(got, e, w),
        )


def stencil_cases():
    c0, c1 = np.float32(0.4), np.float32(0.1)
    sizes = [(1, 1, 1), (2, 3, 4), (3, 3, 3), (17, 18, 19), (64, 40, 67), (35, 5, 34)]
    for nx, ny, nz in [*sizes, (70000, 9, 5), (170, 160, 163)]:  # several bands; streamed
        u = uniform(nx, nz, ny, nx)
        exact, size = u.astype(np.float64), np.abs(u).astype(np.float64)

        def star(a):
            middle = a[1:-1, 1:-1, 1:-1]
            sides = a[1:-1, 1:-1, 2:] + a[1:-1, 1:-1, :-2]
            sides += a[1:-1, 2:, 1:-1] + a[1:-1, :-2, 1:-1]
            sides += a[2:, 1:-1, 1:-1] + a[:-2, 1:-1, 1:-1]
            return np.float64(c0) * middle + np.float64(c1) * sides

        allowed = np.full(exact.shape, 1e-30)  # the boundary is copied
        if min(nx, ny, nz) > 2:
            result = star(exact)
            allowed[1:-1, 1:-1, 1:-1] = 6 * EPSILON * star(size)
            exact[1:-1, 1:-1, 1:-1] = result
        yield (
            "hand_stencil7",
            f"{nx} x {ny} x {nz}",
            (u.shape, np.float32),
            [OUT, u, float(c0), float(c1), nx, ny, nz],
            lambda got, e=exact, a=allowed: worst(got, e, a),
        )


def transpose_cases():
    sizes = [(1, 1), (16, 16), (17, 1), (1, 33), (100, 67), (65, 1030), (1027, 64)]
    for width, height in [*sizes, (2064, 2080), (2047, 2064)]:  # the last two streamed
        u = uniform(width, height, width)
        yield (
            "hand_transpose",
            f"{width} x {height}",
            ((width, height), np.float32),
            [OUT, u, width, height],
            equal(u.T),
        )


def convolve_cases():
    weights = uniform(99, 5, 5)
    sizes = [(1, 1), (2, 3), (16, 4), (17, 5), (18, 6), (33, 9), (35, 21), (64, 64), (3, 40)]
    for width, height in [*sizes, (127, 18), (2064, 2049)]:  # the last one streamed
        u = uniform(width, height, width)
        padded = np.pad(u.astype(np.float64), 2, mode="edge")
        exact, allowed = np.zeros(u.shape), np.full(u.shape, 1e-30)
        for dy in range(5):
            for dx in range(5):
                term = weights[dy, dx] * padded[dy : dy + height, dx : dx + width]
                exact += term
                allowed += 25 * EPSILON * np.abs(term)
        yield (
            "hand_convolve",
            f"{width} x {height}",
            (u.shape, np.float32),
            [OUT, u, weights, width, height],
            lambda got, e=exact, a=allowed: worst(got, e, a),
        )


def blocks_of(u, size):
    """`u` as float64 in rows of `size`, the last filled up with zeros."""
    rows = -(-len(u) // size)
    return np.pad(u.astype(np.float64), (0, rows * size - len(u))).reshape(rows, size)


def sum_cases():
    for n in (1, 255, 256, 257, 4096, 4100, 256 * 300 + 17):
        u = uniform(n, n)
        blocks = blocks_of(u, 256)
        exact, allowed = blocks.sum(1), 32 * EPSILON * np.abs(blocks).sum(1) + 1e-30
        yield (
            "hand_block_sums",
            f"n = {n}",
            ((len(blocks),), np.float32),
            [OUT, u, n],
            lambda got, e=exact, a=allowed: worst(got, e, a),
        )
        for parts in (1, 3, 100):
            yield (
                "hand_sum_parts",
                f"n = {n}, {parts} parts",
                ((parts,), np.float32),
                [OUT, u, n, parts],
                # Each part adds n / (parts * 128) vectors in a chain, then 7 more levels.
                lambda got, u=u, n=n, parts=parts: worst(
                    got.astype(np.float64).sum(),
                    u.astype(np.float64).sum(),
                    (n / (parts * 128) + 16) * EPSILON * np.abs(u).sum(dtype=np.float64),
                ),
            )


def scan_cases():
    for n in (1, 16, 255, 256, 257, 1000, 256 * 200 + 33, (1 << 22) + 19):  # the last streamed
        u = uniform(n, n)
        blocks = blocks_of(u, 256)
        exact = blocks.cumsum(1).reshape(-1)[:n]
        allowed = 24 * EPSILON * np.abs(blocks).cumsum(1).reshape(-1)[:n] + 1e-30
        yield (
            "hand_block_scans",
            f"n = {n}",
            ((n,), np.float32),
            [OUT, u, n],
            lambda got, e=exact, a=allowed: worst(got, e, a),
        )


def whole_scan_cases():
    for n in (1, 15, 4095, 4096, 4097, 100_003, (1 << 22) + 19):  # the last streamed
        u = aligned((n,), np.float32)
        u[...] = np.random.default_rng(n).integers(-50, 51, n)
        yield "hand_scan", f"n = {n}", ((n,), np.float32), [OUT, u, n], equal(np.cumsum(u))


def sort_32_cases():
    for runs in (1, 7, 16, 33, 515):
        u = uniform(runs, runs, 32)
        u[runs // 2] = np.round(u[runs // 2] * 2)
        label = f"{runs} runs"
        yield "hand_sort_32", label, (u.shape, np.float32), [OUT, u, u.size], equal(np.sort(u, 1))


def sort_cases():
    for blocks in (1, 3, 50):
        u = uniform(blocks, blocks, 1024)
        for kind in ("random", "few values", "ascending", "descending", "signed zeros, infinities"):
            v = aligned(u.shape, np.float32)
            v[...] = u
            if kind == "few values":
                v[...] = np.round(u * 3)
            elif kind == "ascending":
                v.sort(1)
            elif kind == "descending":
                v[...] = np.sort(u, 1)[:, ::-1]
            elif kind != "random":
                v[u > 0.5], v[u < -0.5] = np.inf, -np.inf
                v[np.abs(u) < 0.2], v[np.abs(u) < 0.1] = 0.0, -0.0
            ordered, minus = np.sort(v, 1), np.signbit(v).sum(1)

            def check(got, expected=ordered, minus=minus):
                same_zeros = np.array_equal(np.signbit(got).sum(1), minus)
                return 0.0 if same_zeros and np.array_equal(got, expected) else np.inf

            label = f"{blocks} blocks, {kind}"
            yield "hand_sort_blocks", label, (u.shape, np.float32), [OUT, v, u.size], check


def histogram_cases():
    for n, blocks in [(1, 1), (15, 4), (17, 2), (1000, 7), (100_003, 13), (5, 9)]:
        for kind in ("random", "equal"):
            u = aligned((n,), np.uint8)
            u[...] = np.random.default_rng(n).integers(0, 256, n) if kind == "random" else 255
            per = -(-n // blocks)
            shares = [u[b * per : (b + 1) * per] for b in range(blocks)]
            expected = np.stack([np.bincount(share, minlength=256) for share in shares])
            yield (
                "hand_histograms",
                f"n = {n}, {blocks} blocks, {kind}",
                ((blocks, 256), np.int32),
                [OUT, u, n, blocks],
                equal(expected),
            )


def spmv_cases():
    shapes = [(1, 0, 1), (1, 1, 2), (17, 0, 40), (300, 8, 25), (5000, 0, 33), (40, 3000, 5000)]
    for rows, shortest, longest in shapes:
        random = np.random.default_rng(rows)
        start = aligned((rows + 1,), np.int32)
        start[1:] = np.cumsum(random.integers(shortest, longest, rows))
        entries = int(start[-1])
        column = aligned((entries,), np.int32)
        column[...] = random.integers(0, rows, entries)
        value, x = uniform(1, entries), uniform(2, rows)
        terms = value.astype(np.float64) * x.astype(np.float64)[column]
        row = np.repeat(np.arange(rows), np.diff(start))
        exact = np.bincount(row, terms, rows)
        allowed = (6 + longest / 16) * EPSILON * np.bincount(row, np.abs(terms), rows) + 1e-30
        yield (
            "hand_spmv",
            f"{rows} rows of {shortest} to {longest - 1}",
            ((rows,), np.float32),
            [OUT, start, column, value, x, rows],
            lambda got, e=exact, a=allowed: worst(got, e, a),
        )


def floyd_cases():
    for tiles, lowest in ((1, 0.0), (3, 0.0), (20, 0.0), (4, -1.0)):
        u = uniform(tiles, tiles, 32, 32)
        # Where the diagonal is negative, it matters that a step reads the values from before it.
        np.maximum(u, lowest, out=u)
        u[u > 0.7] = np.inf
        exact = u.copy()  # in float32: the same sums and minima in the same order, so exact
        for k in range(32):
            exact = np.minimum(exact, exact[:, :, k, None] + exact[:, k, None, :])
        yield (
            "hand_floyd_tiles",
            f"{tiles} tiles, {lowest} and more",
            (u.shape, np.float32),
            [OUT, u, tiles],
            equal(exact),
        )


CASES = (
    nbody_cases,
    sgemm_cases,
    stencil_cases,
    transpose_cases,
    convolve_cases,
    sum_cases,
    scan_cases,
    whole_scan_cases,
    sort_cases,
    sort_32_cases,
    histogram_cases,
    spmv_cases,
    floyd_cases,
)


def c_argument(argument, out):
    if argument is OUT:
        return ctypes.c_void_p(out.ctypes.data)
    if isinstance(argument, tuple):  # (OUT, row)
        return ctypes.c_void_p(out[argument[1]].ctypes.data)
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return (ctypes.c_int64 if isinstance(argument, int) else ctypes.c_float)(argument)


GUARD = 1024  # elements before and after the output, which must stay as they were


def run_case(lib, case, threads):
    """The worst error in units of what is allowed; infinite where a guard was overwritten."""
    function, _, (shape, dtype), arguments, check = case
    size = int(np.prod(shape))
    whole = aligned((size + 2 * GUARD,), dtype)
    untouched = -1 if np.dtype(dtype).kind == "i" else np.nan
    whole.fill(untouched)
    out = whole[GUARD : GUARD + size].reshape(shape)
    getattr(lib, function)(ctypes.c_int(threads), *(c_argument(a, out) for a in arguments))
    guards = np.concatenate([whole[:GUARD], whole[GUARD + size :]])
    intact = np.array_equal(guards, np.full_like(guards, untouched), equal_nan=untouched != -1)
    return check(out) if intact else np.inf


def check_cases():
    libs, good = builds(), True
    for cases in CASES:
        worsts = {}
        for case in cases():
            for build, lib in libs.items():
                for threads in (1, 2, 3):
                    error = run_case(lib, case, threads)
                    key = f"{case[0]} ({build})"
                    worsts[key] = max(worsts.get(key, 0.0), error)
                    if not error <= 1:
                        print(f"{key}, {threads} thread(s), {case[1]}: WRONG", flush=True)
                        good = False
        for key, error in worsts.items():
            print(f"{key:36} worst error {error:.3f} of what is allowed", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exhaustive", action="store_true")
    step = 1 if parser.parse_args().exhaustive else 61
    try:
        good = all([check_polynomials(build, lib, step) for build, lib in builds().items()])
    except NotAvailable as reason:
        sys.exit(f"check_baselines: {reason}")
    good &= all([check_kernels(problem) for problem in small_problems()])
    good &= check_cases()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
