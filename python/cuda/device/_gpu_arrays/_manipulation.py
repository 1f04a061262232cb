"""Shapes, joins, products: views where the memory allows it, copies where not."""

import math
from typing import Any

import numpy as np
from cuda import device as D
from cuda.device import _arrays
from cuda.device._floats import accumulator
from cuda.device._gpu_arrays import _kernels
from cuda.device._gpu_arrays._elementwise import (
    as_array,
    astype,
    elementwise,
    format_of,
    is_number,
    where,
)
from cuda.device._gpu_arrays._kernels import TILE
from cuda.device._gpu_arrays._reductions import any_of, sum_of
from cuda.device._gpu_arrays._sorting import progression, taken
from cuda.device._gpu_arrays._views import (
    axes_of,
    axis_of,
    broadcast_to,
    common_shape,
    copied,
    empty,
    flat,
    is_compact,
    permute_dims,
    reshape,
    spread,
    strided,
)


def _check_arrays(name: str, arrays: Any) -> None:
    number = next((x for x in arrays if is_number(x)), None)
    if number is not None:
        raise ValueError(f"{name}() expects arrays, found the number {number!r}")


def broadcast_arrays(*arrays: Any) -> Any:
    _check_arrays("broadcast_arrays", arrays)
    shape = common_shape(*(x.shape for x in arrays))
    return [x if x.shape == shape else broadcast_to(x, shape) for x in arrays]


def expand_dims(x: Any, /, *, axis: Any = 0) -> Any:
    """With an axis of extent 1 more; a tuple of them is of the axes of the result, as in NumPy."""
    many = axis if isinstance(axis, tuple | list) else (axis,)
    shape, strides = list(x.shape), list(x.strides)
    for at in sorted(axes_of(tuple(many), x.ndim + len(many))):
        shape.insert(at, 1)
        strides.insert(at, 0)
    return strided(x, shape, strides)


def squeeze(x: Any, /, axis: Any = None) -> Any:
    """Without an axis, as NumPy has it: all of extent 1."""
    ones = tuple(k for k in range(x.ndim) if x.shape[k] == 1)
    axes = ones if axis is None else axes_of(axis, x.ndim)
    long = [k for k in axes if x.shape[k] != 1]
    if long:
        raise ValueError(f"axis {long[0]} of extent {x.shape[long[0]]} cannot be left out")
    kept = [k for k in range(x.ndim) if k not in axes]
    return strided(x, [x.shape[k] for k in kept], [x.strides[k] for k in kept])


def flip(x: Any, /, *, axis: Any = None) -> Any:
    axes = axes_of(axis, x.ndim)
    return x[tuple(slice(None, None, -1 if k in axes else 1) for k in range(x.ndim))]


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    from_, to = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(from_) != len(to):
        raise ValueError(f"{len(from_)} axes cannot go to {len(to)} places")
    order = [k for k in range(x.ndim) if k not in from_]
    for place, axis in sorted(zip(to, from_, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, order)


def matrix_transpose(x: Any, /) -> Any:
    if x.ndim < 2:
        raise ValueError(f"an array of {x.ndim} dimensions is no matrix")
    return permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def concat(arrays: Any, /, *, axis: Any = 0) -> Any:
    _check_arrays("concat", arrays)
    parts = [flat(x) for x in arrays] if axis is None else list(arrays)
    along = axis_of(0 if axis is None else axis, parts[0].ndim)
    shape = list(parts[0].shape)
    rest = [(*x.shape[:along], *x.shape[along + 1 :]) for x in parts]
    if any(each != rest[0] for each in rest):
        raise ValueError(f"concat() of shapes {', '.join(str(x.shape) for x in parts)}")
    shape[along] = sum(x.shape[along] for x in parts)
    out = empty(shape, np.result_type(*(x.dtype for x in parts)), parts[0])
    begin = 0
    for x in parts:
        end = begin + x.shape[along]
        if x.size:
            at = (*[slice(None)] * along, slice(begin, end))
            out[at] = astype(x, out.dtype, copy=False)
        begin = end
    return out


def _beside(x: Any, like: Any, along: int) -> Any:
    """What goes before or after an array along an axis; a number, or one element, in every row."""
    a = as_array(x, like, like.dtype)
    if a.ndim:
        return a
    return spread(a, tuple(1 if k == along else n for k, n in enumerate(like.shape)))


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """What each element is more than the one before it along an axis, n times over."""
    if n < 0:
        raise ValueError(f"diff() of order n={n}")
    along = axis_of(axis, x.ndim)
    parts = [x if part is x else _beside(part, x, along) for part in (prepend, x, append)
             if part is not None]  # fmt: skip
    found = concat(parts, axis=along) if len(parts) > 1 else x
    before = (slice(None),) * along
    for _ in range(n):
        pair = found[(*before, slice(1, None))], found[(*before, slice(None, -1))]
        found = elementwise("not_equal" if found.dtype.kind == "b" else "subtract", *pair)
    return found


def stack(arrays: Any, /, *, axis: int = 0) -> Any:
    _check_arrays("stack", arrays)
    return concat([expand_dims(x, axis=axis) for x in arrays], axis=axis)


def unstack(x: Any, /, *, axis: int = 0) -> Any:
    along = axis_of(axis, x.ndim)
    return tuple(x[(*[slice(None)] * along, k)] for k in range(x.shape[along]))


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    """Each element so often as `repeats` says: an int, or an array that the host reads."""
    a = flat(x) if axis is None else x
    along = 0 if axis is None else axis_of(axis, x.ndim)
    often = repeats if isinstance(repeats, int) else _arrays.to_host(repeats)
    numbers = np.repeat(np.arange(a.shape[along]), often)
    indices = empty(numbers.shape, np.int64, x)
    if numbers.size:
        indices[...] = numbers
    return taken(a, indices, along)


def _rolled(x: Any, shift: int, axis: int) -> Any:
    n = x.shape[axis]
    if n == 0:
        return x
    out, by = empty(x.shape, x.dtype, x), shift % n
    before = (slice(None),) * axis
    out[(*before, slice(by, None))] = x[(*before, slice(None, n - by))]
    if by:
        out[(*before, slice(None, by))] = x[(*before, slice(n - by, None))]
    return out


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    if axis is None:
        return reshape(_rolled(flat(x), shift, 0), x.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    out = x
    for by, along in zip(shifts, axes, strict=True):
        out = _rolled(out, by, axis_of(along, x.ndim))
    return copied(out) if out is x else out


def tile(x: Any, repetitions: Any, /) -> Any:
    repetitions = repetitions if isinstance(repetitions, tuple | list) else (repetitions,)
    ndim = max(x.ndim, len(repetitions))
    often = (*[1] * (ndim - len(repetitions)), *repetitions)
    shape = (*[1] * (ndim - x.ndim), *x.shape)
    a = reshape(x, tuple(k for n in shape for k in (1, n)))
    many = spread(a, tuple(k for m, n in zip(often, shape, strict=True) for k in (m, n)))
    return reshape(copied(many), tuple(m * n for m, n in zip(often, shape, strict=True)))


def _part_of_matrix(x: Any, k: int, name: str, zero_where: bool) -> Any:
    if x.ndim < 2:
        raise ValueError(f"{name}() of an array of {x.ndim} dimensions")
    rows, columns = x.shape[-2:]
    row = reshape(progression(k, 1, rows, np.int64, x), (rows, 1))
    below = elementwise("less_equal", progression(0, 1, columns, np.int64, x), row)
    zero = as_array(False, x, x.dtype)
    return where(below, *((zero, x) if zero_where else (x, zero)))


def tril(x: Any, /, *, k: int = 0) -> Any:
    return _part_of_matrix(x, k, "tril", False)


def triu(x: Any, /, *, k: int = 0) -> Any:
    return _part_of_matrix(x, k - 1, "triu", True)


def meshgrid(*arrays: Any, indexing: str = "xy") -> Any:
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing={indexing!r}: 'xy' or 'ij' was expected")
    _check_arrays("meshgrid", arrays)
    ndim = len(arrays)
    order = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        order[:2] = 1, 0
    each = [
        reshape(x, tuple(x.size if k == at else 1 for k in range(ndim)))
        for at, x in zip(order, arrays, strict=True)
    ]
    return [copied(x) for x in broadcast_arrays(*each)]


# --- products ---


def matmul(x1: Any, x2: Any, /) -> Any:
    """The product of matrices, of stacks of them, or of vectors with them."""
    _check_arrays("matmul", (x1, x2))
    if 0 in (x1.ndim, x2.ndim):
        raise ValueError("matmul() of an array of no dimensions")
    a = x1 if x1.ndim > 1 else reshape(x1, (1, x1.shape[0]))
    b = x2 if x2.ndim > 1 else reshape(x2, (x2.shape[0], 1))
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul() of shapes {x1.shape} and {x2.shape}")
    batch = common_shape(a.shape[:-2], b.shape[:-2])
    dtype = np.result_type(x1.dtype, x2.dtype)
    out = empty((*batch, a.shape[-2], b.shape[-1]), dtype, x1)
    _multiply(out, *(spread(x, (*batch, *x.shape[-2:])) for x in (a, b)))
    shape = (
        *batch,
        *([a.shape[-2]] if x1.ndim > 1 else []),
        *([b.shape[-1]] if x2.ndim > 1 else []),
    )
    return reshape(out, shape)


def _stack_of_matrices(x: Any) -> Any:
    """Three axes: of the stack, rows, columns; a copy only where the stack has no single stride."""
    stack = x.shape[:-2]
    if len(stack) == 1:
        return x
    count = math.prod(stack)
    same = all(s == 0 or n == 1 for n, s in zip(stack, x.strides[:-2], strict=True))
    if not same:
        return reshape(x if is_compact(x) else copied(x), (count, *x.shape[-2:]))
    return strided(x, (count, *x.shape[-2:]), (0, *x.strides[-2:]))


_MOST_MATRICES = 65535  # of a launch


def _multiply(out: Any, a: Any, b: Any) -> None:
    if not out.size:
        return
    if out.dtype.kind == "b":
        kernel = _kernels.matmul(_kernels.or_both, np.uint8, bool)
    else:
        form = format_of(accumulator(out.dtype))
        kernel = _kernels.matmul(_kernels.plus_product, form, format_of(out.dtype))
    all_out, left, right = map(_stack_of_matrices, (out, a, b))
    for begin in range(0, all_out.shape[0], _MOST_MATRICES):
        part = slice(begin, begin + _MOST_MATRICES)
        made = all_out[part]
        grid = (-(-out.shape[-1] // TILE), -(-out.shape[-2] // TILE), made.shape[0])
        D.launch(kernel, made, left[part], right[part], grid=grid, block=(TILE, TILE))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    _check_arrays("tensordot", (x1, x2))
    if isinstance(axes, int):
        first, second = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        first, second = axes_of(tuple(axes[0]), x1.ndim), axes_of(tuple(axes[1]), x2.ndim)
    left = [k for k in range(x1.ndim) if k not in first]
    right = [k for k in range(x2.ndim) if k not in second]
    extents = [[x.shape[k] for k in axes] for x, axes in ((x1, first), (x2, second))]
    if extents[0] != extents[1]:
        raise ValueError(f"tensordot() over extents {extents[0]} and {extents[1]}")
    inner = math.prod(extents[0])
    a = permute_dims(x1, (*left, *first))
    b = permute_dims(x2, (*second, *right))
    rows, columns = [x1.shape[k] for k in left], [x2.shape[k] for k in right]
    found = matmul(reshape(a, (math.prod(rows), inner)), reshape(b, (inner, math.prod(columns))))
    return reshape(found, (*rows, *columns))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    _check_arrays("vecdot", (x1, x2))
    dtype = np.result_type(x1.dtype, x2.dtype)
    if dtype.kind == "b":
        return any_of(elementwise("logical_and", x1, x2), axis=axis)
    wide = accumulator(dtype)
    a, b = (x if wide == dtype else astype(x, wide) for x in (x1, x2))
    product = elementwise("multiply", elementwise("conj", a), b)
    return sum_of(product, axis=axis, dtype=dtype)
