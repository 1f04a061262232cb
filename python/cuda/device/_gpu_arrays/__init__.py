"""The Array API for arrays in memory of GPUs: CuPy's functions where it is installed, else kernels
of this package. fft and the decompositions of linalg are CuPy's alone.

Arrays of the host would do as well, but for them there is NumPy: tests run the kernels there.
"""

from collections.abc import Callable
from typing import Any

from cuda.device._floats import is_of_ml_dtypes
from cuda.device._gpu_arrays import (
    _cupy,
    _elementwise,
    _manipulation,
    _records,
    _reductions,
    _sorting,
    _views,
)
from cuda.device._mixing import arrays_of_gpu

__all__ = ["call", "kernels_of"]

_OTHERS: dict[str, Callable[..., Any]] = {
    "real": _elementwise.real_part,
    "imag": _elementwise.imaginary_part,
    "equal": _records.equal,
    "not_equal": _records.not_equal,
    **{name: getattr(_elementwise, name) for name in ("astype", "clip", "where")},
    **{
        name: getattr(_reductions, name)
        for name in (
            *("argmax", "argmin", "count_nonzero", "cumulative_prod", "cumulative_sum", "mean"),
            *("std", "var"),
        )
    },
    **{
        name: getattr(_reductions, name + "_of")
        for name in ("all", "any", "max", "min", "prod", "sum")
    },
    **{
        name: getattr(_sorting, name)
        for name in (
            *("argsort", "nonzero", "searchsorted", "sort", "take"),
            "take_along_axis",
            *("unique_all", "unique_counts", "unique_inverse", "unique_values"),
        )
    },
    **{
        name: getattr(_manipulation, name)
        for name in (
            *("broadcast_arrays", "concat", "diff", "expand_dims", "flip", "matmul"),
            *(
                "matrix_transpose",
                "meshgrid",
                "moveaxis",
                "repeat",
                "roll",
                "squeeze",
                "stack",
                "tensordot",
                "tile",
            ),
            *("tril", "triu", "unstack", "vecdot"),
        )
    },
    **{name: getattr(_views, name) for name in ("broadcast_to", "permute_dims")},
}

# The extension's functions that are those of the namespace itself.
_OF_BOTH = {f"linalg.{name}" for name in ("matmul", "matrix_transpose", "tensordot", "vecdot")}


def _reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    return _views.reshape(x, shape, copy)


def kernels_of(name: str) -> Callable[..., Any]:
    """The standard's function of that name, by kernels of ours. NotImplementedError: none."""
    if name == "reshape":
        return _reshape
    if name in _OF_BOTH:
        name = name.removeprefix("linalg.")
    if name.startswith("linalg."):
        from cuda.device._gpu_arrays import _linalg  # it needs array_api, which needs this

        if name.removeprefix("linalg.") in _linalg.FUNCTIONS:
            return _linalg.FUNCTIONS[name.removeprefix("linalg.")]
    if name in _OTHERS:
        return _OTHERS[name]
    if name in _elementwise.NAMES:
        return lambda *operands, **said: _elementwise.elementwise(name, *operands, **said)
    raise NotImplementedError(
        f"array_api.{name}() of arrays on a GPU is CuPy's, which is not installed; install "
        "cupy-cuda12x or cupy-cuda13x, or copy the array by cuda.device.to_host()"
    )


# How many parameters of a function are arrays; of functions of elements and of these all, of others
# the first.
_MANY = {"clip": 3, "searchsorted": 2, "take": 2, "take_along_axis": 2, "where": 3}
_ALL = _elementwise.NAMES | {"broadcast_arrays", "matmul", "meshgrid", "tensordot", "vecdot"}
_OF_SEQUENCES = ("concat", "stack")
_ARRAY_KEYWORDS = ("append", "max", "min", "prepend", "sorter")


def _with_arrays(like: Any, name: str, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Lists of numbers in place of arrays as arrays, where another one is."""

    def array(x: Any) -> Any:
        return _elementwise.as_array(x, like) if type(x) in (list, tuple) else x

    if name in _OF_SEQUENCES:
        return (list(map(array, args[0])), *args[1:]), kwargs
    count = len(args) if name in _ALL else _MANY.get(name, 1)
    keywords = {k: array(x) if k in _ARRAY_KEYWORDS else x for k, x in kwargs.items()}
    return (*map(array, args[:count]), *args[count:]), keywords


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """The standard's function of that name, "linalg.inv" too, where its arrays are.

    Formats that CuPy lacks, and records, are for kernels of ours.
    """
    arrays = arrays_of_gpu(*args, *kwargs.values())
    args, kwargs = _with_arrays(arrays[0], name, args, kwargs)
    ours = any(is_of_ml_dtypes(a.dtype) or a.dtype.names is not None for a in arrays)
    found = None if ours else _cupy.function(name)
    return found(*args, **kwargs) if found else kernels_of(name)(*args, **kwargs)
