"""Functions of the extension linalg that take no decomposition."""

from typing import Any

from cuda.device._gpu_arrays._beyond import norm, norm_of_vectors
from cuda.device._gpu_arrays._elementwise import elementwise
from cuda.device._gpu_arrays._manipulation import moveaxis, stack
from cuda.device._gpu_arrays._reductions import sum_of
from cuda.device._gpu_arrays._views import axes_of, axis_of, flat, reshape, strided

__all__ = ["FUNCTIONS"]


def _diagonal(x: Any, offset: int, read_only: bool) -> Any:
    if x.ndim < 2:
        raise ValueError(f"an array of {x.ndim} dimensions is no matrix")
    rows, columns = x.shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    part = x[..., slice(max(-offset, 0), None), slice(max(offset, 0), None)] if count else x
    steps = (*x.strides[:-2], x.strides[-2] + x.strides[-1])
    return strided(part, (*x.shape[:-2], count), steps, read_only)


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """A view of a diagonal of matrices, to be read only as NumPy's."""
    return _diagonal(x, offset, True)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sum of a diagonal of matrices."""
    return sum_of(_diagonal(x, offset, False), axis=-1, dtype=dtype)


def outer(x1: Any, x2: Any, /) -> Any:
    """The product of each element of a vector with each of another."""
    if (x1.ndim, x2.ndim) != (1, 1):
        raise ValueError(f"outer() of arrays of {x1.ndim} and {x2.ndim} dimensions, not of vectors")
    return elementwise("multiply", reshape(x1, (x1.shape[0], 1)), x2)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The vectors of three elements along an axis that are at right angles to both."""
    a, b = (moveaxis(x, axis_of(axis, x.ndim), -1) for x in (x1, x2))
    if (a.shape[-1], b.shape[-1]) != (3, 3):
        raise ValueError(f"cross() of vectors of {a.shape[-1]} and {b.shape[-1]} elements, not 3")

    def product(i: int, k: int) -> Any:
        return elementwise("multiply", a[..., i], b[..., k])

    parts = [
        elementwise("subtract", product(i, k), product(k, i)) for i, k in ((1, 2), (2, 0), (0, 1))
    ]
    return moveaxis(stack(parts, axis=-1), -1, axis)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """The norm of vectors along axes, of all elements where none is given."""
    along = axes_of(axis, x.ndim)
    if axis is None:
        found = norm_of_vectors(flat(x), ord, (0,), False)
        return reshape(found, tuple(1 for _ in x.shape)) if keepdims else found
    return norm_of_vectors(x, ord, along, keepdims)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """The norm of matrices; those by singular values are CuPy's."""
    if x.ndim < 2:
        raise ValueError(f"an array of {x.ndim} dimensions is no matrix")
    return norm(x, ord, (-2, -1), keepdims)


FUNCTIONS = {
    each.__name__: each for each in (cross, diagonal, matrix_norm, outer, trace, vector_norm)
}
