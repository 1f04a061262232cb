"""Barriers of a block (DEV-BLK)."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

BLOCKS = [1, 2, 31, 32, 33, 100, 1024, (7, 5, 3), (32, 8)]


def threads(block):
    return int(np.prod(block))


def linear():
    x, y, z = D.thread_idx
    return x + D.block_dim.x * (y + D.block_dim.y * z)


@D.kernel
def counts(out):
    t = linear()
    out[0, t] = D.syncthreads_count(lambda: t % 3 == 0)
    out[1, t] = D.syncthreads_count(lambda: True)
    out[2, t] = D.syncthreads_count(pred=lambda: t < 0)


@clause("DEV-BLK-02")
@pytest.mark.parametrize("block", BLOCKS)
def test_syncthreads_count(target, block):
    n = threads(block)
    out = np.full((3, n), -1, np.int32)
    run(counts, out, block=block)
    assert out.tolist() == [[(n + 2) // 3] * n, [n] * n, [0] * n]


@D.kernel
def votes(out, odd):
    t = linear()
    out[0, t] = D.syncthreads_and(lambda: t != odd)
    out[1, t] = D.syncthreads_or(lambda: t == odd)
    if D.syncthreads_or(lambda: t == odd) and not D.syncthreads_and(lambda: t == odd):
        out[2, t] = 1


@clause("DEV-BLK-03", "DEV-BLK-04")
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("odd", [-1, 0, 30])
def test_syncthreads_and_or(target, block, odd):
    n = threads(block)
    inside = 0 <= odd < n
    out = np.full((3, n), 0, np.int32)
    run(votes, out, odd, block=block)
    assert out.tolist() == [[not inside] * n, [inside] * n, [inside and n > 1] * n]


@D.kernel
def through_global_memory(a):
    t = D.thread_idx.x
    first = D.block_idx.x * D.block_dim.x
    left = a[first + t - 1] if t > 0 else a[first + D.block_dim.x - 1]
    D.syncthreads()
    a[first + t] = left


@clause("DEV-BLK-01")
def test_accesses_of_global_memory_are_ordered(target):
    a = np.arange(99, dtype=np.int32)
    run(through_global_memory, a, grid=3, block=33)
    assert a.tolist() == np.roll(np.arange(99).reshape(3, 33), 1, axis=1).reshape(-1).tolist()


# --- predicates ---


def counted(calls, t):
    calls[t] += 1
    return t % 2 == 0


@D.kernel
def calls_once(out, calls):
    t = D.thread_idx.x
    limit = 2 * t
    out[t, 0] = D.syncthreads_count(lambda: counted(calls, t))
    limit = limit - t
    out[t, 1] = D.syncthreads_count(lambda: limit < 5)


@D.kernel
def nested_functions_as_predicates(out, calls):
    t = D.thread_idx.x
    limit = t // 2

    def near(least=3):
        calls[t] += 1
        if limit < least:
            return True
        return t > 36

    @D.func
    def far():
        calls[t] += 100
        return limit > 10 and not near()

    out[t, 0] = D.syncthreads_count(near)
    limit = 2 * t
    out[t, 1] = D.syncthreads_count(far)
    out[t, 2] = D.syncthreads_and(far)
    out[t, 3] = D.syncthreads_or(lambda: near(1) and t == 38)


@clause("DEV-BLK-07")
def test_a_nested_function_is_a_predicate_and_is_called_once(target):
    out = np.zeros((40, 4), np.int32)
    calls = np.zeros(40, np.int32)
    run(nested_functions_as_predicates, out, calls, block=40)
    t = np.arange(40)
    far = (2 * t > 10) & ~((2 * t < 3) | (t > 36))
    assert out.tolist() == [[6 + 3, int(far.sum()), 0, 1]] * 40
    assert calls.tolist() == (1 + 2 * (100 + (2 * t > 10)) + 1).tolist()


@clause("DEV-BLK-07")
def test_the_predicate_is_called_once_and_reads_locals(target):
    out = np.zeros((40, 2), np.int32)
    calls = np.zeros(40, np.int32)
    run(calls_once, out, calls, block=40)
    assert out.tolist() == [[20, 5]] * 40
    assert calls.tolist() == [1] * 40


LIMIT = 7


def below_limit():
    return D.thread_idx.x < LIMIT


@D.func
def always():
    return LIMIT > 0


def votes_of(pred, times=1):
    return D.syncthreads_count(pred) * times


@D.kernel
def functions_as_predicates(out):
    t = D.thread_idx.x
    out[t, 0] = D.syncthreads_count(below_limit)
    out[t, 1] = D.syncthreads_count(always)
    out[t, 2] = votes_of(lambda: t > 35, 10)
    out[t, 3] = votes_of(below_limit)


@clause("DEV-BLK-07")
def test_functions_are_predicates(target):
    out = np.zeros((40, 4), np.int32)
    run(functions_as_predicates, out, block=40)
    assert out.tolist() == [[7, 40, 40, 7]] * 40


# --- who comes to a barrier ---


@D.kernel
def after_some_have_left(out, n):
    t = D.thread_idx.x
    if t >= n:
        return
    out[t] = D.syncthreads_count(lambda: True)


@clause("DEV-BLK-01")
@pytest.mark.parametrize("n", [0, 1, 20, 32, 40])
def test_threads_that_have_left_do_not_count(target, n):
    out = np.full(40, -1, np.int32)
    run(after_some_have_left, out, n, block=40)
    assert out.tolist() == [n] * n + [-1] * (40 - n)


@D.kernel
def two_barriers(a):
    if a[D.thread_idx.x] > 0:
        D.syncthreads()
        a[0] = 5
    else:
        a[1] = D.syncthreads_count(lambda: True)


@clause("DEV-BLK-05", partial="barriers of two kinds, on the interpreter; targets do not check yet")
def test_threads_at_barriers_of_different_kinds():
    from support.targets import use_target

    a = np.array([1, 0], np.int32)
    with use_target("interpreter"), pytest.raises(errors.KernelError) as raised:
        run(two_barriers, a, block=2)
    text = str(raised.value)
    first = two_barriers.underlying.__code__.co_firstlineno
    assert "threads wait at barriers of different kinds" in text
    assert f"thread (0, 0, 0) at 'barrier' in line {first + 3}" in text
    assert "thread (1, 0, 0) at '" in text
    assert f"in line {first + 6}" in text


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_barriers_in_ptx(architecture):
    def ptx(kernel, *args):
        return kernel.inspect(*args, block=32, what="ptx", target=architecture)

    out = np.zeros((3, 32), np.int32)
    assert ptx(through_global_memory, out[0]).count("bar.sync") == 1
    assert ptx(counts, out).count("bar.red.popc") == 3
    text = ptx(votes, out, 3)
    assert (text.count("bar.red.and.pred"), text.count("bar.red.or.pred")) == (2, 2)
