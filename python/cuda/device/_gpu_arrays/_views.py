"""New arrays and views: what the functions of this package need of an array, wherever it lies."""

import math
import operator
from typing import Any

import numpy as np
from cuda import device as D
from cuda.device import _arrays, _core
from cuda.device._floats import is_of_ml_dtypes
from cuda.device._gpu_arrays._kernels import BLOCK


def empty(shape: Any, dtype: Any, like: Any) -> Any:
    """A new array where another one is."""
    return _arrays.empty(tuple(shape), dtype, device=str(like.device))


def strided(a: Any, shape: Any, strides: Any, read_only: bool = False) -> Any:
    """The same memory by other axes."""
    if isinstance(a, np.ndarray):
        raw = (
            a.view(f"u{a.itemsize}") if is_of_ml_dtypes(a.dtype) else a
        )  # it knows no other dtypes
        return np.lib.stride_tricks.as_strided(
            raw, tuple(shape), tuple(strides), writeable=not read_only
        ).view(a.dtype)
    return _core.strided(a, list(shape), list(strides), read_only)


def common_shape(*shapes: Any) -> tuple[int, ...]:
    """numpy.broadcast_shapes, which ends at 32 dimensions."""
    made = [1] * max(map(len, shapes))
    for shape in shapes:
        for k in range(-len(shape), 0):
            if shape[k] not in (1, made[k]) and made[k] != 1:
                each = " ".join(map(str, shapes))
                raise ValueError(f"operands could not be broadcast together with shapes {each}")
            made[k] = shape[k] if made[k] == 1 else made[k]
    return tuple(made)


def broadcast_to(a: Any, shape: Any, /) -> Any:
    """A view of another shape, with axes of stride zero, to be read only.

    Raises ValueError where that cannot be.
    """
    return spread(a, shape, True)


def spread(a: Any, shape: Any, read_only: bool = False) -> Any:
    """The same for kernels, whose code would differ for what they may only read."""
    shape = tuple(map(operator.index, shape))
    extra = len(shape) - a.ndim
    fits = all(n in (1, m) for n, m in zip(a.shape, shape[max(extra, 0) :], strict=False))
    if extra < 0 or not fits:
        raise ValueError(f"an array of shape {a.shape} cannot be broadcast to shape {shape}")
    steps = (0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True))
    return strided(a, shape, (*[0] * extra, *steps), read_only)


def axis_of(axis: Any, ndim: int) -> int:
    """An axis counted from 0. Raises numpy.exceptions.AxisError where there is none such."""
    return np.lib.array_utils.normalize_axis_index(operator.index(axis), ndim)


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that axis=None, an int or a tuple of them means, counted from 0."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(np.lib.array_utils.normalize_axis_tuple(axis, ndim))


def permute_dims(a: Any, axes: Any = None, /) -> Any:
    """A view whose axes are those of `a` in another order; the reverse one, as NumPy has it."""
    order = axes_of(range(a.ndim)[::-1] if axes is None else tuple(axes), a.ndim)
    if len(order) != a.ndim:
        raise ValueError(f"axes={tuple(axes)} of an array of {a.ndim} dimensions")
    return strided(a, [a.shape[k] for k in order], [a.strides[k] for k in order])


def is_compact(a: Any) -> bool:
    """Whether its elements follow each other row by row."""
    expected = a.itemsize
    for extent, stride in zip(reversed(a.shape), reversed(a.strides), strict=True):
        if extent > 1 and stride != expected:
            return False
        expected *= max(extent, 1)
    return True


def copied(a: Any) -> Any:
    """A compact copy."""
    made = empty(a.shape, a.dtype, a)
    if a.size:
        made[...] = a
    return made


def compact(a: Any) -> Any:
    """The array itself, or a compact copy."""
    return a if is_compact(a) else copied(a)


def reshape(a: Any, shape: Any, copy: bool | None = None) -> Any:
    """The elements row by row in another shape. Raises ValueError where copy=False cannot be."""
    if copy is False and not is_compact(a):
        raise ValueError("reshape() of this array is a copy, copy=False was given")
    source = copied(a) if copy else compact(a)
    found = source.reshape((shape,) if not isinstance(shape, tuple | list) else tuple(shape))
    return found


def flat(a: Any) -> Any:
    """Its elements row by row, in one dimension."""
    return reshape(a, (-1,)) if a.size else reshape(a, (0,))


def _as_rows(arrays: Any) -> Any:
    """The arrays, of one shape, as one-dimensional ones where all are compact or one number."""

    def steps(a: Any) -> int | None:
        if is_compact(a):
            return int(a.itemsize)
        return 0 if all(n == 1 or s == 0 for n, s in zip(a.shape, a.strides, strict=True)) else None

    each = [steps(a) for a in arrays]
    if None in each:
        return arrays
    count = math.prod(arrays[0].shape)
    return [strided(a, (count,), (step,)) for a, step in zip(arrays, each, strict=True)]


def each_element(kernel: Any, *arguments: Any) -> None:
    """Runs a kernel of a thread for each element of its first array; arrays are of one shape."""
    given = list(arguments)
    places = [k for k, value in enumerate(given) if not isinstance(value, np.generic)]
    rows = _as_rows([given[k] for k in places]) if given[0].ndim and given[0].size else ()
    for k, row in zip(places, rows, strict=False):
        given[k] = row
    run(kernel, arguments[0].size, *given)


def run(kernel: Any, threads: int, *arguments: Any) -> None:
    """Launches so many threads, where the arrays are."""
    if threads:
        D.launch(kernel, *arguments, grid=D.blocks(threads, BLOCK), block=BLOCK)
