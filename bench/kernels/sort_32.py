from cuda import device as D

from .warp_steps import FULL


@D.kernel
def sort_32(out, source):
    """Sorts each 32 elements: 15 exchanges of a warp."""
    i = D.tid(1)
    lane = D.lane_id
    x = source[i]
    for size in (2, 4, 8, 16, 32):
        step = size // 2
        while step > 0:
            other = D.shfl_xor_sync(FULL, x, step)
            smaller = ((lane & step) == 0) == ((lane & size) == 0)
            x = min(x, other) if smaller else max(x, other)
            step //= 2
    out[i] = x
