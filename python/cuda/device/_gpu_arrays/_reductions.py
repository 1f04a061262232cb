"""Functions of whole axes: sums, extremes, positions, running totals."""

import math
import operator
from typing import Any

import numpy as np
from cuda.device._floats import accumulator, kind_of
from cuda.device._gpu_arrays import _kernels
from cuda.device._gpu_arrays._elementwise import astype, elementwise, format_of
from cuda.device._gpu_arrays._kernels import BLOCK
from cuda.device._gpu_arrays._views import (
    axes_of,
    axis_of,
    compact,
    empty,
    flat,
    permute_dims,
    reshape,
    run,
)

_PART = 16 * BLOCK  # elements of a row that a block takes at least
_MOST_PARTS = 1024


def _kept_first(x: Any, axes: tuple[int, ...]) -> Any:
    return permute_dims(x, (*(k for k in range(x.ndim) if k not in axes), *axes))


def _shape_of_result(x: Any, axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    if keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    return tuple(n for k, n in enumerate(x.shape) if k not in axes)


def _reduced(x: Any, axis: Any, keepdims: bool, combine: Any, dtype: Any, start: Any) -> Any:
    """Blocks combine parts of long rows, and then one block for each row what they found.

    They do so in the accumulator of the dtype.
    """
    axes = axes_of(axis, x.ndim)
    a = _kept_first(x, axes)
    kept = a.ndim - len(axes)
    count = math.prod(a.shape[kept:])
    rows = math.prod(a.shape[:kept])
    wide = accumulator(dtype)

    def combined(source: Any, parts: int, count: int, made: Any) -> Any:
        kernel = _kernels.reduce(combine, format_of(wide), start, kept, format_of(made))
        out = empty((*a.shape[:kept], parts), made, x)
        run(kernel, rows * parts * BLOCK, out, source, np.int64(max(1, -(-count // parts))))
        return out

    parts = max(1, min(_MOST_PARTS // max(rows, 1), -(-count // _PART)))
    out = combined(a, parts, count, wide if parts > 1 else dtype)
    if parts > 1:
        out = combined(out, 1, parts, dtype)
    return reshape(out, _shape_of_result(x, axes, keepdims))


def _dtype_of_sum(x: Any, dtype: Any) -> Any:
    return np.dtype(dtype) if dtype is not None else np.add.reduce(np.empty(0, x.dtype)).dtype


def sum_of(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    return _reduced(x, axis, keepdims, operator.add, _dtype_of_sum(x, dtype), 0)


def prod_of(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    return _reduced(x, axis, keepdims, operator.mul, _dtype_of_sum(x, dtype), 1)


def _extreme(x: Any, axis: Any, keepdims: bool, combine: Any, name: str, start: Any) -> Any:
    axes = axes_of(axis, x.ndim)
    if 0 in (x.shape[k] for k in axes):
        raise ValueError(f"{name}() of no elements")
    if x.dtype.kind == "b":
        return _reduced(x, axis, keepdims, combine[1], x.dtype, bool(start))
    limits = np.iinfo(x.dtype) if x.dtype.kind in "iu" else None
    if limits is None:
        first = -math.inf if start == 0 else math.inf
    else:
        first = limits.min if start == 0 else limits.max
    return _reduced(x, axis, keepdims, combine[0], x.dtype, first)


def max_of(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _extreme(x, axis, keepdims, (np.maximum, operator.or_), "max", 0)


def min_of(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _extreme(x, axis, keepdims, (np.minimum, operator.and_), "min", 1)


def _truths(x: Any) -> Any:
    return x if x.dtype.kind == "b" else elementwise("not_equal", x, 0)


def all_of(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _reduced(_truths(x), axis, keepdims, operator.and_, np.dtype(bool), True)


def any_of(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _reduced(_truths(x), axis, keepdims, operator.or_, np.dtype(bool), False)


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _reduced(_truths(x), axis, keepdims, operator.add, np.dtype(np.int64), 0)


def _count(x: Any, axis: Any) -> int:
    return math.prod(x.shape[k] for k in axes_of(axis, x.ndim))


def _dtype_of_mean(x: Any) -> Any:
    """Integers and bools have means in float64, as in NumPy."""
    return x.dtype if kind_of(x.dtype) in "fc" else np.dtype(np.float64)


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    total = sum_of(x, axis=axis, dtype=accumulator(_dtype_of_mean(x)), keepdims=keepdims)
    return elementwise("divide", total, float(_count(x, axis)))


def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return astype(_mean(x, axis, keepdims), _dtype_of_mean(x), copy=False)


def _var(x: Any, axis: Any, correction: float, keepdims: bool) -> Any:
    wide = astype(x, accumulator(_dtype_of_mean(x)), copy=False)
    distance = elementwise("abs", elementwise("subtract", wide, _mean(wide, axis, True)))
    total = sum_of(elementwise("square", distance), axis=axis, keepdims=keepdims)
    return elementwise("divide", total, max(float(_count(x, axis) - correction), 0.0))


def _narrowed(found: Any, x: Any) -> Any:
    """In the format of x where that is narrower than what was computed in."""
    return found if accumulator(x.dtype) == x.dtype else astype(found, x.dtype)


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return _narrowed(_var(x, axis, correction, keepdims), x)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    return _narrowed(elementwise("sqrt", _var(x, axis, correction, keepdims)), x)


# A NaN is better than any number, as in NumPy.
def _greater(a: Any, b: Any) -> Any:
    return a > b or (a != a and b == b)


def _less(a: Any, b: Any) -> Any:
    return a < b or (a != a and b == b)


def _position(x: Any, axis: Any, keepdims: bool, better: Any, name: str) -> Any:
    axes = axes_of(None, x.ndim) if axis is None else (axis_of(axis, x.ndim),)
    if 0 in (x.shape[k] for k in axes):
        raise ValueError(f"{name}() of no elements")
    a = _kept_first(x, axes)
    kept = a.ndim - len(axes)
    out = empty(a.shape[:kept], np.int64, x)
    form = np.uint8 if x.dtype.kind == "b" else format_of(x.dtype)
    run(_kernels.position(better, form, kept), out.size * BLOCK, out, a)
    return reshape(out, _shape_of_result(x, axes, keepdims))


def argmax(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _position(x, axis, keepdims, _greater, "argmax")


def argmin(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    return _position(x, axis, keepdims, _less, "argmin")


def running(rows: Any, dtype: Any, combine: Any = operator.add, start: Any = 0) -> Any:
    """Running totals of each row, or what another operation combines."""
    out = empty(rows.shape, dtype, rows)
    if out.size:
        form = format_of(accumulator(out.dtype))
        kernel = _kernels.scan(combine, form, start, format_of(out.dtype))
        run(kernel, rows.shape[0] * BLOCK, out, rows)
    return out


def ranks(mask: Any) -> Any:
    """How many elements of a mask of one dimension hold, up to and with each."""
    return flat(running(reshape(mask, (1, mask.size)), np.int64))


def _cumulative(
    name: str, x: Any, axis: Any, dtype: Any, include_initial: bool, combine: Any, start: Any
) -> Any:
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name}() of {x.ndim} dimensions needs an axis")
        axis = 0
    along = axis_of(axis, x.ndim)
    made = _dtype_of_sum(x, dtype)
    order = (*(k for k in range(x.ndim) if k != along), along)
    a = compact(permute_dims(x, order))
    rows = reshape(a, (math.prod(a.shape[:-1]), a.shape[-1]))
    first = int(include_initial)
    whole = empty((*a.shape[:-1], a.shape[-1] + first), made, x)
    if first and whole.size:
        whole[..., 0] = start
    whole[..., first:] = reshape(running(rows, made, combine, start), a.shape)
    back = tuple(int(k) for k in np.argsort(order))
    return permute_dims(whole, back)


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    return _cumulative("cumulative_sum", x, axis, dtype, include_initial, operator.add, 0)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    return _cumulative("cumulative_prod", x, axis, dtype, include_initial, operator.mul, 1)
