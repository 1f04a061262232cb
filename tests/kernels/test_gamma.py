"""math.gamma and math.lgamma where results are subnormal, or close to the largest number."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

# Of Stirling's series: Bernoulli numbers over their indices.
BERNOULLI = [
    "1/12",
    "-1/360",
    "1/1260",
    "-1/1680",
    "1/1188",
    "-691/360360",
    "1/156",
    "-3617/122400",
    "43867/244188",
]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
SMALLEST_ARGUMENT = 60


def decimal(number):
    return Decimal(number.numerator) / Decimal(number.denominator)


def gamma(x):
    """Of a float, to forty digits: by Stirling's series beyond 60, by recurrence below."""
    with localcontext() as context:
        context.prec = 60
        context.Emin, context.Emax = -9999, 9999
        z, product = Fraction(x), Decimal(1)
        while z < SMALLEST_ARGUMENT:
            product *= decimal(z)
            z += 1
        at = decimal(z)
        log = (at - Decimal("0.5")) * at.ln() - at + (2 * PI).ln() / 2
        for k, term in enumerate(BERNOULLI):
            log += decimal(Fraction(term)) / at ** (2 * k + 1)
        return log.exp() / product


def kernel_of(function):
    @D.kernel
    def compute(out, x):
        i = D.tid(1)
        if i < out.size:
            out[i] = function(x[i])

    return compute


def error_in_units(found, exact, dtype):
    info = np.finfo(dtype)
    least = Fraction(float(info.smallest_subnormal))
    unit = max(Fraction(float(np.spacing(dtype(abs(float(exact)))))), least)
    return abs(Fraction(float(found)) - Fraction(exact)) / unit


def arguments(dtype, low, high):
    rng = np.random.default_rng(5)
    x = rng.uniform(low, high, 150).astype(dtype)
    near = np.nextafter(np.arange(math.ceil(low), high, dtype=dtype), dtype(0))
    x = np.concatenate([x, near])
    return x[x != np.floor(x)]


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 1), (np.float64, 4)])
def test_gamma_of_subnormal_result(target, dtype, bound):
    low, high = (-45, -30) if dtype == np.float32 else (-186, -165)
    x = arguments(dtype, low, high)
    out = np.zeros_like(x)
    run(kernel_of(math.gamma), out, x, grid=len(x) // 64 + 1, block=64)
    exact = [gamma(float(v)) for v in x]
    subnormal = [0 < abs(e) < Decimal(float(np.finfo(dtype).tiny)) for e in exact]
    assert sum(subnormal) > 20
    worst = max(error_in_units(o, e, dtype) for o, e in zip(out, exact, strict=True))
    assert worst <= (10 if target == "interpreter" else bound)


def test_poles_and_ends_of_gamma(target):
    x = np.array([-171, -200.5, -1e18, -np.inf, np.nan, 171.5, 172, 0.0, -0.0])
    out = np.zeros_like(x)
    run(kernel_of(math.gamma), out, x, grid=1, block=len(x))
    assert np.isnan(out[[0, 2, 3, 4]]).all()
    assert out[1] == 0
    assert out[5] == pytest.approx(9.483367566824795e307, rel=1e-14)
    assert out[6:].tolist() == [np.inf, np.inf, -np.inf]


def test_lgamma_of_large_numbers(target):
    x = np.array([1e300, 2e305, 2.5e305, 2.6e305, 1.7e308, np.inf])
    out = np.zeros_like(x)
    run(kernel_of(math.lgamma), out, x, grid=1, block=len(x))
    exact = [float(Decimal(v) * (Decimal(v).ln() - 1)) for v in x[:3].tolist()]
    assert out[:3] == pytest.approx(exact, rel=1e-15)
    assert np.isinf(out[3:]).all()
