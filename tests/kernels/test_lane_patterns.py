"""Indices whose lanes lie at constant distances: every second element, records, short rows,
partners in an exchange. On the host they are read and written as whole vectors."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

RNG = np.random.default_rng(12)
BLOCKS = [32, 64, 33, 100, 256]
DTYPES = [np.float32, np.int32, np.float64, np.int16]
GATHERS = re.compile(r"\tv?p?(?:gather|scatter)\w+")


def numbers(n, dtype):
    return RNG.integers(-10000, 10000, n).astype(dtype)


@D.kernel
def records_to_arrays(x, y, z, records, n):
    i = D.tid(1)
    if i < n:
        x[i] = records[3 * i]
        y[i] = records[3 * i + 1]
        z[i] = records[3 * i + 2]


@D.kernel
def arrays_to_records(records, x, y, z, n):
    i = D.tid(1)
    if i < n:
        records[3 * i] = x[i]
        records[3 * i + 1] = y[i]
        records[3 * i + 2] = z[i]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("left_out", [0, 1, 32])
def test_records(target, dtype, block, left_out):
    n = 2 * block - left_out
    if n <= 0:
        n = 1
    x, y, z = parts = numbers((3, n), dtype)
    records = np.full(3 * n + 5, 77, dtype)
    run(arrays_to_records, records, x, y, z, n, grid=2, block=block)
    assert (records[: 3 * n].reshape(n, 3) == parts.T).all()
    assert (records[3 * n :] == 77).all()
    out = np.full((3, n + 1), 5, dtype)
    run(records_to_arrays, *out, records, n, grid=2, block=block)
    assert (out[:, :n] == parts).all()
    assert (out[:, n] == 5).all()


@D.kernel
def every(out, source, keep):
    i = D.tid(1)
    out[2 * i] = source[2 * i + 1]
    if keep[i] > 0:
        out[2 * i + 1] = source[4 * i]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", BLOCKS)
def test_stores_of_some_lanes_touch_their_elements_alone(target, dtype, block):
    n = block
    source, keep = numbers(4 * n, dtype), numbers(n, np.int32)
    out = np.full(2 * n, 99, dtype)
    run(every, out, source, keep, block=block)
    assert (out[::2] == source[1 : 2 * n : 2]).all()
    assert (out[1::2] == np.where(keep > 0, source[::4], 99)).all()


@D.kernel
def short_rows(out, table, width):
    t = D.thread_idx.x
    out[t % 4, t // 4] = table[t // 8, t % 8]
    out[t % 4 + 4, t // 4] = table[t // 8, (t % 8) ^ 5] + (t & 12) - (t | 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", BLOCKS)
def test_rows_shorter_than_a_gang(target, dtype, block):
    table = numbers(((block + 7) // 8, 11), dtype)
    out = np.zeros((8, (block + 3) // 4), dtype)
    run(short_rows, out, table, 8, block=block)
    t = np.arange(block)
    expected = np.zeros_like(out)
    expected[t % 4, t // 4] = table[t // 8, t % 8]
    expected[t % 4 + 4, t // 4] = table[t // 8, (t % 8) ^ 5] + (t & 12) - (t | 3)
    assert (out == expected).all()


@D.kernel
def sort_pairs(out, source):
    key = D.shared_array(512, D.float32)
    t = D.thread_idx.x
    n = 2 * D.block_dim.x
    first = n * D.block_idx.x
    key[t] = source[first + t]
    key[t + D.block_dim.x] = source[first + t + D.block_dim.x]
    D.syncthreads()
    for j in (D.int32(1), D.int32(2), D.int32(4), D.int32(8), D.int32(16), D.int32(32)):
        low = 2 * t - (t & (j - 1))
        a = key[low]
        b = key[low + j]
        if (a > b) == ((t & 16) == 0):
            key[low] = b
            key[low + j] = a
        D.syncthreads()
    out[first + t] = key[t]
    out[first + t + D.block_dim.x] = key[t + D.block_dim.x]


def sorted_pairs(keys):
    key = keys.copy()
    t = np.arange(len(key) // 2)
    for j in (1, 2, 4, 8, 16, 32):
        low = 2 * t - (t & (j - 1))
        a, b = key[low], key[low + j]
        swap = (a > b) == ((t & 16) == 0)
        key[low[swap]], key[low[swap] + j] = b[swap], a[swap]
    return key


@D.kernel
def partners(out, source):
    t = D.thread_idx.x
    out[0, t] = source[t ^ 1]
    out[1, t] = source[t ^ 2]
    out[2, t] = source[t ^ 7]
    out[3, t] = source[t ^ 16]
    out[4, t] = source[t ^ 32]
    out[5, t ^ 6] = source[t | 4]
    out[6, t] = source[t & 60]
    out[7, t ^ 40] = source[(t & 3) ^ (t | 8)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", [64, 128, 256])
def test_partners_by_bits(target, dtype, block):
    source = numbers(block, dtype)
    out = np.zeros((8, block), dtype)
    run(partners, out, source, block=block)
    t = np.arange(block)
    expected = np.zeros_like(out)
    for row, distance in enumerate((1, 2, 7, 16, 32)):
        expected[row] = source[t ^ distance]
    expected[5, t ^ 6] = source[t | 4]
    expected[6] = source[t & 60]
    expected[7, t ^ 40] = source[(t & 3) ^ (t | 8)]
    assert (out == expected).all()


@D.kernel
def shared_elements(out, source):
    t = D.thread_idx.x
    out[t // 2] = source[t]  # the last thread of two wins
    out[D.block_dim.x // 2 + t % 4] = source[t // 4]


def test_of_lanes_that_collide_the_last_one_wins(target):
    if target in ("ptx", "cuda"):
        pytest.skip("for other targets: a GPU may choose any of them")
    source = numbers(64, np.float32)
    out = np.zeros(40, np.float32)
    run(shared_elements, out, source, block=64)
    expected = np.zeros(40, np.float32)
    expected[:32] = source[1::2]
    for t in range(64):
        expected[32 + t % 4] = source[t // 4]
    assert (out == expected).all()


@D.kernel
def near(out, source):
    t = D.thread_idx.x
    out[0, t] = source[t ^ 1]
    out[1, t ^ 32] = source[t ^ 7]
    out[2, t] = source[t & 60]
    out[3, 2 * t - (t & 3)] = source[4 * t + 1]


@D.kernel
def interleave(records, x, y, z):
    t = D.thread_idx.x
    records[3 * t] = y[2 * t]
    next = x[3 * t + 1]
    if z[t] > 0:
        records[3 * t + 1] = next
        records[3 * t + 2] = x[t]


@pytest.mark.parametrize("form", ["avx512", "avx512x64"])
def test_no_gather_where_distances_are_small(form):
    x = np.zeros(1024, np.float32)
    for kernel, args in ((near, (np.zeros((4, 512), np.float32), x)), (interleave, (x, x, x, x))):
        text = kernel.inspect(*args, what="asm", target=form, grid=1, block=256)
        assert "zmm" in text
        assert not GATHERS.findall(text)


@D.kernel
def shifted(out, source, near, far):
    i = D.tid(1)
    if i < source.size:
        out[i - near] = source[i - far] + source[2 * (i - far) // 2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", [32, 33, 256])
@pytest.mark.parametrize(("near", "far"), [(0, 5), (5, 0), (32, 16), (31, 40), (100, 1)])
def test_lanes_on_both_sides_of_zero(target, dtype, block, near, far):
    source = numbers(200, dtype)
    out = np.zeros(200, dtype)
    run(shifted, out, source, near, far, grid=-(-200 // block), block=block)
    expected = np.zeros(200, dtype)
    for i in range(200):
        expected[i - near] = source[i - far] + source[i - far]
    assert (out == expected).all()


@D.kernel
def flat(out, source, width, height, skip):
    x, y = D.tid(2)
    if x < width and y < height:
        at = y * width + x
        out[at] = source[at + skip] + source[(at - width) % (width * height)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", [(32, 8), (16, 16), (10, 10), (64, 1)])
@pytest.mark.parametrize("skip", [0, -37, 3])
def test_flat_indices_of_two_dimensions(target, dtype, block, skip):
    width, height = 45, 21
    source = numbers(width * height + 3, dtype)
    out = np.zeros(width * height, dtype)
    grid = (-(-width // block[0]), -(-height // block[1]))
    run(flat, out, source, width, height, skip, grid=grid, block=block)
    at = np.arange(width * height)
    assert (out == source[at + skip] + source[(at - width) % len(at)]).all()


@D.kernel
def flat_copy(out, source, width, height):
    x, y = D.tid(2)
    if x < width and y < height:
        out[y * width + x] = source[y * width + x]


@pytest.mark.parametrize("form", ["avx512", "avx512x64", "avx2"])
def test_flat_indices_are_whole_vectors_where_they_are_not_negative(form):
    a = np.zeros(100, np.float32)
    options = {"what": "llvm", "target": form, "grid": 1, "block": (64, 4)}
    text = flat_copy.inspect(a, a, 10, 10, **options)
    near = re.findall(r"^unclamped_index\d*:.*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert len(near) >= 2
    assert not [block for block in near if "gather" in block or "scatter" in block]


@D.kernel
def rows_of_a_block(out, source):
    tile = D.shared_array((32, 33), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    for row in range(ty, 32, D.block_dim.y):
        tile[row, tx] = source[row, tx]
    D.syncthreads()
    total = 0.0
    for row in range(ty, 32, D.block_dim.y):
        for column in range(tx, 32, 16):
            total += tile[column, row]
    last = row
    out[ty, tx] = total + last


@pytest.mark.parametrize("block", [(32, 8), (32, 4), (32, 5), (32, 32)])
def test_loops_that_threads_start_at_different_numbers(target, block):
    source = numbers((32, 32), np.float32)
    out = np.zeros((block[1], 32), np.float32)
    run(rows_of_a_block, out, source, block=block)
    for ty in range(block[1]):
        for tx in range(32):
            rows, columns = range(ty, 32, block[1]), range(tx, 32, 16)
            expected = sum(float(source[c, r]) for r in rows for c in columns)
            assert out[ty, tx] == expected + rows[-1]
