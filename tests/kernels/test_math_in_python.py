"""Functions of math that kernels compile from Python source, and device.blocks."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.launching import run


@D.kernel
def of_integers(n, k, out):
    i = D.tid(1)
    a, b = n[i], k[i]
    out[i, 0] = math.factorial(b)
    out[i, 1] = math.comb(a, b)
    out[i, 2] = math.perm(a, b)
    out[i, 3] = math.isqrt(a * a * 1000003)
    out[i, 4] = math.lcm(a, b, 6)
    out[i, 5] = math.comb(5, 2) + math.isqrt(17) + math.lcm(4, 6) + math.factorial(5)
    out[i, 6] = math.sumprod((a, b), (2, 3)) if hasattr_sumprod else 2 * a + 3 * b
    out[i, 7] = D.blocks(a, 8)


hasattr_sumprod = hasattr(math, "sumprod")


def test_functions_of_integers(target):
    pairs = [(n, k) for n in (0, 1, 5, 9, 30, 61) for k in (0, 1, 3, 12)]
    n = np.array([p[0] for p in pairs])
    k = np.array([p[1] for p in pairs])
    out = np.zeros((n.size, 8), dtype=np.int64)
    run(of_integers, n, k, out, block=n.size)
    for i, (a, b) in enumerate(pairs):
        wanted = [math.factorial(b), math.comb(a, b), None, math.isqrt(a * a * 1000003)]
        wanted += [math.lcm(a, b, 6), 10 + 4 + 12 + 120, 2 * a + 3 * b, -(-a // 8)]
        perm = np.array(math.perm(a, b) % 2**64, np.uint64).view(np.int64)
        wanted[2] = int(perm)
        assert out[i].tolist() == wanted, (a, b)


@D.kernel
def square_roots(n, out):
    i = D.tid(1)
    out[i] = math.isqrt(n[i])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integer_square_roots_at_squares(target, dtype):
    top = int(np.iinfo(dtype).max)
    roots = [0, 1, 2, 3, 94906265, 94906266, 3037000499, 4294967295]
    numbers = [r * r + d for r in roots for d in (-1, 0, 1) if 0 <= r * r + d <= top] + [top]
    n = np.array(numbers, dtype)
    out = np.zeros(n.size, dtype)
    run(square_roots, n, out, block=n.size)
    assert out.tolist() == [math.isqrt(v) for v in numbers]


@D.kernel
def of_floats(x, y, out):
    i = D.tid(1)
    out[i, 0] = math.nextafter(x[i], y[i])
    out[i, 1] = math.ulp(x[i])
    out[i, 2] = math.dist((x[i], y[i]), (3, 4))


def test_functions_of_floats(target):
    values = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e300, 0.1, np.inf, -np.inf, np.nan]
    x, y = np.repeat(values, len(values)), np.tile(values, len(values))
    for dtype in (np.float64, np.float32):
        a, b = x.astype(dtype), y.astype(dtype)
        out = np.zeros((a.size, 3), dtype)
        run(of_floats, a, b, out, block=a.size)
        with np.errstate(all="ignore"):
            wanted = np.nextafter(a, b)
            ulps = np.abs(np.spacing(np.abs(a)))
        ulps[np.isinf(a)] = np.inf
        assert np.array_equal(out[:, 0], wanted, equal_nan=True)
        assert np.array_equal(np.signbit(out[:, 0]), np.signbit(wanted))
        assert np.array_equal(out[:, 1], ulps, equal_nan=True)
        distance = np.hypot(a.astype(float) - 3, b.astype(float) - 4)
        assert np.allclose(out[:, 2], distance, rtol=1e-5, equal_nan=True)


@D.kernel
def negative(out, n):
    out[0] = math.isqrt(n)


def test_arguments_that_python_refuses_fail(target):
    if target == "cuda":
        pytest.skip("for other targets: a raise ends the context of a GPU")
    with pytest.raises(ValueError, match="nonnegative"):
        run(negative, np.zeros(1), -4)


def test_blocks_of_a_grid():
    assert D.blocks(1000, 256) == 4
    assert D.blocks(1024, (256,)) == 4
    assert D.blocks((640, 481), (16, 16)) == (40, 31)
    assert D.blocks((640, 481), 32) == (20, 481)
    assert D.blocks((5, 6, 7), (2, 2)) == (3, 3, 7)
    assert D.blocks(0, 32) == 0
