"""Arrays of structs, records and vectors: whether they are equal, field by field."""

import functools
from typing import Any

import numpy as np
from cuda.device._gpu_arrays._elementwise import as_array, elementwise, is_number
from cuda.device._gpu_arrays._reductions import all_of, any_of
from cuda.device._gpu_arrays._views import broadcast_to, common_shape, empty

__all__ = ["equal", "not_equal"]


def equal(x1: Any, x2: Any, /, **said: Any) -> Any:
    """Elements that are equal; of records, in all their fields."""
    return _compared("equal", x1, x2, **said)


def not_equal(x1: Any, x2: Any, /, **said: Any) -> Any:
    """Elements that differ; of records, in any of their fields."""
    return _compared("not_equal", x1, x2, **said)


def _compared(name: str, x1: Any, x2: Any, **said: Any) -> Any:
    formats = [getattr(x, "dtype", None) for x in (x1, x2)]
    if not any(dtype is not None and dtype.names is not None for dtype in formats):
        return elementwise(name, x1, x2, **said)
    names = _fields(x1, x2)
    like = next(x for x in (x1, x2) if not is_number(x))
    each = [as_array(x, like, x.dtype) for x in (x1, x2)]
    shape = common_shape(*(x.shape for x in each))
    a, b = (broadcast_to(x, shape) for x in each)
    found = [_of_field(name, a[field], b[field], len(shape)) for field in names]
    if found:
        join = "logical_and" if name == "equal" else "logical_or"
        return functools.reduce(functools.partial(elementwise, join), found)
    out = empty(shape, np.bool_, like)
    out[...] = name == "equal"
    return out


def _fields(x1: Any, x2: Any) -> list[str]:
    """The names of fields with bytes. Raises TypeError for dtypes that are not of the same ones."""
    formats = [x.dtype if hasattr(x, "dtype") else np.dtype(type(x)) for x in (x1, x2)]
    try:
        common = formats[0] if formats[0] == formats[1] else np.result_type(*formats)
    except TypeError:
        raise TypeError(
            f"elements of {formats[0]} and {formats[1]} cannot be compared: they are not records "
            "of the same fields"
        ) from None
    return [field for field in common.names or () if common[field].itemsize]


def _of_field(name: str, a: Any, b: Any, ndim: int) -> Any:
    found = _compared(name, a, b)
    inner = tuple(range(ndim, found.ndim))  # of a sub-array
    return (all_of if name == "equal" else any_of)(found, axis=inner) if inner else found
