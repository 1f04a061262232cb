"""What NumPy's ufuncs do beside computing: where=, and each element with each."""

from typing import Any

import numpy as np
from cuda.device._gpu_arrays import _elementwise
from cuda.device._gpu_arrays._elementwise import as_array, astype, is_number, where
from cuda.device._gpu_arrays._views import common_shape, copied, reshape, spread
from cuda.device._mixing import arrays_of_gpu

__all__ = ["chosen", "computed", "crossed", "is_elementwise", "on_gpu"]


def is_elementwise(name: str) -> bool:
    """Whether it is a function of each element by itself."""
    return name in _elementwise.NAMES


def _dtype_of_number(x: Any) -> Any:
    return np.asarray(x).dtype if is_number(x) else None


def crossed(x1: Any, x2: Any) -> tuple[Any, Any]:
    """The operands of a ufunc's outer(): the axes of the second one after those of the first.

    A number has the dtype that it has alone, as in NumPy.
    """
    like = arrays_of_gpu(x1, x2)[0]
    a, b = (as_array(x, like, _dtype_of_number(x)) for x in (x1, x2))
    return reshape(a, (*a.shape, *(1 for _ in b.shape))), b


def on_gpu(operands: Any, like: Any) -> tuple[Any, ...]:
    """Operands without an Array among them: the first one as an array where another one is."""
    first, *rest = operands
    return (as_array(first, like, _dtype_of_number(first)), *rest)


def _mask(mask: Any, like: Any) -> Any:
    condition = as_array(mask, like, _dtype_of_number(mask))
    if condition.dtype.kind != "b":
        raise TypeError(f"where= expects a mask, an array of bool, found one of {condition.dtype}")
    return condition


def chosen(found: Any, mask: Any, out: Any) -> Any:
    """A result where a mask holds, and what is in `out` elsewhere."""
    return where(_mask(mask, out), astype(found, out.dtype, copy=False), out)


def computed(found: Any, mask: Any) -> Any:
    """A result in the shape that it has together with a mask; where that does not hold, too."""
    shape = common_shape(found.shape, _mask(mask, found).shape)
    return found if found.shape == shape else copied(spread(found, shape))
