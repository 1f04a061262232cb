"""Arguments at which measure_ulp.py measures functions that have too many to try them all."""

import math

import ml_dtypes
import numpy as np

CHUNK = 1 << 16
BINARY = {"atan2", "pow", "hypot"}

# Where a function of one float64 is neither constant, infinite nor NaN, as far as equally spaced
# arguments show it, and parts of that where its errors are largest; and points that it changes fast
# or ends at: poles, zeros, overflow, underflow.
INTERVALS = {
    "exp": [(-746, 710), (-709.5, -708)],
    "exp2": [(-1076, 1025)],
    "expm1": [(-40, 40)],
    "log": [(0, 4)],
    "log2": [(0, 4)],
    "log10": [(0, 4)],
    "log1p": [(-1, 4)],
    "sin": [(-100, 100)],
    "cos": [(-100, 100)],
    "tan": [(-100, 100)],
    "asin": [(-1, 1)],
    "acos": [(-1, 1)],
    "atan": [(-8, 8)],
    "sinh": [(-711, 711), (709, 710.5)],
    "cosh": [(-711, 711), (709, 710.5)],
    "tanh": [(-20, 20)],
    "asinh": [(-8, 8)],
    "acosh": [(1, 8)],
    "atanh": [(-1, 1)],
    "cbrt": [(-8, 8)],
    "erf": [(-6, 6)],
    "erfc": [(-6, 27.3), (26.5, 26.6)],
    "gamma": [(-186, 172), (-175, -169)],
    "lgamma": [(-40, 8), (2.0**1000, 2.56e305)],
}
LARGEST, LEAST_NORMAL, LEAST = float(np.finfo(np.float64).max), 2.0**-1022, 2.0**-1074
EXPONENTS_OF_E = tuple(math.log(end) for end in (LARGEST, LEAST_NORMAL, LEAST))
NEGATIVE_ZEROS_OF_LGAMMA = (-2.4570247382208, -2.7476826467274, -3.1435808883500, -3.9552942848586)
POINTS = {
    "exp": EXPONENTS_OF_E,
    "exp2": (1024, -1022, -1074, -1075, 0.5, -0.5),
    "expm1": (EXPONENTS_OF_E[0], -37.4, math.log(2), -math.log(2)),
    "log1p": (-1,),
    "acosh": (1,),
    "sinh": (math.asinh(LARGEST),),
    "cosh": (math.asinh(LARGEST),),
    "tanh": (19.06, 22),
    "erf": (5.92,),
    "erfc": (-5.86, 26.54, 27.22),
    "gamma": (171.6243769563027, 1.4616321449683622, *range(-186, 3)),
    "lgamma": (2.556348e305, 2, *range(-60, 0), *NEGATIVE_ZEROS_OF_LGAMMA),
}


def any_bits(form, rng, count):
    """Each exponent as often as another."""
    unsigned = np.dtype(f"u{form.itemsize}")
    return rng.integers(0, np.iinfo(unsigned).max, count, unsigned, endpoint=True).view(form)


def signs(rng, count):
    return rng.choice([-1.0, 1.0], count)


def near(points, rng, count):
    """Each distance's exponent as often as another, down to neighbours of the point."""
    points = rng.permutation(np.resize(np.asarray(points, np.float64), count))
    distance = np.where(points == 0, 1022, 56) * -rng.uniform(0, 1, count)
    return points + signs(rng, count) * np.exp2(distance) * np.where(points == 0, 1, abs(points))


def points_of(name, rng, count):
    own = [0.0, 1.0, -1.0, *POINTS.get(name, ())]
    if name in ("sin", "cos", "tan"):
        quarters = np.floor(np.exp2(rng.uniform(0, 52, count)))
        return np.concatenate([np.resize(own, count // 4), quarters * (math.pi / 2)])
    return own


def numbers_of_float64(name, rng, count):
    quarter = -(-count // 4)
    low, high = np.array(INTERVALS[name])[rng.integers(0, len(INTERVALS[name]), quarter)].T
    most = math.log2(max(map(abs, INTERVALS[name][0])))
    with np.errstate(all="ignore"):
        parts = [
            any_bits(np.dtype(np.float64), rng, quarter),
            rng.uniform(low, high),
            near(points_of(name, rng, quarter), rng, quarter),
            signs(rng, quarter) * np.exp2(rng.uniform(-40, most + 1, quarter)),
        ]
    return rng.permutation(np.concatenate(parts))[:count]


def pairs_alike(form, rng, count):
    """Two numbers of about the same size, whose signs are any."""
    x = any_bits(form, rng, count)
    ratio = signs(rng, count) * np.exp2(rng.normal(0, 8, count))
    return [x, (x.astype(np.float64) * ratio).astype(form)]


def pairs_of_small_results(name, form, rng, count):
    """About the smallest normal number: of hypot, or as the quotient of the two."""
    about = ml_dtypes.finfo(form)
    exponents = about.minexp + rng.uniform(-4, 6, count)
    if name == "hypot":
        other = about.minexp + rng.uniform(-about.nmant, 6, count)
    else:
        other = rng.uniform(0, about.maxexp, count)
        exponents = exponents + other
    return [(signs(rng, count) * np.exp2(e)).astype(form) for e in (exponents, other)]


def pairs_of_pow(form, rng, count):
    """The exponent of the power is any of the format, one close to an end, or close to zero."""
    about = ml_dtypes.finfo(form)
    digits = about.nmant + 1
    ends = (about.maxexp, about.minexp, about.minexp - digits + 1, about.minexp - digits)
    wanted = np.concatenate(
        [
            rng.uniform(ends[-1] - 1, ends[0] + 1, count),
            rng.uniform(-2, 2, count) + rng.choice(ends, count),
            near(ends, rng, count),
            near([0.0], rng, count),
        ]
    )
    x = np.abs(any_bits(form, rng, wanted.size))
    kind = rng.integers(0, 4, wanted.size)
    x[kind == 1] = near([1.0], rng, int((kind == 1).sum())).astype(form)
    x[kind == 2] = rng.uniform(0.5, 2, int((kind == 2).sum())).astype(form)
    # Where the reduction of a logarithm's argument usually ends: its polynomial is off the most.
    x[kind == 3] = rng.uniform(0.7, 0.76, int((kind == 3).sum())).astype(form)
    return [x, (wanted / np.log2(x.astype(np.float64))).astype(form)]


def pairs_of_small_numbers(form, rng, count):
    """Negative bases with whole exponents among them."""
    x = np.where(rng.random(count) < 0.5, rng.integers(-40, 40, count), rng.normal(0, 10, count))
    return [x.astype(form), (rng.integers(-80, 80, count) / 2).astype(form)]


def pairs(name, form, rng, count):
    quarter = -(-count // 4)
    with np.errstate(all="ignore"):
        parts = [
            [any_bits(form, rng, quarter), any_bits(form, rng, quarter)],
            pairs_of_small_numbers(form, rng, quarter),
        ]
        if name == "pow":
            parts.append(pairs_of_pow(form, rng, -(-count // 8)))
        else:
            parts.append(pairs_alike(form, rng, quarter))
            parts.append(pairs_of_small_results(name, form, rng, quarter))
    order = rng.permutation(sum(part[0].size for part in parts))[:count]
    return [np.concatenate(column)[order] for column in zip(*parts, strict=True)]


def every_number(form, step):
    """Every number of the format, or one of so many."""
    unsigned = np.dtype(f"u{form.itemsize}")
    end = 1 << 8 * form.itemsize
    for first in range(0, end, CHUNK * step):
        numbers = np.arange(first, min(first + CHUNK * step, end), step, dtype=np.int64)
        yield [numbers.astype(unsigned).view(form)]


def drawn(name, form, rng, count):
    for first in range(0, count, CHUNK):
        size = min(CHUNK, count - first)
        yield (
            pairs(name, form, rng, size)
            if name in BINARY
            else [numbers_of_float64(name, rng, size)]
        )


def batches(name, form, samples, *, every_float32):
    """Lists of one array or two: every number where the format is small enough, else samples."""
    if name not in BINARY and form.itemsize == 2:
        return every_number(form, 1)
    if name not in BINARY and form.itemsize == 4:
        return every_number(form, 1 if every_float32 else 1009)
    return drawn(name, form, np.random.default_rng(1), samples)
