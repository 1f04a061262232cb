"""CuPy's functions between arrays of ours, in the same memory, where CuPy is installed."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from cuda.device import _interfaces
from cuda.device._core import Array

# Where CuPy has the standard's function under a name of NumPy's alone.
_OLDER_NAMES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "pow": "power",
}
# Whose parameters or results differ from the standard's in some version: kernels of ours do them.
_OURS = frozenset(
    (
        *("astype", "argsort", "clip", "count_nonzero", "cumulative_prod", "cumulative_sum"),
        *("diff", "expand_dims", "matrix_transpose", "take_along_axis"),
        *("meshgrid", "nonzero", "repeat", "reshape", "sort", "std", "unique_all"),
        *("unique_counts", "unique_inverse", "unique_values", "unstack", "var", "vecdot"),
        *("broadcast_arrays", "broadcast_to", "searchsorted", "squeeze", "take", "tile", "where"),
        *("pow", "prod", "sum"),
    )
)


@functools.cache
def _module() -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError:
        return None


def _theirs(value: Any) -> Any:
    if isinstance(value, Array):
        return _module().asarray(value)
    return type(value)(map(_theirs, value)) if type(value) in (tuple, list) else value


def _ours(value: Any) -> Any:
    if hasattr(value, "__cuda_array_interface__"):
        return _interfaces.as_cuda_array(value)
    if isinstance(value, tuple):
        made = map(_ours, value)
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return list(map(_ours, value)) if type(value) is list else value


@functools.cache
def function(name: str) -> Callable[..., Any] | None:
    """CuPy's function of the standard's name; None where it has none, or is not installed."""
    found: Any = None if name in _OURS else _module()
    for part in name.split(".") if found is not None else ():
        found = getattr(found, part, None) or getattr(found, _OLDER_NAMES.get(part, part), None)
    if found is None:
        return None

    def call(*args: Any, **kwargs: Any) -> Any:
        said = {key: _theirs(value) for key, value in kwargs.items()}
        return _ours(found(*map(_theirs, args), **said))

    return call
