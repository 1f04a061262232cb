"""Hints of struct members that are arrays, and which arrays they take."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

import numpy as np
from cuda.device._core import Array

_ANY_NDIM = -1
_POINTER = 8  # bytes; of each extent and stride too
_INTERFACES = ("__dlpack__", "__cuda_array_interface__", "__sycl_usm_array_interface__")


class ArrayForm(NamedTuple):
    """What a hint says of an array.

    element: the type of its elements as a struct's member has it, None for any; dtype: NumPy's of
    that; ndim: the number of dimensions, -1 for any.
    """

    element: Any
    dtype: "np.dtype[Any] | None"
    ndim: int

    @property
    def size(self) -> int:
        """Bytes of the descriptor that C++ takes (DEV-ARR-24); of any dimensions, of no extents."""
        return _POINTER * (1 + 2 * max(self.ndim, 0))

    def convert(self, value: Any, place: str) -> Any:
        """The array itself; TypeError where it is another one than the hint says."""
        known = isinstance(value, np.ndarray | Array)
        if not known and not any(hasattr(value, name) for name in _INTERFACES):
            raise TypeError(f"{place} is {self}, found {type(value).__name__!r}")
        # What other libraries' arrays are a launch finds out.
        if known and not self._takes(value.dtype, value.ndim):
            raise TypeError(f"{place} is {self}, found one of {value.dtype}, {_axes(value.ndim)}")
        return value

    def _takes(self, dtype: "np.dtype[Any]", ndim: int) -> bool:
        return self.dtype in (None, dtype) and self.ndim in (_ANY_NDIM, ndim)

    def __str__(self) -> str:
        of_elements = f" of {self.dtype}" if self.dtype is not None else ""
        return f"an array{of_elements}{f', {_axes(self.ndim)}' if self.ndim >= 0 else ''}"


def _axes(ndim: int) -> str:
    return f"{ndim} dimension{'' if ndim == 1 else 's'}"


def _is_open(hint: Any) -> bool:
    return hint is Any or hint is np.generic or isinstance(hint, TypeVar)


def _ndim_of(shape: Any) -> int | None:
    """Of the hint tuple[int, int]; None for what is no shape."""
    if _is_open(shape):
        return _ANY_NDIM
    if get_origin(shape) is not tuple:
        return None
    return _ANY_NDIM if Ellipsis in get_args(shape) else len(get_args(shape))


def array_form(hint: Any, element_type: Callable[[Any], Any]) -> ArrayForm | None:
    """Of np.ndarray, device.Array, NDArray[T] and np.ndarray[tuple[int, int], np.dtype[T]].

    element_type: what a number class is as a member, None for other things.
    """
    if hint is np.ndarray or hint is Array:
        return ArrayForm(None, None, _ANY_NDIM)
    if get_origin(hint) is not np.ndarray or len(get_args(hint)) != 2:
        return None
    shape, dtype = get_args(hint)
    ndim = _ndim_of(shape)
    named = get_args(dtype)[0] if get_origin(dtype) is np.dtype else dtype
    if ndim is None or _is_open(named):
        return None if ndim is None else ArrayForm(None, None, ndim)
    element = element_type(named)
    return None if element is None else ArrayForm(element, np.dtype(named), ndim)
