"""Exits after the last barrier of a helper or of an iteration: threads diverge there."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

THREADS = [1, 33, 64, 100]


def first_at_least(held, wanted):
    D.syncthreads()
    for k in range(held.size):
        if held[k] >= wanted:
            return k
    return -1


@D.kernel
def search(out, a, wanted):
    held = D.shared_array(16, D.int32)
    t = D.thread_idx.x
    if t < 16:
        held[t] = a[t]
    out[t] = first_at_least(held, wanted[t])
    D.syncthreads()
    out[t] += 100 * first_at_least(held, wanted[t] // 2)


@pytest.mark.parametrize("threads", [33, 64, 100])
def test_each_thread_finds_its_own(target, threads):
    a = np.sort(np.random.default_rng(1).integers(0, 1000, 16)).astype(np.int32)
    wanted = np.random.default_rng(2).integers(0, 1100, threads).astype(np.int32)
    out = np.zeros(threads, np.int32)
    run(search, out, a, wanted, block=threads)

    def found(values):
        at = np.searchsorted(a, values)
        return np.where(at < 16, at, -1)

    np.testing.assert_array_equal(out, found(wanted) + 100 * found(wanted // 2))


@D.kernel
def continues(out, n):
    held = D.shared_array(128, D.int32)
    t = D.thread_idx.x
    for k in range(n):
        held[t] = k
        D.syncthreads()
        if t > 1:
            if t % 2 == 0:
                continue
            out[t] += 10
        out[t] += 1 + held[t]


@D.kernel
def continues_around_a_break(out, n):
    t = D.thread_idx.x
    for k in range(n):
        D.syncthreads()
        if k == 5:
            break
        if t % 3 == k % 3:
            if t % 2 == 0:
                continue
            out[t] += 1000
        out[t] += 1 << k


@D.kernel
def continues_in_a_while(out, n):
    t = D.int32(D.thread_idx.x)
    k = 0
    while k < n:
        k += 1
        D.syncthreads()
        for j in range(4):
            if j == t % 5:
                break
            out[t] += j
        if (t + k) % 2 == 0:
            continue
        out[t] += 1000


@D.kernel
def continues_after_a_barrier_of_some_iterations(out, n):
    """What follows the if is for those who did not continue in it."""
    t = D.thread_idx.x
    for k in range(n):
        if k % 2 == 0:
            out[t] += 1
            D.syncthreads()
            if t % 3 == 0:
                continue
            out[t] += 10
        else:
            if t % 2 == 0:
                continue
            out[t] += 100
        if t % 5 == 0:
            continue
        out[t] += 1000


def part_of(t, k):
    """Returns in several depths; the last barrier stands in an if that all threads take."""
    if k > 0:
        D.syncthreads()
        if t % 4 == 1:
            return 1
        if t % 4 == 2:
            for j in range(10):
                if j * j > t:
                    return 10 + j
    else:
        if t % 2 == 0:
            return 2
    if t > 20:
        return 3
    return 4


@D.kernel
def returns_in_helpers(out, n):
    t = D.int32(D.thread_idx.x)
    for k in range(n):
        out[t] = out[t] * 7 + part_of(t, k)
        D.syncthreads()
        out[t] = out[t] * 3 + part_of(t, 1 - k)


def after_loop(t, n):
    for _ in range(n):
        D.syncthreads()
    else:
        if t % 2 == 1:
            return 5
    return 6 + t


@D.kernel
def returns_in_an_else_of_a_loop(out, n):
    t = D.int32(D.thread_idx.x)
    out[t] = after_loop(t, n)
    D.syncthreads()
    out[t] += 100 * after_loop(t + 1, n)


def until(t, n):
    """All threads return together; before that some of them continue."""
    total = 0
    for k in range(n):
        D.syncthreads()
        if k == 3:
            return total
        if t % 2 == k % 2:
            if t % 3 == 0:
                continue
            total += 100
        total += 1 << k
    return total + 1000


@D.kernel
def returns_and_continues(out, n):
    t = D.int32(D.thread_idx.x)
    out[t] = until(t, n)
    D.syncthreads()
    out[t] += 10000 * until(t + 1, n + 1)


class Thread:
    """The kernels as Python for one thread."""

    @staticmethod
    def continues(t, n):
        total = 0
        for k in range(n):
            if t > 1:
                if t % 2 == 0:
                    continue
                total += 10
            total += 1 + k
        return total

    @staticmethod
    def continues_around_a_break(t, n):
        total = 0
        for k in range(min(n, 5)):
            if t % 3 == k % 3:
                if t % 2 == 0:
                    continue
                total += 1000
            total += 1 << k
        return total

    @staticmethod
    def continues_in_a_while(t, n):
        each = sum(range(min(t % 5, 4)))
        return sum(each + (1000 if (t + k) % 2 else 0) for k in range(1, n + 1))

    @staticmethod
    def continues_after_a_barrier_of_some_iterations(t, n):
        total = 0
        for k in range(n):
            if k % 2 == 0:
                total += 1
                if t % 3 == 0:
                    continue
                total += 10
            else:
                if t % 2 == 0:
                    continue
                total += 100
            if t % 5 == 0:
                continue
            total += 1000
        return total

    @staticmethod
    def part(t, k):
        if k > 0:
            if t % 4 == 1:
                return 1
            if t % 4 == 2:
                for j in range(10):
                    if j * j > t:
                        return 10 + j
        elif t % 2 == 0:
            return 2
        return 3 if t > 20 else 4

    @classmethod
    def returns_in_helpers(cls, t, n):
        total = 0
        for k in range(n):
            total = total * 7 + cls.part(t, k)
            total = total * 3 + cls.part(t, 1 - k)
        return total

    @staticmethod
    def returns_in_an_else_of_a_loop(t, n):
        return sum(f * (5 if u % 2 else 6 + u) for f, u in ((1, t), (100, t + 1)))

    @staticmethod
    def until(t, n):
        total = 0
        for k in range(n):
            if k == 3:
                return total
            if t % 2 == k % 2:
                if t % 3 == 0:
                    continue
                total += 100
            total += 1 << k
        return total + 1000

    @classmethod
    def returns_and_continues(cls, t, n):
        return cls.until(t, n) + 10000 * cls.until(t + 1, n + 1)


KERNELS = [
    returns_and_continues,
    continues,
    continues_around_a_break,
    continues_in_a_while,
    continues_after_a_barrier_of_some_iterations,
    returns_in_helpers,
    returns_in_an_else_of_a_loop,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.underlying.__name__)
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_threads_diverge_after_the_last_barrier(target, kernel, threads, n):
    n = min(n, 4) if kernel is returns_in_helpers else n  # int32
    out = np.zeros(threads, np.int32)
    run(kernel, out, n, block=threads)
    one = getattr(Thread, kernel.underlying.__name__)
    np.testing.assert_array_equal(out, [one(t, n) for t in range(threads)])
