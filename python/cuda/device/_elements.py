"""Vectors and structs as elements of NumPy's arrays.

Elements of such an array are of a subclass of numpy.void that has the fields as attributes. It
says in __cuda_device_type__ which type it stands for, and so does the dtype of a view or a copy.
"""

import copyreg
import weakref
from operator import itemgetter
from typing import Any

import numpy as np
from cuda.device import _core
from cuda.device._core import Vector


def plain(value: Any) -> Any:
    """Vectors and structs as the tuples that NumPy takes for elements, in lists too."""
    if isinstance(value, Vector):
        return tuple(value)
    layout = _layout_of(value)
    if layout is not None:
        return tuple(_member(getattr(value, field.name)) for field in layout.fields)
    return type(value)(map(_member, value)) if type(value) in (tuple, list) else value


def _member(value: Any) -> Any:
    return b"" if value is None else plain(value)  # None takes up bytes without a meaning


def _layout_of(value: Any) -> Any:
    """That of a struct; None for what is none."""
    return getattr(type(value), "__cuda_device_struct__", None)


class _Meaning:
    """The type that a class stands for.

    Weak: NumPy's dtypes are no part of garbage collection, and a struct has its dtype.
    """

    __slots__ = ("_kind",)

    def __init__(self, kind: Any) -> None:
        self._kind = weakref.ref(kind)

    def __call__(self) -> Any:
        return self._kind()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Meaning, (self._kind(),)


class _ElementClass(type):
    """The type of these classes, which have no name that pickle could find."""

    _stands_for: _Meaning

    @property
    def __cuda_device_type__(cls) -> Any:
        return cls._stands_for()


def _class_of(kind: Any) -> type[np.void]:
    found: type[np.void] = kind.numpy_dtype.type
    return found


def _reduce_class(cls: _ElementClass) -> tuple[Any, ...]:
    return _class_of, (cls.__cuda_device_type__,)


copyreg.pickle(_ElementClass, _reduce_class)


def _field(name: str) -> property:
    def store(element: np.void, value: Any) -> None:
        element[name] = value

    return property(itemgetter(name), store)


def _set_item(element: np.void, field: Any, value: Any) -> None:
    np.void.__setitem__(element, field, plain(value))


def _compared(element: Any, other: object) -> Any:
    """The vector or struct that the element stands for where it is compared with one; else None."""
    kind = type(element).__cuda_device_type__
    if isinstance(kind, type) and (isinstance(other, Vector) or _layout_of(other) is not None):
        return kind(*element)
    return None


def _equal(element: np.void, other: object) -> Any:
    value = _compared(element, other)
    return np.void.__eq__(element, other) if value is None else value == other


def _differ(element: np.void, other: object) -> Any:
    value = _compared(element, other)
    return np.void.__ne__(element, other) if value is None else value != other


def element_dtype(kind: Any, fields: np.dtype[Any], align: int) -> np.dtype[Any]:
    """The structured dtype of a vector or struct type, with its alignment in bytes."""
    attributes: dict[str, Any] = {name: _field(name) for name in fields.names or ()}
    attributes |= {
        "__slots__": (),
        "__setitem__": _set_item,
        "__eq__": _equal,
        "__ne__": _differ,
        "__hash__": np.void.__hash__,
        "__module__": kind.__module__,
        # Where cloudpickle finds it, which does not ask copyreg for classes.
        "__qualname__": f"{getattr(kind, '__qualname__', kind.__name__)}.numpy_dtype.type",
        "_stands_for": _Meaning(kind),
    }
    elements = _ElementClass(kind.__name__, (np.void,), attributes)
    made: np.dtype[Any] = np.dtype((elements, fields))
    _core.set_alignment(made, align)
    return made
