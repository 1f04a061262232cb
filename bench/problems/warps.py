"""The same work by warps, which hand values to each other in registers; a sort of each 32 elements,
and a scan of a whole array in one pass."""

from dataclasses import replace

import numpy as np
from arrays import aligned

from .atomics import compact
from .problem import INTEL, POCL, Hand, grid_for, of_items, require_equal, whole_numbers
from .reduce import reduce_256
from .scan import scan
from .spmv import rows_of

BLOCK = 256
TILE = 1024  # elements of a block of the scan of a whole array
AHEAD = INTEL, POCL  # with or without sub-groups: theirs is the fastest way that they have


def by_warps(make, name, kernel, **changes):
    """A problem of blocks with another kernel."""

    def made(quick):
        return replace(make(quick), name=name, kernel=kernel, ahead_of=AHEAD, **changes)

    return made


def spmv_warps(quick):
    """Rows that are long, and of different lengths: a warp a row."""
    problem = rows_of(2_003 if quick else 1 << 16, 20, 236)
    blocks = grid_for((32 * problem.values["rows"],), (BLOCK,))
    return replace(
        problem, name="spmv warps", kernel="spmv_warps", grid=blocks, ahead_of=AHEAD, wanted=0.7
    )


def sort_32(quick):
    n = 1 << 16 if quick else 1 << 22
    arrays = {name: aligned((n,), np.float32) for name in ("out", "source")}
    arrays["source"][:] = np.random.default_rng(91).standard_normal(n, np.float32)
    return of_items(
        *("sort 32", "sort_32", n, arrays, BLOCK, (n // BLOCK,)),
        judge=check_sorted,
        hand=(Hand("hand_sort_32"),),
        wanted=0.6,
        ahead_of=AHEAD,
        whole_arrays=sort_rows,
    )


def sort_rows(out, source):
    np.copyto(out, source)
    out.reshape(-1, 32).sort(axis=1)


def check_sorted(p):
    source = p.arrays["source"].reshape(-1, 32)
    require_equal(p, "out", p.once("sorted", lambda: np.sort(source, axis=1).reshape(-1)))


def scan_lookback(quick):
    """Every sum is a whole number so small that it is exact."""
    n = (1 << 16 if quick else 1 << 26) + 77
    blocks = grid_for((n,), (TILE,))
    arrays = {
        "out": aligned((n,), np.float32),
        "told": aligned((*blocks, 2), np.float32),
        "state": aligned((2,), np.int32),
        "source": aligned((n,), np.float32),
    }
    whole_numbers(arrays["source"], 92)
    return of_items(
        *("scan lookback", "scan_lookback", n, arrays, BLOCK, blocks),
        judge=check_scan,
        hand=(Hand("hand_scan"),),
        wanted=0.7,
        ahead_of=AHEAD,
        whole_arrays=scan_all,
    )


def scan_all(out, source):
    np.cumsum(source, out=out)


def check_scan(p):
    source = p.arrays["source"]
    require_equal(p, "out", p.once("sums", lambda: source.cumsum(dtype=np.float64)))


PROBLEMS = {
    "reduce warps": by_warps(reduce_256, "reduce warps", "warp_sums", wanted=0.8),
    "scan warps": by_warps(scan, "scan warps", "warp_scans", wanted=0.7),
    "spmv warps": spmv_warps,
    "sort 32": sort_32,
    "compact warps": by_warps(compact, "compact warps", "compact_warps", wanted=0.7),
    "scan lookback": scan_lookback,
}
