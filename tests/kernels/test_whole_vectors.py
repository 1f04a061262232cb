"""Shared arrays are read and written in whole vectors, wherever the lanes of a gang lie in them:
what lies beside is read, or written back as it was."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

RNG = np.random.default_rng(21)
BLOCKS = [32, 100, 256]
DTYPES = ["float32", "float64", "int16", "uint8"]
MOST = 256


def numbers(shape, dtype):
    return RNG.integers(0, 100, shape).astype(dtype)


def element(dtype):
    return getattr(D, dtype)


def shifted(dtype, shift):
    """Loads and stores at a constant distance, on both sides of it another array."""

    @D.kernel
    def kernel(out, around, source):
        before = D.shared_array(5, dtype)
        part = D.shared_array(MOST + 64, dtype)
        after = D.shared_array(3, dtype)
        t = D.thread_idx.x
        n = D.block_dim.x
        if t < 5:
            before[t] = 7
        if t < 3:
            after[t] = 9
        for i in range(t, MOST + 64, n):
            part[i] = source[i]
        D.syncthreads()
        own = part[t + shift]
        next = part[t + shift + 1]
        D.syncthreads()
        part[t + shift] = own + next
        D.syncthreads()
        out[t] = part[t + shift // 2]
        if t < 5:
            around[t] = before[t]
        if t < 3:
            around[5 + t] = after[t]

    return kernel


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shift", [1, 16, 33, 47])
def test_shifted_runs(target, block, dtype, shift):
    source = numbers(MOST + 64, dtype)
    out, around = np.zeros(block, dtype), np.zeros(8, dtype)
    run(shifted(element(dtype), shift), out, around, source, block=block)
    part = source.copy()
    part[shift : shift + block] += source[shift + 1 : shift + 1 + block]
    assert (out == part[shift // 2 : shift // 2 + block]).all()
    assert list(around) == [7] * 5 + [9] * 3


def every(dtype, step, first):
    """One element of each record is written, the others stay."""

    @D.kernel
    def kernel(out, source):
        records = D.shared_array(step * MOST + first + 1, dtype)
        other = D.shared_array(MOST, dtype)
        t = D.thread_idx.x
        size = step * MOST + first + 1
        for i in range(t, size, D.block_dim.x):
            records[i] = source[i]
        other[t] = t
        D.syncthreads()
        records[step * t + first] = other[t] + 1
        other[t] += 2
        D.syncthreads()
        for i in range(t, size, D.block_dim.x):
            out[i] = records[i]
        out[size + t] = other[t]

    return kernel


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("step", "first"), [(2, 0), (3, 2), (2, 9), (5, 3)])
def test_elements_beside_stay(target, block, dtype, step, first):
    size = step * MOST + first + 1
    source, out = numbers(size, dtype), np.zeros(size + block, dtype)
    run(every(element(dtype), step, first), out, source, block=block)
    t = np.arange(block)
    expected = source.copy()
    expected[step * t + first] = (t + 1).astype(dtype)
    assert (out[:size] == expected).all()
    assert (out[size:] == (t + 2).astype(dtype)).all()


@D.kernel
def exchanges(out, source):
    """Partners at every distance below the block, each pair written by one thread."""
    part = D.shared_array(2 * MOST, D.float32)
    t = D.thread_idx.x
    n = D.block_dim.x
    part[t] = source[t]
    part[t + n] = source[t + n]
    D.syncthreads()
    j = 1
    while j <= n:
        low = 2 * t - (t & (j - 1))
        a = part[low]
        b = part[low + j]
        part[low] = min(a, b) + 0.25
        part[low + j] = max(a, b) - 0.5
        D.syncthreads()
        j *= 2
    out[t] = part[t]
    out[t + n] = part[t + n]


@pytest.mark.parametrize("block", [32, 64, 128, 256])
def test_exchanges(target, block):
    source, out = numbers(2 * block, "float32"), np.zeros(2 * block, np.float32)
    run(exchanges, out, source, block=block)
    part, t, j = source.copy(), np.arange(block), 1
    while j <= block:
        low = 2 * t - (t & (j - 1))
        a, b = part[low], part[low + j]
        part[low], part[low + j] = np.minimum(a, b) + 0.25, np.maximum(a, b) - 0.5
        j *= 2
    assert (out == part).all()


@D.kernel
def moving(out, source, first, last):
    """Bases that loops move by whole vectors, by parts of them, and by what is not known."""
    part = D.shared_array(1024, D.int32)
    t = D.thread_idx.x
    for i in range(t, 1024, D.block_dim.x):
        part[i] = source[i]
    D.syncthreads()
    total = 0
    for k in range(3, 500, 16):
        total += part[t + k] * k
    for k in range(0, 500, 4):
        total -= part[t + k] * k
    for k in range(first, last, 16):
        total += part[t + k]
    k = 1
    while k < 300:
        total ^= part[k + t]
        k = 2 * k + 1
    out[t] = total


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("first", [0, 5])
def test_bases_that_move(target, block, first):
    source, out = numbers(1024, np.int32), np.zeros(block, np.int32)
    run(moving, out, source, first, 200, block=block)
    t = np.arange(block)
    expected = sum(source[t + k] * k for k in range(3, 500, 16))
    expected = expected - sum(source[t + k] * k for k in range(0, 500, 4))
    expected += sum(source[t + k] for k in range(first, 200, 16))
    k = 1
    while k < 300:
        expected ^= source[k + t]
        k = 2 * k + 1
    assert (out == expected).all()


def tiles(order):
    @D.kernel
    def kernel(out, source):
        tile = D.shared_array((16, 36), D.float32, order=order)
        x, y = D.thread_idx.x, D.thread_idx.y
        for i in range(x, 36, 16):
            tile[y, i] = source[y, i]
        D.syncthreads()
        a, b = tile[y, x + 1], tile[x, 2 * y + 1]
        D.syncthreads()
        tile[y, 2 * x + 1] = a
        tile[x, 2 * y + 2] = b
        D.syncthreads()
        for i in range(x, 36, 16):
            out[y, i] = tile[y, i]

    return kernel


@pytest.mark.parametrize("order", ["C", "F"])
def test_tiles(target, order):
    source, out = numbers((16, 36), "float32"), np.zeros((16, 36), np.float32)
    run(tiles(order), out, source, block=(16, 16))
    expected = source.copy()
    y, x = np.mgrid[:16, :16]
    expected[y, 2 * x + 1] = source[y, x + 1]
    expected[x, 2 * y + 2] = source[x, 2 * y + 1]
    assert (out == expected).all()


def test_no_load_touches_two_lines():
    """Beyond the first gang, which is known at a line: one more vector, and shuffles."""

    @D.kernel
    def kernel(out, source):
        part = D.shared_array(MOST + 1, D.float32)
        t = D.thread_idx.x
        part[t] = source[t]
        D.syncthreads()
        out[t] = part[t + 1]

    numbers_of = np.zeros(MOST, np.float32)
    asm = kernel.inspect(numbers_of, numbers_of, what="asm", target="avx512", block=MOST)
    assert "vpermt2ps" in asm or "valignd" in asm
