"""Functions of the standard library, as Python that kernels compile in their place.

Those of `math` take the formats of their arguments: an int64 gives an int64, and what does not fit
wraps; results of comb and lcm that do not fit mean nothing. They raise what Python raises. The
compiler computes those of integers itself where all arguments are literals.
"""

import math
import typing
from collections.abc import Callable
from typing import Any

from cuda import device as D
from cuda.device._blocks import blocks
from cuda.device._formats import float32, float64, int8, int16, int32, int64, uint64


# On its own: a function that raises for constants still has a result, of a type that can be stored.
def require(holds: Any, message: Any) -> None:
    if not holds:
        raise ValueError(message)


def factorial(n: Any) -> Any:
    require(n >= 0, "factorial() not defined for negative values")
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def perm(n: Any, k: Any = None) -> Any:
    if k is None:
        return factorial(n)
    require(n >= 0 and k >= 0, "perm() needs two integers that are not negative")
    product = 1
    for i in range(k):
        product *= n - i
    return product


def comb(n: Any, k: Any) -> Any:
    require(n >= 0 and k >= 0, "comb() needs two integers that are not negative")
    fewer = max(min(k, n - k), 0)
    product = 1 if k <= n else 0
    for i in range(fewer):
        # product * (n - i) need not fit where the result does. The divisor's factors are in the
        # one or the other.
        divisor = math.gcd(product, i + 1)
        product = product // divisor * ((n - i) // ((i + 1) // divisor))
    return product


def isqrt(n: Any) -> Any:
    require(n >= 0, "isqrt() argument must be nonnegative")
    # The square root of the nearest float64 is too large at most: that of a square is exact.
    root = min(uint64(math.sqrt(float64(n))), uint64(4294967295))
    if root * root > uint64(max(n, 0)):
        root -= 1
    return n.dtype(root)


def lcm(*numbers: Any) -> Any:
    multiple = 1
    for x in numbers:
        divisor = math.gcd(multiple, x)
        multiple = abs(multiple // max(divisor, 1) * x)
    return multiple


def _distance(a: Any, b: Any) -> Any:
    length: Any = math.hypot(a, b)
    dtype = length.dtype
    if (a - b).dtype == dtype:
        return a - b
    return dtype(float64(a) - float64(b))  # of integers, whose difference need not fit


def dist(p: Any, q: Any) -> Any:
    return math.hypot(*(_distance(a, b) for a, b in zip(p, q, strict=True)))


def sumprod(p: Any, q: Any) -> Any:
    return sum(a * b for a, b in zip(p, q, strict=True))


def _narrow_bits(dtype: Any) -> Any:
    return int8 if dtype == D.float8e4m3 or dtype == D.float8e5m2 else int16


def nextafter(x: Any, y: Any) -> Any:
    dtype = (x + y).dtype
    bits = int64 if dtype == float64 else int32 if dtype == float32 else _narrow_bits(dtype)
    a, b = dtype(x), dtype(y)
    if math.isnan(a) or math.isnan(b):
        return a + b
    if a == b:
        return b
    if a == 0:
        return math.copysign(bits(1).view(dtype), b)
    return bits(a.view(bits) + (1 if (b > a) == (a > 0) else -1)).view(dtype)


def ulp(x: Any) -> Any:
    a = abs(x)
    above = nextafter(a, math.inf)
    if math.isnan(a) or math.isinf(a):
        return a
    return a - nextafter(a, 0.0) if math.isinf(above) else above - a


_OF_MATH: list[Callable[..., Any]] = [
    factorial,
    perm,
    comb,
    isqrt,
    lcm,
    dist,
    sumprod,
    nextafter,
    ulp,
]


def assert_never(arg: Any) -> None:
    raise AssertionError(f"Expected code to be unreachable, but got: {arg!r}")


# What stands for what, by the object that a program names.
IN_KERNELS: dict[Any, Callable[..., Any]] = {
    getattr(math, function.__name__): function
    for function in _OF_MATH
    if hasattr(math, function.__name__)  # sumprod came with Python 3.12
}
IN_KERNELS[blocks] = blocks
IN_KERNELS[typing.assert_never] = assert_never
