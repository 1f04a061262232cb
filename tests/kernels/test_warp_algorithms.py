"""Algorithms of warps, each a kernel with one body on every target: sums, scans, sorts, compaction,
products with sparse matrices, and atomics that a warp does once."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

FULL = D.WarpMask(-1)
BLOCK = 128
WARPS = BLOCK // 32


def numbers(n, dtype=np.int32, seed=1, below=100):
    return np.random.default_rng(seed).integers(0, below, n).astype(dtype)


# --- reductions ---


def add(a, b):
    return a + b


def reduced(value, combine):
    """In every lane, the values of all 32."""
    for distance in (16, 8, 4, 2, 1):
        value = combine(value, D.shfl_xor_sync(FULL, value, distance))
    return value


@D.kernel
def reductions(a, sums, least, greatest):
    i = D.tid(1)
    sums[i // 32] = reduced(a[i], add)
    least[i // 32] = reduced(a[i], min)
    greatest[i // 32] = reduced(a[i], max)


@clause("DEV-WARP-22")
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64, np.float32, np.float64])
def test_reductions(target, dtype):
    a = numbers(2 * BLOCK, dtype, below=7)
    results = np.zeros((3, len(a) // 32), dtype)
    run(reductions, a, *results, grid=2, block=BLOCK)
    rows = a.reshape(-1, 32)
    assert results.tolist() == [f(axis=1).tolist() for f in (rows.sum, rows.min, rows.max)]


@D.kernel
def first_threads(a, out):
    """Sums of the values of warps, of which the last one has fewer threads."""
    t = D.thread_idx.x
    there = D.ballot_sync(FULL, lambda: t < a.size)
    if t >= a.size:
        return
    value, distance = a[t], 16
    while distance > 0:
        other = D.shfl_down_sync(there, value, distance)
        below = D.lane_id + distance
        if below < 32 and there[below]:
            value += other
        distance //= 2
    if D.lane_id == 0:
        out[t // 32] = value


@clause("DEV-WARP-20")
@pytest.mark.parametrize("n", [1, 31, 32, 45, 96])
def test_a_reduction_of_fewer_threads(target, n):
    a, out = numbers(n), np.zeros(3, np.int32)
    run(first_threads, a, out, block=96)
    assert out.tolist() == [a[first : first + 32].sum() for first in (0, 32, 64)]


def of_block(value, partial):
    """The sum of a block's values, in its first warp."""
    t = D.thread_idx.x
    value = reduced(value, add)
    if D.lane_id == 0:
        partial[t // 32] = value
    D.syncthreads()
    sums = partial[t] if t < D.block_dim.x // 32 else 0
    return reduced(sums, add) if t < 32 else sums


@D.kernel
def block_sums(a, out):
    partial = D.shared_array(32, D.int32)
    total = of_block(a[D.tid(1)], partial)
    if D.thread_idx.x == 0:
        out[D.block_idx.x] = total


@pytest.mark.parametrize("block", [32, BLOCK, 1024])
def test_sums_of_blocks(target, block):
    a, out = numbers(3 * block), np.zeros(3, np.int32)
    run(block_sums, a, out, grid=3, block=block)
    assert out.tolist() == a.reshape(3, block).sum(1).tolist()


# --- scans ---


def scanned(value):
    """The sum of the values up to each lane and with it."""
    distance = 1
    while distance < 32:
        below = D.shfl_up_sync(FULL, value, distance)
        if D.lane_id >= distance:
            value += below
        distance *= 2
    return value


@D.kernel
def scans(a, inclusive, exclusive):
    i = D.tid(1)
    inclusive[i] = scanned(a[i])
    exclusive[i] = inclusive[i] - a[i]


@clause("DEV-WARP-18")
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_scans(target, dtype):
    a = numbers(BLOCK, dtype)
    inclusive, exclusive = np.zeros((2, BLOCK), dtype)
    run(scans, a, inclusive, exclusive, block=BLOCK)
    expected = a.reshape(-1, 32).cumsum(1).reshape(-1)
    assert inclusive.tolist() == expected.tolist()
    assert exclusive.tolist() == (expected - a).tolist()


@D.kernel
def block_scan(a, out):
    """A scan of each warp; the first warp scans their sums; all add what came before them."""
    sums = D.shared_array(32, D.int32)
    t = D.thread_idx.x
    i = D.tid(1)
    value = scanned(a[i])
    if D.lane_id == 31:
        sums[t // 32] = value
    D.syncthreads()
    if t < 32:
        sums[t] = scanned(sums[t] if t < D.block_dim.x // 32 else 0)
    D.syncthreads()
    out[i] = value + (sums[t // 32 - 1] if t >= 32 else 0)


@pytest.mark.parametrize("block", [32, BLOCK, 1024])
def test_scans_of_blocks_by_warps(target, block):
    a, out = numbers(2 * block), np.zeros(2 * block, np.int32)
    run(block_scan, a, out, grid=2, block=block)
    assert out.tolist() == a.reshape(2, block).cumsum(1).reshape(-1).tolist()


# --- compaction ---


@D.kernel
def compacted(a, out, counts):
    """The positive numbers of each block move to the front of its part, in order."""
    before = D.shared_array(WARPS, D.int32)
    t = D.thread_idx.x
    i = D.tid(1)
    value = a[i]
    kept = D.ballot_sync(FULL, lambda: value > 0)
    if D.lane_id == 0:
        before[t // 32] = D.popc(kept)
    D.syncthreads()
    place = D.popc(kept & D.lanemask_lt())
    total = 0
    for w in range(WARPS):
        if w < t // 32:
            place += before[w]
        total += before[w]
    if value > 0:
        out[D.block_idx.x, place] = value
    if t == 0:
        counts[D.block_idx.x] = total


@clause("DEV-WARP-12")
def test_compaction_by_ballots(target):
    a = numbers(4 * BLOCK).astype(np.float32) - 50
    a[:BLOCK] = -1  # none, and all
    a[BLOCK : 2 * BLOCK] = np.arange(BLOCK) + 1
    out, counts = np.zeros((4, BLOCK), np.float32), np.zeros(4, np.int32)
    run(compacted, a, out, counts, grid=4, block=BLOCK)
    for row, found, count in zip(a.reshape(4, BLOCK), out, counts, strict=True):
        assert found.tolist() == [*row[row > 0], *[0] * (BLOCK - count)]


# --- sorting ---


@D.kernel
def sorted_by_warps(keys, values):
    """Bitonic: 15 steps in registers. Numbers go with their keys, equal keys in their order."""
    i = D.tid(1)
    lane = D.lane_id
    key, value, place = keys[i], values[i], lane
    for size in (2, 4, 8, 16, 32):
        step = size // 2
        while step > 0:
            other_key = D.shfl_xor_sync(FULL, key, step)
            other_value = D.shfl_xor_sync(FULL, value, step)
            other_place = D.shfl_xor_sync(FULL, place, step)
            after = key > other_key or (key == other_key and place > other_place)
            lower, up = (lane & step) == 0, (lane & size) == 0
            if after == (lower == up):
                key, value, place = other_key, other_value, other_place
            step //= 2
    keys[i], values[i] = key, value


@pytest.mark.parametrize(("dtype", "below"), [(np.int32, 10**6), (np.float64, 1000), (np.uint8, 4)])
def test_sorting_32_by_exchanges(target, dtype, below):
    keys = numbers(BLOCK, dtype, below=below)
    values = np.arange(BLOCK, dtype=np.int32)
    order = np.argsort(keys.reshape(-1, 32), axis=1, kind="stable")
    expected = np.take_along_axis(keys.reshape(-1, 32), order, 1).reshape(-1)
    run(sorted_by_warps, keys, values, block=BLOCK)
    assert keys.tolist() == expected.tolist()
    assert values.tolist() == (order + 32 * np.arange(WARPS)[:, None]).reshape(-1).tolist()


# --- segmented sums ---


def of_peers(mask, value, peers):
    """The sum of the values of the lanes of `peers`, in the first of them."""
    place = D.popc(peers & D.lanemask_lt())  # among them
    rest = peers & ~D.lanemask_lt()
    rest[D.lane_id] = False  # those that come after
    while D.any_sync(mask, lambda: rest != 0):  # noqa: B023 called at once
        source = D.ffs(rest) - 1
        other = D.shfl_sync(mask, value, max(source, 0))
        if source >= 0:
            value += other
        odd = D.ballot_sync(mask, lambda: place % 2 == 1)  # noqa: B023 called at once
        rest &= ~odd  # their values have been added
        place //= 2
    return value


@D.kernel
def segments(keys, values, sums, adds):
    """Each warp adds once for each of its keys."""
    i = D.tid(1)
    peers = D.match_any_sync(FULL, keys[i])
    total = of_peers(FULL, values[i], peers)
    if D.ffs(peers) - 1 == D.lane_id:
        D.atomic_ref(sums, keys[i]).add(total, "relaxed", "device")
        D.atomic_ref(adds, 0).add(1, "relaxed", "device")


@clause("DEV-WARP-24")
@pytest.mark.parametrize("count", [1, 3, 32, 500])
def test_segmented_sums_by_matches(target, count):
    keys, values = numbers(4 * BLOCK, below=count), numbers(4 * BLOCK, seed=2)
    sums, adds = np.zeros(count, np.int32), np.zeros(1, np.int32)
    run(segments, keys, values, sums, adds, grid=4, block=BLOCK)
    assert sums.tolist() == np.bincount(keys, values, count).astype(int).tolist()
    assert adds[0] == sum(len(set(row)) for row in keys.reshape(-1, 32).tolist())


# --- aggregated atomics ---


def ticket(mask, counter):
    """A number for each thread of the mask, by one atomic operation."""
    first = D.ffs(mask) - 1
    start = 0
    if D.lane_id == first:
        start = D.atomic_ref(counter, 0).add(D.popc(mask), "relaxed", "device")
    return D.shfl_sync(mask, start, first) + D.popc(mask & D.lanemask_lt())


@D.kernel
def queued(a, queue, counter):
    """Elements that are divisible go into a queue, those of a warp side by side."""
    i = D.tid(1)
    wanted = i < a.size and a[i] % 3 == 0
    mask = D.ballot_sync(FULL, lambda: wanted)
    if wanted:
        queue[ticket(mask, counter)] = i


@clause("DEV-WARP-12", "DEV-WARP-14")
def test_one_atomic_operation_for_a_warp(target):
    a = numbers(1000)
    queue, counter = np.full(1024, -1, np.int32), np.zeros(1, np.int32)
    run(queued, a, queue, counter, grid=8, block=BLOCK)
    expected = np.flatnonzero(a % 3 == 0)
    found = queue[: counter[0]]
    assert sorted(found.tolist()) == expected.tolist()
    assert (queue[counter[0] :] == -1).all()
    warps = found // 32  # in one piece
    assert (np.diff(warps) != 0).sum() + 1 == len(set(warps.tolist()))


# --- rows ---


@D.kernel
def row_norms(a, out):
    """A warp loads 32 elements of a row at a time, all of them one after the other in memory."""
    row = D.tid(1) // 32
    if row >= a.shape[0]:
        return
    total = D.float64(0)
    for k in range(D.lane_id, a.shape[1], 32):
        total += a[row, k] * a[row, k]
    total = reduced(total, add)
    if D.lane_id == 0:
        out[row] = total


@pytest.mark.parametrize("width", [1, 31, 32, 100])
def test_a_warp_for_each_row(target, width):
    a, out = numbers(13 * width, np.float64).reshape(13, width), np.zeros(13)
    run(row_norms, a, out, grid=4, block=BLOCK)
    assert out.tolist() == (a * a).sum(1).tolist()


@D.kernel
def products_of_tiles(a, b, out):
    """Each lane has a column; the row's elements are loaded together and handed around."""
    row = D.tid(1) // 32
    lane = D.lane_id
    total = D.float32(0)
    for first in range(0, a.shape[1], 32):
        mine = a[row, first + lane] if first + lane < a.shape[1] else 0.0
        for k in range(min(32, a.shape[1] - first)):
            total += D.shfl_sync(FULL, mine, D.int32(k)) * b[first + k, lane]
    out[row, lane] = total


@clause("DEV-WARP-14")
@pytest.mark.parametrize("depth", [5, 32, 75])
def test_rows_are_loaded_once_and_handed_around(target, depth):
    a = numbers(8 * depth, np.float32, below=9).reshape(8, depth)
    b = numbers(32 * depth, np.float32, seed=2, below=9).reshape(depth, 32)
    out = np.zeros((8, 32), np.float32)
    run(products_of_tiles, a, b, out, grid=2, block=BLOCK)
    assert out.tolist() == (a @ b).tolist()


@D.kernel
def sparse_product(starts, columns, values, x, y):
    row = D.tid(1) // 32
    if row >= y.size:
        return
    total = D.float64(0)
    for k in range(starts[row] + D.lane_id, starts[row + 1], 32):
        total += values[k] * x[columns[k]]
    total = reduced(total, add)
    if D.lane_id == 0:
        y[row] = total


@clause("DEV-WARP-22")
@pytest.mark.parametrize("density", [0.02, 0.5, 1])
def test_sparse_products_by_a_warp_for_each_row(target, density):
    rng = np.random.default_rng(4)
    dense = rng.integers(1, 9, (37, 90)) * (rng.random((37, 90)) < density)
    starts = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    columns = np.nonzero(dense)[1].astype(np.int32)
    values, x = dense[dense != 0].astype(np.float64), numbers(90, np.float64)
    y = np.zeros(37)
    run(sparse_product, starts, columns, values, x, y, grid=10, block=BLOCK)
    assert y.tolist() == (dense @ x).tolist()
