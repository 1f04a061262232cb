"""The Array API, version 2023.12, for arrays of the host.

Functions are NumPy's, on the same memory; arrays that they give are HostArrays. Kernels take them
as they take NumPy's. device= is "cpu" or None: for memory of a GPU there is x.to_device().
"""

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from cuda.device import _arrays, _places
from cuda.device._host_arrays import HostArray, given, plain

# NumPy has them under the same names, with the parameters of the standard.
_SAME = (
    *("e", "inf", "nan", "newaxis", "pi"),
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
    *("isdtype", "__array_namespace_info__"),
)
_DELEGATED = (
    *("can_cast", "result_type"),
    *("abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and"),
    *("bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("ceil", "conj", "copysign", "cos", "cosh", "divide", "equal", "exp"),
    *("floor", "floor_divide", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf"),
    *("isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and"),
    *("logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative"),
    *("not_equal", "positive", "pow", "real", "remainder", "round", "sign", "signbit", "sin"),
    *("sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc"),
    *("matmul", "matrix_transpose", "tensordot", "vecdot"),
    *("broadcast_to", "concat", "flip", "moveaxis", "permute_dims", "repeat"),
    *("reshape", "roll", "squeeze", "stack", "tile", "tril", "triu", "unstack"),
    *("argmax", "argmin", "nonzero", "searchsorted", "take", "where"),
    *("unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var", "all", "any"),
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


def _delegated(name: str, module: Any = np) -> Callable[..., Any]:
    """NumPy's function between HostArrays."""
    function = getattr(module, name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        said = {key: plain(value) for key, value in kwargs.items()}
        return given(function(*map(plain, args), **said))

    call.__module__, call.__name__, call.__qualname__ = __name__, name, name
    return call


globals().update({name: getattr(np, name) for name in _SAME})
globals().update({name: _delegated(name) for name in _DELEGATED})
# Extensions of the standard.
linalg: Any = SimpleNamespace(**{name: _delegated(name, np.linalg) for name in _LINALG})
fft: Any = SimpleNamespace(**{name: _delegated(name, np.fft) for name in _FFT})

# --- creation ---


def _check_device(device: Any) -> None:
    if device is not None and _places.number_of(device) != _places.HOST:
        raise ValueError(
            f"device={device!r}: arrays of array_api lie in memory of the host; x.to_device() and "
            "cuda.device.asarray() copy to a GPU"
        )


def _filled(shape: Any, value: Any, dtype: Any, device: Any) -> Any:
    _check_device(device)
    return given(_arrays.full(shape, plain(value), dtype, device="cpu"))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array whose elements are undefined; float64 where no dtype is given."""
    _check_device(device)
    return given(_arrays.empty(shape, np.float64 if dtype is None else dtype, device="cpu"))


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros; float64 where no dtype is given."""
    _check_device(device)
    return given(_arrays.zeros(shape, np.float64 if dtype is None else dtype, device="cpu"))


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones; float64 where no dtype is given."""
    return _filled(shape, 1, np.float64 if dtype is None else dtype, device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of equal elements; of the value's dtype where none is given."""
    return _filled(shape, fill_value, dtype, device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of the shape and dtype of another, its elements undefined."""
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros of the shape and dtype of another."""
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones of the shape and dtype of another."""
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of equal elements of the shape and dtype of another."""
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Any:
    """Numbers from start up to stop at distances of step; from 0 where only one is given."""
    _check_device(device)
    return given(_arrays.arange(start, stop, step, dtype, device="cpu"))


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
    _check_device(device)
    return given(np.eye(n_rows, n_cols, k, np.float64 if dtype is None else dtype))


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
    _check_device(device)
    return given(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint))


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """An array of what obj holds, as cuda.device.asarray with device="cpu"."""
    _check_device(device)
    return given(_arrays.asarray(plain(obj), dtype, device="cpu", copy=copy))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """The array of another library, in the same memory where that is possible."""
    _check_device(device)
    return given(_arrays.from_dlpack(x, device="cpu", copy=copy))


# --- where NumPy's parameters or results are others ---


def meshgrid(*arrays: Any, indexing: Any = "xy") -> Any:
    """Coordinates of a grid: a list of arrays, one for each axis."""
    return given(list(np.meshgrid(*map(plain, arrays), indexing=indexing)))


def broadcast_arrays(*arrays: Any) -> Any:
    """A list of the arrays, each in the shape that all have together."""
    return given(list(np.broadcast_arrays(*map(plain, arrays))))


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The elements, none below min and none above max."""
    return given(np.clip(plain(x), plain(min), plain(max)))


def expm1(x: Any, /) -> Any:
    """exp(x) - 1, accurate near zero."""
    values = plain(x)
    with np.errstate(invalid="ignore") if values.dtype.kind == "c" else np.errstate():
        found = np.expm1(values)
        return given(_with_limits_of_expm1(values, found) if values.dtype.kind == "c" else found)


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
    """The elements in another dtype; copy=False gives x itself where it has that one."""
    _check_device(device)
    return given(plain(x).astype(dtype, copy=copy)) if copy or x.dtype != dtype else x


def _dtype_of(type: Any) -> Any:
    return type.dtype if isinstance(type, np.ndarray) else type


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
    found = np.finfo(_dtype_of(type))
    eps, most, least = float(found.eps), float(found.max), float(found.min)
    return FloatLimits(found.bits, eps, most, least, float(found.smallest_normal), found.dtype)


def iinfo(type: Any, /) -> Any:
    """Limits of an integer dtype, or of an array's."""
    return np.iinfo(_dtype_of(type))


def expand_dims(x: Any, /, axis: int = 0) -> Any:
    """The array with one more axis, of extent 1."""
    return given(np.expand_dims(plain(x), axis))


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The elements in order along an axis."""
    found = np.sort(plain(x), axis=axis, stable=stable)
    return given(np.flip(found, axis) if descending else found)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Indices that put the elements in order along an axis; equal ones stay as they are."""
    values = plain(x)
    if not descending:
        return given(np.argsort(values, axis=axis, stable=stable))
    # Sorted backwards and turned round, equal elements are in their order again.
    found = np.flip(np.argsort(np.flip(values, axis), axis=axis, stable=stable), axis)
    return given(values.shape[axis] - 1 - found)


def _frequencies(name: str) -> Callable[..., Any]:
    function = getattr(np.fft, name)

    def call(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
        """Centres of the bins of a transform of n samples at distances of d."""
        _check_device(device)
        return given(function(n, d).astype(np.float64 if dtype is None else dtype))

    call.__name__ = call.__qualname__ = name
    return call


fft.fftfreq, fft.rfftfreq = _frequencies("fftfreq"), _frequencies("rfftfreq")

__array_api_version__ = "2023.12"
__all__ = [
    "HostArray",
    *("fft", "linalg"),
    *_SAME,
    *_DELEGATED,
    *("broadcast_arrays", "clip", "expm1", "meshgrid"),
    *("arange", "argsort", "asarray", "astype", "empty", "empty_like", "expand_dims"),
    *("eye", "finfo", "from_dlpack", "full", "full_like", "iinfo", "linspace", "ones", "ones_like"),
    *("sort", "zeros", "zeros_like"),
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
