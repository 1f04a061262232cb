"""Loops whose trip counts differ by one between threads, as in filling a tile: the last iteration
is peeled."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.sources import executed
from support.targets import require

# start of thread t, stop, step
BOUNDS = [
    ("t", 36, 32),
    ("t", 100, 32),
    ("t", 20, 64),
    ("t", 33, 16),  # one to three
    ("40 - t", 0, -24),
    ("D.uint8(t)", 200, 90),
    ("t - 32", 0, 20),
    ("2**31 - 48 + t", 2**31 - 1, 32),
    ("-(2**31) + t", -(2**31) + 30, 31),
]


def none(start):
    """What is left where there is no iteration; of the counter's type."""
    return 250 if "uint8" in start else -1


def make(start, stop, step):
    source = f"""
def kernel(out, last, sums, value):
    t = D.int32(D.thread_idx.x) % 32
    total, k = 0, {none(start)}
    for k in range({start}, {stop}, {step}):
        total = 3 * total + value[k % 64]
        for j in range(D.int32(D.thread_idx.y), 3, 2):
            sums[D.thread_idx.y, D.thread_idx.x] += j + k % 5
    out[D.thread_idx.y, D.thread_idx.x] = total
    last[D.thread_idx.y, D.thread_idx.x] = k
"""
    return D.kernel(executed(source)["kernel"])


@pytest.mark.parametrize(("start", "stop", "step"), BOUNDS)
def test_every_iteration(target, start, stop, step):
    value = np.arange(64, dtype=np.int64) % 7
    out, last, sums = (np.zeros((2, 40), np.int64) for _ in range(3))
    run(make(start, stop, step), out, last, sums, value, grid=1, block=(40, 2))
    for y, x in np.ndindex(out.shape):
        first = eval(start, {"t": x % 32, "D": D})
        total, k, added = 0, none(start), 0
        for k in range(int(first), stop, step):
            total = 3 * total + value[k % 64]
            added += sum(j + k % 5 for j in range(y, 3, 2))
        wrapped = (int(total) + 2**63) % 2**64 - 2**63
        assert [out[y, x], last[y, x], sums[y, x]] == [wrapped, k, added], (y, x)


@D.kernel
def fill(out, source):
    tile = D.shared_array((12, 36), D.float32)
    x, y = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    for j in range(y, 12, 8):
        for i in range(x, 36, 32):
            tile[j, i] = source[j, i]
    D.syncthreads()
    out[y, x] = tile[y + 4, x + 4]


def test_a_tile_with_a_halo(target):
    source, out = np.random.default_rng(2).random((12, 36), np.float32), np.zeros((8, 32))
    run(fill, out, source, grid=1, block=(32, 8))
    np.testing.assert_array_equal(out, source[4:, 4:])


@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_iterations_of_all_threads_have_no_mask(form):
    require(form)
    arrays = np.zeros((8, 32), np.float32), np.zeros((12, 36), np.float32)
    facts = fill.inspect(*arrays, what="facts", target=form + "x32", grid=1, block=(32, 8))
    assert not re.search(r"for .*// divergent", facts)
    assert re.findall(r"= load %1, .*?// varying, (.*)", facts) == ["consecutive elements"] * 4
