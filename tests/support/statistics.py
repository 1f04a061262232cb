"""Sums, means and products of long rows, within what accumulation in float32 can lose."""

import ml_dtypes
import numpy as np

STATISTICS = ("sum", "mean", "var", "std", "cumulative_sum")
PRODUCTS = ("matmul", "vecdot", "tensordot")
ROW = 6000
RANDOM = np.random.default_rng(31)


def bound(dtype, exact, sizes):
    """Of the distance to the exact value: half a unit of the format, and what additions in float32
    lose of the sizes that are summed, in any order that is not one by one."""
    eps = float(ml_dtypes.finfo(dtype).eps)
    tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
    return eps / 2 * np.abs(exact) * 1.01 + tiny + 2.0**-24 * 64 * sizes


def check(found, exact, sizes, dtype):
    assert (found.dtype, found.shape) == (dtype, exact.shape)
    distance = np.abs(np.asarray(found).astype(np.float64) - exact)
    assert (distance <= bound(dtype, exact, sizes)).all(), (distance, exact)


def check_statistic(function, name, dtype):
    """Of two rows, ones for the most part, which a narrow format would stop to add."""
    x = (RANDOM.integers(0, 4, (2, ROW)) / 16).astype(dtype)
    wide = x.astype(np.float64)
    exact = getattr(np, name)(wide, axis=1)
    many = name in ("sum", "cumulative_sum")
    if many:  # float8 ends at 448
        exact, x, wide = exact / 4, x / dtype.type(4), wide / 4
    check(function(x, axis=1), exact, wide.sum() if many else 1, dtype)


def check_product(function, name, dtype):
    a, b = ((RANDOM.integers(-2, 4, (3, ROW)) / 16).astype(dtype) for _ in range(2))
    one, other = a.astype(np.float64), b.astype(np.float64)
    if name == "vecdot":
        found, exact = function(a, b), np.vecdot(one, other)
    elif name == "matmul":
        found, exact = function(a, b.T), one @ other.T
    else:
        found, exact = function(a, b, axes=((1,), (1,))), np.tensordot(one, other, ((1,), (1,)))
    check(found, exact, np.abs(one).sum(), dtype)
