"""First kernels, on every target."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause

SIZES = [0, 1, 31, 32, 33, 255, 256, 257, 1000, 4096]


def launch(kernel, *args, n, block=256):
    D.launch(kernel, *args, grid=max(1, (n + block - 1) // block), block=block)


@D.kernel
def vec_add(a, b, c):
    i = D.tid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@clause("DEV-KERN-02", "DEV-POS-06")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "int64"])
def test_vec_add(target, n, dtype):
    rng = np.random.default_rng(n)
    a = rng.integers(0, 100, n).astype(dtype)
    b = rng.integers(0, 100, n).astype(dtype)
    c = np.full(n + 8, 77, dtype=dtype)
    launch(vec_add, a, b, c[:n], n=n)
    assert np.array_equal(c[:n], a + b)
    assert (c[n:] == 77).all()


@pytest.mark.parametrize("block", [1, 7, 32, 33, 100, 1024])
def test_any_block(target, block):
    a, b = np.arange(1000.0), np.arange(1000.0) * 3
    c = np.zeros(1000)
    launch(vec_add, a, b, c, n=1000, block=block)
    assert np.array_equal(c, a + b)


@D.kernel(fmad=False)  # plain NumPy does not fuse
def saxpy(y, x, factor):
    i = D.tid(1)
    if i < y.size:
        y[i] = factor * x[i] + y[i]


@pytest.mark.parametrize("factor", [2, 2.5, np.float32(0.1), np.float64(0.1)])
def test_scalar_arguments(target, factor):
    x = np.arange(100, dtype=np.float64)
    y = np.ones(100)
    launch(saxpy, y, x, factor, n=100)
    exact = np.float64(np.float32(factor)) if isinstance(factor, float) else np.float64(factor)
    if type(factor) is np.float64:
        exact = factor
    assert np.array_equal(y, exact * x + 1)


@D.kernel
def shifted(out, a):
    i = D.tid(1)
    if i < out.size:
        out[i] = a[i - 1]


def test_negative_indices(target):
    a = np.arange(50, dtype=np.int32)
    out = np.zeros_like(a)
    launch(shifted, out, a, n=50)
    assert np.array_equal(out, np.roll(a, 1))


VIEWS = {
    "contiguous": lambda a: a,
    "stepped": lambda a: a[::3],
    "reversed": lambda a: a[::-1],
    "column": lambda a: a.reshape(-1, 4)[:, 2],
    "broadcast": lambda a: np.broadcast_to(a[5], 40),
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype),
}


@pytest.mark.parametrize("view", VIEWS)
def test_strides(target, view):
    a = VIEWS[view](np.arange(240, dtype=np.float32))
    n = a.size
    out = np.zeros(n, dtype=np.float32)
    launch(vec_add, a, a, out, n=n)
    assert np.array_equal(out, a + a)


def test_overlapping_arrays(target):
    a = np.arange(65, dtype=np.float32)
    expected = a.copy()
    expected[:64] = a[:64] + a[:64]
    launch(vec_add, a[:64], a[:64], a[:64], n=64)
    assert np.array_equal(a, expected)


@D.kernel
def transpose(out, a):
    x, y = D.tid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[x, y] = a[y, x]


@pytest.mark.parametrize("block", [(32, 8), (16, 16), (10, 10), (1, 1)])
def test_two_dimensions(target, block):
    a = np.arange(33 * 21, dtype=np.int32).reshape(33, 21)
    out = np.zeros((21, 33), dtype=np.int32)
    grid = ((21 + block[0] - 1) // block[0], (33 + block[1] - 1) // block[1])
    D.launch(transpose, out, a, grid=grid, block=block)
    assert np.array_equal(out, a.T)


@D.kernel
def collatz(steps, start):
    i = D.tid(1)
    if i < start.size:
        n = start[i]
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


def collatz_steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def test_divergent_loops(target):
    start = np.arange(1, 200, dtype=np.int64)
    steps = np.zeros(199, dtype=np.int32)
    launch(collatz, steps, start, n=199)
    assert steps.tolist() == [collatz_steps(int(n)) for n in start]


def norm(x, y):
    return math.sqrt(x * x + y * y)


@D.kernel
def norms(out, points):
    i = D.tid(1)
    if i < out.size:
        out[i] = norm(points[i, 0], points[i, 1])


def test_helpers_and_math(target):
    points = np.random.default_rng(3).random((100, 2))
    out = np.zeros(100)
    launch(norms, out, points, n=100)
    # sqrt(x*x + y*y), with contraction: each step is rounded at most once.
    assert np.allclose(out, np.hypot(points[:, 0], points[:, 1]), rtol=4e-16, atol=0)


@D.kernel
def with_defaults(out, a=None, scale=3, pair=(1, 2.5)):
    i = D.tid(1)
    if i < out.size:
        out[i] = i * scale + pair[0] + pair[1]


def test_defaults_and_tuples(target):
    out = np.zeros(10)
    launch(with_defaults, out, n=10)
    assert np.array_equal(out, np.arange(10) * 3 + 3.5)
    launch(with_defaults, out, None, 2, (5, np.float64(0.25)), n=10)
    assert np.array_equal(out, np.arange(10) * 2 + 5.25)


@D.kernel
def remainders(out):
    x, y, _ = D.thread_idx
    out[x] = D.float32(y) % (x / y)
    out[D.block_dim.x + x] = math.fmod(D.float32(y), x / y)


def test_the_remainder_by_a_nan_is_one(target):
    """LLVM knows all operands here, and of a division by zero it once concluded the opposite."""
    out = np.full(8, 5.0, np.float32)
    D.launch(remainders, out, grid=1, block=4)
    assert np.array_equal(out, [np.nan, 0, 0, 0, np.nan, 0, 0, 0], equal_nan=True)
