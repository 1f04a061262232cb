"""Threads that meet at places: histograms in shared and in global memory, compaction by tickets,
a hash table."""

from dataclasses import replace

import numpy as np
from arrays import aligned

from .histogram import BINS, of_bytes
from .problem import INTEL, POCL, Hand, Problem, WrongResult, grid_for, require_equal

BLOCK, GLOBAL_BINS = 256, 1 << 16


def bytes_of(kind, n):
    random = np.random.default_rng(71)
    if kind == "uniform":
        return random.integers(0, BINS, n, np.uint8)
    values = random.integers(0, BINS, n, np.uint8)
    values[random.random(n, np.float32) < 0.9] = 77
    return values


def in_shared_memory(kind):
    def make(quick):
        return of_bytes(
            f"histogram {kind}",
            lambda n: bytes_of(kind, n),
            quick,
            kernel="histogram_atomic",
            block=(BLOCK,),
            wanted=0.7,
            ahead_of=(INTEL,),
        )

    return make


def in_global_memory(quick):
    n = 1 << 20 if quick else 1 << 26
    arrays = {
        "out": aligned((GLOBAL_BINS,), np.int32),
        "source": aligned((n,), np.uint16),
    }
    arrays["source"][:] = np.random.default_rng(72).binomial(GLOBAL_BINS - 1, 0.4, n)
    return Problem(
        name="histogram global",
        kernel="histogram_global",
        unit="Gitem/s",
        amount=1e-9 * n,
        size=f"n = {n:,}, {GLOBAL_BINS:,} bins",
        arrays=arrays,
        outputs=("out",),
        values={"n": n, "bins": GLOBAL_BINS},
        arguments="out source n bins",
        block=(BLOCK,),
        grid=(512,),
        judge=check_global,
        hand=(Hand("hand_histogram_wide"),),
        wanted=0.5,
        ahead_of=(INTEL,),
    )


def in_default_order(quick):
    """The same without an order and a scope, as most people write it."""
    return replace(
        in_global_memory(quick),
        name="histogram default",
        kernel="histogram_default",
        hand=(Hand("hand_histogram_wide"), Hand("hand_histogram_locked", "locked")),
        wanted=None,
        ahead_by=3.0,
    )


def check_global(p):
    """A run adds to what is there; poison() has left -1."""
    exact = p.once("counts", lambda: np.bincount(p.arrays["source"], minlength=GLOBAL_BINS))
    require_equal(p, "out", exact - 1)


def compact(quick):
    n = 1 << 20 if quick else 1 << 24
    arrays = {
        "out": aligned((n,), np.float32),
        "total": aligned((1,), np.int32),
        "state": aligned((2,), np.int32),
        "source": aligned((n,), np.float32),
    }
    np.random.default_rng(73).standard_normal(dtype=np.float32, out=arrays["source"])
    return Problem(
        name="compact",
        kernel="compact",
        unit="Gitem/s",
        amount=1e-9 * n,
        size=f"n = {n:,}, every second one stays",
        arrays=arrays,
        outputs=("out", "total"),
        values={"n": n},
        arguments="out total source n",
        block=(BLOCK,),
        grid=grid_for((n,), (BLOCK,)),
        judge=check_compact,
        hand=(Hand("hand_compact"),),
        wanted=0.6,
        ahead_of=(INTEL,),
    )


def positive(p):
    source = p.arrays["source"]
    return np.sort(source[source > 0])


def check_compact(p):
    exact, total = p.once("positive", lambda: positive(p)), int(p.arrays["total"][0])
    if total != exact.size:
        raise WrongResult(f"compact: {total} elements, not {exact.size}")
    if not np.array_equal(np.sort(p.arrays["out"][:total]), exact):
        raise WrongResult("compact: other elements than the positive ones")


def hash_insert(quick):
    n = 1 << 14 if quick else 1 << 22
    arrays = {
        "table": aligned((2 * n,), np.uint64),
        "state": aligned((2,), np.uint32),
        "source": aligned((n,), np.uint32),
    }
    arrays["state"][0] = 1
    arrays["source"][:] = np.random.default_rng(74).integers(0, 1 << 32, n, np.uint32)
    return Problem(
        name="hash insert",
        kernel="hash_insert",
        unit="Mitem/s",
        amount=1e-6 * n,
        size=f"n = {n:,}, half as many as slots",
        arrays=arrays,
        outputs=("table",),
        values={"n": n, "slots": 2 * n},
        arguments="table state source n slots",
        block=(BLOCK,),
        grid=grid_for((n,), (BLOCK,)),
        judge=check_table,
        hand=(Hand("hand_hash_insert"),),
        ahead_of=(INTEL, POCL),
    )


def check_table(p):
    """Each key once, and none that comes after a free slot from where it is searched."""
    table, run = p.arrays["table"], int(p.arrays["state"][0]) - 1
    used = table >> 32 == run
    keys = (table[used] & 0xFFFFFFFF).astype(np.uint32)
    if not np.array_equal(np.sort(keys), p.once("keys", lambda: np.unique(p.arrays["source"]))):
        raise WrongResult("hash insert: other keys than those of the source")
    slots = np.flatnonzero(used)
    first = (keys * np.uint32(2654435769)) & np.uint32(table.size - 1)
    distance = (slots - first) % table.size
    free_before = np.maximum.accumulate(np.where(used, -1, np.arange(table.size)))[slots]
    unreachable = (slots >= first) & (free_before >= first) & (distance > 0)
    if unreachable.any():
        raise WrongResult(f"hash insert: {unreachable.sum()} keys are not found")


PROBLEMS = {
    "histogram uniform": in_shared_memory("uniform"),
    "histogram skewed": in_shared_memory("skewed"),
    "histogram global": in_global_memory,
    "histogram default": in_default_order,
    "compact": compact,
    "hash insert": hash_insert,
}
