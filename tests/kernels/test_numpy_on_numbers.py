"""Functions of NumPy on numbers in kernels: NumPy's values, at the edges too."""

import operator

import numpy as np
import pytest
from cuda import device as D
from support.launching import result_type, run

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 3.0, 1e-3, 7.25, -1234.5, np.inf, -np.inf, np.nan]


def edges(dtype):
    info = np.finfo(dtype)
    more = [info.max, -info.max, info.smallest_subnormal, info.smallest_normal]
    return np.array([*EDGES, *more], dtype)


def same_values(found, wanted):
    """To the bit, but for which NaN it is."""
    assert np.array_equal(found, wanted, equal_nan=True), (found, wanted)
    numbers = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


@D.kernel
def of_one(x, out):
    i = D.tid(1)
    a = x[i]
    out[i, 0] = np.signbit(a)
    out[i, 1] = np.isposinf(a)
    out[i, 2] = np.isneginf(a)
    out[i, 3] = np.isreal(a)
    out[i, 4] = np.iscomplex(a)
    out[i, 5] = np.reciprocal(a)
    out[i, 6] = np.spacing(a)
    out[i, 7] = np.round(a)
    out[i, 8] = np.around(a, 2)
    out[i, 9] = np.round(a, decimals=-1)
    out[i, 10] = np.nan_to_num(a)
    out[i, 11] = np.nan_to_num(a, nan=3.0, posinf=4.0, neginf=-5.0)
    out[i, 12] = np.real(a) + np.imag(a)
    out[i, 13] = np.conj(a)
    out[i, 14] = np.fix(a)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_one(target, dtype):
    x = edges(dtype)
    out = np.zeros((x.size, 15), dtype)
    run(of_one, x, out, block=x.size)
    with np.errstate(all="ignore"):
        wanted = [
            *(f(x) for f in (np.signbit, np.isposinf, np.isneginf, np.isreal, np.iscomplex)),
            *(np.reciprocal(x), np.spacing(x), np.round(x), np.around(x, 2), np.round(x, -1)),
            *(np.nan_to_num(x), np.nan_to_num(x, nan=3.0, posinf=4.0, neginf=-5.0)),
            *(np.real(x) + np.imag(x), np.conj(x), np.trunc(x)),
        ]
    for k, values in enumerate(wanted):
        same_values(out[:, k], values.astype(dtype))


@D.kernel
def of_two(x, y, out):
    i = D.tid(1)
    a, b = x[i], y[i]
    out[i, 0] = np.heaviside(a, b)
    out[i, 1] = np.nextafter(a, b)
    out[i, 2] = np.isclose(a, b)
    out[i, 3] = np.isclose(a, b, rtol=0.5, atol=0.0, equal_nan=True)
    quotient, rest = np.divmod(a, b)
    out[i, 4], out[i, 5] = quotient, rest
    out[i, 6] = np.logaddexp(a, b)
    out[i, 7] = np.logaddexp2(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_two(target, dtype):
    values = edges(dtype)
    x, y = np.repeat(values, values.size), np.tile(values, values.size)
    out = np.zeros((x.size, 8), dtype)
    run(of_two, x, y, out, block=x.size)
    with np.errstate(all="ignore"):
        exact = [
            *(np.heaviside(x, y), np.nextafter(x, y), np.isclose(x, y)),
            np.isclose(x, y, rtol=0.5, atol=0.0, equal_nan=True),
        ]
        quotient, rest = np.divmod(x, y)
        near = [np.logaddexp(x, y), np.logaddexp2(x, y)]
    for k, wanted in enumerate(exact):
        same_values(out[:, k], wanted.astype(dtype))
    usual = np.isfinite(x) & np.isfinite(y) & (y != 0)
    usual &= np.isfinite(quotient) & (np.abs(quotient) < 2.0**20)
    assert np.array_equal(out[usual, 4], quotient[usual])
    assert np.allclose(out[usual, 5], rest[usual])
    for k, wanted in enumerate(near):
        few = 4 * np.finfo(dtype).eps
        assert np.allclose(out[:, 6 + k], wanted, rtol=few, atol=few, equal_nan=True)


@D.kernel
def with_functions_of_math(x, out):
    i = D.tid(1)
    a = x[i]
    out[i, 0] = np.sinc(a)
    out[i, 1] = np.angle(a)
    out[i, 2] = np.angle(a, deg=True)
    out[i, 3] = np.float_power(np.abs(a), 0.3)
    part, whole = np.modf(a)
    out[i, 4], out[i, 5] = part, whole
    mantissa, exponent = np.frexp(a)
    out[i, 6], out[i, 7] = mantissa, exponent
    out[i, 8] = np.ldexp(a, 3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_with_functions_of_math(target, dtype):
    x = edges(dtype)[:11]  # finite, and of usual size
    out = np.zeros((x.size, 9), np.float64)
    run(with_functions_of_math, x, out, block=x.size)
    wanted = [np.sinc(x), np.angle(x), np.angle(x, deg=True), np.float_power(np.abs(x), 0.3)]
    wanted += [*np.modf(x), *np.frexp(x), np.ldexp(x, 3)]
    for k, values in enumerate(wanted):
        near = 4 * np.finfo(dtype).eps
        assert np.allclose(out[:, k], values, rtol=near, atol=near), k


@D.kernel
def of_complex(z, out, numbers):
    i = D.tid(1)
    a = z[i]
    out[i, 0] = np.conjugate(a)
    out[i, 1] = np.reciprocal(a)
    numbers[i, 0] = np.real(a)
    numbers[i, 1] = np.imag(a)
    numbers[i, 2] = np.angle(a)
    numbers[i, 3] = np.isreal(a)
    numbers[i, 4] = np.iscomplex(a)


def test_of_complex_numbers(target):
    z = np.array([1 + 2j, -3 + 0j, 0.5 - 4j, 2j])
    out, numbers = np.zeros((z.size, 2), complex), np.zeros((z.size, 5))
    run(of_complex, z, out, numbers, block=z.size)
    assert np.allclose(out, np.stack([np.conjugate(z), np.reciprocal(z)], axis=1))
    wanted = [np.real(z), np.imag(z), np.angle(z), np.isreal(z), np.iscomplex(z)]
    assert np.allclose(numbers, np.stack(wanted, axis=1))


@D.kernel
def of_integers(n, m, out):
    i = D.tid(1)
    a, b = n[i], m[i]
    out[i, 0] = np.bitwise_count(a)
    out[i, 1] = np.lcm(a, b)
    out[i, 2] = np.round(a)
    out[i, 3] = np.round(a, -1)
    out[i, 4] = np.nan_to_num(a)
    out[i, 5] = np.signbit(a)
    out[i, 6] = np.reciprocal(b)
    out[i, 7] = np.isclose(a, b, rtol=0.0, atol=1.0)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
def test_of_integers(target, dtype):
    n = np.array([0, 1, 7, 12, 15, 25, 100, np.iinfo(dtype).max // 3, 6, 5], dtype)
    m = np.array([3, 1, 2, 12, 3, 5, 100, 1, 5, 6], dtype)
    if np.iinfo(dtype).min:
        n[2], m[3], m[1] = -7, -12, -1
    out = np.zeros((n.size, 8), np.int64)
    run(of_integers, n, m, out, block=n.size)
    wanted = [np.bitwise_count(n), np.lcm(n, m), np.round(n), np.round(n, -1), np.nan_to_num(n)]
    wanted += [np.signbit(n), np.reciprocal(m), np.isclose(n, m, rtol=0.0, atol=1.0)]
    for k, values in enumerate(wanted):
        assert out[:, k].tolist() == values.astype(np.int64).tolist(), k


@D.kernel
def of_integers_in_floats(n, m, out):
    i = D.tid(1)
    a, b = n[i], m[i]
    out[i, 0] = np.isclose(a, b)
    out[i, 1] = np.isclose(a, b, rtol=1e-9)
    out[i, 2] = abs(np.spacing(a))  # NumPy's of a negative float16 has no sign
    out[i, 3] = np.nextafter(a, b)
    out[i, 4] = np.sinc(a)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_of_integers_in_numpys_floats(target, dtype):
    large = np.iinfo(dtype).max // 2
    n = np.array([0, 1, 7, large, large, 100], dtype)
    m = np.array([3, 1, 2, large + 1, large - 1, 100], dtype)
    if np.iinfo(dtype).min:
        n[2], m[3] = -7, -large
    out = np.zeros((n.size, 5))
    run(of_integers_in_floats, n, m, out, block=n.size)
    wanted = [np.isclose(n, m), np.isclose(n, m, rtol=1e-9)]
    wanted += [np.abs(np.spacing(n)), np.nextafter(n, m)]
    for k, values in enumerate(wanted):
        assert out[:, k].tolist() == values.astype(np.float64).tolist(), k
    assert np.allclose(out[:, 4], np.sinc(n), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (lambda x: np.spacing(x), "int8", "float16"),
        (lambda x: np.spacing(x), "uint16", "float32"),
        (lambda x: np.spacing(x), "int32", "float64"),
        (lambda x: np.nextafter(x, x), "int64", "float64"),
        (lambda x: np.nextafter(x, 3), "int32", "float64"),
        (lambda x: np.sinc(x), "int8", "float64"),
        (lambda x: np.reciprocal(x), "float32", "float32"),
        (lambda x: np.reciprocal(x), "int16", "int16"),
        (lambda x: np.signbit(x), "float64", "bool"),
        (lambda x: np.spacing(x), "float32", "float32"),
        (lambda x: np.sinc(x), "float64", "float64"),
        (lambda x: np.sinc(x), "float16", "float16"),
        (lambda x: np.around(x, 1), "float32", "float32"),
        (lambda x: np.around(x), "int8", "int8"),
        (lambda x: np.nan_to_num(x), "float32", "float32"),
        (lambda x: np.float_power(x, x), "float32", "float64"),
        (lambda x: np.heaviside(x, 0.5), "float32", "float32"),
        (lambda x: np.logaddexp(x, x), "float32", "float32"),
        (lambda x: np.bitwise_count(x), "int64", "uint8"),
    ],
)
def test_formats(function, given, expected):
    assert result_type(function, given) == expected


@D.kernel
def of_operator(a, out):
    t = (3, 5, 7)
    out[0] = operator.getitem(a, 1)
    operator.setitem(out, 1, operator.itemgetter(2)(t))
    first, last = operator.itemgetter(0, 2)(t)
    out[2] = first * last
    out[3] = operator.contains(t, 5)
    out[4] = len(operator.concat(t, (1, 2)))
    out[5] = a[operator.index(2)]
    x = operator.iadd(3, 4)
    x = operator.ior(x, 8)
    out[6] = operator.isub(x, 1)
    out[7] = operator.call(max, 3, 9)


def test_of_operator(target):
    a = np.array([1.0, 2.0, 4.0])
    found, wanted = np.zeros(8), np.zeros(8)
    run(of_operator, a, found)
    of_operator.underlying(a, wanted)
    assert found.tolist() == wanted.tolist()


@D.kernel
def rests(out, a, b):
    i = D.tid(1)
    out[i] = np.fmod(a[i], b[i])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_fmod_of_integers_is_exact(target, dtype):
    most = np.iinfo(dtype).max
    a, b = np.array([[most, most - 1], [7, 3], [7, 2], [most, 2], [5, 0], [0, 3]], dtype).T.copy()
    if np.iinfo(dtype).min < 0:
        a, b = np.concatenate([a, -a, a, -a]), np.concatenate([b, b, -b, -b])
    out = np.zeros_like(a)
    run(rests, out, a, b, grid=1, block=a.size)
    with np.errstate(divide="ignore"):
        assert out.tolist() == np.fmod(a, b).tolist()
