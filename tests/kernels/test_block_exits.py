"""Jumps that all threads of a block take or none, out of control flow in which threads diverge."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

N = 64
T = np.arange(N)


def launch(kernel, *arguments):
    out = np.zeros(N, np.int32)
    run(kernel, out, *arguments, block=N)
    return out


@D.kernel
def smoothed(out, a, steps, limit):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    x = a[t]
    for _ in range(steps):
        s[t] = x
        D.syncthreads()
        if 0 < t < 63:
            x = (s[t - 1] + s[t + 1]) // 2
            if x > limit:
                break
            x += 1
        D.syncthreads()
    out[t] = x


def test_a_bail_out_that_nobody_takes(target):
    a = np.random.default_rng(1).integers(0, 1000, N).astype(np.int32)
    x = a.copy()
    for _ in range(3):
        x[1:-1] = (x[:-2] + x[2:]) // 2 + 1
    np.testing.assert_array_equal(launch(smoothed, a, 3, 5000), x)


@D.kernel
def skipping(out, steps, limit):
    t = D.int32(D.thread_idx.x)
    y = t
    for k in range(steps):
        if (t + k) % 2 == 0:
            y += 10
            if y > limit:
                continue
            y += 1
        D.syncthreads()
    out[t] = y


def test_a_continue_that_nobody_takes(target):
    met = sum((T + k) % 2 == 0 for k in range(3))
    np.testing.assert_array_equal(launch(skipping, 3, 1000), T + 11 * met)


@D.kernel
def on_both_sides(out, steps, last):
    s = D.shared_array(1, D.int32)
    t = D.int32(D.thread_idx.x)
    y = t
    for k in range(steps):
        D.syncthreads()
        if t == 0:
            s[0] = k
        D.syncthreads()
        if t > 9:
            y += s[0]
            if s[0] == last:
                break
        else:
            y -= 1
            if s[0] == last:
                break
            y -= 1
        y += 1000
    else:
        y += 50_000
    out[t] = y


@pytest.mark.parametrize(("steps", "last"), [(6, 3), (4, 9), (1, 0)])
def test_a_break_that_all_take_in_their_own_places(target, steps, last):
    y = T.copy()
    for k in range(steps):
        if k == last:
            y = np.where(T > 9, y + k, y - 1)
            break
        y = np.where(T > 9, y + k, y - 2) + 1000
    else:
        y = y + 50_000
    np.testing.assert_array_equal(launch(on_both_sides, steps, last), y)


def found_or_counted(s, t, wanted):
    s[t] = t
    D.syncthreads()
    y = 0
    for k in range(t % 5):
        if k == wanted:
            return -1
        y += k
    else:
        if wanted == 50:
            y += 7
            return y
    D.syncthreads()
    return y + s[63 - t]


@D.kernel
def by_helper(out, wanted):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    out[t] = 3 * found_or_counted(s, t, wanted)
    D.syncthreads()
    out[t] += s[t]


@pytest.mark.parametrize("wanted", [100, 50])
def test_a_return_of_a_helper(target, wanted):
    y = np.array([sum(range(t % 5)) for t in T])
    y = y + 7 if wanted == 50 else y + T[::-1]
    np.testing.assert_array_equal(launch(by_helper, wanted), 3 * y + T)


@D.kernel
def out_of_two(out, steps, limit):
    """Jumps of three kinds out of one loop in which threads diverge."""
    t = D.int32(D.thread_idx.x)
    c = 0
    for k in range(steps):
        D.syncthreads()
        for j in range(t % 4):
            c += j
        else:
            c += 10
            if k == limit:
                continue
            if k == limit + 2:
                break
            c += 100
            if c < 0:
                return
        c += D.syncthreads_count(lambda: True)
    out[t] = c


@pytest.mark.parametrize("limit", [-9, 0, 1, 4])
def test_jumps_of_several_kinds(target, limit):
    c = np.zeros(N, np.int32)
    for k in range(5):
        c += np.array([sum(range(t % 4)) for t in T]) + 10
        if k == limit:
            continue
        if k == limit + 2:
            break
        c += 100 + N
    np.testing.assert_array_equal(launch(out_of_two, 5, limit), c)


@D.kernel
def met_after_a_loop(out, most):
    """A barrier in the else of loops that threads leave by their ends, at different times."""
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    c = 0
    for k in range(t % most):
        c += k
    else:
        c += D.syncthreads_count(lambda: c > 2)  # noqa: B023
    x = t % 3
    while x > 0:
        x -= 1
        c += 100
        if c > 100_000:
            break
    else:
        s[t] = c
        D.syncthreads()
        c = s[63 - t]
    out[t] = c


def test_a_barrier_in_the_else_of_a_loop(target):
    c = np.array([sum(range(t % 5)) for t in T])
    c = c + (c > 2).sum() + 100 * (T % 3)
    np.testing.assert_array_equal(launch(met_after_a_loop, 5), c[::-1])
