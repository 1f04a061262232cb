"""Order: sorting, searching, sets, and the choice of elements by a mask."""

import math
from typing import Any, NamedTuple

import numpy as np
from cuda.device import _arrays
from cuda.device._gpu_arrays import _kernels
from cuda.device._gpu_arrays._elementwise import (
    astype,
    elementwise,
    format_of,
    nonzero_mask,
)
from cuda.device._gpu_arrays._reductions import max_of, min_of, ranks
from cuda.device._gpu_arrays._views import (
    axis_of,
    common_shape,
    compact,
    copied,
    each_element,
    empty,
    flat,
    permute_dims,
    reshape,
    run,
    spread,
)


# NaN is more than every number, as in NumPy: last where the order ascends, first where it descends.
def _less(a: Any, b: Any) -> Any:
    return a < b or (a == a and b != b)


def _greater(a: Any, b: Any) -> Any:
    return a > b or (a != a and b == b)


def progression(start: Any, step: Any, count: int, dtype: Any, like: Any) -> Any:
    """start + i * step: in 64 bits, rounded to the dtype."""
    out = empty((count,), dtype, like)
    compute = np.float64 if out.dtype.kind in "fc" else np.int64
    kernel = _kernels.progression(compute, format_of(out.dtype))
    run(kernel, count, out, compute(start), compute(step))
    return out


def _sorted(x: Any, axis: Any, descending: bool) -> Any:
    """The elements in order, and where each was; of all in one dimension where axis is None."""
    if axis is None:
        x, axis = flat(x), 0
    along = axis_of(axis, x.ndim)
    order = (*(k for k in range(x.ndim) if k != along), along)
    back = tuple(int(k) for k in np.argsort(order))
    a = compact(permute_dims(x, order))
    n = a.shape[-1]
    rows = (math.prod(a.shape[:-1]), n)
    values = reshape(a, rows)
    if x.dtype.kind == "b":
        values = astype(values, np.uint8)
    numbers = copied(spread(progression(0, 1, n, np.int64, x), rows))
    kernel = _kernels.merge(_greater if descending else _less)
    width = 1
    while width < n:
        merged, moved = empty(rows, values.dtype, x), empty(rows, np.int64, x)
        run(kernel, values.size, merged, moved, values, numbers, np.int64(width))
        values, numbers, width = merged, moved, 2 * width
    if values is a or width == 1:
        values = copied(values)
    if x.dtype.kind == "b":
        values = astype(values, np.bool_)
    return tuple(permute_dims(reshape(each, a.shape), back) for each in (values, numbers))


def sort(x: Any, /, *, axis: Any = -1, descending: bool = False, stable: bool = True) -> Any:
    return _sorted(x, axis, descending)[0]


def argsort(x: Any, /, *, axis: Any = -1, descending: bool = False, stable: bool = True) -> Any:
    return _sorted(x, axis, descending)[1]


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    if side not in ("left", "right"):
        raise ValueError(f"side={side!r}: 'left' or 'right' was expected")
    a = x1 if sorter is None else _in_order(x1, sorter)
    values = flat(x2)
    form = format_of(np.result_type(x1.dtype, x2.dtype))
    out = empty(values.shape, np.int64, x1)
    run(_kernels.search(_less, form, side == "right"), out.size, out, a, values)
    return reshape(out, x2.shape)


def _in_order(x: Any, sorter: Any) -> Any:
    if sorter.size != x.size:
        raise ValueError(f"sorter= of {sorter.size} indices of {x.size} elements")
    try:
        return take(x, sorter, axis=0)
    except IndexError as error:
        raise ValueError(f"sorter=: {error}") from None


def check_indices(indices: Any, extent: int, axis: int) -> None:
    """Raises IndexError for one that names no element; waits for what is queued to know."""
    if not indices.size:
        return
    for found in (min_of(indices), max_of(indices)):
        number = int(_arrays.to_host(found)[()])
        if not -extent <= number < extent:
            raise IndexError(f"index {number} is out of bounds for axis {axis} with size {extent}")


def take(x: Any, indices: Any, /, *, axis: Any = None) -> Any:
    """The parts of x at these indices along an axis, below zero from its end.

    Raises IndexError for an index that names none, which it waits for what is queued to know.
    """
    if indices.dtype.kind not in "iub":
        raise TypeError(f"take() expects indices that are integers, found {indices.dtype}")
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take() from {x.ndim} dimensions needs an axis")
        axis = 0
    along = axis_of(axis, x.ndim)
    check_indices(indices, x.shape[along], along)
    found = taken(x, flat(indices), along)
    return reshape(found, (*x.shape[:along], *indices.shape, *x.shape[along + 1 :]))


def taken(x: Any, indices: Any, along: int) -> Any:
    """The same of indices of one dimension that are known to name parts."""
    out = empty((*x.shape[:along], indices.size, *x.shape[along + 1 :]), x.dtype, x)
    if out.size:
        run(_kernels.take(along), out.size, out, x, indices)
    return out


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """The elements along an axis that the indices there name, for each row by itself.

    Raises IndexError for an index that names none, which it waits for what is queued to know.
    """
    if indices.dtype.kind not in "iu":
        raise IndexError(f"take_along_axis() expects integers, found {indices.dtype}")
    if x.ndim != indices.ndim:
        raise ValueError(
            f"take_along_axis() expects indices of {x.ndim} dimensions, found {indices.ndim}"
        )
    along = axis_of(axis, x.ndim)
    check_indices(indices, x.shape[along], along)
    extents = [list(each.shape) for each in (x, indices)]
    for shape in extents:
        shape[along] = 1
    try:
        rest = list(common_shape(*extents))
    except ValueError:
        raise IndexError(
            f"take_along_axis() of shape {x.shape} by indices of shape {indices.shape}"
        ) from None
    of, to = ([*rest[:along], each.shape[along], *rest[along + 1 :]] for each in (x, indices))
    out = empty(tuple(to), x.dtype, x)
    source, places = spread(x, tuple(of)), spread(indices, tuple(to))
    if out.size:
        run(_kernels.take_along(along), out.size, out, source, places)
    return out


def _count(counted: Any) -> int:
    """The last of running totals, for the host."""
    return int(_arrays.to_host(counted[-1:])[0]) if counted.size else 0


def _compressed(x: Any, mask: Any, counted: Any, count: int) -> Any:
    out = empty((count,), x.dtype, x)
    run(_kernels.array_compress, x.size if count else 0, out, x, mask, counted)
    return out


def check_mask(x: Any, mask: Any) -> None:
    """Raises IndexError for one that does not cover the first axes of x."""
    if tuple(mask.shape) != tuple(x.shape[: mask.ndim]):
        raise IndexError(f"a mask of shape {mask.shape} for an array of shape {x.shape}")


def placed(values: Any, mask: Any, rest: int) -> Any:
    """Values for what a mask chooses, one for each element of the mask; others mean nothing.

    rest: how many axes the mask does not cover. Waits for what is queued.
    """
    each = nonzero_mask(mask)
    counted = ranks(each)
    count = _count(counted)
    extents = values.shape[: values.ndim - rest]
    if any(n != 1 for n in extents[:-1]) or extents[-1] not in (1, count):
        raise ValueError(f"values of shape {values.shape} for the {count} that a mask chooses")
    rows = reshape(values, values.shape[len(extents) - 1 :])
    if rows.shape[0] == 1:
        return reshape(rows, rows.shape[1:])
    if not count:
        return empty(rows.shape[1:], rows.dtype, rows)
    which = elementwise("maximum", elementwise("subtract", counted, 1), 0)
    return reshape(taken(rows, which, 0), (*mask.shape, *rows.shape[1:]))


def chosen(x: Any, mask: Any) -> Any:
    """x[mask]: the mask covers the first axes of x. Waits for what is queued."""
    check_mask(x, mask)
    rest = x.shape[mask.ndim :]
    each = nonzero_mask(mask)
    counted = ranks(each)
    places = progression(0, 1, each.size, np.int64, x)
    indices = _compressed(places, each, counted, _count(counted))
    return taken(reshape(x, (each.size, *rest)), indices, 0)


def nonzero(x: Any, /) -> Any:
    """The indices of elements that are not zero, an array for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero() of an array of no dimensions")
    each = nonzero_mask(x)
    counted = ranks(each)
    places = progression(0, 1, each.size, np.int64, x)
    left = _compressed(places, each, counted, _count(counted))
    found = []
    for extent in reversed(x.shape):
        found.append(elementwise("remainder", left, max(extent, 1)))
        left = elementwise("floor_divide", left, max(extent, 1))
    return tuple(reversed(found))


class UniqueAllResult(NamedTuple):
    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCountsResult(NamedTuple):
    values: Any
    counts: Any


class UniqueInverseResult(NamedTuple):
    values: Any
    inverse_indices: Any


def unique_all(x: Any, /) -> UniqueAllResult:
    """The distinct elements, where each is first, which each element is, and how often."""
    each = flat(x)
    values, order = _sorted(each, 0, False)
    heads = empty(each.shape, np.bool_, x)
    each_element(_kernels.array_heads, heads, values)
    counted = ranks(heads)
    count = _count(counted)
    places = progression(0, 1, each.size, np.int64, x)
    begins = _compressed(places, heads, counted, count)
    ends = empty((count,), np.int64, x)
    if count:
        ends[:-1] = begins[1:]
        ends[-1:] = np.int64(each.size)
    inverse = empty(each.shape, np.int64, x)
    which = elementwise("subtract", counted, 1)
    run(_kernels.array_scatter, each.size, inverse, order, which)
    return UniqueAllResult(
        _compressed(values, heads, counted, count),
        _compressed(order, heads, counted, count),
        reshape(inverse, x.shape),
        elementwise("subtract", ends, begins),
    )


def unique_counts(x: Any, /) -> UniqueCountsResult:
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverseResult:
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Any:
    return unique_all(x).values
