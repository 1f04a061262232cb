"""Complex arithmetic as C's Annex G has it, on NumPy's arrays of the parts."""

import numpy as np


def boxed(x):
    """1 where it is infinite, else 0, with its sign."""
    return np.copysign(np.where(np.isinf(x), x.dtype.type(1), x.dtype.type(0)), x)


def without_nan(x):
    return np.where(np.isnan(x), np.copysign(x.dtype.type(0), x), x)


def multiply(a, b, c, d):
    """(a + bi) * (c + di), element by element."""
    kind = a.dtype.type
    with np.errstate(all="ignore"):
        ac, bd, ad, bc = a * c, b * d, a * d, b * c
        x, y = ac - bd, ad + bc
        a, b, c, d = (v.copy() for v in (a, b, c, d))
        first, second = np.isinf(a) | np.isinf(b), np.isinf(c) | np.isinf(d)
        large = np.isinf(ac) | np.isinf(bd) | np.isinf(ad) | np.isinf(bc)
        a, b = (np.where(first, boxed(v), v) for v in (a, b))
        c, d = (np.where(first, without_nan(v), v) for v in (c, d))
        c, d = (np.where(second, boxed(v), v) for v in (c, d))
        a, b = (np.where(second, without_nan(v), v) for v in (a, b))
        only = large & ~first & ~second
        a, b, c, d = (np.where(only, without_nan(v), v) for v in (a, b, c, d))
        again = np.isnan(x) & np.isnan(y) & (first | second | large)
        infinity = kind(np.inf)
        return (
            np.where(again, infinity * (a * c - b * d), x),
            np.where(again, infinity * (a * d + b * c), y),
        )


def divide(a, b, c, d):
    """(a + bi) / (c + di), element by element."""
    kind = a.dtype.type
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.fmax(np.abs(c), np.abs(d)))
        most = np.fmax(np.abs(c), np.abs(d))
        scalable = np.isfinite(most) & (most != 0)
        shift = np.where(scalable, 1 - exponent, 0)
        c, d = np.ldexp(c, shift), np.ldexp(d, shift)
        norm = c * c + d * d
        x = np.ldexp((a * c + b * d) / norm, shift)
        y = np.ldexp((b * c - a * d) / norm, shift)
        nan = np.isnan(x) & np.isnan(y)
        finite_x, finite_y = np.isfinite(a) & np.isfinite(b), np.isfinite(c) & np.isfinite(d)
        by_zero = nan & (norm == 0) & ~(np.isnan(a) & np.isnan(b))
        of_infinity = nan & ~by_zero & (np.isinf(a) | np.isinf(b)) & finite_y
        by_infinity = nan & ~by_zero & ~of_infinity & np.isinf(most) & finite_x
        infinity = np.copysign(kind(np.inf), c)
        p, q, r, s = boxed(a), boxed(b), boxed(c), boxed(d)
        x = np.where(by_zero, infinity * a, x)
        y = np.where(by_zero, infinity * b, y)
        x = np.where(of_infinity, kind(np.inf) * (p * c + q * d), x)
        y = np.where(of_infinity, kind(np.inf) * (q * c - p * d), y)
        x = np.where(by_infinity, kind(0) * (a * r + b * s), x)
        y = np.where(by_infinity, kind(0) * (b * r - a * s), y)
        return x, y
