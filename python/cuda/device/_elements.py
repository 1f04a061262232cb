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


def element_dtype(kind: Any, plain: np.dtype[Any], align: int) -> np.dtype[Any]:
    """The structured dtype of a vector or struct type, with its alignment in bytes."""
    attributes: dict[str, Any] = {name: _field(name) for name in plain.names or ()}
    attributes |= {
        "__slots__": (),
        "__module__": kind.__module__,
        # Where cloudpickle finds it, which does not ask copyreg for classes.
        "__qualname__": f"{getattr(kind, '__qualname__', kind.__name__)}.numpy_dtype.type",
        "_stands_for": _Meaning(kind),
    }
    elements = _ElementClass(kind.__name__, (np.void,), attributes)
    made: np.dtype[Any] = np.dtype((elements, plain))
    _core.set_alignment(made, align)
    return made
