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
        (speaks, 0, a),
    )
