"""Sums by a tree in shared memory."""

from cuda import device as D

BLOCK = 256


def sum_of_threads(out, part, total):
    """Each block's sum of what its threads have, to its element of `out`."""
    t = D.thread_idx.x
    part[t] = total
    D.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        D.syncthreads()
        step //= 2
    if t == 0:
        out[D.block_idx.x] = part[0]
