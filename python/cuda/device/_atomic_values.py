"""Numbers that methods of atomics get in host code, converted as kernels convert them.

Python's numbers are as literals: those that do not fit are an error. NumPy's are as values that a
kernel computes: integers wrap, floats that become integers saturate, NaN becomes 0.
"""

import math
import operator
from typing import Any

import numpy as np
from cuda.device import _core


def as_number(dtype: "np.dtype[Any]", value: Any, method: str, name: str) -> Any:
    """A number of NumPy's class `dtype.type`; TypeError for what is no number, OverflowError.

    method, name: that of atomics, and of the type of what it accesses, for the messages.
    """
    number = _number_in(value)
    is_complex = isinstance(number, complex | np.complexfloating)
    if number is None or (is_complex and dtype.kind != "c"):
        raise TypeError(
            f"{method}() of elements of {name} takes a number, found {type(value).__name__}; "
            "convert it explicitly"
        )
    made = _integer(dtype, number) if dtype.kind in "iu" else _rounded(dtype, number)
    if made is None:
        raise OverflowError(f"{method}(): {number} does not fit in {name}; {_instead(number)}")
    return made


def _number_in(value: Any) -> Any:
    """One of Python's or NumPy's; None for what is no number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = np.asarray(value)[()]
    if isinstance(value, np.generic):
        is_number = isinstance(value, np.bool_ | np.number) and value.dtype.kind != "m"
        return value if is_number or _core.is_kernel_format(value.dtype) else None
    if isinstance(value, int | float | complex):
        return value
    if isinstance(value, str | bytes | bytearray) or np.ndim(value) > 0:
        return None
    return _number_of_another_library(value)


def _number_of_another_library(value: Any) -> Any:
    """One such as decimal.Decimal."""
    for convert in (operator.index, float, complex):
        try:
            return convert(value)
        except (TypeError, ValueError):
            pass
    return None


def _integer(dtype: "np.dtype[Any]", number: Any) -> Any:
    """None where one of Python's does not fit."""
    if isinstance(number, np.bool_ | np.integer):
        return number.astype(dtype)
    bounds = np.iinfo(dtype)
    if isinstance(number, np.generic):
        return dtype.type(_saturated(float(number), int(bounds.min), int(bounds.max)))
    if not math.isfinite(number) or not bounds.min <= int(number) <= bounds.max:
        return None
    return dtype.type(int(number))


def _saturated(number: float, least: int, greatest: int) -> int:
    if math.isnan(number):
        return 0
    return greatest if number >= greatest else max(int(max(number, float(least))), least)


def _rounded(dtype: "np.dtype[Any]", number: Any) -> Any:
    """As a bool, float or complex number; None where one of Python's does not fit."""
    if dtype.kind == "b":
        return dtype.type(bool(number))
    is_python = not isinstance(number, np.generic)
    try:
        given = (complex(number) if dtype.kind == "c" else float(number)) if is_python else number
    except OverflowError:  # an int beyond float64
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        made = np.asarray(given).astype(dtype)[()]
    lost = is_python and np.isfinite(given) and not np.isfinite(made)
    return None if lost else made


def _instead(number: Any) -> str:
    if isinstance(number, complex):
        return "use complex128"
    if isinstance(number, float):
        return f"use a wider type, or numpy.float64({number}), which a kernel's rules convert"
    if -(2**63) <= number < 2**63:
        return f"use a wider type, or one with a sign, or numpy.int64({number}), which wraps"
    return "use a wider type"
