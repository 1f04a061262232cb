"""Scalarized loops: over rows that each thread has for itself, run lane by lane. What
they read, what they leave behind, and which loops these are."""

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
def counted(out, start, column):
    row = D.tid(1)
    n = D.uint8(0)
    if row % 3 != 1:
        for k in range(start[row], start[row + 1]):
            n += D.uint8(column[k] & 1)
    out[row] = n


@D.kernel
def least(out, start, column):
    row = D.tid(1)
    low = 100
    if row % 3 != 1:
        for k in range(start[row], start[row + 1]):
            low = min(low, column[k])
    out[row] = low


@D.kernel
def any_odd(out, start, column):
    row = D.tid(1)
    odd = row % 5 == 2
    if row % 3 != 1:
        for k in range(start[row], start[row + 1]):
            odd = odd | ((column[k] & 1) == 1)
    out[row] = odd


@D.kernel
def last(out, start, column):
    """The counter, and what was read there."""
    row = D.tid(1)
    k, there = -1, -1
    if row % 3 != 1:
        for k in range(start[row], start[row + 1]):
            there = column[k]
    out[row] = k * 1000 + there


LEFT = {
    counted: lambda row, start, mine: sum(mine & 1),
    least: lambda row, start, mine: min([100, *mine]),
    any_odd: lambda row, start, mine: row % 5 == 2 or any(mine & 1),
    last: lambda row, start, mine: (
        (start + mine.size - 1) * 1000 + mine[-1] if mine.size else -1001
    ),
}


@pytest.mark.parametrize("kernel", LEFT)
@pytest.mark.parametrize("rows", ROWS)
def test_variables_after_the_loop(target, kernel, rows):
    start, column, _ = matrix(rows)
    out = np.zeros(rows, np.int64)
    run(kernel, out, start, column, grid=1, block=rows)
    for row in range(rows):
        mine = column[start[row] : start[row + 1]] if row % 3 != 1 else column[:0]
        assert out[row] == LEFT[kernel](row, start[row], mine), row


@D.kernel
def shifted(out, start, value):
    """Shifts of values from outside the loop, which go up from thread to thread."""
    t = D.thread_idx.x
    hashed, far = t * D.uint32(2654435769), D.uint64(t) - 3
    total = D.uint64(0)
    for k in range(start[t], start[t + 1]):
        total += (hashed >> 16) + (far >> 60) + value[k]
    out[t] = total


@D.kernel
def shifted_by_row(out, start, value):
    t = D.int32(D.thread_idx.x)
    total = 0
    for k in range(start[t], start[t + 1]):
        total += (t >> k) + value[k]
    out[t] = total


def test_shifts_of_what_is_outside(target):
    start, _, value = matrix(64, np.int32)
    value = abs(value).astype(np.uint32)
    first, second = np.zeros(64, np.uint64), np.zeros(64, np.int64)
    run(shifted, first, start, value, grid=1, block=64)
    run(shifted_by_row, second, start, value, grid=1, block=64)
    for t in range(64):
        hashed, far = t * 2654435769 % 2**32 >> 16, (t - 3) % 2**64 >> 60
        rows = range(start[t], start[t + 1])
        assert first[t] == sum(hashed + far + int(value[k]) for k in rows)
        assert second[t] == sum((t >> k) + int(value[k]) for k in rows)


@D.kernel
def signed(out, start, index, small, x):
    t = D.thread_idx.x
    total = 0
    for k in range(start[t], start[t + 1]):
        total += x[D.int32(index[k])] + x[D.int8(small[k])]
    out[t] = total


def test_unsigned_numbers_that_are_negative_indices(target):
    start, column, _ = matrix(64)
    index, small = column.astype(np.uint32), column.astype(np.uint8)
    around = np.random.default_rng(3).integers(0, 99, 300)
    x, out = around[100:200], np.zeros(64, np.int64)
    run(signed, out, start, index, small, x, grid=1, block=64)
    for t in range(64):
        mine = column[start[t] : start[t + 1]]
        assert out[t] == sum(x[mine]) + sum(x[mine.astype(np.int8)])


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


WAY = "lane by lane in a scalarized loop"
LOADS = {product: 3, counted: 1, least: 1, any_odd: 1, last: 1, shifted: 1, signed: 4}
LOADS |= {shifted_by_row: 1, anywhere: 1, by_powers: 1, with_a_break: 0, of_one_length: 0}


@pytest.mark.parametrize("form", ["avx2", "sse4"])
@pytest.mark.parametrize(("kernel", "loads"), LOADS.items())
def test_which_loops_are_scalarized(kernel, loads, form):
    require(form)
    start, column, value = matrix(64)
    rest = {
        product: [column, value, value],
        with_a_break: [value],
        of_one_length: [value, 3],
        signed: [column.astype(np.uint32), column.astype(np.uint8), column],
        anywhere: [start, start, column.astype(np.int16)],
        by_powers: [column, 3],
    }
    launch = dict(target=form + "x32", grid=1, block=64)
    arguments = [np.zeros(64, np.float32), start, *rest.get(kernel, [column])]
    text = kernel.inspect(*arguments, what="facts", **launch)
    assert len(re.findall(rf"= load .*{WAY}$", text, re.MULTILINE)) == loads
    if kernel is product:
        assembly = kernel.inspect(*arguments, what="asm", **launch)
        assert not re.search("gather|pinsr|insertps", assembly)
