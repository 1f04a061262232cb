"""Functions of math that kernels compile from Python source, and device.blocks."""

import inspect
import math
import re

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
def of_two(n, k, p, q, out, distance):
    i = D.tid(1)
    out[i, 0] = math.comb(n[i], k[i])
    out[i, 1] = math.lcm(p[i], q[i])
    distance[i] = math.dist((p[i],), (q[i],))


# Results fit; products on the way do not.
@pytest.mark.parametrize(
    ("dtype", "chosen", "pairs"),
    [
        (np.int8, [(8, 4), (9, 3)], [(12, 18), (100, -100)]),
        (np.uint8, [(10, 4), (9, 4)], [(200, 100), (0, 0)]),
        (np.int16, [(17, 8), (16, 11)], [(2000, 3000), (-32768, 1)]),
        (np.int32, [(30, 15), (33, 17)], [(100000, 50000), (2**31 - 1, -1)]),
        (np.uint32, [(34, 17), (0, 3)], [(2**31, 2**30), (0, 2**31)]),
        (np.int64, [(62, 31), (66, 33)], [(2**40, 2**41), (-(3**30), 3**20)]),
        (np.uint64, [(67, 33), (61, 1)], [(2**63, 2**62), (5, 2**40)]),
    ],
)
def test_products_on_the_way_need_not_fit(target, dtype, chosen, pairs):
    n, k = np.array(chosen, dtype).T.copy()
    p, q = np.array(pairs, dtype).T.copy()
    out, distance = np.zeros((2, 2), dtype), np.zeros(2)
    run(of_two, n, k, p, q, out, distance, block=2)
    top = np.iinfo(dtype).max
    for i in range(2):
        wanted = [math.comb(*chosen[i]), math.lcm(*pairs[i])]
        fits = [value if value <= top else int(out[i, j]) for j, value in enumerate(wanted)]
        assert out[i].tolist() == fits
        assert distance[i] == pytest.approx(math.dist(*((x,) for x in pairs[i])), rel=1e-6)


@D.kernel
def of_literals(out):
    out[0] = math.factorial(13)
    out[1] = math.comb(40, 20)
    out[2] = math.perm(20, 10)
    out[3] = math.lcm(100000, 99999, 7)
    out[4] = math.isqrt(10**30)
    out[5] = math.factorial(25) // math.factorial(23) + math.perm(5) + math.perm(3, 4)
    out[6] = math.comb(3, 4) + math.lcm() + math.lcm(0, 5) + math.isqrt(0)


@D.kernel
def floats_of_literals(out):
    out[0] = math.hypot(0.1, 0.7)
    out[1] = math.ldexp(0.1, -3)
    out[2], out[3] = math.modf(-1.1)
    mantissa, exponent = math.frexp(0.1)
    out[4] = mantissa
    out[5] = exponent


def test_literals_are_computed_exactly(target):
    out = np.zeros(7, np.int64)
    run(of_literals, out)
    expected = np.zeros(7, np.int64)
    of_literals.underlying(expected)
    assert out.tolist() == expected.tolist()
    found, wanted = np.zeros(6), np.zeros(6)
    run(floats_of_literals, found)
    floats_of_literals.underlying(wanted)
    assert found.tolist() == wanted.tolist()


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
    with pytest.raises(ValueError, match="nonnegative") as failed:
        run(negative, np.zeros(1), -4)
    line = inspect.getsourcelines(negative.underlying)[1] + 2
    assert f"test_math_in_python.py:{line}" in str(failed.value)
    assert "_in_kernels" not in str(failed.value)


@D.kernel
def factorial_of_literal(out):
    out[0] = math.factorial(-1)


@D.kernel
def root_of_literal(out):
    out[0] = math.isqrt(-1)


@D.kernel
def comb_of_literals(out):
    out[0] = math.comb(-1, 2)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (factorial_of_literal, "factorial() not defined for negative values"),
        (root_of_literal, "isqrt() argument must be nonnegative"),
        (comb_of_literals, "comb() needs two integers that are not negative"),
    ],
)
def test_literals_that_python_refuses_fail(target, kernel, message):
    if target == "cuda":
        pytest.skip("for other targets: a raise ends the context of a GPU")
    with pytest.raises(ValueError, match=re.escape(message)) as failed:
        run(kernel, np.zeros(1))
    line = inspect.getsourcelines(kernel.underlying)[1] + 2
    assert f"test_math_in_python.py:{line}" in str(failed.value)


def test_blocks_of_a_grid():
    assert D.blocks(1000, 256) == 4
    assert D.blocks(1024, (256,)) == 4
    assert D.blocks((640, 481), (16, 16)) == (40, 31)
    assert D.blocks((640, 481), 32) == (20, 481)
    assert D.blocks((5, 6, 7), (2, 2)) == (3, 3, 7)
    assert D.blocks(0, 32) == 0


@D.kernel
def scaled_by_any_power(out, n, u):
    i = D.tid(1)
    if i < n.size:
        out[i, 0] = math.ldexp(1.5, n[i])
        out[i, 1] = math.ldexp(D.float64(1.5), u[i])
        out[i, 2] = math.ldexp(D.float32(1.5), 2**40)


def test_exponents_of_ldexp_have_all_their_bits(target):
    n = np.array([3, -3, 2**32 + 1, -(2**32), 2**31, -(2**63)], np.int64)
    u = np.array([1, 2, 2**31, 2**32 + 1, 2**63, 2**64 - 1], np.uint64)
    out = np.zeros((6, 3))
    run(scaled_by_any_power, out, n, u, block=6)
    inf = math.inf
    assert out[:, 0].tolist() == [12.0, 0.1875, inf, 0.0, inf, 0.0]
    assert out[:, 1].tolist() == [3.0, 6.0, inf, inf, inf, inf]
    assert (out[:, 2] == inf).all()


@D.kernel
def holds_for_sure(out):
    assert True, out.nothing_of_that_name
    out[0] = 1


def test_the_message_of_what_holds_is_dead(target):
    out = np.zeros(1)
    run(holds_for_sure, out)
    assert out[0] == 1
