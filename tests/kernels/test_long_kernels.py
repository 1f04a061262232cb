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


# As many instructions as a thousand lines have are not needed: each of these accesses and branches
# becomes several blocks of machine code.
ACCESSES = """\
from cuda import device as D

STEPS = tuple(range({count}))


@D.kernel
def accesses(a, out):
    i = D.tid(1)
    x = a[i]
    for k in STEPS:
        x += a[{index}]
    out[i] = x
"""


@pytest.mark.parametrize(
    ("index", "count", "bounded"), [("i + k", 300, False), ("i + k", 500, True), ("k", 500, False)]
)
def test_accesses_by_lanes_count(index, count, bounded):
    a = np.zeros(BLOCKS * THREADS, np.int32)
    kernel = executed(ACCESSES.format(count=count, index=index))["accesses"]

    def inspect(what):
        return kernel.inspect(a, a.copy(), what=what, target="avx2", grid=BLOCKS, block=THREADS)

    assert inspect("ir").count(" = ") < 4000, "not long for its instructions"
    assert ("llvm.licm.disable" in inspect("llvm_raw")) == bounded


NETWORK = """\
from cuda import device as D

PAIRS = tuple((i, j) for i in range({count}) for j in range(i + 1, {count}))


@D.kernel
def middle(a, out, n):
    own = D.local_array({count}, D.{kind})
    i = D.tid(1)
    for k in range({count}):
        own[k] = a[i + k]
    if i < n:
        for p in PAIRS:
            {step}
    out[i] = own[{count} // 2]
"""
SWAP = """if own[p[0]] > own[p[1]]:
                own[p[0]], own[p[1]] = own[p[1]], own[p[0]]"""
CHOOSE = """low, high = min(own[p[0]], own[p[1]]), max(own[p[0]], own[p[1]])
            own[p[0]], own[p[1]] = low, high"""


def network(count, step, kind):
    return executed(NETWORK.format(count=count, step=step, kind=kind))["middle"]


@pytest.mark.parametrize("count", [5, 49])
@pytest.mark.parametrize("step", [SWAP, CHOOSE], ids=["swap", "choose"])
@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_networks_sort(target, count, step, kind):
    """Some threads of a gang sort, some do not, and some swap where others keep."""
    threads, sorting = 2 * 50, 77
    a = np.random.default_rng(1).integers(-99, 99, threads + count).astype(kind)
    out = np.zeros(threads, kind)
    run(network(count, step, kind), a, out, sorting, grid=2, block=50)
    windows = np.lib.stride_tricks.sliding_window_view(a, count)[:threads]
    middle = np.where(
        np.arange(threads) < sorting, np.sort(windows)[:, count // 2], windows[:, count // 2]
    )
    np.testing.assert_array_equal(out, middle)


@pytest.mark.parametrize("form", ["avx512", "avx2", "sse4"])
def test_own_arrays_of_long_kernels_are_blended(form):
    """One load and one store, where there would be branches for full and for empty masks."""
    a = np.zeros(200, np.float32)

    def inspect(count, what):
        kernel = network(count, SWAP, "float32")
        return kernel.inspect(a, a.copy(), 64, what=what, target=form, grid=1, block=64)

    assert "consecutive elements, blended" not in inspect(5, "facts")
    assert "consecutive elements, blended" in inspect(49, "facts")
    assert inspect(49, "llvm_raw").count("br i1") < 1.2 * 49 * 48 / 2, "a branch for each swap"


def test_long_blocks_are_cut_for_both_schedulers():
    """The one after the allocation of registers sees labels alone."""
    a = np.zeros(200, np.float32)

    def cuts(count):
        kernel = network(count, CHOOSE, "float32")
        text = kernel.inspect(a, a.copy(), 64, what="llvm", target="avx2", grid=1, block=64)
        return text.count("call void @llvm.codeview.annotation(")

    assert cuts(5) == 0
    assert cuts(49) > 10
