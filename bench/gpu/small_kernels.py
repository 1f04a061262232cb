"""A kernel for each feature that the benchmarks' kernels do not use, and what it must give."""

import numpy as np
from cuda import device as D

BLOCK = 64


@D.kernel
def counted(out, a):
    """Barriers that count."""
    i = D.tid(1)
    more = D.syncthreads_count(lambda: a[i] > 0)
    every = D.syncthreads_and(lambda: a[i] > -100)
    some = D.syncthreads_or(lambda: a[i] > 99)
    out[i] = more + (1000 if every else 0) + (10000 if some else 0)


@D.kernel
def reversed_blocks(out, a):
    """Dynamic shared memory, seen as float32."""
    s = D.dynamic_shared_array().view(D.float32)
    t = D.thread_idx.x
    i = D.tid(1)
    s[t] = a[i]
    D.syncthreads()
    out[i] = s[D.block_dim.x - 1 - t]


@D.kernel
def own_array(out, a):
    """A local array whose index is known at run time only."""
    mine = D.local_array(4, D.float32)
    i = D.tid(1)
    for k in range(4):
        mine[k] = a[i] * k
    out[i] = mine[i % 4]


@D.kernel
def speaks(out, a):
    """print, assert, and a raise that nobody reaches."""
    i = D.tid(1)
    assert i < a.size
    if a[i] > 1000:
        raise ValueError("no element is as large")
    if i == 0:
        print("speaks:", a[i], i)
    out[i] = a[i]


@D.kernel
def of_warps(out, a):
    """Shuffles, votes and matches, of whole warps and of those who are on one side."""
    i = D.tid(1)
    x = a[i]
    total = x
    for distance in (16, 8, 4, 2, 1):
        total += D.shfl_xor_sync(-1, total, distance)
    positive = D.ballot_sync(-1, lambda: x > 0)
    peers = D.popc(D.match_any_sync(-1, x))
    some = 0
    if x > 0:
        some = D.popc(D.ballot_sync(positive, lambda: x > 4))
    D.syncwarp()
    out[i] = total + 1000 * D.popc(positive) + 100000 * peers + 0.25 * some


@D.kernel
def of_atomics(out, a):
    """Additions in shared memory, a lock-free maximum, and a fence."""
    sums = D.shared_array(2, D.float32)
    t = D.thread_idx.x
    if t < 2:
        sums[t] = 0.0
    D.syncthreads()
    x = a[D.tid(1)]
    D.atomic_ref(sums, 0).add(x, "relaxed", "block")
    most = D.atomic_ref(sums, 1)
    old = most.load("relaxed", "block")
    while old < x:
        found = most.cas(old, x, "acq_rel", "block")
        if found == old:
            break
        old = found
    D.threadfence("seq_cst", "device")
    D.syncthreads()
    out[D.tid(1)] = sums[0] + 1000 * sums[1]


def sums_of_warps(a):
    """What of_warps gives."""
    rows = a.reshape(-1, 32)
    positive = rows > 0
    peers = (rows[:, :, None] == rows[:, None, :]).sum(2)
    of_all = rows.sum(1) + 1000.0 * positive.sum(1)
    some = np.where(positive, (rows > 4).sum(1)[:, None], 0)
    return (of_all[:, None] + 100000.0 * peers + 0.25 * some).ravel()


def expected():
    """(kernel, bytes of dynamic shared memory, what it must give of these elements)"""
    a = np.random.default_rng(5).integers(-9, 10, 2 * BLOCK).astype(np.float32)
    blocks = a.reshape(-1, BLOCK)
    counts = np.repeat((blocks > 0).sum(1) + 1000.0, BLOCK)
    return a, (
        (counted, 0, counts),
        (reversed_blocks, 4 * BLOCK, blocks[:, ::-1].ravel()),
        # More than the 48 KiB that a launch gets unasked.
        (reversed_blocks, 64 * 1024, blocks[:, ::-1].ravel()),
        (own_array, 0, a * (np.arange(a.size) % 4)),
        (of_warps, 0, sums_of_warps(a)),
        (of_atomics, 0, np.repeat(blocks.sum(1) + 1000 * blocks.max(1), BLOCK)),
        (speaks, 0, a),
    )
