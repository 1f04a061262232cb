"""Kernels so long that LLVM looks at less of them: the same results as those of short ones."""

import numpy as np
import pytest
from support.launching import run
from support.sources import executed

THREADS, BLOCKS = 64, 3

HEAD = """\
from cuda import device as D


@D.kernel
def long_kernel(a, out):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    i = D.tid(1)
    x = a[i]
    y = i
"""
# Statements of all kinds: tiles, guards, loops of equal and of differing lengths, jumps.
STEPS = """\
    s[t] = x + {k}
    D.syncthreads()
    x = x ^ (s[63 - t] * {k} + a[(i + {k}) % a.size])
    D.syncthreads()
    if x & 1 == {k} % 2:
        y = y + x
    else:
        y = y - {k}
        x = x + 1
    for j in range({k} % 3):
        y = y * 3 + j
    n = x & 3
    while n > 0:
        n = n - 1
        if n == {k} % 4:
            continue
        y = y + (x ^ n)
"""
FOOT = "    out[i] = x + y\n"


def long_kernel(steps):
    text = HEAD + "".join(STEPS.format(k=k) for k in range(steps)) + FOOT
    return executed(text)["long_kernel"]


def expected(a, steps):
    """All threads at once, in NumPy's arithmetic of int32, which wraps."""
    i = np.arange(a.size, dtype=np.int32)
    x, y = a.copy(), i.copy()
    for k in map(np.int32, range(steps)):
        tile = (x + k).reshape(BLOCKS, THREADS)[:, ::-1].reshape(-1)
        x = x ^ (tile * k + a[(i + k) % a.size])
        met = x & 1 == k % 2
        y = np.where(met, y + x, y - k)
        x = np.where(met, x, x + 1)
        for j in range(k % 3):
            y = y * 3 + np.int32(j)
        for n in map(np.int32, range(2, -1, -1)):
            y = np.where(((x & 3) > n) & (n != k % 4), y + (x ^ n), y)
    return x + y


@pytest.mark.parametrize("steps", [3, 70])
def test_results_do_not_depend_on_length(target, steps):
    a = np.random.default_rng(1).integers(-(2**31), 2**31, BLOCKS * THREADS).astype(np.int32)
    out = np.zeros_like(a)
    run(long_kernel(steps), a, out, grid=BLOCKS, block=THREADS)
    np.testing.assert_array_equal(out, expected(a, steps))


def test_only_long_kernels_are_treated_as_such():
    a = np.zeros(BLOCKS * THREADS, np.int32)

    def text(steps):
        return long_kernel(steps).inspect(
            a, a.copy(), what="llvm_raw", target="avx2", grid=BLOCKS, block=THREADS
        )

    assert "llvm.licm.disable" not in text(3)
    long = text(70)
    loops = long.count("!llvm.loop")
    assert loops > 140, "each region between barriers is a loop over gangs"
    assert long.count("llvm.licm.disable") == 1, "one hint that those loops share"
