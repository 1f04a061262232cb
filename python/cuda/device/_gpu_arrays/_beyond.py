"""NumPy's functions that the standard lacks, by those that it has.

Their parameters are NumPy's. Those that give a bool wait for what is queued.
"""

import math
from typing import Any

import numpy as np
from cuda.device import array_api as xp
from cuda.device._floats import kind_of
from cuda.device._gpu_arrays._elementwise import is_number
from cuda.device._gpu_arrays._views import axes_of

__all__ = ["FUNCTIONS"]


def shape(a: Any) -> Any:
    return tuple(a.shape)


def ndim(a: Any) -> Any:
    return a.ndim


def size(a: Any, axis: Any = None) -> Any:
    return math.prod(a.shape[k] for k in axes_of(axis, a.ndim))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if [() if is_number(x) else tuple(x.shape) for x in (a1, a2)] != [tuple(a1.shape)] * 2:
        return False
    same = xp.equal(a1, a2)
    if equal_nan:
        same = xp.logical_or(same, _both_nan(a1, a2))
    return bool(xp.all(same))


def _is_nan(x: Any) -> Any:
    return bool(np.isnan(x)) if is_number(x) else xp.isnan(x)


def _both_nan(a: Any, b: Any) -> Any:
    return xp.logical_and(_is_nan(a), _is_nan(b))


def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether the distance is at most atol + rtol * abs(b), which is finite, or none."""
    if is_number(b):
        y, limit, finite = b * 1.0, atol + rtol * abs(b), bool(np.isfinite(b))
    else:
        y = xp.astype(b, np.result_type(b.dtype, 1.0), copy=False)
        limit, finite = xp.add(xp.multiply(xp.abs(y), rtol), atol), xp.isfinite(y)
    near = xp.less_equal(xp.abs(xp.subtract(a, y)), limit)
    found = xp.logical_or(xp.logical_and(near, finite), xp.equal(a, y))
    return xp.logical_or(found, _both_nan(a, y)) if equal_nan else found


def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    return bool(xp.all(isclose(a, b, rtol, atol, equal_nan)))


def dot(a: Any, b: Any, out: Any = None) -> Any:
    # A number has the format that NumPy gives it alone.
    a, b = (np.asarray(x)[()] if is_number(x) else x for x in (a, b))
    if any(is_number(x) or x.ndim == 0 for x in (a, b)):
        found = xp.multiply(a, b)
    else:
        found = xp.tensordot(a, b, axes=((-1,), (-1 if b.ndim == 1 else -2,)))
    if out is None:
        return found
    if (out.shape, out.dtype) != (found.shape, found.dtype):
        raise ValueError(
            f"dot(): out= of shape {out.shape} and {out.dtype} for a result of shape "
            f"{found.shape} and {found.dtype}"
        )
    out[...] = found
    return out


# --- norms ---


def _in_floats(x: Any) -> Any:
    return x if kind_of(x.dtype) in "fc" else xp.astype(x, np.float64)


def _root_of_squares(x: Any, axes: Any, keepdims: bool) -> Any:
    parts = (xp.real(x), xp.imag(x)) if x.dtype.kind == "c" else (x,)
    squares = [xp.square(part) for part in parts]
    total = squares[0] if len(squares) == 1 else xp.add(*squares)
    return xp.sqrt(xp.sum(total, axis=axes, keepdims=keepdims))


def norm_of_vectors(x: Any, order: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Of the elements along axes, in float64 where they are integers."""
    x = _in_floats(x)
    if order is None or order == 2:
        return _root_of_squares(x, axis, keepdims)
    said = {"axis": axis, "keepdims": keepdims}
    if order in (math.inf, -math.inf):
        return (xp.max if order > 0 else xp.min)(xp.abs(x), **said)
    if isinstance(order, str):
        raise ValueError(f"norm() of vectors has no order {order!r}")
    sizes = xp.abs(x)
    if order == 0:
        return xp.sum(xp.astype(xp.not_equal(x, 0), sizes.dtype), **said)
    if order == 1:
        return xp.sum(sizes, **said)
    return xp.pow(xp.sum(xp.pow(sizes, order), **said), 1 / order)


def _of_matrices(x: Any, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    if order not in (1, -1, math.inf, -math.inf):
        from cuda.device._gpu_arrays import call

        return call("linalg.norm", x, order, axes, keepdims)  # by singular values
    rows, columns = axes if abs(order) == 1 else axes[::-1]
    sums = xp.sum(xp.abs(x), axis=rows, keepdims=True)
    found = (xp.max if order > 0 else xp.min)(sums, axis=columns, keepdims=True)
    return found if keepdims else xp.squeeze(found, axis=axes)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    a = _in_floats(x)
    axes = axes_of(axis, a.ndim)
    if len(axes) not in (1, 2) and (axis is not None or ord is not None):
        raise ValueError(f"norm() over {len(axes)} axes")
    if len(axes) == 1:
        return norm_of_vectors(a, ord, axes, keepdims)
    if ord in (None, "fro", "f"):
        return _root_of_squares(a, axes, keepdims)
    return _of_matrices(a, ord, (axes[0], axes[1]), keepdims)


FUNCTIONS = {
    **{
        getattr(np, each.__name__): each
        for each in (shape, ndim, size, array_equal, isclose, allclose, dot)
    },
    np.linalg.norm: norm,
}
