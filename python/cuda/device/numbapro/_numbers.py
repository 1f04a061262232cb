"""Conversions of numbers on the host, by the rules of conversions in kernels."""

from typing import Any

import numpy as np


def is_number(value: object) -> bool:
    """Whether it is a number of Python or NumPy, bools among them."""
    return isinstance(value, bool | int | float | complex | np.bool_ | np.number)


def converted(value: Any, dtype: np.dtype[Any]) -> Any:
    """The number in another format, as a NumPy scalar.

    Integers wrap. Floats are cut off, saturate, and NaN is 0, as CUDA converts them. What is not 0
    is True. Raises TypeError for what is no number and for a complex number in a real format,
    OverflowError for an int that no format of 64 bits has.
    """
    if not is_number(value):
        raise TypeError(f"{dtype.name}() takes a number, found {type(value).__name__!r}")
    if dtype.kind == "b":
        return np.bool_(value != 0)
    if dtype.kind == "c":
        return _complex(value, dtype)
    if isinstance(value, complex | np.complexfloating):
        raise TypeError(f"{dtype.name}() takes a real number, found the complex number {value!r}")
    whole = isinstance(value, bool | int | np.bool_ | np.integer)
    if dtype.kind == "f":
        return _rounded_integer(int(value), dtype) if whole else _rounded(value, dtype)
    return _wrapped(int(value), dtype) if whole else _saturated(value, dtype)


def _complex(value: Any, dtype: np.dtype[Any]) -> Any:
    part = np.dtype(f"f{dtype.itemsize // 2}")
    if not isinstance(value, complex | np.complexfloating):
        return dtype.type(converted(value, part))
    return dtype.type(complex(_rounded(value.real, part), _rounded(value.imag, part)))


def _rounded(value: Any, dtype: np.dtype[Any]) -> Any:
    with np.errstate(all="ignore"):
        return dtype.type(value)


def _rounded_integer(value: int, dtype: np.dtype[Any]) -> Any:
    """Rounded once: by way of a double it would be rounded twice."""
    _check_width(value)
    return (np.int64(value) if value < 1 << 63 else np.uint64(value)).astype(dtype)


def _wrapped(value: int, dtype: np.dtype[Any]) -> Any:
    _check_width(value)
    bits = dtype.itemsize * 8
    low = value & ((1 << bits) - 1)
    negative = dtype.kind == "i" and low >> (bits - 1)
    return dtype.type(low - (1 << bits) if negative else low)


def _check_width(value: int) -> None:
    if not -(1 << 63) <= value < 1 << 64:
        raise OverflowError(f"{value} does not fit 64 bits")


def _saturated(value: Any, dtype: np.dtype[Any]) -> Any:
    limits, number = np.iinfo(dtype), float(value)
    if number != number:
        return dtype.type(0)
    return dtype.type(int(max(limits.min, min(number, limits.max))))
