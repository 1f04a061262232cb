"""Threads that diverge at control flow around a barrier, where nobody who is left out comes to
another barrier."""

import numpy as np
import pytest
from cuda import device as D
from support.barriers import threads
from support.clauses import clause
from support.launching import run

N = 100
STEPS = np.random.default_rng(5).integers(0, 9, N).astype(np.int32)
SIZES = pytest.mark.parametrize("block", [1, 31, 33, 100])


def launch(kernel, *arguments, block=N):
    out = np.zeros(block, np.int32)
    run(kernel, out, *arguments, block=block)
    return out


@D.kernel
def breaks(out, steps):
    s = D.shared_array(1, D.int32)
    t = D.int32(D.thread_idx.x)
    y = 0
    k = 0
    s[0] = 0
    while True:
        D.syncthreads()
        y += s[0] + k
        D.syncthreads()
        if t == 0:
            s[0] = k
        if k >= steps[t]:
            break
        k += 1
    out[t] = 100 * y + k


def breaking(t, steps, s):
    y, k = 0, 0
    while True:
        yield
        y += s[0] + k
        yield
        if t == 0:
            s[0] = k
        if k >= steps[t]:
            return 100 * y + k
        k += 1


@SIZES
@pytest.mark.parametrize("first", [0, 3, 8])
def test_each_thread_leaves_a_loop_of_barriers_for_good(target, first, block):
    steps = STEPS[:block].copy()
    steps[0] = first
    expected = threads(breaking, block, steps, [0])
    np.testing.assert_array_equal(launch(breaks, steps, block=block), expected)


@D.kernel
def own_range(out, starts, stops):
    t = D.int32(D.thread_idx.x)
    y = 0
    for k in range(starts[t], stops[t], 3):
        y = 3 * y + k + D.syncthreads_count(lambda: k % 2 == 0)  # noqa: B023
    else:
        y += 50_000
    out[t] = y


@D.kernel
def own_number(out, starts, stops):
    t = D.int32(D.thread_idx.x)
    y = 0
    for k in range(stops[t]):
        y = 3 * y + k + D.syncthreads_count(lambda: k % 2 == 0)  # noqa: B023
        if k == starts[t]:
            y += 7
            break
        y += 1
    else:
        y += 50_000
    out[t] = y


def own_ranges(t, starts, stops):
    y = 0
    for k in range(int(starts[t]), int(stops[t]), 3):
        words = yield k % 2 == 0
        y = 3 * y + k + sum(words)
    return y + 50_000


def own_numbers(t, starts, stops):
    y = 0
    for k in range(int(stops[t])):
        words = yield k % 2 == 0
        y = 3 * y + k + sum(words)
        if k == starts[t]:
            return y + 7
        y += 1
    return y + 50_000


@SIZES
@clause("DEV-BLK-02")
def test_loops_of_a_number_of_each_threads_own(target, block):
    starts, stops = STEPS[:block] - 6, 2 * STEPS[::-1][:block]
    expected = threads(own_ranges, block, starts, stops)
    np.testing.assert_array_equal(launch(own_range, starts, stops, block=block), expected)
    expected = threads(own_numbers, block, starts, stops)
    np.testing.assert_array_equal(launch(own_number, starts, stops, block=block), expected)


@D.kernel
def nobody_waits(out, mine, never):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    x = mine[t]
    s[t] = x
    D.syncthreads()
    if x > 4:
        x += 100
        if never[0] != 0:
            D.syncthreads()
        x += s[t]
    else:
        x -= 1
        for _ in range(never[0]):
            D.syncthreads()
        x -= 1
    D.syncthreads()
    s[t] = x
    D.syncthreads()
    out[t] = s[99 - t]


def test_barriers_that_nobody_reaches(target):
    x = np.where(STEPS > 4, 2 * STEPS + 100, STEPS - 2)
    np.testing.assert_array_equal(launch(nobody_waits, STEPS, np.zeros(1, np.int32)), x[::-1])


@D.kernel
def some_wait_then_all_go(out, mine):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    x = mine[t]
    s[t] = 0
    if x > 4:
        s[t] = x
        D.syncthreads()
        y = 0
        for j in range(100):
            y += s[j]
        x = y
        if D.syncthreads_or(lambda: mine[t] == 8):
            x += 1000
        if D.syncthreads_and(lambda: mine[t] > 4):
            x += 5000
    else:
        x = -x
    out[t] = x


def test_a_side_of_an_if_has_the_barriers(target):
    waits = STEPS > 4
    total = STEPS[waits].sum() + 1000 * (STEPS == 8).any() + 5000
    np.testing.assert_array_equal(
        launch(some_wait_then_all_go, STEPS), np.where(waits, total, -STEPS)
    )


def search(s, t, steps, limit):
    y = 0
    for k in range(limit):
        for j in range(k + 1):
            D.syncthreads()
            y += s[t] + j
            if steps[t] == k and 2 * j >= k:
                return y
        else:
            y += 10_000
    return -y


@D.kernel
def by_helper(out, steps, limit):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = t % 7
    out[t] = search(s, t, steps, limit)


def searched(t, steps, limit):
    y = 0
    for k in range(limit):
        for j in range(k + 1):
            y += t % 7 + j
            if steps[t] == k and 2 * j >= k:
                return y
        y += 10_000
    return -y


@SIZES
@pytest.mark.parametrize("limit", [0, 1, 6])
def test_returns_of_a_helper_out_of_two_loops_of_barriers(target, block, limit):
    expected = [searched(t, STEPS, limit) for t in range(block)]
    np.testing.assert_array_equal(launch(by_helper, STEPS, limit, block=block), expected)


@D.kernel
def else_for_those_who_stay(out, mine, limit):
    t = D.int32(D.thread_idx.x)
    y = 0
    for k in range(limit):
        y += D.syncthreads_count(lambda: mine[t] > 3)
        if mine[t] == k:
            y = -y
            break
        y += 1
    else:
        y += 1000 * D.syncthreads_count(lambda: t % 2 == 0)
    out[t] = y


def staying(t, mine, limit):
    y = 0
    for k in range(limit):
        words = yield mine[t] > 3
        y += sum(words)
        if mine[t] == k:
            return -y
        y += 1
    words = yield t % 2 == 0
    return y + 1000 * sum(words)


@SIZES
def test_barriers_of_a_loops_else(target, block):
    expected = threads(staying, block, STEPS, 5)
    np.testing.assert_array_equal(launch(else_for_those_who_stay, STEPS, 5, block=block), expected)


@D.kernel
def leaving(out, mine):
    t = D.int32(D.thread_idx.x)
    x = mine[t]
    if x > 4:
        for k in range(3):
            y = D.syncthreads_count(lambda: x > 5)
            out[t] += y
            if x == 5 + k:
                out[t] += 100
                return
        out[t] += 1000
    else:
        out[t] = -1


def leaves(t, mine):
    if mine[t] <= 4:
        return -1
    total = 0
    for k in range(3):
        words = yield mine[t] > 5
        total += sum(words)
        if mine[t] == 5 + k:
            return total + 100
    return total + 1000


@SIZES
def test_threads_return_where_others_are_not(target, block):
    expected = threads(leaves, block, STEPS)
    np.testing.assert_array_equal(launch(leaving, STEPS[:block], block=block), expected)


@D.kernel
def fails_apart(out, mine, limit):
    t = D.int32(D.thread_idx.x)
    if mine[t] > limit:
        out[t] = 1
        raise ValueError("too much")
    else:
        D.syncthreads()
        out[t] = 2


def test_a_raise_beside_a_barrier(target):
    np.testing.assert_array_equal(launch(fails_apart, STEPS, 10), np.full(N, 2))
    with pytest.raises(ValueError, match="too much"):
        launch(fails_apart, STEPS, 7)


@D.kernel
def flag_in_memory(out, left):
    """All agree, but the analysis does not know."""
    s = D.shared_array(2, D.int32)
    t = D.int32(D.thread_idx.x)
    y = 0
    if t == 0:
        s[0] = left[0]
    D.syncthreads()
    while s[0] > 0:
        y += s[0]
        D.syncthreads()
        if t == 99:
            s[0] -= 1
        D.syncthreads()
        if s[0] == 2:
            break
        for k in range(s[0]):
            s[1] = k
            D.syncthreads()
            y += s[1]
            D.syncthreads()
    else:
        y += 500
    out[t] = y


@pytest.mark.parametrize(
    ("left", "expected"), [(0, 500), (1, 501), (2, 503), (5, 5 + 6 + 4 + 3 + 3)]
)
def test_a_flag_in_shared_memory(target, left, expected):
    np.testing.assert_array_equal(launch(flag_in_memory, np.full(1, left, np.int32)), expected)


@D.kernel
def stored_beside(out, left):
    """As far as the analysis knows, the flag is stored to where it is read."""
    s = D.shared_array(N + 1, D.int32)
    t = D.int32(D.thread_idx.x)
    s[N] = left[0]
    k = 0
    D.syncthreads()
    while True:
        s[t] = k
        if s[N] == k:
            break
        D.syncthreads()
        k += 1
    out[t] = k


def test_a_flag_beside_what_is_stored(target):
    np.testing.assert_array_equal(launch(stored_beside, np.full(1, 7, np.int32)), np.full(N, 7))


@pytest.mark.parametrize(
    ("kernel", "votes"), [(flag_in_memory, False), (stored_beside, True), (breaks, True)]
)
def test_no_votes_where_all_agree(kernel, votes):
    one = np.zeros(1, np.int32)
    text = kernel.inspect(np.zeros(N, np.int32), one, what="ir", grid=1, block=N, target="avx2")
    assert ("barrier_or" in text) == votes
