"""round() to digits, pow() with a modulus, methods of numbers, functions of operator and NumPy."""

import operator

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, 2.675, 1.005, -2.675, 1e-9, 123456.785]


def floats(dtype):
    random = np.random.default_rng(7)
    wide = random.standard_normal(2000) * 10.0 ** random.integers(-8, 18, 2000)
    ties = (random.integers(-(10**6), 10**6, 500) + 0.5) / 1000
    short = random.integers(-(10**9), 10**9, 500) / 10**6
    return np.concatenate([EDGES, wide, ties, short, 0.125 * np.arange(-40, 40)]).astype(dtype)


@D.kernel
def rounds(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i, 0] = round(x[i], 0)
        out[i, 1] = round(x[i], 2)
        out[i, 2] = round(x[i], 7)
        out[i, 3] = round(x[i], -1)
        out[i, 4] = round(x[i], -3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_round_to_digits_rounds_as_python_does(target, dtype):
    x = floats(dtype)
    out = np.zeros((x.size, 5), dtype=dtype)
    run(rounds, x, out, grid=(x.size + 127) // 128, block=128)
    for k, digits in enumerate((0, 2, 7, -1, -3)):
        wanted = np.array([round(float(v), digits) for v in x]).astype(dtype)
        same = (out[:, k] == wanted) & (np.signbit(out[:, k]) == np.signbit(wanted))
        same |= np.isnan(out[:, k]) & np.isnan(wanted)
        assert same.all(), (digits, x[~same][:5], out[~same, k][:5], wanted[~same][:5])


@D.kernel
def integers(n, u, out):
    i = D.tid(1)
    x = n[i]
    out[i, 0] = round(x, -1)
    out[i, 1] = round(x, -2)
    out[i, 2] = round(x, 3)
    out[i, 3] = x.bit_count()
    out[i, 4] = x.bit_length()
    out[i, 5] = pow(x, 5, 97)
    out[i, 6] = pow(3, u[i], 1000003)
    out[i, 7] = pow(x, 13, -1000)
    out[i, 8] = pow(u[i], u[i], D.uint32(4294967291))
    out[i, 9] = (1023).bit_length() + (7).bit_count() + x.is_integer()
    out[i, 10] = round(15, -1) + round(25, -1) + round(True, 0)


def wrapped(n):
    """As an int32."""
    return int(np.array(n).astype(np.int32))


def test_integers_of_python(target):
    n = np.array([0, 1, -1, 5, 15, 25, -15, 149, 150, 250, -250, 2**31 - 60, -(2**31)], np.int32)
    u = np.arange(n.size, dtype=np.uint32) * 341593
    out = np.zeros((n.size, 11), dtype=np.int64)
    run(integers, n, u, out, block=n.size)
    for i, (x, e) in enumerate(zip(n.tolist(), u.tolist(), strict=True)):
        wanted = [wrapped(round(x, -1)), round(x, -2), x, x.bit_count(), x.bit_length()]
        wanted += [pow(x, 5, 97), pow(3, e, 1000003), pow(x, 13, -1000), pow(e, e, 4294967291)]
        wanted += [10 + 3 + 1, 20 + 20 + 1]
        assert out[i].tolist() == wanted, x


@D.kernel
def powers_modulo(x, e, m, u, v, out, unsigned):
    i = D.tid(1)
    if i < x.size:
        out[i, 0] = pow(x[i], e[i], m[i])
        out[i, 1] = pow(x[i], 65537, m[i])
        out[i, 2] = pow(D.int64(3), e[i], -(2**63))
        unsigned[i, 0] = pow(u[i], v[i], v[i])
        unsigned[i, 1] = pow(u[i], e[i], D.uint64(2**64 - 59))
        unsigned[i, 2] = pow(u[i], v[i], D.uint64(1))


def test_powers_modulo_numbers_of_64_bits(target):
    rng = np.random.default_rng(5)
    edges = [1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**62, 2**63 - 1]
    m = np.array(edges + [-n for n in edges] + [-(2**63)], np.int64)
    m = np.concatenate([m, rng.integers(-(2**63), 2**63, 60)])
    x = rng.integers(-(2**63), 2**63, m.size)
    x[:8] = [0, 1, -1, 2**63 - 1, -(2**63), 5, -5, 2**32]
    e = rng.integers(0, 2**63, m.size)
    e[:4] = [0, 1, 2, 2**63 - 1]
    u, v = x.view(np.uint64), m.view(np.uint64)
    out, unsigned = np.zeros((m.size, 3), np.int64), np.zeros((m.size, 3), np.uint64)
    run(powers_modulo, x, e, m, u, v, out, unsigned, grid=3, block=32)
    for i, (a, n, k, b, c) in enumerate(zip(*(p.tolist() for p in (x, e, m, u, v)), strict=True)):
        assert out[i].tolist() == [pow(a, n, k), pow(a, 65537, k), pow(3, n, -(2**63))], (a, n, k)
        assert unsigned[i].tolist() == [pow(b, c, c), pow(b, n, 2**64 - 59), 0], (b, c)


@D.kernel
def negative_power(x, e):
    x[0] = pow(x[0], e, 7)


def test_a_negative_exponent_of_a_power_modulo_fails():
    for dtype in (np.int32, np.int64):
        with pytest.raises(D.errors.KernelError, match="takes no negative exponent"):
            run(negative_power, np.ones(1, dtype), -1)


@D.kernel(fmad=False)
def of_numpy(x, y, n, out):
    i = D.tid(1)
    a, b = x[i], y[i]
    out[i, 0] = np.minimum(a, b)
    out[i, 1] = np.maximum(a, b)
    out[i, 2] = np.fmin(a, b)
    out[i, 3] = np.fmax(a, b)
    out[i, 4] = np.clip(a, -1, np.float64(2))
    out[i, 5] = np.where(a < b, a, n[i])
    out[i, 6] = np.sign(a)
    out[i, 7] = np.sign(n[i])
    out[i, 8] = np.sqrt(np.abs(a)) + np.square(b) * np.pi
    out[i, 9] = np.floor(a) + np.rint(b) + np.fabs(a)
    out[i, 10] = np.add(a, b) - np.multiply(a, b) / np.subtract(a, 3)
    out[i, 11] = np.logical_and(a, n[i]) + 2 * np.logical_or(a, n[i]) + 4 * np.logical_xor(a, n[i])
    out[i, 12] = np.isnan(a) + 2 * np.isfinite(b) + 4 * np.greater_equal(a, b)
    out[i, 13] = np.power(n[i], 3) + np.bitwise_xor(n[i], 5) + np.remainder(n[i], 4)
    out[i, 14] = operator.truediv(a, 8) + operator.neg(b) + operator.not_(a)
    out[i, 15] = np.iinfo(np.int16).max + np.iinfo(n.dtype).min + np.iinfo(D.uint8).bits
    out[i, 16] = np.finfo(np.float32).eps + np.finfo(x.dtype).max
    out[i, 17] = np.finfo(np.float16).tiny + np.finfo(D.float64).smallest_subnormal
    out[i, 18] = a.is_integer() + 2 * (0.5).is_integer() + 4 * (3.0).is_integer()
    out[i, 19] = np.float32(a) + np.int8(n[i]) + np.deg2rad(180.0)


def test_functions_of_numpy(target):
    values = [0.0, -0.0, 1.0, -3.5, 7.25, np.nan, np.inf, -np.inf, 2.0]
    x = np.repeat(values, len(values))
    y = np.tile(values, len(values))
    n = (np.arange(x.size) % 7 - 3).astype(np.int32)
    out = np.zeros((x.size, 20))
    run(of_numpy, x, y, n, out, block=x.size)
    with np.errstate(all="ignore"):
        wanted = [
            *(np.minimum(x, y), np.maximum(x, y), np.fmin(x, y), np.fmax(x, y), np.clip(x, -1, 2)),
            *(np.where(x < y, x, n), np.sign(x), np.sign(n), np.sqrt(np.abs(x)) + y * y * np.pi),
            np.floor(x) + np.rint(y) + np.fabs(x),
            (x + y) - (x * y) / (x - 3),
            np.logical_and(x, n) + 2 * np.logical_or(x, n) + 4 * np.logical_xor(x, n),
            np.isnan(x) + 2 * np.isfinite(y) + 4 * (x >= y),
            n**3 + (n ^ 5) + n % 4,
            x / 8 + -y + (x == 0),
            np.full(x.size, 32767 - 2**31 + 8),
            np.full(x.size, float(np.finfo(np.float32).eps) + np.finfo(float).max),
            np.full(x.size, float(np.finfo(np.float16).tiny)),
            np.array([float(v).is_integer() for v in x]) + 4,
            x.astype(np.float32) + n + np.float32(np.pi),
        ]
    for k, column in enumerate(wanted):
        assert np.allclose(out[:, k], column, rtol=1e-6, atol=0, equal_nan=True), k


@D.kernel(builtins=64)
def limits_of_wide_builtins(out):
    out[0] = np.iinfo(int).max == 2**63 - 1
    out[1] = np.finfo(float).eps == 2.0**-52
    out[2] = np.iinfo(np.int32).max == 2**31 - 1


@D.kernel
def limits_of_builtins(out):
    out[0] = np.iinfo(int).max == 2**31 - 1
    out[1] = np.finfo(float).eps == 2.0**-23


def test_limits_of_builtins(target):
    out = np.zeros(5, np.int32)
    run(limits_of_wide_builtins, out[:3])
    run(limits_of_builtins, out[3:])
    assert out.tolist() == [1] * 5
