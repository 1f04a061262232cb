"""Loops over rows that each thread has for itself, which some targets run one lane after the
other: what they read, what they leave behind, and which loops these are."""

import re
from itertools import pairwise

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require

ROWS = [1, 31, 64, 300]


def matrix(rows, kind=np.float32):
    """Compressed rows, some of them empty, of numbers whose sums are exact."""
    random = np.random.default_rng(rows)
    start = np.zeros(rows + 1, np.int32)
    np.cumsum(random.integers(0, 9, rows), out=start[1:])
    entries = int(start[-1]) + 1
    column = random.integers(-rows, rows, entries).astype(np.int32)
    return start, column, random.integers(-9, 9, entries).astype(kind)


def sums(start, column, value, x):
    products = value * x[column]
    return np.array([products[a:b].sum() for a, b in pairwise(start)])


@D.kernel
def product(y, start, column, value, x):
    row = D.tid(1)
    if row < y.size:
        total = 0.0
        for k in range(start[row], start[row + 1]):
            total += value[k] * x[column[k]]
        y[row] = total


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("rows", ROWS)
def test_a_sparse_product(target, rows, kind):
    start, column, value = matrix(rows, kind)
    x = np.random.default_rng(1).integers(-9, 9, rows).astype(kind)
    y = np.zeros(rows, kind)
    run(product, y, start, column, value, x, grid=3, block=128)
    np.testing.assert_array_equal(y, sums(start, column, value, x))


@D.kernel
def several(count, least, any_odd, last, start, column):
    """Variables of all kinds, one of them the counter, two of which only some threads set."""
    row = D.tid(1)
    if row < count.size:
        n, low, odd, k = D.uint8(0), 100, False, -1
        if row % 3 != 1:
            for k in range(start[row], start[row + 1]):
                n += 1
                low = min(low, column[k])
                odd = odd or column[k] % 2 == 1
        count[row], least[row], any_odd[row], last[row] = n, low, odd, k


@pytest.mark.parametrize("rows", ROWS)
def test_what_is_left_behind(target, rows):
    start, column, _ = matrix(rows)
    left = [np.zeros(rows, t) for t in (np.int32, np.int64, np.bool_, np.int64)]
    run(several, *left, start, column, grid=3, block=128)
    for row in range(rows):
        mine = column[start[row] : start[row + 1]] if row % 3 != 1 else column[:0]
        k = start[row] + mine.size - 1 if mine.size else -1
        expected = [mine.size, min([100, *mine]), any(mine % 2), k]
        assert [a[row] for a in left] == expected


@D.kernel
def anywhere(out, first, last, step, value):
    i = D.tid(1)
    total = 0
    for k in range(first[i], last[i], step[i]):
        total = 3 * total + value[k]
    out[i] = total


def walk(first, last, step, value):
    total = 0
    for k in range(first, last, step):
        total = 3 * total + int(value[k])
    return total


@pytest.mark.parametrize("way", ["up", "by two", "down", "from the end", "each its own"])
def test_rows_in_every_direction(target, way):
    random, n = np.random.default_rng(5), 64
    first = random.integers(0, 50, n)
    last = first + random.integers(0, 9, n)
    step = np.ones(n, np.int64)
    if way == "by two":
        step *= 2
    elif way == "down":
        first, last, step = last, first, -step
    elif way == "from the end":  # of an array of 60; some rows go over from -1 to 0
        first, last = first - 55, last - 55
    elif way == "each its own":
        step = random.choice([-2, -1, 1, 3], n)
        first, last = np.where(step > 0, first, last), np.where(step > 0, last, first)
    arrays = [a.astype(np.int32) for a in (first, last, step)]
    value, out = random.integers(0, 9, 60).astype(np.int16), np.zeros(n, np.int64)
    run(anywhere, out, *arrays, value, grid=1, block=n)
    rows = zip(*arrays, strict=True)
    np.testing.assert_array_equal(out, [walk(a, b, s, value) for a, b, s in rows])


@D.kernel
def by_powers(out, start, value, times):
    """A loop in a loop that all threads share, around a barrier."""
    held = D.shared_array(64, D.int32)
    t = D.thread_idx.x
    total = 0
    for power in range(times):
        for k in range(start[t], start[t + 1]):
            total += value[k] * (power + 1)
        held[t] = total
        D.syncthreads()
        total += held[63 - t]
        D.syncthreads()
    out[t] = total


def test_in_a_loop_around_a_barrier(target):
    start, _, value = matrix(64, np.int32)
    out = np.zeros(64, np.int32)
    run(by_powers, out, start, value, 3, grid=1, block=64)
    row = np.array([value[a:b].sum() for a, b in pairwise(start)])
    total = np.zeros(64, np.int64)
    for power in range(3):
        held = total + row * (power + 1)
        total = held + held[::-1]
    np.testing.assert_array_equal(out, total)


@D.kernel
def with_a_break(y, start, value):
    row = D.tid(1)
    for k in range(start[row], start[row + 1]):
        if value[k] > 5:
            break
        y[row] = k


@D.kernel
def of_one_length(y, start, value, length):
    row = D.tid(1)
    total = 0.0
    for k in range(length):
        total += value[start[row] + k]
    y[row] = total


WAY = "one lane after the other"


@pytest.mark.parametrize("form", ["avx2", "sse4"])
@pytest.mark.parametrize(("kernel", "loads"), [(product, 3), (with_a_break, 0), (of_one_length, 0)])
def test_which_loops(kernel, loads, form):
    require(form)
    start, column, value = matrix(64)
    rest = {product: [column, value, value], with_a_break: [value], of_one_length: [value, 3]}
    launch = dict(target=form + "x32", grid=1, block=64)
    y = np.zeros(64, np.float32)
    text = kernel.inspect(y, start, *rest[kernel], what="facts", **launch)
    assert len(re.findall(rf"= load .*{WAY}$", text, re.MULTILINE)) == loads
    assembly = kernel.inspect(y, start, *rest[kernel], what="asm", **launch)
    if kernel is product:
        assert not re.search("gather|pinsr|insertps", assembly)
