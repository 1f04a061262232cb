"""Derives the float32 coefficients of polynomials.h.

Each polynomial is the weighted minimax fit of a function on an interval: Lawson's iteration
(least squares whose weights follow the error) in float64, on Chebyshev nodes. Coefficients are
then rounded to float32 from the lowest order up, and the rest is refitted each time, so that
rounding one is made good by the others. Prints C++ arrays and the error left over, which is that
of the polynomial alone; check_polynomials.py measures the functions as compiled.
"""

import numpy as np
from scipy import special

NODES = 4001


def lawson(basis, target, weight, rounds=200):
    """Coefficients whose largest weighted error over the nodes is (nearly) the least possible."""
    share = np.ones(len(target))
    for _ in range(rounds):
        root = np.sqrt(share) * weight
        coefficients = np.linalg.lstsq(basis * root[:, None], target * root, rcond=None)[0]
        error = np.abs(basis @ coefficients - target) * weight
        share = share * (error + error.max() * 1e-3)
        share /= share.mean()
    return coefficients


def fit(function, low, high, degree, weight):
    """float32 coefficients, lowest order first, of `function` on [low, high]."""
    x = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * np.arange(NODES) / (NODES - 1))
    powers = x[:, None] ** np.arange(degree + 1)
    target, weights = function(x), weight(x)
    done = np.zeros(0)
    for k in range(degree + 1):
        rest = lawson(powers[:, k:], target - powers[:, :k] @ done, weights)
        done = np.append(done, np.float64(np.float32(rest[0])))
    error = np.abs(powers @ done - target) * weights
    return done.astype(np.float32), error.max()


def away_from_zero(x, eps=1e-3):
    """x without the neighbourhood of 0, where the quotients below lose their digits."""
    return np.where(np.abs(x) < eps, np.copysign(eps, x), x)


def exp_tail(r):
    """(exp(r) - 1 - r) / r²"""
    r = away_from_zero(r)
    return (np.expm1(r) - r) / (r * r)


def log_tail(f):
    """(log(1 + f) - f + f²/2) / f³"""
    f = away_from_zero(f)
    return (np.log1p(f) - f + f * f / 2) / f**3


def erf_tail(s):
    """erf(x)/x - 1 at s = x²"""
    x = np.sqrt(np.maximum(s, 1e-8))
    return special.erf(x) / x - 1


def exp2_tail(r):
    """(2^r - 1) / r"""
    r = away_from_zero(r, 1e-9)
    return np.expm1(r * np.log(2)) / r


def log2_erfc(u):
    """log2(1 - erf(1 + u)): centred where 1 - erf is largest, so that rounding is least there"""
    return np.log2(special.erfc(1 + u))


def emit(name, comment, coefficients, error):
    print(f"// {comment}; relative error {error:.1e}")
    values = ", ".join(f"{float(c):.9g}f" for c in coefficients)
    print(f"inline constexpr float {name}[] = {{{values}}};")


def main():
    half_ln2 = np.log(2) / 2 * 1.0001
    emit(
        "kExp",
        "(exp(r) - 1 - r) / r^2, |r| <= ln(2)/2",
        *fit(exp_tail, -half_ln2, half_ln2, 4, lambda r: r * r / np.exp(r)),
    )
    emit(
        "kLog",
        "(log(1 + f) - f + f^2/2) / f^3, f in [-1/4, 1/2]",
        *fit(log_tail, -0.25, 0.5, 7, lambda f: f * f * np.abs(f / np.log1p(away_from_zero(f)))),
    )
    emit(
        "kErfSmall",
        "erf(x)/x - 1 in x^2, |x| <= 1",
        *fit(erf_tail, 0, 1.0001, 6, lambda s: 1 / (1 + erf_tail(s))),
    )
    emit(
        "kErfLarge",
        "log2(1 - erf(1 + u)), u in [0, 3]",
        *fit(log2_erfc, -1e-4, 3, 6, lambda u: special.erfc(1 + u) / special.erf(1 + u)),
    )
    emit("kExp2", "(2^r - 1) / r, |r| <= 1/2", *fit(exp2_tail, -0.5001, 0.5001, 5, np.abs))


if __name__ == "__main__":
    main()
