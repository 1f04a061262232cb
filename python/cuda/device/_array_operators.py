"""Operators and methods of Array, the array in memory of a GPU: functions of array_api by kernels.

The package puts them on the class when it is imported; what computes is imported when it is first
needed.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device import _arrays, _core, _numpy_functions, _places
from cuda.device._core import Array
from cuda.device._host_arrays import namespace
from cuda.device._mixing import same_device

__all__ = ["assigned", "chosen", "install", "number_of"]

_OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


def _is_operand(value: Any) -> bool:
    return isinstance(value, Array | bool | int | float | complex | np.generic | list | tuple)


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    from cuda.device import _gpu_arrays, array_api

    if name not in vars(array_api):  # the standard has it not
        return _gpu_arrays.call(name, *args, **kwargs)
    return getattr(array_api, name)(*args, **kwargs)


def _binary(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Array, other: Any, /) -> Any:
        if not _is_operand(other):
            same_device(self, other)
            return NotImplemented
        same_device(self, other)
        return _call(name, other, self) if reflected else _call(name, self, other)

    return method


def _equality(name: str) -> Callable[[Any, Any], Any]:
    """No element equals None, text or another object that knows no better, as NumPy has it."""
    compare = _binary(name)

    def method(self: Array, other: Any, /) -> Any:
        found = compare(self, other)
        own: Any = type(other).__eq__
        knows = type(other).__module__ != "builtins" and own is not object.__eq__
        if found is NotImplemented and not knows:
            unequal = name == "not_equal"
            return _call("full", self.shape, unequal, dtype=np.bool_, device=self.device)
        return found

    return method


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Array, other: Any, /) -> Any:
        if not _is_operand(other):
            same_device(self, other)
            return NotImplemented
        same_device(self, other)
        found = _call(name, self, other)
        if found.shape != self.shape or not np.can_cast(found.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"in place, an array of shape {self.shape} and dtype {self.dtype} cannot become "
                f"one of shape {found.shape} and dtype {found.dtype}"
            )
        self[...] = found
        return self

    return method


def _unary(name: str) -> Callable[[Any], Any]:
    return lambda self: _call(name, self)


def number_of(array: Array, kind: Callable[[Any], Any]) -> Any:
    """The one element of an array of no dimensions, for the host; waits for what is queued."""
    if array.ndim:
        raise TypeError(
            f"an array of shape {array.shape} on {array.device} has no value for the host; "
            "device.to_host(a) copies it"
        )
    if array.dtype.kind == "c" and kind in (int, float):
        raise TypeError(
            f"an element of {array.dtype} is no {kind.__name__}; see complex(), real() and abs()"
        )
    return kind(_arrays.to_host(array)[()])


def _number(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: number_of(self, kind)


def _repr(self: Array) -> str:
    """As NumPy writes the elements, which are copied for it, and the device."""
    return f"{repr(_arrays.to_host(self).view(_Written))[:-1]}, device={self.device!r})"


def _str(self: Array) -> str:
    return str(_arrays.to_host(self))


class _Written(np.ndarray[Any, Any]):
    """An Array's elements as NumPy writes them."""


_Written.__name__ = "Array"


def _formatted(self: Array, spec: str, /) -> str:
    """As NumPy has it: the element of an array of no dimensions; others take no specification."""
    if self.ndim and not spec:
        return str(self)
    return format(number_of(self, operator.methodcaller("item")), spec)


def _iterated(self: Array) -> Any:
    """Its parts along the first axis."""
    if not self.ndim:
        raise TypeError("iteration over an array of no dimensions")
    return map(self.__getitem__, range(self.shape[0]))


def _namespace(self: Array, /, *, api_version: str | None = None) -> Any:
    """The module cuda.device.array_api; ValueError for versions it is not of."""
    return namespace(api_version)


def _to_device(self: Array, device: Any, /, *, stream: Any = None) -> Any:
    """The array on a device: itself where it is there, else a copy; "cpu" for the host."""
    if stream is not None:
        raise ValueError(f"to_device() orders by itself and expects no stream, found {stream!r}")
    if _places.number_of(device) != _places.HOST:
        return _arrays.asarray(self, device=device)
    from cuda.device import array_api

    return array_api.asarray(_arrays.to_host(self))


def _transposed_matrix(self: Array) -> Any:
    """A view whose last two axes are exchanged."""
    return _call("matrix_transpose", self)


def chosen(array: Array, index: Any) -> Any:
    """array[index] of a mask, of integers along the first axis, or of a tuple with some of these.

    In a tuple each part is of one axis, an int or integers, and all are spread over each other.
    Integers below zero count from the end. Raises IndexError for those that name no element, which
    it waits for what is queued to know; TypeError for arrays of the host.
    """
    from cuda.device._gpu_arrays import _sorting

    if isinstance(index, tuple):
        if len(index) > 1:
            return _at_places(array, index)
        (index,) = index
    same_device(array, index)
    if index.dtype.kind == "b":
        return _sorting.chosen(array, index)
    _check_integers(index)
    return _sorting.take(array, index, axis=0)


def _check_integers(index: Array, wanted: str = "bool or integers") -> None:
    if index.dtype.kind not in "iu":
        raise IndexError(f"an index of dtype {index.dtype}; {wanted} were expected")


def _at_places(array: Array, index: tuple[Any, ...]) -> Any:
    from cuda.device._gpu_arrays import _sorting, _views

    if len(index) > array.ndim:
        raise IndexError(f"{len(index)} indices of an array of {array.ndim} dimensions")
    place: Any = 0
    for axis, part in enumerate(index):
        place = place * array.shape[axis] + _along(array, axis, part)
    rest = array.shape[len(index) :]
    rows = _views.reshape(array, (math.prod(array.shape[: len(index)]), *rest))
    found = _sorting.taken(rows, _views.flat(place), 0)
    return _views.reshape(found, (*place.shape, *rest))


def _along(array: Array, axis: int, part: Any) -> Any:
    """An index of one axis, counted from its first element."""
    from cuda.device._gpu_arrays import _elementwise, _sorting

    extent = array.shape[axis]
    same_device(array, part)
    if isinstance(part, Array):
        _check_integers(part, "integers")
        _sorting.check_indices(part, extent, axis)
        wide = _elementwise.astype(part, np.int64)
        return _elementwise.where(wide < 0, wide + extent, wide)
    if isinstance(part, slice) or part is None or part is Ellipsis:
        raise IndexError(f"{part!r} beside an array as index; take the parts one after the other")
    number = operator.index(part)
    if not -extent <= number < extent:
        raise IndexError(f"index {number} is out of bounds for axis {axis} with size {extent}")
    return number % extent


def _mask_of(array: Array, index: Any) -> Any:
    """The one mask that an assignment may have as index; `a[mask,]` is one too."""
    mask = index[0] if type(index) is tuple and len(index) == 1 else index
    for part in mask if type(mask) is tuple else (mask,):
        same_device(array, part)
    if type(mask) is tuple or mask.dtype.kind != "b":
        raise IndexError(
            "assignment by arrays as index expects one mask, an array of bool; where() chooses "
            "between arrays, and kernels store at any place"
        )
    return mask


def assigned(array: Array, index: Any, value: Any) -> None:
    """array[mask] = value, an Array or a number, which is spread and takes the array's dtype.

    A value with a dimension for what the mask chooses gives these elements one by one; how many
    they are is waited for. Without a mask, index None, all of the array. Raises ValueError for
    shapes that do not fit, IndexError for integers as index, TypeError for arrays of the host.
    """
    from cuda.device._gpu_arrays import _elementwise, _sorting, _views

    mask = None if index is None else _mask_of(array, index)
    given = _elementwise.as_array(value, array, array.dtype)
    same_device(array, given)
    if not np.can_cast(given.dtype, array.dtype, "same_kind"):
        raise ValueError(f"elements of {given.dtype} cannot become elements of {array.dtype}")
    if mask is not None:
        _sorting.check_mask(array, mask)
        rest = array.ndim - mask.ndim
        if given.ndim > rest:
            given = _sorting.placed(given, mask, rest)
        condition = _views.reshape(mask, (*mask.shape, *(1,) * rest))
        given = _elementwise.where(condition, given, array)
    same = _elementwise.astype(_views.spread(given, array.shape), array.dtype, copy=False)
    array[...] = _views.copied(same)


def install() -> None:
    """Gives the class its operators and methods."""
    members: dict[str, Any] = {
        **{f"__{short}__": _binary(name) for short, name in (_OPERATORS | _COMPARISONS).items()},
        **{f"__{short}__": _equality(_COMPARISONS[short]) for short in ("eq", "ne")},
        **{f"__r{short}__": _binary(name, True) for short, name in _OPERATORS.items()},
        "__divmod__": _binary("divmod"),
        "__rdivmod__": _binary("divmod", True),
        **{f"__i{short}__": _in_place(name) for short, name in _OPERATORS.items()},
        **{f"__{short}__": _unary(name) for short, name in _UNARY.items()},
        **{f"__{kind.__name__}__": _number(kind) for kind in (bool, int, float, complex)},
        "__index__": _number(operator.index),
        "__array_namespace__": _namespace,
        "__array_ufunc__": _numpy_functions.ufunc,
        "__array_function__": _numpy_functions.function,
        "__format__": _formatted,
        "__repr__": _repr,
        "__str__": _str,
        "__iter__": _iterated,
        "to_device": _to_device,
        "mT": property(_transposed_matrix),
    }
    for name, member in members.items():
        if not isinstance(member, property):
            member.__name__, member.__qualname__ = name, f"Array.{name}"
        setattr(_core.Array, name, member)
    _core.Array.__hash__ = None  # `==` compares elements
