"""Vectors and structs as elements of NumPy's arrays.

Elements of such an array are of a subclass of numpy.void that has the fields as attributes. It
says in __cuda_device_type__ which type it stands for, and so does the dtype of a view or a copy.
"""

import copyreg
import weakref
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np
from cuda.device import _core


class _ElementClass(type):
    """The type of these classes, which have no name that pickle could find."""

    # Weak: NumPy's dtypes are no part of garbage collection, and a struct has its dtype.
    _stands_for: Callable[[], Any]

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
    attributes |= {"__slots__": (), "__module__": kind.__module__, "_stands_for": weakref.ref(kind)}
    elements = _ElementClass(kind.__name__, (np.void,), attributes)
    made: np.dtype[Any] = np.dtype((elements, plain))
    _core.set_alignment(made, align)
    return made
