"""float16, bfloat16 and the 8-bit floats by their definition: every number, and exact rounding."""

import functools
from fractions import Fraction
from typing import NamedTuple

import ml_dtypes
import numpy as np

DTYPES = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "float8e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
NAMES = tuple(DTYPES)


class Format(NamedTuple):
    exponent: int  # bits of its field
    fraction: int  # bits
    ieee: bool  # infinities, and NaNs of any payload; else all bits set is the only NaN
    saturates: bool  # what overflows in a conversion is the largest number

    @property
    def bits(self):
        return 1 + self.exponent + self.fraction

    @property
    def bias(self):
        return (1 << (self.exponent - 1)) - 1


FORMATS = {
    "float16": Format(5, 10, ieee=True, saturates=False),
    "bfloat16": Format(8, 7, ieee=True, saturates=False),
    "float8e4m3": Format(4, 3, ieee=False, saturates=True),
    "float8e5m2": Format(5, 2, ieee=True, saturates=True),
}


def patterns(name):
    """Every number of the format, in the order of its bits, as an array of it."""
    unsigned = np.uint16 if FORMATS[name].bits == 16 else np.uint8
    return np.arange(1 << FORMATS[name].bits, dtype=np.uint32).astype(unsigned).view(DTYPES[name])


def random(name, n, seed):
    """Numbers of which every bit pattern is equally likely."""
    all_of_them = patterns(name)
    return all_of_them[np.random.default_rng(seed).integers(0, len(all_of_them), n)]


def bits(x):
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


@functools.cache
def decoded(name):
    """The number of every pattern, as float64."""
    f = FORMATS[name]
    pattern = np.arange(1 << f.bits, dtype=np.int64)
    field = (pattern >> f.fraction) & ((1 << f.exponent) - 1)
    fraction = pattern & ((1 << f.fraction) - 1)
    significand = np.where(field == 0, fraction, fraction + (1 << f.fraction))
    exponent = np.maximum(field, 1) - f.bias - f.fraction
    value = np.ldexp(significand.astype(float), exponent)
    top = field == (1 << f.exponent) - 1
    if f.ieee:
        value = np.where(top, np.where(fraction == 0, np.inf, np.nan), value)
    else:
        value = np.where(top & (fraction == (1 << f.fraction) - 1), np.nan, value)
    return np.where(pattern >> (f.bits - 1), -value, value)


@functools.cache
def _magnitudes(name):
    """The finite numbers that are not negative, in order: each at its pattern."""
    values = decoded(name)[: 1 << (FORMATS[name].bits - 1)]
    return values[np.isfinite(values)].astype(np.longdouble)


def rounded(x, name):
    """Numbers rounded once to the format, ties to even: float32, float64, integers of 64 bits."""
    f, numbers = FORMATS[name], _magnitudes(name)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        exact = np.asarray(x).astype(np.longdouble)  # holds every int64 and uint64
    magnitude = np.abs(exact)
    above = np.clip(np.searchsorted(numbers, magnitude), 1, len(numbers) - 1)
    low, high = numbers[above - 1], numbers[above]
    with np.errstate(invalid="ignore"):
        down, up = magnitude - low, high - magnitude
        pattern = np.where((down < up) | ((down == up) & (above % 2 == 1)), above - 1, above)
        # The largest number and the power of two beyond it are rounded like two neighbours.
        limit = numbers[-1] + (numbers[-1] - numbers[-2]) / 2
        tie_goes_up = (len(numbers) - 1) % 2 == 1
        beyond = (magnitude > limit) | ((magnitude == limit) & tie_goes_up)
    largest = len(numbers) - 1
    overflow = largest if f.saturates else largest + 1
    pattern = np.where(beyond, overflow, np.where(magnitude > numbers[-1], largest, pattern))
    pattern = np.where(beyond, overflow, pattern)
    nan = (1 << (f.bits - 1)) - 1 if not f.ieee else largest + 2
    pattern = np.where(np.isnan(exact), nan, pattern)
    sign = np.signbit(exact).astype(np.int64) << (f.bits - 1)
    unsigned = np.uint16 if f.bits == 16 else np.uint8
    return (pattern | sign).astype(unsigned).view(DTYPES[name])


def rounded_fraction(x, name):
    """A fraction rounded once to the format."""
    nearest = float(x)  # rounded to 53 bits; which side of it decides ties
    error = x - Fraction(nearest)
    if error and not nearest.hex().split("p")[0].endswith(("1", "3", "5", "7", "9", "b", "d", "f")):
        nearest = np.nextafter(nearest, np.inf if error > 0 else -np.inf)
    return rounded(np.array([nearest]), name)[0]


def wide(x):
    """Numbers of a small format as float64."""
    name = next(n for n, d in DTYPES.items() if d == x.dtype)
    return decoded(name)[bits(x)]


def assert_same(found, expected, *context):
    """The same bits, or both NaN."""
    same = (bits(found) == bits(expected)) | (np.isnan(wide(found)) & np.isnan(wide(expected)))
    wrong = np.flatnonzero(~same)
    if not wrong.size:
        return
    lines = [f"{wrong.size} of {found.size} elements differ ({found.dtype})"]
    for i in wrong[:5]:
        inputs = ", ".join(repr(c.reshape(-1)[i]) for c in context)
        lines.append(f"[{i}] ({inputs}): found {found[i]!r}, expected {expected[i]!r}")
    raise AssertionError("\n".join(lines))
