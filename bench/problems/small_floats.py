"""float16 and bfloat16 in memory: a*x + y, and dot products of shares in float32.

All values are whole numbers so small that every result is exact. bfloat16 is uint16 here: the upper
half of a float32.
"""

import numpy as np
from arrays import aligned

from .problem import Hand, Problem, WrongResult, chunks, grid_for

BLOCK = 256
FACTOR = np.float32(2)


def bits_of(numbers, kind):
    """Whole numbers of at most eight bits in the format."""
    numbers = numbers.astype(np.float32)
    if kind == "float16":
        return numbers.astype(np.float16)
    return (numbers.view(np.uint32) >> 16).astype(np.uint16)


def values_of(array):
    if array.dtype == np.float16:
        return array.astype(np.float32)
    return (array.astype(np.uint32) << 16).view(np.float32)


def filled(n, kind, seed, limit):
    array = aligned((n,), np.float16 if kind == "float16" else np.uint16)
    random = np.random.default_rng(seed)
    for part in chunks(n):
        count = part.stop - part.start
        array[part] = bits_of(random.integers(-limit, limit + 1, count, np.int32), kind)
    return array


def of_pairs(job, kind, n, bytes_each, **more):
    """A problem of two arrays of n numbers of a format."""
    return Problem(
        name=f"{job} {kind}",
        kernel=f"{job}_small",
        unit="GB/s",
        amount=1e-9 * bytes_each * n,
        outputs=("out",),
        block=(BLOCK,),
        hand=(Hand(f"hand_{job}_{kind}"),),
        wanted=0.8,
        **more,
    )


def axpy(kind):
    def make(quick):
        n = 1 << 20 if quick else 1 << 26
        x, y = (filled(n, kind, seed, 60) for seed in (31, 32))
        return of_pairs(
            *("axpy", kind, n, 6),
            size=f"n = {n:,}",
            arrays={"out": aligned((n,), x.dtype), "x": x, "y": y},
            values={"a": FACTOR, "n": n},
            arguments="out x y a n",
            grid=grid_for((n,), (BLOCK,)),
            judge=check_axpy,
        )

    return make


def check_axpy(p):
    x, y, out = (p.arrays[name] for name in ("x", "y", "out"))
    for part in chunks(len(out)):
        exact = FACTOR * values_of(x[part]) + values_of(y[part])
        if not np.array_equal(values_of(out[part]), exact):
            raise WrongResult(f"{p.name}: differs in {part.start} ... {part.stop}")


def dot(kind):
    def make(quick):
        n, parts = (1 << 18, 64) if quick else (1 << 26, 1024)
        x, y = (filled(n, kind, seed, 8) for seed in (33, 34))
        return of_pairs(
            *("dot", kind, n, 4),
            size=f"n = {n:,} in {parts} parts",
            arrays={"out": aligned((parts,), np.float32), "x": x, "y": y},
            values={"n": n, "parts": parts},
            arguments="out x y n parts",
            grid=(parts,),
            judge=check_dot,
        )

    return make


def exact_dot(p):
    x, y = p.arrays["x"], p.arrays["y"]
    return sum(
        np.dot(values_of(x[part]).astype(np.float64), values_of(y[part])) for part in chunks(len(x))
    )


def check_dot(p):
    # Which elements make a part is the contestant's choice; every part is exact, so is the total.
    total = p.once("total", lambda: exact_dot(p))
    got = p.arrays["out"].sum(dtype=np.float64)
    if not got == total:
        raise WrongResult(f"{p.name}: the parts make {got}, not {total}")


PROBLEMS = {
    f"{name} {kind}": make(kind)
    for name, make in (("axpy", axpy), ("dot", dot))
    for kind in ("float16", "bfloat16")
}
