import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, grid_for, of_items, require_equal, whole_numbers

BLOCK = 256


def scan(quick):
    """Sums up to and with each element, anew in each block."""
    n = 1 << 16 if quick else 1 << 22
    arrays = {name: aligned((n,), np.float32) for name in ("out", "source")}
    whole_numbers(arrays["source"], 11)
    return of_items(
        *("scan", "block_scans", n, arrays, BLOCK, grid_for((n,), (BLOCK,))),
        judge=check,
        hand=(Hand("hand_block_scans"),),
        wanted=0.5,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def whole_arrays(out, source):
    np.cumsum(source.reshape(-1, BLOCK), axis=1, out=out.reshape(-1, BLOCK))


def check(p):
    source = p.arrays["source"].astype(np.float64).reshape(-1, BLOCK)
    require_equal(p, "out", p.once("sums", lambda: source.cumsum(1).reshape(-1)))


PROBLEMS = {"scan": scan}
