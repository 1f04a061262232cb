"""Values of operators where a small float or a complex number meets any partner."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.complex_numbers import divide, multiply
from support.launching import run
from support.scalars import TYPES, assert_same_bits, samples
from support.small_floats import DTYPES, NAMES, rounded, wide

from support import promotion, reference

EVERY = 12  # numbers of each type; each meets each of the other
RESULTS = ("-", "+", "*", "/")


@D.kernel(fmad=False)
def with_each(xs, y, subs, adds, muls, divs, equals, unequals):
    i = D.tid(1)
    j = i // y.size
    k = i % y.size
    if j < y.size:
        for n, x in enumerate(xs):
            subs[n][i] = y[k] - x[j]
            adds[n][i] = x[j] + y[k]
            muls[n][i] = y[k] * x[j]
            divs[n][i] = y[k] / x[j]
            equals[n][i] = x[j] == y[k]
            unequals[n][i] = y[k] != x[j]


def numbers(name):
    """Some of a type, those that overflow in others among them."""
    if name in NAMES:
        values = [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, -7.25, 448.0, 2.0**-9, -20.0, np.inf, np.nan]
        return rounded(np.array(values), name)
    if name in promotion.COMPLEX:
        values = np.array([0, 1, -1.5j, 0.1 + 3j, -7.25 - 2j, 448, 1e-3j, 1e10, -20 + 0.3j, 5j,
                           complex(np.inf, 1), complex(2, np.nan)])  # fmt: skip
        return values.astype(name)
    values = samples(name)
    return np.resize(np.roll(values, 2), EVERY)


def converted(x, source, name):
    """Numbers as another type, rounded once."""
    if name in promotion.COMPLEX and source not in promotion.COMPLEX:
        return real(x, source, {"complex64": "float32", "complex128": "float64"}[name])
    if source in promotion.COMPLEX:
        return x.astype(name)
    return real(x, source, name)


def real(x, source, name):
    exact = wide(x) if source in NAMES else x
    if name in NAMES:
        return rounded(exact, name)
    return reference.convert(exact, name)


def computed(op, a, b, name):
    """Both in the type; small floats in float64, which has more than twice their bits."""
    if name in NAMES:
        return rounded(plain(op, wide(a), wide(b)), name)
    return plain(op, a, b)


def plain(op, a, b):
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[op](a, b)


def of_complex(op, a, b, name):
    """By parts. A real operand has no imaginary part, but in a division by a complex number."""
    part = np.float32 if name == "complex64" else np.float64
    zero = np.zeros(len(a), part)
    ar, ai = (a.real, a.imag) if np.iscomplexobj(a) else (a, zero)
    br, bi = (b.real, b.imag) if np.iscomplexobj(b) else (b, zero)
    both = np.iscomplexobj(a) and np.iscomplexobj(b)
    if op in "+-":
        im = ai if not np.iscomplexobj(b) else plain(op, ai, bi)
        if not np.iscomplexobj(a):
            im = bi if op == "+" else -bi
        return plain(op, ar, br), im
    if op == "*":
        if both:
            return multiply(ar, ai, br, bi)
        return (ar * br, ai * br) if np.iscomplexobj(a) else (ar * br, ar * bi)
    if np.iscomplexobj(b):
        return divide(ar, ai, br, bi)
    return ar / br, ai / br


def check(op, out, a, b, name):
    with np.errstate(all="ignore"):
        if name in promotion.COMPLEX:
            re, im = of_complex(op, a, b, name)
            assert_same_bits(out.real.copy(), re)
            assert_same_bits(out.imag.copy(), im)
            return
        expected = computed(op, a, b, name)
    if name in NAMES:
        a, b, out, expected = wide(a), wide(b), wide(out), wide(expected)
    assert_same_bits(out, expected, a, b)


def dtype_of(name):
    return DTYPES[name] if name in DTYPES else np.dtype(name)


@clause("DEV-PROMO-01", "DEV-PROMO-04")
@pytest.mark.parametrize("name", [*NAMES, *promotion.COMPLEX])
def test_values_with_every_partner(target, name):
    others = [t for t in (*TYPES, *NAMES, *promotion.COMPLEX)
              if promotion.join(t, name) != promotion.ERROR]  # fmt: skip
    xs = tuple(numbers(t) if t != "bool" else np.arange(EVERY) % 3 == 0 for t in others)
    y = numbers(name)
    types = [promotion.join(t, name) for t in others]
    outs = {op: tuple(np.zeros(EVERY**2, dtype_of(t)) for t in types) for op in RESULTS}
    flags = [tuple(np.zeros(EVERY**2, bool) for _ in others) for _ in range(2)]
    run(with_each, xs, y, *outs.values(), *flags, grid=3, block=64)
    left, right = np.repeat(np.arange(EVERY), EVERY), np.tile(np.arange(EVERY), EVERY)
    for n, (other, x, type_) in enumerate(zip(others, xs, types, strict=True)):
        a, b = converted(x, other, type_)[left], converted(y, name, type_)[right]
        for op, out in outs.items():
            check(op, out[n], *((a, b) if op == "+" else (b, a)), type_)
        same = (wide(a) == wide(b)) if type_ in NAMES else a == b
        assert np.array_equal(flags[0][n], same), (other, name)
        assert np.array_equal(flags[1][n], ~same), (other, name)
