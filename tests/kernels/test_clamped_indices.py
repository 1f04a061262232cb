"""Indices that are clamped to the bounds of an array, or begin anew at its ends: of neighbours of
an element, of the border around a tile. In most gangs no lane is at a border, and those that are
must not be overlooked."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

RNG = np.random.default_rng(17)
BLOCKS = [32, 64, 33, 256]
THREADS = 256
AROUND = 300  # elements on both sides of an array, that nobody may read or write


def numbers(*shape, dtype=np.float32):
    """Contiguous, in the middle of memory that holds another number."""
    size = int(np.prod(shape))
    memory = np.full(size + 2 * AROUND, -99, dtype)
    inside = memory[AROUND : AROUND + size]
    inside[:] = RNG.integers(1, 10000, size)
    return inside.reshape(shape)


def positions(dtype, d):
    """Positions of all threads, moved by `d` and modulo the type's numbers."""
    return np.arange(THREADS).astype(dtype) + np.array(d).astype(dtype)


def launch(kernel, rows, block, *args):
    out = np.full((rows, THREADS), -1, np.float32)
    run(kernel, out, *args, grid=-(-THREADS // block), block=block)
    return out


@D.kernel
def borders(out, source, d, n):
    i = D.tid(1)
    if i < out.shape[1]:
        x = i + d
        out[0, i] = source[min(max(x, 0), n - 1)]
        out[1, i] = source[max(min(x, n - 1), 0)]
        out[2, i] = source[max(0, min(n - 1, x))]
        out[3, i] = source[min(max(x, 0), source.size - 1)]
        out[4, i] = source[x % n]
        out[5, i] = source[min(x & 63, n - 1)]
        out[6, i] = source[max(min(abs(x), n - 1), 0)]
        out[7, i] = source[min(max(x, n // 2), n - 1)]
        out[8, i] = source[max(min(x, n - 1), -1)]
        out[9, i] = source[min(x & 40, n - 1)]


def at_borders(x, n):
    clipped = np.clip(x, 0, n - 1)
    return [
        clipped,
        clipped,
        clipped,
        clipped,
        x % n,
        np.minimum(x & 63, n - 1),
        np.clip(np.abs(x), 0, n - 1),
        np.clip(x, n // 2, n - 1),
        np.clip(x, -1, n - 1),
        np.minimum(x & 40, n - 1),
    ]


@D.kernel
def choices(out, source, d, n, top):
    i = D.tid(1)
    if i < out.shape[1]:
        x = i + d
        out[0, i] = source[min(x if x > 0 else 0, n - 1)]
        out[1, i] = source[min(0 if x <= 0 else x, n - 1)]
        out[2, i] = source[max(x if n > x else n - 1, 0)]
        out[3, i] = source[max(n - 1 if n <= x else x, 0)]
        out[4, i] = source[max(x if x < n else n - 1, 0)]
        out[5, i] = source[max(x if x < source.size else source.size - 1, 0)]
        out[6, i] = source[min(max(x - 1 if x > 5 else 3, 0), n - 1)]
        out[7, i] = source[min(i if x < top else 0, n - 1)]
        out[8, i] = source[min(i if x >= top else 0, n - 1)]


def at_choices(x, n, top):
    i = np.arange(THREADS)
    clipped = np.clip(x, 0, n - 1)
    before = (x - np.int32(1)).astype(np.int32)
    return [
        *[clipped] * 6,
        np.clip(np.where(x > 5, before, 3), 0, n - 1),
        np.minimum(np.where(x < top, i, 0), n - 1),
        np.minimum(np.where(x >= top, i, 0), n - 1),
    ]


NEAR = [0, -1, 1, -40, 31, 90]
FAR = [2**31 - 10, 2**31 - 200, -(2**31), -(2**31) - 17]


@pytest.mark.parametrize("n", [1, 5, 32, 100, 300])
@pytest.mark.parametrize("block", BLOCKS)
def test_one_axis(target, block, n):
    source = numbers(n)
    for d in (NEAR + FAR)[:: 1 if block == 32 else 3]:
        x = positions(np.int32, d)
        d = int(np.int64(d).astype(np.int32))
        out = launch(borders, 10, block, source, d, n)
        for row, at in zip(out, at_borders(x, n), strict=True):
            assert (row == source[at]).all()
        top = int(x[7])
        out = launch(choices, 9, block, source, d, n, top)
        for row, at in zip(out, at_choices(x, n, top), strict=True):
            assert (row == source[at]).all()


@D.kernel
def in_int64(out, source, d, n, most):
    i = D.tid(1)
    if i < out.shape[1]:
        x = D.int64(i) + d
        out[0, i] = source[min(max(x, 0), n - 1)]
        out[1, i] = source[D.int32(min(max(x, 0), n - 1))]
        out[2, i] = source[max(min(x, source.size - 1), 0)]
        out[3, i] = source[x % n]
        out[4, i] = source[min(x if x > 0 else 0, n - 1)]
        out[5, i] = source[min(max(x, most), n - 1)]


@D.kernel
def in_int16(out, source, d, n, most):
    i = D.tid(1)
    if i < out.shape[1]:
        x = D.int16(i) + d
        out[0, i] = source[min(max(x, 0), n - 1)]
        out[1, i] = source[D.uint8(min(max(x, 0), n - 1))]
        out[2, i] = source[max(min(x, source.size - 1), 0)]
        out[3, i] = source[x % n]
        out[4, i] = source[min(x if x > 0 else 0, n - 1)]
        out[5, i] = source[min(max(x, most), n - 1)]


@D.kernel
def in_uint32(out, source, d, n, most):
    i = D.tid(1)
    if i < out.shape[1]:
        x = D.uint32(i) + d
        out[0, i] = source[min(x, n - 1)]
        out[1, i] = source[D.int32(min(x, n - 1))]
        out[2, i] = source[min(x, source.size - 1)]
        out[3, i] = source[x % n]
        out[4, i] = source[x if x < n else n - 1]
        out[5, i] = source[min(max(x, most), n - 1)]


@D.kernel
def in_uint64(out, source, d, n, most):
    i = D.tid(1)
    if i < out.shape[1]:
        x = D.uint64(i) + d
        out[0, i] = source[min(x, n - 1)]
        out[1, i] = source[D.int32(min(x, n - 1))]
        out[2, i] = source[min(n - 1, x)]
        out[3, i] = source[x % n]
        out[4, i] = source[x if x < n else n - 1]
        out[5, i] = source[min(max(x, most), n - 1)]


BY_TYPE = [
    (in_int16, np.int16, [0, -40, 5, 2**15 - 10, -(2**15)]),
    (in_int64, np.int64, [0, -40, 5, 2**31 - 10, 2**32 - 10, 2**63 - 10, -(2**63), -(2**32)]),
    (in_uint32, np.uint32, [0, 5, 2**31 - 10, 2**31, 2**32 - 10]),
    (in_uint64, np.uint64, [0, 5, 2**31 - 10, 2**32 - 10, 2**63 - 10, 2**64 - 10]),
]


@pytest.mark.parametrize(("kernel", "dtype", "moved"), BY_TYPE)
@pytest.mark.parametrize("n", [1, 40, 120])
@pytest.mark.parametrize("block", [32, 64])
def test_positions_of_other_types(target, kernel, dtype, moved, n, block):
    source = numbers(n)
    for d in moved:
        x = positions(dtype, d)
        most = np.iinfo(dtype).max
        out = launch(kernel, 6, block, source, dtype(d), dtype(n), dtype(most))
        clipped = np.clip(x, dtype(0), dtype(n - 1))
        for row in (0, 1, 2, 4):
            assert (out[row] == source[clipped]).all()
        assert (out[3] == source[x % dtype(n)]).all()
        assert (out[5] == source[n - 1]).all()


@D.kernel
def low_bits(out, source, d):
    i = D.tid(1)
    if i < out.shape[1]:
        out[0, i] = source[D.int32(D.int64(i) + d)]


def test_low_bits_of_far_positions(target):
    source = numbers(300)
    for d in (2**32 + 3, -(2**32), 2**33 - 20):
        out = launch(low_bits, 1, 64, source, np.int64(d))
        assert (out[0] == source[positions(np.int32, np.int64(d).astype(np.int32))]).all()


@D.kernel
def choice_by_low_bits(out, source, d, bound):
    i = D.tid(1)
    if i < out.shape[1]:
        x = D.uint32(D.int16(i) + d)
        out[0, i] = source[0 if x < bound else i]
        out[1, i] = source[0 if bound > x else i]


def test_choice_by_a_number_that_is_negative_before_it_is_unsigned(target):
    source = numbers(300)
    for d in (-300, -100, 0):
        for bound in (2**32 - 1, 2**32 - 270, 2**32 - 120, 2**16, 90):
            out = launch(choice_by_low_bits, 2, 64, source, np.int16(d), np.uint32(bound))
            x = positions(np.int32, d).astype(np.uint32)
            expected = source[np.where(x < bound, 0, np.arange(THREADS))]
            assert (out == expected).all()


@D.kernel
def steep(out, source, n):
    i = D.tid(1)
    if i < out.shape[1]:
        out[0, i] = source[min(max(i * 138547333, 0), n - 1)]
        out[1, i] = source[min(max(i * 68174085, 0), n - 1)]


# Between the first lane of 32 (of 64) and the last, numbers go once through all of int32.
def test_lanes_far_apart(target):
    source = numbers(80)
    out = launch(steep, 2, 64, source, 80)
    i = np.arange(THREADS, dtype=np.int32)
    for row, step in zip(out, (138547333, 68174085), strict=True):
        assert (row == source[np.clip(i * np.int32(step), 0, 79)]).all()


@D.kernel
def cross(out, source, dx, dy):
    x, y = D.tid(2)
    height, width = source.shape
    if x < width and y < height:
        left, right = max(x - dx, 0), min(x + dx, width - 1)
        above, below = max(y - dy, 0), min(y + dy, height - 1)
        sides = source[y, left] + source[y, right] + source[above, x] + source[below, x]
        corners = source[above, left] - source[below, right]
        both = source[min(max(y + dy - 1, 0), height - 1), min(max(x - dx + 1, 0), width - 1)]
        out[y, x] = sides * 4 + corners * 2 + both


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (8, 8), (64, 1), (10, 10)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 70), (70, 1), (5, 140), (19, 33), (40, 64)])
def test_two_axes(target, block, shape):
    height, width = shape
    source = numbers(*shape)
    y, x = np.indices(shape)
    for dx, dy in ((1, 1), (3, 2), (40, 50)):
        out = np.zeros(shape, np.float32)
        grid = (-(-width // block[0]), -(-height // block[1]))
        run(cross, out, source, dx, dy, grid=grid, block=block)
        left, right = np.maximum(x - dx, 0), np.minimum(x + dx, width - 1)
        above, below = np.maximum(y - dy, 0), np.minimum(y + dy, height - 1)
        sides = source[y, left] + source[y, right] + source[above, x] + source[below, x]
        corners = source[above, left] - source[below, right]
        both = source[np.clip(y + dy - 1, 0, height - 1), np.clip(x - dx + 1, 0, width - 1)]
        assert (out == sides * 4 + corners * 2 + both).all()


@D.kernel
def tiles(out, source, radius):
    tile = D.shared_array((40, 40), D.float32)
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    x, y = D.tid(2)
    x0, y0 = x - tx - radius, y - ty - radius
    height, width = source.shape
    for j in range(ty, D.block_dim.y + 2 * radius, D.block_dim.y):
        for i in range(tx, D.block_dim.x + 2 * radius, D.block_dim.x):
            tile[j, i] = source[min(max(y0 + j, 0), height - 1), min(max(x0 + i, 0), width - 1)]
    D.syncthreads()
    if x < width and y < height:
        total = 0.0
        for j in range(2 * radius + 1):
            for i in range(2 * radius + 1):
                total += tile[ty + j, tx + i] * (3 * j + i)
        out[y, x] = total


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (10, 10), (8, 4)])
@pytest.mark.parametrize("shape", [(1, 1), (3, 90), (45, 2), (37, 100)])
@pytest.mark.parametrize("radius", [1, 3])
def test_borders_of_tiles(target, block, shape, radius):
    height, width = shape
    source = numbers(*shape)
    out = np.zeros(shape, np.float32)
    grid = (-(-width // block[0]), -(-height // block[1]))
    run(tiles, out, source, radius, grid=grid, block=block)
    wide = np.pad(source, radius, mode="edge")
    size = range(2 * radius + 1)
    expected = sum(wide[j : j + height, i : i + width] * (3 * j + i) for j in size for i in size)
    assert (out == expected).all()


@D.kernel
def scatter(out, keep, d, mark):
    i = D.tid(1)
    n = out.shape[1]
    x = i + d
    if x >= 0 and x < n:
        out[0, min(x, n - 1)] = i
        out[1, max(x, 0)] = -i
    if keep[i] > 0:
        out[2, min(max(x, 0), n - 1)] = mark
        out[3, x % n] = mark


@pytest.mark.parametrize("n", [1, 20, 64, 130, 300])
@pytest.mark.parametrize("block", BLOCKS)
def test_stores(target, n, block):
    threads = -(-THREADS // block) * block
    keep = RNG.integers(0, 2, threads).astype(np.int32)
    keep[64:128] = 1
    for d in (0, -40, 31, 200, 2**31 - 70):
        memory = np.zeros(4 * n + 2 * AROUND, np.float32)
        out = memory[AROUND : AROUND + 4 * n].reshape(4, n)
        run(scatter, out, keep, d, 7, grid=threads // block, block=block)
        i = np.arange(threads)
        x = i.astype(np.int32) + np.int32(d)
        inside = (x >= 0) & (x < n)
        expected = np.zeros((4, n), np.float32)
        expected[0, x[inside]] = i[inside]
        expected[1, x[inside]] = -i[inside]
        kept = x[keep > 0]
        expected[2, np.clip(kept, 0, n - 1)] = 7
        expected[3, kept % n] = 7
        assert (out == expected).all()
        assert not memory[:AROUND].any()
        assert not memory[AROUND + 4 * n :].any()


@D.kernel
def last_wins(out, d):
    i = D.thread_idx.x
    out[min(max(D.int32(i) + d, 0), out.size - 1)] = i


def test_of_lanes_clamped_to_one_element_the_last_one_wins(target):
    if target in ("ptx", "cuda"):
        pytest.skip("for other targets: a GPU may choose any of them")
    for n in (1, 10, 33, 64, 100):
        for d in (0, -5, 40):
            out = np.full(n, -1, np.int32)
            run(last_wins, out, d, block=64)
            expected = np.full(n, -1, np.int32)
            for i in range(64):
                expected[min(max(i + d, 0), n - 1)] = i
            assert (out == expected).all()


# ---------------------------------------------------------------------------------------------
# what they become


def versions(kernel, *args, form, block):
    """The blocks of code for gangs in which no lane is at a border, and those for the others."""
    text = kernel.inspect(*args, what="llvm", target=form, grid=1, block=block)
    blocks = re.split(r"\n\n", text)
    found = [
        [b for b in blocks if re.match(rf"{name}\d*:", b)]
        for name in ("unclamped_index", "any_index")
    ]
    return found


FORMS = ["avx512", "avx512x64", "avx2", "avx2x64"]
VECTORS = re.compile(r"masked\.load|maskload|load <\d+ x ")
GATHERS = re.compile(r"call .*(gather|scatter)")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [(32, 8), (64, 4)])
def test_tiles_are_read_in_whole_vectors_away_from_borders(form, block):
    a = np.zeros((100, 100), np.float32)
    bare, at_borders = versions(tiles, a, a, 2, form=form, block=block)
    assert bare
    assert len(bare) == len(at_borders)
    assert all(VECTORS.search(text) for text in bare)
    assert all(GATHERS.search(text) for text in at_borders)


# For gangs with all their lanes and for those with some.
@pytest.mark.parametrize("form", FORMS)
def test_each_way_of_clamping_has_a_version_in_whole_vectors(form):
    out, source = np.zeros((10, 200), np.float32), np.zeros(100, np.float32)
    kernels = [(borders, (0, 100), 9), (choices, (0, 100, 50), 9)]
    kernels += [
        (kernel, (dtype(0), dtype(100), dtype(7)), count)
        for (kernel, dtype, _), count in zip(BY_TYPE, (5, 5, 6, 5), strict=True)
    ]
    for kernel, values, count in kernels:
        bare, _ = versions(kernel, out, source, *values, form=form, block=128)
        assert sum(bool(VECTORS.search(text)) for text in bare) == 2 * count
