"""The Array API, version 2024.12, for arrays of the host and of GPUs.

On the host functions are NumPy's, on the same memory, and give HostArrays. Of Arrays, in memory of
a GPU, they are CuPy's where it is installed, else kernels of this package; fft and the
decompositions of linalg are CuPy's alone. Kernels take both. device= is "cpu", "cuda:0" ...;
without it, new arrays are the host's.
"""

import builtins
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from cuda.device import _arrays, _core, _places
from cuda.device._core import Array
from cuda.device._floats import finfo as floats_finfo
from cuda.device._floats import is_of_ml_dtypes
from cuda.device._host_arrays import HostArray, called, given, plain, wait
from cuda.device._mixing import on_gpu

# NumPy has them under the same names, with the parameters of the standard.
_SAME = (
    *("e", "inf", "nan", "newaxis", "pi"),
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
_DELEGATED = (
    *("abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and"),
    *("bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("ceil", "conj", "copysign", "cos", "cosh", "divide", "equal", "exp"),
    *("floor", "floor_divide", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf"),
    *("isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and"),
    *("logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative"),
    *("not_equal", "positive", "pow", "real", "remainder", "round", "sign", "signbit", "sin"),
    *("sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc"),
    *("nextafter", "reciprocal"),
    *("matmul", "matrix_transpose", "tensordot", "vecdot"),
    *("broadcast_to", "concat", "flip", "moveaxis", "permute_dims", "repeat"),
    *("reshape", "roll", "squeeze", "stack", "tile", "tril", "triu", "unstack"),
    *("argmax", "argmin", "nonzero", "searchsorted", "take", "where"),
    *("unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum"),
    *("var", "all", "any"),
)


_LINALG = (
    *("cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm"),
    *("matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve"),
    *("svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"),
)
_FFT = (
    *("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft"),
    *("fftshift", "ifftshift"),
)


def _of_gpu(name: str, *args: Any, **kwargs: Any) -> Any:
    from cuda.device import _gpu_arrays

    return _gpu_arrays.call(name, *args, **kwargs)


def _delegated(name: str, module: Any = np) -> Callable[..., Any]:
    """NumPy's function between HostArrays, that of GPUs between Arrays."""
    there = name if module is np else f"{module.__name__.rpartition('.')[2]}.{name}"
    return _between(name, getattr(module, name), functools.partial(_of_gpu, there))


def _between(
    name: str, function: Callable[..., Any], of_gpu: Callable[..., Any]
) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if on_gpu(*args, *kwargs.values()):
            return of_gpu(*args, **kwargs)
        return called(function, args, kwargs)

    call.__module__, call.__name__, call.__qualname__ = __name__, name, name
    call.__doc__ = (
        f"{function.__module__}.{function.__name__}() of HostArrays, with all of its parameters, "
        f"described below; of Arrays with those that the standard has.\n\n{function.__doc__}"
    )
    return call


globals().update({name: getattr(np, name) for name in _SAME})
globals().update({name: _delegated(name) for name in _DELEGATED})
# Extensions of the standard.
linalg: Any = SimpleNamespace(**{name: _delegated(name, np.linalg) for name in _LINALG})
fft: Any = SimpleNamespace(**{name: _delegated(name, np.fft) for name in _FFT})


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether elements of a dtype, or of an array, are elements of another dtype by promotion."""
    return np.can_cast(from_.dtype if isinstance(from_, Array) else plain(from_), to)


_NUMBERS = (builtins.bool, int, float, complex)  # `bool` is a dtype here


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype of what an operation of these gives."""
    each = [x.dtype if isinstance(x, Array) else plain(x) for x in arrays_and_dtypes]
    numbers = [x for x in each if type(x) in _NUMBERS]
    formats = [_dtype_of(x) for x in each if type(x) not in _NUMBERS]
    if not builtins.any(is_of_ml_dtypes(np.dtype(x)) for x in formats):
        return np.result_type(*each)
    # NumPy's rules do not know them, but its operators do.
    return functools.reduce(_format_of_sum, [*map(np.dtype, formats), *map(type, numbers)])


def _format_of_sum(a: Any, b: Any) -> Any:
    return np.add.resolve_dtypes((a, np.dtype(b) if b is builtins.bool else b, None))[-1]


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a dtype is another one, or of a kind that the standard names, or of one of several.

    bfloat16 and the floats of 8 bits are "real floating".
    """
    each = kind if isinstance(kind, tuple) else (kind,)
    of_numpy = tuple(x for x in each if not _is_of_ml_dtypes(x))
    if not _is_of_ml_dtypes(dtype):
        return np.isdtype(dtype, of_numpy)
    np.isdtype(np.dtype(np.float32), of_numpy)  # raises for unknown kinds
    return builtins.any(
        x in ("real floating", "numeric") if isinstance(x, str) else np.dtype(dtype) == x
        for x in each
    )


def _is_of_ml_dtypes(x: Any) -> builtins.bool:
    """Whether it is such a dtype, or the class of its elements."""
    dtype = np.dtype(x) if isinstance(x, type) and issubclass(x, np.generic) else x
    return isinstance(dtype, np.dtype) and is_of_ml_dtypes(dtype)


class _Information(np.__array_namespace_info__):  # type: ignore[misc]
    """What the namespace can do: NumPy's answers, but for devices."""

    def devices(self) -> list[str]:  # type: ignore[override]
        return ["cpu", *(f"cuda:{k}" for k in range(_core.gpu_count()))]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> Any:
        _device(device)
        return super().dtypes(kind=kind)

    def default_dtypes(self, *, device: Any = None) -> Any:
        _device(device)
        return super().default_dtypes()


def __array_namespace_info__() -> Any:
    """What the namespace can do: capabilities(), default_device(), devices(), dtypes() and
    default_dtypes() of its result."""
    return _Information()


# --- creation ---


def _device(device: Any) -> str:
    """A device by name; the host where none is given. ValueError for one that there is not."""
    number = _places.HOST if device is None else _places.number_of(device)
    return "cpu" if number == _places.HOST else f"cuda:{number}"


def _like(x: Any, device: Any) -> Any:
    return x.device if device is None and isinstance(x, Array) else device


def _shape(x: Any, shape: Any) -> Any:
    """The shape that is asked for, as of NumPy's functions, or that of an array."""
    return x.shape if shape is None else shape


def _array(x: Any) -> Any:
    """What a function reads the dtype or shape of: of a list, the array that NumPy makes of it."""
    return asarray(x) if type(x) in (list, tuple) else x


def _device_of(values: Any) -> Any:
    """Where the first Array of nested lists is; None where there is none."""
    if type(values) not in (list, tuple):
        return values.device if isinstance(values, Array) else None
    return next((found for found in map(_device_of, values) if found), None)


def _on_host(values: Any) -> Any:
    """Nested lists with the host's copies of Arrays."""
    if type(values) in (list, tuple):
        return [_on_host(value) for value in values]
    return _arrays.to_host(values) if isinstance(values, Array) else values


def _placed(array: Any, device: Any) -> Any:
    """An array of NumPy's where it is wanted."""
    where = _device(device)
    return given(_arrays.asarray(array, device=where, copy=True))


def _filled(shape: Any, value: Any, dtype: Any, device: Any) -> Any:
    return given(_arrays.full(shape, plain(value), dtype, device=_device(device)))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array whose elements are undefined; float64 where no dtype is given."""
    return given(
        _arrays.empty(shape, np.float64 if dtype is None else dtype, device=_device(device))
    )


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros; float64 where no dtype is given."""
    return given(
        _arrays.zeros(shape, np.float64 if dtype is None else dtype, device=_device(device))
    )


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones; float64 where no dtype is given."""
    return _filled(shape, 1, np.float64 if dtype is None else dtype, device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of equal elements; of the value's dtype where none is given."""
    return _filled(shape, fill_value, dtype, device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None, shape: Any = None) -> Any:
    """An array of the shape and dtype of another, its elements undefined; shape: another shape."""
    x = _array(x)
    made = x.dtype if dtype is None else dtype
    return empty(_shape(x, shape), dtype=made, device=_like(x, device))


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None, shape: Any = None) -> Any:
    """An array of zeros of the shape and dtype of another; shape: another shape."""
    x = _array(x)
    made = x.dtype if dtype is None else dtype
    return zeros(_shape(x, shape), dtype=made, device=_like(x, device))


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None, shape: Any = None) -> Any:
    """An array of ones of the shape and dtype of another; shape: another shape."""
    x = _array(x)
    made = x.dtype if dtype is None else dtype
    return ones(_shape(x, shape), dtype=made, device=_like(x, device))


def full_like(
    x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None, shape: Any = None
) -> Any:
    """An array of equal elements of the shape and dtype of another; shape: another shape."""
    x = _array(x)
    made = x.dtype if dtype is None else dtype
    return full(_shape(x, shape), fill_value, dtype=made, device=_like(x, device))


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Any:
    """Numbers from start up to stop at distances of step; from 0 where only one is given."""
    return given(_arrays.arange(start, stop, step, dtype, device=_device(device)))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Ones on diagonal k, zeros elsewhere."""
    return _placed(np.eye(n_rows, n_cols, k, np.float64 if dtype is None else dtype), device)


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Any:
    """num numbers at equal distances, with stop or without."""
    return _placed(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint), device)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """An array of what obj holds, as by cuda.device.asarray; an Array stays where it is.

    A list that holds Arrays is read by the host, and the result is where the first of them is.
    """
    if _device_of(obj) is not None and not isinstance(obj, Array):
        device = _device_of(obj) if device is None else device
        obj = _on_host(obj)
    arrays: dict[int, Any] = {}
    found = _arrays.imported(plain(obj, arrays))
    if arrays and type(obj) in (list, tuple):
        wait()  # also for arrays at the end of a long list
    where = None if device is None and isinstance(found, Array) else _device(device)
    return given(_arrays.asarray(found, dtype, device=where, copy=copy))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """The array of another library, in the same memory where that is possible."""
    return given(_arrays.from_dlpack(x, device=device, copy=copy))


# --- where NumPy's parameters or results are others ---


def meshgrid(*arrays: Any, indexing: Any = "xy") -> Any:
    """Coordinates of a grid: a list of arrays, one for each axis."""
    if on_gpu(*arrays):
        return _of_gpu("meshgrid", *arrays, indexing=indexing)
    return list(called(np.meshgrid, arrays, {"indexing": indexing}))


def broadcast_arrays(*arrays: Any) -> Any:
    """A list of the arrays, each in the shape that all have together.

    As with broadcast_to, what is not of that shape itself can be read only.
    """
    if on_gpu(*arrays):
        return _of_gpu("broadcast_arrays", *arrays)
    each = [np.asarray(_array(x)) for x in arrays]
    shape = np.broadcast_shapes(*(x.shape for x in each))
    return given([x if x.shape == shape else np.broadcast_to(x, shape) for x in each])


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The elements, none below min and none above max."""
    if on_gpu(x, min, max):
        return _of_gpu("clip", x, min, max)
    return called(np.clip, (x, min, max), {})


def expm1(x: Any, /) -> Any:
    """exp(x) - 1, accurate near zero."""
    if on_gpu(x):
        return _of_gpu("expm1", x)
    return called(_expm1 if np.asarray(x).dtype.kind == "c" else np.expm1, (x,), {})


@np.errstate(invalid="ignore")
def _expm1(z: Any) -> Any:
    return _with_limits_of_expm1(np.asarray(z), np.expm1(z))


def _with_limits_of_expm1(z: Any, found: Any) -> Any:
    """The standard's values where NumPy has others: at zero, infinities and NaN."""
    x, y = z.real, z.imag
    on_axis, finite = y == 0, np.isfinite(y)
    low, high = np.isneginf(x), np.isposinf(x)
    zero = np.copysign(0, np.where(finite, np.sin(y, where=finite, out=np.zeros_like(y)), y))
    real = np.where(high & (on_axis | ~finite), np.inf, np.where(low, -1, found.real))
    imag = np.where(low, zero, np.where(high & ~finite, np.nan, found.imag))
    made = np.empty_like(found)
    made.real = np.where((x == 0) & on_axis, 0, real)
    made.imag = np.where(on_axis & ~np.isfinite(x), np.where(low, zero, y), imag)
    return made


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The elements in another dtype; copy=False gives x itself where it has that one.

    Raises TypeError for complex elements as real ones, which the standard does not permit.
    """
    x = _array(x)
    if x.dtype.kind == "c" and np.dtype(dtype).kind in "iuf":
        raise TypeError(
            f"elements of {x.dtype} have no value in {np.dtype(dtype)}; see real() and abs()"
        )
    if on_gpu(x):
        found = _of_gpu("astype", x, dtype, copy=copy)
        return found if device is None else found.to_device(_device(device))
    same = not copy and x.dtype == dtype
    made = x if same else called(np.ndarray.astype, (x, dtype), {"copy": copy})
    return made if device is None else made.to_device(_device(device))


def _dtype_of(type: Any) -> Any:
    return type.dtype if isinstance(type, np.ndarray | Array) else type


class FloatLimits(NamedTuple):
    """What finfo gives, in numbers of Python's."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


def finfo(type: Any, /) -> FloatLimits:
    """Limits of a floating-point dtype, or of an array's; of a complex one those of its parts."""
    found = floats_finfo(np.dtype(_dtype_of(type)))
    eps, most, least = float(found.eps), float(found.max), float(found.min)
    return FloatLimits(found.bits, eps, most, least, float(found.smallest_normal), found.dtype)


def iinfo(type: Any, /) -> Any:
    """Limits of an integer dtype, or of an array's."""
    dtype = np.dtype(_dtype_of(type))
    if is_of_ml_dtypes(dtype):
        raise ValueError(f"{dtype} is no format of integers")
    return np.iinfo(dtype)


def expand_dims(x: Any, /, axis: int | tuple[int, ...] = 0) -> Any:
    """The array with one more axis of extent 1, or with several, places in the result."""
    if on_gpu(x):
        return _of_gpu("expand_dims", x, axis=axis)
    return called(np.expand_dims, (x, axis), {})


def sort(x: Any, /, *, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Any:
    """The elements in order along an axis, all of them for None; NaN is more than every number."""
    if on_gpu(x):
        return _of_gpu("sort", x, axis=axis, descending=descending)
    found = called(np.sort, (x,), {"axis": axis, "stable": stable})
    return called(np.flip, (found, axis), {}) if descending else found


def argsort(
    x: Any, /, *, axis: int | None = -1, descending: bool = False, stable: bool = True
) -> Any:
    """Indices that put the elements in order along an axis; equal ones stay as they are.

    NaN is more than every number: last, or first where the order descends.
    """
    if on_gpu(x):
        return _of_gpu("argsort", x, axis=axis, descending=descending)
    if not descending:
        return called(np.argsort, (x,), {"axis": axis, "stable": stable})
    return called(_argsort_descending, (x, axis, stable), {})


def _argsort_descending(x: Any, axis: int | None, stable: bool) -> Any:
    # Sorted backwards and turned round, equal elements are in their order again.
    values = np.asarray(x)
    found = np.flip(np.argsort(np.flip(values, axis), axis=axis, stable=stable), axis)
    return (values.size if axis is None else values.shape[axis]) - 1 - found


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """How many elements are not zero, of all or along axes."""
    if on_gpu(x):
        return _of_gpu("count_nonzero", x, axis=axis, keepdims=keepdims)
    found = called(np.count_nonzero, (x,), {"axis": axis, "keepdims": keepdims})
    return given(np.asarray(found))


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """What each element is more than the one before it along an axis, n times over.

    prepend, append: what goes before the array and after it first.
    """
    said = {key: value for key, value in (("prepend", prepend), ("append", append))
            if value is not None}  # fmt: skip
    if on_gpu(x, *said.values()):
        return _of_gpu("diff", x, axis=axis, n=n, **said)
    return called(np.diff, (x, n, axis), said)


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """The elements along an axis that the indices there name, for each row by itself."""
    if on_gpu(x, indices):
        return _of_gpu("take_along_axis", x, indices, axis=axis)
    return called(np.take_along_axis, (_array(x), _array(indices), axis), {})


def _frequencies(name: str) -> Callable[..., Any]:
    function = getattr(np.fft, name)

    def call(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
        """Centres of the bins of a transform of n samples at distances of d."""
        return _placed(function(n, d).astype(np.float64 if dtype is None else dtype), device)

    call.__name__ = call.__qualname__ = name
    return call


fft.fftfreq, fft.rfftfreq = _frequencies("fftfreq"), _frequencies("rfftfreq")

__array_api_version__ = "2024.12"
__all__ = [
    "HostArray",
    *("fft", "linalg"),
    *_SAME,
    *_DELEGATED,
    *("can_cast", "isdtype", "result_type", "__array_namespace_info__"),
    *("broadcast_arrays", "clip", "expm1", "meshgrid"),
    *("arange", "argsort", "asarray", "astype", "count_nonzero", "diff", "empty"),
    *("empty_like", "expand_dims", "take_along_axis"),
    *("eye", "finfo", "from_dlpack", "full", "full_like", "iinfo", "linspace", "ones", "ones_like"),
    *("sort", "zeros", "zeros_like"),
]


# What asks its arguments' classes: the functions of NumPy's that are of arrays.
_ASKING = (np.ufunc, type(np.pad))


@functools.cache
def _beyond(name: str) -> Callable[..., Any]:
    function = getattr(np, name)
    return _between(name, function, function)


def __getattr__(name: str) -> Any:
    """NumPy's functions of arrays that the standard lacks: as pad, which xarray asks for."""
    if name == "lib":
        return np.lib
    if name in np.__all__ and isinstance(getattr(np, name), _ASKING):
        return _beyond(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
