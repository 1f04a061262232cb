"""x ** y of integers where y is known at run time only: docs/math.md says what it gives."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.scalars import INTEGERS, SIGNED, cross, wrap

from support import promotion, reference


@D.kernel
def powers(x, y, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i] ** y[i]


@D.kernel
def powers_of_the_source(x, out):
    i = D.tid(1)
    if i < x.size:
        out[4 * i] = 1 ** x[i]
        out[4 * i + 1] = (-1) ** x[i]
        out[4 * i + 2] = 2 ** x[i]
        out[4 * i + 3] = 0 ** x[i]


def bases(name):
    info = np.iinfo(name)
    values = {0, 1, 2, 3, 7, int(info.max), int(info.min), int(info.min) + 1}
    return np.array(sorted(values | ({-1, -2, -3} if name in SIGNED else set())), name)


def exponents(name):
    info = np.iinfo(name)
    return np.array(sorted({-1, -2, -3, -4, 0, 1, 2, 5, int(info.min), int(info.min) + 1}), name)


@pytest.mark.parametrize("exponent_type", SIGNED)
@pytest.mark.parametrize("base_type", INTEGERS)
def test_negative_exponents(target, base_type, exponent_type):
    result = promotion.stored(promotion.result("**", base_type, exponent_type))
    x, y = cross(bases(base_type), exponents(exponent_type))
    out = np.full(len(x), 99, result)
    run(powers, x, y, out, grid=len(x) // 64 + 1, block=64)
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    # A base is converted first: of the most negative ones that matters for uint64 alone.
    want = [reference.power(wrap(a, result), b, result) for a, b in pairs]
    assert out.tolist() == want


@pytest.mark.parametrize("name", SIGNED)
def test_constant_bases(target, name):
    y = exponents(name)
    out = np.full(4 * len(y), 99, np.int64)
    run(powers_of_the_source, y, out, block=len(y))
    want = [reference.power(b, e, name) for e in y.tolist() for b in (1, -1, 2, 0)]
    assert out.tolist() == want


@D.kernel
def builtin_powers(out, x, y):
    out[0] = x**y


@pytest.mark.parametrize(("x", "y", "value"), [(2, -1, 0), (-1, -3, -1), (1, -5, 1), (3, 4, 81)])
def test_builtin_numbers(target, x, y, value):
    out = np.full(1, 99)
    run(builtin_powers, out, x, y)
    assert out[0] == value


@D.kernel
def negative_constants(out, x):
    out[0] = x**-1
    out[1] = x**-2


def test_a_negative_exponent_in_the_source_makes_a_fraction(target):
    out = np.zeros(2)
    run(negative_constants, out, np.int32(4))
    assert out.tolist() == [0.25, 0.0625]
