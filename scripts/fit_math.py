#!/usr/bin/env python3
"""Fits the polynomials of src/passes/simplify/math_f32.h and prints them as C++ literals.

Lawson's iteratively reweighted least squares on Chebyshev nodes (a minimax fit in the limit), then
the coefficients are rounded to float32 one by one, lowest order first, refitting the rest each
time. Needs numpy and mpmath.
"""

import math

import mpmath
import numpy

mpmath.mp.dps = 40
NODES = 1500
ROUNDS = 60


def lawson(matrix, target, weight):
    """Coefficients that minimise max |weight * (target - matrix @ c)|, and that maximum."""
    emphasis = numpy.ones(len(target)) / len(target)
    best = None
    for _ in range(ROUNDS):
        scale = numpy.sqrt(emphasis) * weight
        c = numpy.linalg.lstsq(matrix * scale[:, None], target * scale, rcond=None)[0]
        error = numpy.abs(weight * (target - matrix @ c))
        if best is None or error.max() < best[0]:
            best = (error.max(), c)
        emphasis *= error / error.max() + 1e-3
        emphasis /= emphasis.sum()
    return best


def fit(function, terms, low, high, weight, to_float32=True):
    """Polynomial with `terms` coefficients on [low, high]; the error is weight * difference."""
    k = numpy.arange(NODES)
    x = (low + high) / 2 + (high - low) / 2 * numpy.cos(numpy.pi * (k + 0.5) / NODES)
    y = numpy.array([float(function(mpmath.mpf(float(v)))) for v in x])
    w = numpy.array([weight(float(v)) for v in x])
    powers = numpy.stack([x**i for i in range(terms)], 1)
    error, c = lawson(powers, y, w)
    if not to_float32:
        return c, error
    fixed = numpy.zeros(terms)
    for i in range(terms):
        fixed[i] = numpy.float32(c[i])
        rest = y - powers[:, : i + 1] @ fixed[: i + 1]
        if i + 1 < terms:
            c = numpy.concatenate([fixed[: i + 1], lawson(powers[:, i + 1 :], rest, w)[1]])
    return fixed, numpy.abs(w * (y - powers @ fixed)).max()


def show(name, fitted, suffix="f"):
    coefficients, error = fitted
    print(f"// {name}: error 2^{math.log2(error):.1f}")
    print("{" + ", ".join(float(c).hex() + suffix for c in coefficients) + "}\n")


def near_zero(function, limit_at_zero, radius=1e-9):
    """The function, with its limit where the quotient cannot be evaluated."""
    return lambda x: function(x) if abs(x) > radius else limit_at_zero


LOG2 = mpmath.log(2)
HALF_LOG2 = float(LOG2) / 2 * 1.0005
LOW, HIGH = math.sqrt(0.5) - 1, math.sqrt(2) - 1  # f where 1 + f is a mantissa
EIGHTH_TURN = (math.pi / 4 * 1.001) ** 2

# name, function, terms, low, high, weight of an error at x
POLYNOMIALS = [
    (
        "exp: (e^r - 1 - r) / r^2",
        near_zero(lambda r: (mpmath.exp(r) - 1 - r) / r**2, mpmath.mpf(0.5)),
        *(5, -HALF_LOG2, HALF_LOG2),
        lambda r: r * r,
    ),
    (
        "exp2: (2^r - 1) / r",
        near_zero(lambda r: (mpmath.mpf(2) ** r - 1) / r, LOG2),
        *(6, -0.5005, 0.5005),
        abs,
    ),
    (
        "log: (log(1+f) - f + f^2/2) / f^3",
        near_zero(lambda f: (mpmath.log1p(f) - f + f * f / 2) / f**3, mpmath.mpf(1) / 3),
        *(8, LOW, HIGH),
        lambda f: abs(f) ** 3 / abs(math.log1p(f)) if f else 0,
    ),
    (
        "log2: (log2(1+f) - f/log(2)) / f^2",
        near_zero(lambda f: (mpmath.log1p(f) - f) / LOG2 / f**2, -0.5 / LOG2),
        *(9, LOW, HIGH),
        lambda f: f * f * math.log(2) / abs(math.log1p(f)) if f else 0,
    ),
    (
        "sin: (sin(r)/r - 1) / r^2, in r^2",
        near_zero(
            lambda t: (mpmath.sin(mpmath.sqrt(t)) / mpmath.sqrt(t) - 1) / t, mpmath.mpf(-1) / 6
        ),
        *(4, 0, EIGHTH_TURN),
        abs,
    ),
    (
        "cos: (cos(r) - 1 + r^2/2) / r^4, in r^2",
        near_zero(
            lambda t: (mpmath.cos(mpmath.sqrt(t)) - 1 + t / 2) / t**2, mpmath.mpf(1) / 24, 1e-6
        ),
        *(4, 0, EIGHTH_TURN),
        lambda t: t * t,
    ),
    (
        "tanh: (tanh(x)/x - 1) / x^2, in x^2",
        near_zero(
            lambda t: (mpmath.tanh(mpmath.sqrt(t)) / mpmath.sqrt(t) - 1) / t, mpmath.mpf(-1) / 3
        ),
        *(8, 0, 0.81),
        lambda t: t * math.sqrt(t) / math.tanh(math.sqrt(t)) if t else 0,
    ),
    (
        "erf, |x| < 1: erf(x)/x - 1, in x^2",
        near_zero(
            lambda t: mpmath.erf(mpmath.sqrt(t)) / mpmath.sqrt(t) - 1,
            2 / mpmath.sqrt(mpmath.pi) - 1,
            1e-14,
        ),
        *(7, 0, 1),
        lambda t: 1 / 1.128,
    ),
    (
        "erf, |x| >= 1: log2(erfc(1 + u)), in u",
        lambda u: mpmath.log(mpmath.erfc(1 + u)) / LOG2,
        *(7, -0.01, 2.95),
        lambda u: math.erfc(1 + u),
    ),
]

# The exponent of pow, in float64.
LOG2_QUOTIENT = near_zero(lambda f: mpmath.log1p(f) / f / LOG2, 1 / LOG2)


def main():
    for name, *problem in POLYNOMIALS:
        show(name, fit(*problem))
    log2_of = fit(LOG2_QUOTIENT, 14, LOW * 1.0001, HIGH * 1.0001, lambda f: 1.0, to_float32=False)
    show("pow: log2(1+f) / f, float64", log2_of, suffix="")


if __name__ == "__main__":
    main()
