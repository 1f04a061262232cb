"""NumPy's functions of numbers, as Python that kernels compile in their place.

Values are NumPy's. Formats follow the kernel's own promotions, which are not NumPy's everywhere: an
int32 and a float32 meet in float32. What math, an operator or the compiler has is not here
(src/support/numpy_names.def).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device import _in_kernels
from cuda.device._formats import float16, float32, float64, int8, int16, uint8, uint16
from cuda.device._intrinsics import popc

_LN_2 = 0.6931471805599453
_LOG2_E = 1.4426950408889634


def _in_float(x: Any) -> Any:
    return math.trunc(x) if math.trunc(x).dtype != x.dtype else x


def _is_integer(x: Any) -> Any:
    return math.trunc(x).dtype != x.dtype


# The format in which NumPy's functions of floats compute integers.
def _in_its_float(x: Any) -> Any:
    if not _is_integer(x):
        return x
    if x.dtype in (int8, uint8):
        return float16(x)
    return float32(x) if x.dtype in (int16, uint16) else float64(x)


def real(val: Any) -> Any:
    return val.real


def imag(val: Any) -> Any:
    return val.imag


def conjugate(x: Any) -> Any:
    return x.conjugate()


def angle(z: Any, deg: Any = False) -> Any:
    radians = math.atan2(z.imag, z.real)
    return math.degrees(radians) if deg else radians


def isreal(x: Any) -> Any:
    return x.imag == 0


def iscomplex(x: Any) -> Any:
    return x.imag != 0


def signbit(x: Any) -> Any:
    return math.copysign(1.0, x) < 0


def isposinf(x: Any) -> Any:
    return x == math.inf


def isneginf(x: Any) -> Any:
    return x == -math.inf


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any:
    y = float64(b) if _is_integer(b) else b
    near = abs(a - y) <= atol + rtol * abs(y)
    close = np.logical_or(np.logical_and(near, math.isfinite(y)), a == b)
    if equal_nan:
        return np.logical_or(close, np.logical_and(a != a, b != b))
    return close


# Of 0, for which NumPy gives what the machine makes of it, the integer 0.
def reciprocal(x: Any) -> Any:
    if isinstance(x, complex) or not _is_integer(x):
        return 1 / x
    return np.where(abs(x) == 1, x, x.dtype(0))


def heaviside(x1: Any, x2: Any) -> Any:
    at_zero_or_nan = np.where(x1 == 0, x2, x1)
    return np.where(x1 > 0, 1.0, np.where(x1 < 0, 0.0, at_zero_or_nan))


def float_power(x1: Any, x2: Any) -> Any:
    return (x1 * float64(1)) ** (x2 * float64(1))


# The greater one stands outside of the exponential: it does not overflow.
def logaddexp(x1: Any, x2: Any) -> Any:
    a, b = _in_float(x1), _in_float(x2)
    apart = np.maximum(a, b) + math.log1p(math.exp(-abs(a - b)))
    return np.where(a == b, a + _LN_2, apart)  # of infinities, too


def logaddexp2(x1: Any, x2: Any) -> Any:
    a, b = _in_float(x1), _in_float(x2)
    apart = np.maximum(a, b) + math.log1p(math.exp2(-abs(a - b))) * _LOG2_E
    return np.where(a == b, a + 1, apart)


# The rest of a division that rounds towards zero.
def fmod(x1: Any, x2: Any) -> Any:
    if _is_integer(x1) and _is_integer(x2):
        rest = x1 % x2
        towards_zero = np.where((rest != 0) & ((x1 < 0) != (x2 < 0)), rest - x2, rest)
        return np.where(x2 == 0, x2, towards_zero)
    return math.fmod(x1, x2)


def nextafter(x1: Any, x2: Any) -> Any:
    if _is_integer(x1) and _is_integer(x2):
        return _in_kernels.nextafter(_in_its_float(x1), _in_its_float(x2))
    return _in_kernels.nextafter(x1, x2)


def spacing(x: Any) -> Any:
    a = _in_its_float(x)
    return _in_kernels.nextafter(a, np.where(a < 0, -math.inf, math.inf)) - a


def sinc(x: Any) -> Any:
    y = math.pi * (float64(x) if _is_integer(x) else x)
    return np.where(y == 0, 1.0, math.sin(y) / y)


def around(a: Any, decimals: Any = 0) -> Any:
    if _is_integer(a):
        if decimals >= 0:
            return a
        tens = 10.0**-decimals
        return a.dtype(np.rint(float64(a) / tens) * tens)
    if decimals > 0:
        tens = 10.0**decimals
        return np.rint(a * tens) / tens
    if decimals < 0:
        tens = 10.0**-decimals
        return np.rint(a / tens) * tens
    return np.rint(a)


def nan_to_num(
    x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    if _is_integer(x):
        return x
    most = np.finfo(x.dtype).max
    high = most if posinf is None else posinf
    low = -most if neginf is None else neginf
    finite = np.where(x == math.inf, x.dtype(high), np.where(x == -math.inf, x.dtype(low), x))
    return np.where(x != x, x.dtype(nan), finite)


def bitwise_count(x: Any) -> Any:
    return uint8(popc(abs(x)))


_OF_NUMPY: list[Callable[..., Any]] = [
    real,
    imag,
    conjugate,
    angle,
    isreal,
    iscomplex,
    signbit,
    isposinf,
    isneginf,
    isclose,
    reciprocal,
    heaviside,
    float_power,
    logaddexp,
    logaddexp2,
    fmod,
    nextafter,
    spacing,
    sinc,
    around,
    nan_to_num,
    bitwise_count,
]

# What stands for what, by the object that a program names.
IN_KERNELS: dict[Any, Callable[..., Any]] = {
    getattr(np, function.__name__): function for function in _OF_NUMPY
}
IN_KERNELS[np.round] = around
IN_KERNELS[np.lcm] = _in_kernels.lcm
