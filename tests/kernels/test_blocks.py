"""Kernels whose threads work together: shared memory, barriers, memory of a thread's own."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

RNG = np.random.default_rng(7)

# --- reductions and scans ---


@D.kernel
def block_sums(out, a):
    partial = D.shared_array(1024, D.int64)
    t = D.thread_idx.x
    i = D.tid(1)
    partial[t] = a[i] if i < a.size else 0
    D.syncthreads()
    step = 1
    while step < D.block_dim.x:
        if t % (2 * step) == 0 and t + step < D.block_dim.x:
            partial[t] += partial[t + step]
        D.syncthreads()
        step *= 2
    if t == 0:
        out[D.block_idx.x] = partial[0]


@pytest.mark.parametrize("block", [1, 31, 32, 33, 100, 256, 1000, 1024])
def test_block_reduction(target, block):
    a = RNG.integers(-1000, 1000, 2 * block + block // 2)
    out = np.full(3, -1, np.int64)
    run(block_sums, out, a, grid=3, block=block)
    assert out.tolist() == [int(a[k * block : (k + 1) * block].sum()) for k in range(3)]


@D.kernel
def inclusive_scan(a):
    held = D.shared_array(256, D.int32)
    t = D.thread_idx.x
    held[t] = a[D.tid(1)]
    step = 1
    while step < D.block_dim.x:
        D.syncthreads()
        left = held[t - step] if t >= step else 0
        D.syncthreads()
        held[t] += left
        step *= 2
    a[D.tid(1)] = held[t]


@pytest.mark.parametrize("block", [1, 2, 33, 100, 256])
def test_scan_of_each_block(target, block):
    a = RNG.integers(0, 9, 3 * block).astype(np.int32)
    expected = np.cumsum(a.reshape(3, block), axis=1).reshape(-1)
    run(inclusive_scan, a, grid=3, block=block)
    assert a.tolist() == expected.tolist()


# --- tiles ---

TILE = 8


@D.kernel
def transpose(out, a):
    tile = D.shared_array((TILE, TILE + 1), D.float32)
    x, y = D.tid(2)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    D.syncthreads()
    x = D.block_idx.y * TILE + tx
    y = D.block_idx.x * TILE + ty
    if x < a.shape[0] and y < a.shape[1]:
        out[y, x] = tile[tx, ty]


def test_transpose_through_a_tile(target):
    a = RNG.random((21, 13)).astype(np.float32)
    out = np.zeros((13, 21), np.float32)
    run(transpose, out, a, grid=(2, 3), block=(TILE, TILE))
    assert np.array_equal(out, a.T)


@D.kernel
def matrix_product(c, a, b):
    ta = D.shared_array((TILE, TILE), D.int64)
    tb = D.shared_array((TILE, TILE), D.int64, order="F")
    col, row = D.tid(2)
    x, y = D.thread_idx.x, D.thread_idx.y
    total = D.int64(0)
    for k in range(0, a.shape[1], TILE):
        ta[y, x] = a[row, k + x] if row < a.shape[0] and k + x < a.shape[1] else 0
        tb[y, x] = b[k + y, col] if k + y < b.shape[0] and col < b.shape[1] else 0
        D.syncthreads()
        for j in range(TILE):
            total += ta[y, j] * tb[j, x]
        D.syncthreads()
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = total


def test_matrix_product_by_tiles(target):
    a = RNG.integers(-9, 9, (19, 30))
    b = RNG.integers(-9, 9, (30, 11))
    c = np.zeros((19, 11), np.int64)
    run(matrix_product, c, a, b, grid=(2, 3), block=(TILE, TILE))
    assert np.array_equal(c, a @ b)


# --- loops around barriers ---


@D.kernel
def sort_until_nothing_moves(a, rounds):
    held = D.shared_array(64, D.int32)
    moved = D.shared_array(1, D.int32)
    t = D.thread_idx.x
    held[t] = a[t]
    count = 0
    while True:
        if t == 0:
            moved[0] = 0
        D.syncthreads()
        for odd in range(2):
            left = 2 * t + odd
            if left + 1 < D.block_dim.x and held[left] > held[left + 1]:
                held[left], held[left + 1] = held[left + 1], held[left]
                moved[0] = 1
            D.syncthreads()
        count += 1
        if moved[0] == 0:
            break
        D.syncthreads()
    a[t] = held[t]
    rounds[t] = count


def rounds_to_sort(values):
    values, rounds = list(values), 0
    while True:
        before = list(values)
        for odd in range(2):
            for k in range(odd, len(values) - 1, 2):
                if values[k] > values[k + 1]:
                    values[k], values[k + 1] = values[k + 1], values[k]
        rounds += 1
        if values == before:
            return rounds


@pytest.mark.parametrize("block", [1, 5, 33, 64])
def test_a_loop_left_by_a_shared_flag(target, block):
    a = RNG.integers(0, 100, block).astype(np.int32)
    rounds = np.zeros(block, np.int32)
    expected = rounds_to_sort(a.tolist())
    sorted_ = np.sort(a)
    run(sort_until_nothing_moves, a, rounds, grid=1, block=block)
    assert a.tolist() == sorted_.tolist()
    assert rounds.tolist() == [expected] * block


@D.kernel
def bitonic_sort(a):
    held = D.shared_array(128, D.float32)
    t = D.thread_idx.x
    held[t] = a[D.tid(1)]
    D.syncthreads()
    size = 2
    while size <= D.block_dim.x:
        step = size // 2
        while step > 0:
            other = t ^ step
            if other > t:
                x, y = held[t], held[other]
                if (x > y) == ((t & size) == 0):
                    held[t] = y
                    held[other] = x
            D.syncthreads()
            step //= 2
        size *= 2
    a[D.tid(1)] = held[t]


@pytest.mark.parametrize("block", [2, 16, 128])
def test_barriers_in_nested_loops(target, block):
    a = RNG.random(3 * block).astype(np.float32)
    expected = np.sort(a.reshape(3, block), axis=1).reshape(-1)
    run(bitonic_sort, a, grid=3, block=block)
    assert np.array_equal(a, expected)


@D.kernel
def skips_odd_rounds(out, rounds):
    held = D.shared_array(40, D.int32)
    t = D.thread_idx.x
    total = 0
    for k in range(rounds):
        held[t] = k + t
        D.syncthreads()
        if k % 2 == 1:
            D.syncthreads()
            continue
        total += held[(t + 1) % D.block_dim.x]
        D.syncthreads()
        if k >= 6:
            break
    else:
        total = -total
    out[t] = total


@pytest.mark.parametrize("rounds", [0, 1, 5, 20])
def test_continue_and_break_around_barriers(target, rounds):
    out = np.zeros(40, np.int32)
    run(skips_odd_rounds, out, rounds, grid=1, block=40)
    ks = range(0, min(rounds, 7), 2)
    sign = 1 if rounds >= 7 else -1
    assert out.tolist() == [sign * sum(k + (t + 1) % 40 for k in ks) for t in range(40)]


@D.kernel
def leaves_in_its_own_round(out):
    t = D.thread_idx.x
    for k in range(50):
        if k == t:
            return
        out[t] = D.syncthreads_count(lambda: True)
    out[t] = -1


def test_early_return_in_iteration_k(target):
    out = np.full(40, -2, np.int32)
    run(leaves_in_its_own_round, out, grid=1, block=40)
    assert out.tolist() == [-2] + [40 - t for t in range(1, 40)]


STEPS = tuple(range(50))


@D.kernel
def fifty_barriers(a):
    held = D.shared_array(33, D.int32)
    t = D.thread_idx.x
    value = a[t]
    for k in STEPS:
        if k % 2 == 0:
            held[t] = value
        else:
            value = 3 * held[(t + k) % 33] + t
        D.syncthreads()
    a[t] = value


def test_a_straight_chain_of_barriers(target):
    a = np.arange(33, dtype=np.int32)
    value = a.astype(np.int64)
    t = np.arange(33)
    for k in range(1, 50, 2):
        value = (3 * value[(t + k) % 33] + t + 2**31) % 2**32 - 2**31
    run(fifty_barriers, a, grid=1, block=33)
    assert a.tolist() == value.tolist()


@D.kernel
def waits_in_a_condition(out, a):
    t = D.thread_idx.x
    left = a[t]
    rounds = 0
    while D.syncthreads_or(lambda: left > 0):  # noqa: B023
        left -= 1
        rounds += 1
    out[t] = rounds


def test_a_barrier_in_the_condition_of_a_loop(target):
    a = RNG.integers(0, 12, 37).astype(np.int32)
    out = np.zeros(37, np.int32)
    run(waits_in_a_condition, out, a, grid=1, block=37)
    assert out.tolist() == [int(a.max())] * 37


# --- helpers ---


def largest(values, held, t):
    """Over the block; a return in the middle leaves the scope of the inlined call."""
    held[t] = values
    D.syncthreads()
    if D.block_dim.x == 1:
        return held[0]
    best = held[0]
    for k in range(1, D.block_dim.x):
        best = max(best, held[k])
    D.syncthreads()
    return best


@D.kernel
def range_of_block(out, a):
    held = D.shared_array(100, D.int32)
    t = D.thread_idx.x
    high = largest(a[D.tid(1)], held, t)
    low = -largest(-a[D.tid(1)], held, t)
    out[D.tid(1)] = high - low


@pytest.mark.parametrize("block", [1, 7, 100])
def test_a_helper_with_barriers_called_twice(target, block):
    a = RNG.integers(-50, 50, 2 * block).astype(np.int32)
    out = np.zeros_like(a)
    run(range_of_block, out, a, grid=2, block=block)
    rows = a.reshape(2, block)
    assert out.tolist() == np.repeat(rows.max(axis=1) - rows.min(axis=1), block).tolist()


def remembered(t, value):
    """Each place it is called from has an array of its own; one in a loop keeps its array."""
    memory = D.shared_array(32, D.int32)
    old = memory[t]
    memory[t] = value
    return old


@D.kernel
def one_array_per_call_site(out):
    t = D.thread_idx.x
    remembered(t, 100 + t)
    last = 0
    for k in range(3):
        last = remembered(t, 10 * k + t)
    out[t, 0] = last
    for k in range(3):
        again = D.local_array(1, D.int32)
        if k == 0:
            again[0] = t
        again[0] += 5
        out[t, 1] = again[0]


def test_a_call_in_a_loop_is_one_allocation(target):
    out = np.zeros((32, 2), np.int32)
    run(one_array_per_call_site, out, grid=1, block=32)
    assert out[:, 0].tolist() == [10 + t for t in range(32)]
    assert out[:, 1].tolist() == [t + 15 for t in range(32)]


# --- memory of a thread's own ---


@D.kernel
def insertion_sort(out, a):
    i = D.tid(1)
    row = D.local_array(8, D.float64)
    for k in range(8):
        row[k] = a[i, k]
    for k in range(1, 8):
        moving = row[k]
        j = k - 1
        while j >= 0 and row[j] > moving:
            row[j + 1] = row[j]
            j -= 1
        row[j + 1] = moving
    for k in range(8):
        out[i, k] = row[-1 - k]


def test_local_arrays_are_private(target):
    a = RNG.random((50, 8))
    out = np.zeros_like(a)
    run(insertion_sort, out, a, grid=5, block=10)
    assert np.array_equal(out, np.sort(a, axis=1)[:, ::-1])


@D.kernel
def local_across_barriers(out):
    t = D.thread_idx.x
    mine = D.local_array((2, 3), D.int32, order="F")
    shared = D.shared_array(16, D.int32)
    for k in range(6):
        mine[k % 2, k // 2] = 10 * t + k
    for k in range(6):
        D.syncthreads()
        shared[t] = mine[k % 2, k // 2]
        D.syncthreads()
        mine[k % 2, k // 2] = shared[(t + k) % 16]
    for k in range(6):
        out[t, k] = mine[k % 2, k // 2]


def test_local_arrays_live_across_barriers(target):
    out = np.zeros((16, 6), np.int32)
    run(local_across_barriers, out, grid=1, block=16)
    t, k = np.indices(out.shape)
    assert np.array_equal(out, 10 * ((t + k) % 16) + k)


# --- views ---


@D.kernel
def two_buffers(a, rounds):
    buffers = D.shared_array((2, 24), D.int32)
    t = D.int32(D.thread_idx.x)
    buffers[0, t] = a[t]
    for k in range(rounds):
        D.syncthreads()
        source = buffers[k % 2]
        target = buffers[1] if k % 2 == 0 else buffers[0]
        target[t] = source[t - 1] + source[(t + 1) % 24]
    D.syncthreads()
    a[t] = buffers[rounds % 2, t]


def test_rows_as_variables(target):
    a = np.arange(24, dtype=np.int32) % 5
    expected = a.copy()
    for _ in range(5):
        expected = np.roll(expected, 1) + np.roll(expected, -1)
    run(two_buffers, a, 5, grid=1, block=24)
    assert a.tolist() == expected.tolist()


@D.kernel
def parts_of_dynamic_memory(out, n):
    memory = D.dynamic_shared_array()
    ints = memory[: 4 * n].view(D.int32)
    doubles = memory[4 * n :].view("float64")
    t = D.int32(D.thread_idx.x)
    if t < n:
        ints[t] = t + 1
        doubles[-1 - t] = t / 4
    D.syncthreads()
    if t < n:
        out[t] = ints[n - 1 - t] + doubles[t]
    if t == n:
        out[t] = len(ints) * 1000 + doubles.shape[0]


def test_dynamic_memory_in_parts(target):
    out = np.zeros(11)
    run(parts_of_dynamic_memory, out, 10, grid=1, block=11, shared=40 + 80)
    assert out[:10].tolist() == [10 - t + (9 - t) / 4 for t in range(10)]
    assert out[10] == 10010


def test_dynamic_memory_in_parts_with_a_gap(target):
    """Two bytes that are no whole element are left over."""
    out = np.zeros(3)
    run(parts_of_dynamic_memory, out, 2, grid=1, block=3, shared=8 + 16 + 2)
    assert out.tolist() == [2 + 0.25, 1.0, 2002]


@D.kernel
def sums_beside_a_counter(out, a, n):
    total = D.local_array(20, D.float32)
    for k in range(20):
        total[k] = 0.0
    i = 0
    for i in range(n):
        i = i + 10
        for k in range(20):
            total[k] += a[k]
    for k in range(20):
        out[k, D.thread_idx.x] = total[k] + i


# More sums than registers, so several loops (decision 0012), and a counter that is changed inside.
def test_a_counter_that_the_loop_sets(target):
    a = np.arange(20, dtype=np.float32)
    out = np.zeros((20, 64), np.float32)
    run(sums_beside_a_counter, out, a, 4, grid=1, block=64)
    np.testing.assert_array_equal(out, np.repeat((4 * a + 13)[:, None], 64, 1))
