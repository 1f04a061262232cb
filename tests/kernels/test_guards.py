"""Guards: whole gangs and the rest of them compute the same, wherever the arrays end."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require

SIZES = [0, 1, 31, 32, 33, 63, 64, 255, 256, 257]
BLOCKS = [1, 31, 32, 96, 100, 256]


def blocks_for(size, block):
    return max(1, -(-size // block))


def numbers(*shape):
    return np.arange(1.0, np.prod(shape) + 1, dtype=np.float32).reshape(shape)


@D.kernel
def one_axis(out, a, n):
    i = D.tid(1)
    if i < n:
        out[i] = 2 * a[i]


@D.kernel
def early_return(out, a, n):
    i = D.tid(1)
    if i >= n:
        return
    out[i] = 2 * a[i]


@D.kernel
def return_inside(out, a, n):
    i = D.tid(1)
    if i < n:
        out[i] = 2 * a[i]
        if n > 0:
            return
    out[out.size - 1] = 7


@D.kernel
def some_return_inside(out, a, n):
    i = D.tid(1)
    if i < n:
        x = a[i]
        if int(x) % 3 != 0:
            out[i] = 2 * x
            return
        out[i] = x
    if i < n:
        out[i] += a[i]


@pytest.mark.parametrize("kernel", [one_axis, early_return, return_inside])
@pytest.mark.parametrize("block", BLOCKS)
def test_one_axis(target, kernel, block):
    for size in SIZES:
        out, a = np.full(size + 40, -1, np.float32), numbers(size + 40)
        run(kernel, out, a, size, grid=blocks_for(size, block), block=block)
        expected = np.concatenate((2 * a[:size], np.full(40, -1, np.float32)))
        leaves = kernel is return_inside and (size == 0 or size % block)
        expected[-1] = 7 if leaves else -1
        assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("block", BLOCKS)
def test_some_threads_of_a_whole_gang_return(target, block):
    for size in SIZES:
        out, a = np.full(size + 40, -1, np.float32), numbers(size + 40)
        run(some_return_inside, out, a, size, grid=blocks_for(size, block), block=block)
        assert out.tolist() == (2 * a[:size]).tolist() + [-1] * 40


@D.kernel
def with_else(out, a, n):
    i = D.tid(1)
    if i < out.size:
        if i < n:
            out[i] = a[i]
        else:
            out[i] = -a[i]


@D.kernel
def inside_and_border(out, a, n):
    i = D.tid(1)
    if i < out.size:
        if i == 0 or i >= n:
            out[i] = -a[i]
        else:
            out[i] = a[i] + a[i - 1]


@pytest.mark.parametrize("block", BLOCKS)
def test_both_sides(target, block):
    for size in SIZES[1:]:
        for n in {0, 1, size // 2, size - 1, size}:
            a = numbers(size)
            grid = blocks_for(size, block)
            out = np.zeros_like(a)
            run(with_else, out, a, n, grid=grid, block=block)
            beyond = np.arange(size) >= n
            assert out.tolist() == np.where(beyond, -a, a).tolist()
            run(inside_and_border, out, a, n, grid=grid, block=block)
            border = beyond | (np.arange(size) == 0)
            assert out.tolist() == np.where(border, -a, a + np.roll(a, 1)).tolist()


@D.kernel
def sums_of_diagonals(out, a, rows):
    """A loop under the guard that lanes leave at different times, and a variable from before."""
    i = D.tid(1)
    columns = a.shape[1]
    total = 3
    if i < columns:
        for k in range(rows):
            if k + i >= columns:
                break
            total += a[k, k + i]
    if i < out.size:
        out[i] = total


@pytest.mark.parametrize("block", [31, 32, 64, 100])
def test_loops_and_variables(target, block):
    for size in [1, 31, 32, 33, 70]:
        rows = 6
        a = np.arange(rows * size).reshape(rows, size)
        out = np.full(size + 40, -1)
        run(sums_of_diagonals, out, a, rows, grid=blocks_for(size + 40, block), block=block)
        assert (
            out.tolist()
            == [3 + sum(int(a[k, k + i]) for k in range(rows) if k + i < size) for i in range(size)]
            + [3] * 40
        )


@D.kernel
def two_axes(out, a):
    x, y = D.tid(2)
    height, width = a.shape
    if x < width and y < height:
        out[y, x] = a[y, x] + 1


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (8, 8), (10, 10), (33, 3), (64, 2)])
def test_two_axes(target, block):
    for height, width in [(0, 5), (1, 1), (8, 32), (7, 31), (9, 33), (16, 64), (17, 63)]:
        out, a = np.full((height + 8, width + 40), -1, np.float32), numbers(height, width)
        grid = (blocks_for(width, block[0]) + 1, blocks_for(height, block[1]) + 1)
        run(two_axes, out, a, grid=grid, block=block)
        expected = np.full_like(out, -1)
        expected[:height, :width] = a + 1
        assert np.array_equal(out, expected)


@D.kernel
def inner_points(out, a):
    x, y, z = D.tid(3)
    depth, height, width = a.shape
    if x < width and y < height and z < depth:
        if 0 < x < width - 1 and 0 < y < height - 1 and 0 < z < depth - 1:
            out[z, y, x] = a[z, y, x - 1] + a[z, y, x + 1] + a[z, y - 1, x] + a[z + 1, y, x]
        else:
            out[z, y, x] = a[z, y, x]


@pytest.mark.parametrize("block", [(32, 4, 2), (16, 4, 1), (8, 8, 2), (5, 5, 5), (128, 1, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.float64])
def test_three_axes(target, block, dtype):
    for shape in [(1, 1, 1), (3, 4, 32), (4, 5, 33), (5, 6, 66), (3, 3, 31)]:
        a = numbers(*shape).astype(dtype)
        out = np.zeros_like(a)
        grid = tuple(blocks_for(n, b) for n, b in zip(reversed(shape), block, strict=True))
        run(inner_points, out, a, grid=grid, block=block)
        expected = a.copy()
        inner = (slice(1, -1),) * 3
        expected[inner] = (
            a[1:-1, 1:-1, :-2] + a[1:-1, 1:-1, 2:] + a[1:-1, :-2, 1:-1] + a[2:, 1:-1, 1:-1]
        )
        assert np.array_equal(out, expected)


def test_a_chain_of_bounds_is_one_condition():
    """So that under it, what it says of each axis is known: no neighbour is gathered."""
    require("avx512")
    out, a = np.zeros((2, 40, 40, 40), np.float32)
    arguments = {"grid": (2, 10, 20), "block": (32, 4, 2)}
    facts = inner_points.inspect(out, a, what="facts", target="avx512", **arguments)
    variables = re.findall(r'^slot .*".*": (.*)$', facts, re.MULTILINE)
    assert variables == ["float32"]  # what both sides store; no bool
    assert facts.count("a guard") == 2
    code = inner_points.inspect(out, a, what="asm", target="avx512", **arguments)
    assert "vmovups" in code
    assert not re.search(r"\tvp?(gather|scatter)", code)


@D.kernel
def across_barriers(out, a, n):
    """Guards between barriers; one asks for a variable from before them."""
    held = D.shared_array(256, D.int32)
    t = D.thread_idx.x
    i = D.tid(1)
    inside = i < n and t < 200
    if i < a.size:
        held[t] = a[i]
    D.syncthreads()
    value = held[(t + 1) % D.block_dim.x]
    if inside:
        out[i] = value
    D.syncthreads()
    if i < a.size and not inside:
        out[i] = -held[t]


@pytest.mark.parametrize("block", [32, 100, 256])
def test_between_barriers(target, block):
    for n in [0, 1, 31, block - 1, block]:
        a = np.arange(1, block + 1, dtype=np.int32)
        out = np.zeros(block, np.int32)
        run(across_barriers, out, a, n, block=block)
        t = np.arange(block)
        assert out.tolist() == np.where((t < n) & (t < 200), np.roll(a, -1), -a).tolist()


@D.kernel
def threads_leave(out, a, n):
    held = D.shared_array(256, D.int32)
    t = D.thread_idx.x
    if t >= n:
        return
    held[t] = a[t]
    D.syncthreads()
    if t < n - 1:
        out[t] = held[t + 1]


@pytest.mark.parametrize("block", [32, 100, 256])
def test_threads_that_left_before_a_barrier(target, block):
    for n in [0, 1, 31, 32, 33, block - 1, block]:
        n = min(n, block)
        a, out = np.arange(1, block + 1, dtype=np.int32), np.full(block, -1, np.int32)
        run(threads_leave, out, a, n, block=block)
        inside = max(n - 1, 0)
        assert out.tolist() == a[1 : inside + 1].tolist() + [-1] * (block - inside)
