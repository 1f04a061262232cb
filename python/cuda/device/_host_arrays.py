"""Arrays in memory of the host that say more of themselves than NumPy's do."""

import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device import _core, _exports, _places
from cuda.device._floats import accumulator, is_of_ml_dtypes, is_wide

__all__ = [
    "ExportingArray",
    "HostArray",
    "called",
    "exporting",
    "given",
    "namespace",
    "plain",
    "wait",
]


def wait() -> None:
    """Waits for what is queued on the host device: it may read and store elements of any array."""
    _core.sync_device(_places.HOST)


_API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def namespace(api_version: str | None) -> Any:
    """The module cuda.device.array_api; ValueError for versions it is not of."""
    if api_version is not None and api_version not in _API_VERSIONS:
        known = ", ".join(map(repr, _API_VERSIONS))
        raise ValueError(f"api_version={api_version!r}; this is the Array API of {known}")
    from cuda.device import array_api

    return array_api


class ExportingArray(np.ndarray[Any, Any]):
    """A numpy.ndarray that other libraries may take for one in memory that a GPU reaches.

    With CUDA_DEVICE_HOST_CAI=1 in the environment it has __cuda_array_interface__ and, in memory
    that this package has allocated, __sycl_usm_array_interface__. DLPack has its formats that NumPy
    lacks. Everything else is NumPy's.
    """

    __slots__ = ()

    __dlpack_c_exchange_api__: object = _core.exchange_api

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        wrapped: Any = super().__array_wrap__(array, context)
        return wrapped[()] if return_scalar else wrapped

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: Any = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule; BufferError for elements that DLPack has no name for."""
        return _core.export_host_array(self, stream, max_version, dl_device, copy)

    @property
    def usm_type(self) -> str:
        """What SYCL calls the kind of memory: "host", or "unknown" where we did not allocate it."""
        return _exports.host_usm_type(self)

    def get_usm_type(self, syclobj: Any = None) -> str:
        """The same for a context, a queue or a filter string; "unknown" in another context."""
        return _exports.host_usm_type(self, syclobj)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return _exports.cuda_dictionary(self)

    @property
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        return _exports.host_sycl_dictionary(self)


class HostArray(ExportingArray):
    """A numpy.ndarray that keeps to the Array API: array_api makes them.

    An element is an array of no dimensions, not a number of NumPy's, and what functions and
    operators give is a HostArray too. xp.asarray(a) is one in the memory of a NumPy array.
    Whatever reads or writes elements waits for what is queued on the host device, and so does
    taking one element; views do not.
    """

    __slots__ = ()

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The module cuda.device.array_api; ValueError for versions it is not of."""
        return namespace(api_version)

    # An element: with '...' after the index NumPy gives a view of it. It waits, as not everything
    # that reads it asks the class: np.array(x[0]) does not, nor does a[:] = x[0] of NumPy's arrays.
    def __getitem__(self, index: Any, /) -> Any:
        if type(index) is int and self.ndim == 1:
            wait()
            return super().__getitem__((index, ...))
        if not _gives_a_view(index):
            wait()
        found = super().__getitem__(index)
        if isinstance(found, np.ndarray):
            return found
        wait()
        return super().__getitem__((*index, ...) if isinstance(index, tuple) else (index, ...))

    def __getattr__(self, name: str) -> Any:
        # Else the error that has led here, once more.
        return self[name] if self._has_field(name) else super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._has_field(name):
            self[name] = value
        else:
            super().__setattr__(name, value)

    def _has_field(self, name: str) -> bool:
        """Whether it is one vector, struct or numpy.record, with a field that no array has."""
        dtype = self.dtype
        there = name in (dtype.names or ()) and not self.ndim and dtype.type is not np.void
        return there and not hasattr(HostArray, name)

    def reshape(self, *shape: Any, copy: bool | None = None, **kwargs: Any) -> Any:
        """As NumPy's; waits where that is a copy."""
        if copy is None and not kwargs and self.flags.c_contiguous:
            return super().reshape(*shape)
        if copy is None:
            with contextlib.suppress(ValueError):  # it is a copy, or no shape of these elements
                return super().reshape(*shape, copy=False, **kwargs)
        if copy is not False:
            wait()
        return super().reshape(*shape, copy=copy, **kwargs)

    def ravel(self, order: Any = "C") -> Any:
        """As NumPy's; waits where that may be a copy."""
        if not (self.flags.c_contiguous and order == "C"):
            wait()
        return super().ravel(order)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return given(array)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs or method != "__call__" or ufunc in _PRODUCTS:
            function = ufunc if method == "__call__" else getattr(ufunc, method)
            return called(function, inputs, kwargs)
        wait()
        return given(ufunc(*map(plain, inputs)))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not all(issubclass(each, np.ndarray) for each in types):
            return NotImplemented
        return called(func, args, kwargs)

    def __repr__(self) -> str:
        wait()
        return repr(self.view(_Shown))

    def __str__(self) -> str:
        wait()
        return str(self.view(_Shown))

    def to_device(self, device: Any, /, *, stream: int | Any | None = None) -> Any:
        """The array on a device: itself for "cpu", a copy in memory of a GPU for others."""
        if stream is not None:
            raise ValueError(f"to_device() expects no stream of the host, found {stream!r}")
        if _places.number_of(device) == _places.HOST:
            wait()
            return self
        from cuda.device import _arrays

        return _arrays.asarray(self, device=device)


HostArray.__module__ = "cuda.device.array_api"  # where it is found, also by pickle


class _Shown(np.ndarray[Any, Any]):
    """A HostArray as NumPy writes it, whose elements are NumPy's."""


_Shown.__name__ = "HostArray"


_OF_VIEWS = frozenset((int, slice, str, type(None), type(Ellipsis), np.int64, np.intp))


def _gives_a_view(index: Any) -> bool:
    return type(index) in _OF_VIEWS or (
        type(index) is tuple and _OF_VIEWS.issuperset(map(type, index))
    )


# What reads no elements and stores none: it looks at the array, gives another view of its memory,
# or is where NumPy, Python or a library asks the class. All else of NumPy's class waits.
_LOOKING = frozenset(
    (
        *("T", "base", "ctypes", "device", "diagonal", "dtype", "flags", "getfield", "itemsize"),
        *("mT", "nbytes", "ndim", "setflags", "shape", "size", "squeeze", "strides", "swapaxes"),
        *("transpose", "view"),
        *("__array_finalize__", "__array_interface__", "__array_priority__", "__array_struct__"),
        *("__buffer__", "__class_getitem__", "__dlpack_device__", "__doc__", "__hash__"),
        *("__iter__", "__len__", "__new__", "__sizeof__"),
    )
)
# Views of the elements, which may be assigned.
_PARTS = frozenset(("imag", "real"))
# Operators that are ufuncs, which ask the class (__array_ufunc__).
_OPERATORS = frozenset(
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in (
        *("add", "and", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow"),
        *("rshift", "sub", "truediv", "xor"),
    )
).union(("__abs__", "__invert__", "__neg__", "__pos__"))
# Methods that NumPy's C code ends without asking the class what to make of the result.
_CONVERTED = frozenset(
    (
        *("argmax", "argmin", "choose", "dot", "nonzero", "round", "searchsorted", "take", "trace"),
        *("all", "any", "max", "mean", "min", "prod", "std", "sum", "var"),
        *("cumprod", "cumsum"),
    )
)


def _converting(function: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return called(function, args, kwargs)

    return call


def _waiting(function: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        wait()
        return function(*args, **kwargs)

    return call


def _waiting_attribute(name: str, found: Any) -> property:
    read = found.__get__
    return property(
        read if name in _PARTS else _waiting(read), _waiting(found.__set__), None, found.__doc__
    )


def _make_waiting() -> None:
    for name, found in vars(np.ndarray).items():
        if name in vars(HostArray) or name in vars(ExportingArray):
            continue
        if name in _LOOKING or name in _OPERATORS:
            continue
        if name in _CONVERTED:
            made: Any = _converting(found)
        elif isinstance(found, types.GetSetDescriptorType):
            made = _waiting_attribute(name, found)
        else:
            made = _waiting(found)
        setattr(HostArray, name, made)


_make_waiting()


def given(result: Any, seen: dict[int, tuple[Any, Any]] | None = None) -> Any:
    """What NumPy gave as a caller of the Array API sees it: every array is a HostArray.

    seen: arrays that were given to NumPy, as for plain.
    """
    if seen and id(result) in seen:
        return seen[id(result)][1]
    if type(result) in (np.ndarray, ExportingArray):
        return result.view(HostArray)
    if isinstance(result, np.generic):
        return np.asarray(result).view(HostArray)
    if isinstance(result, tuple):
        made = (given(each, seen) for each in result)
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)
    return [given(each, seen) for each in result] if type(result) is list else result


def plain(value: Any, seen: dict[int, tuple[Any, Any]] | None = None) -> Any:
    """An argument for NumPy: arrays of ours as its own, of the same memory, in sequences too.

    seen: by its identity, each array that NumPy is given, and what it was made of.
    """
    if type(value) in (tuple, list):
        return type(value)(plain(each, seen) for each in value)
    made = value.view(np.ndarray) if isinstance(value, ExportingArray) else value
    if seen is not None and isinstance(made, np.ndarray):
        seen[id(made)] = made, value
    return made


def called(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """NumPy's function of arguments of ours, and what it gives as ours.

    An argument that it gives back, as `out=` is, stays what it was. Waits for what is queued, but
    for functions of one array, which is no list, that read no elements.
    """
    if function not in _OF_SHAPES or not args or type(args[0]) in (list, tuple):
        wait()
    seen: dict[int, tuple[Any, Any]] = {}
    positional = plain(tuple(args), seen)
    keywords = {key: plain(value, seen) for key, value in kwargs.items()}
    if function in _ACCUMULATING:
        return given(_accumulated(function, positional, keywords), seen)
    if function in _PRODUCTS:
        return given(_product(function, positional, keywords), seen)
    return given(function(*positional, **keywords), seen)


_OF_SHAPES: frozenset[Any] = frozenset(
    getattr(np, name)
    for name in (
        *("broadcast_to", "expand_dims", "flip", "matrix_transpose", "moveaxis", "ndim"),
        *("permute_dims", "shape", "size", "squeeze", "swapaxes", "transpose"),
    )
)
# Sums, products and means, and where their parameter `dtype` stands; `out` is the next.
_ACCUMULATING: dict[Any, int] = {
    **{
        getattr(module, name): 2
        for module in (np, np.ndarray)
        for name in ("cumprod", "cumsum", "mean", "prod", "std", "sum", "var")
    },
    **dict.fromkeys((np.cumulative_prod, np.cumulative_sum), 2),
    # NumPy gives __array_ufunc__ the parameters of these by name.
    **{
        getattr(ufunc, method): 2
        for ufunc in (np.add, np.multiply)
        for method in ("accumulate", "reduce", "reduceat")
    },
    **dict.fromkeys((np.trace, np.ndarray.trace, np.linalg.trace), 4),
}
# Products of two arrays, and where their parameter `out` stands.
_PRODUCTS: dict[Any, int] = {
    **dict.fromkeys((np.dot, np.ndarray.dot, np.matmul, np.vecdot), 2),
    **dict.fromkeys((np.inner, np.vdot, np.tensordot), 3),
    **{getattr(np.linalg, name): 3 for name in ("matmul", "tensordot", "vecdot")},
}


def _accumulated(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A sum, product or mean; of narrow floats accumulated in float32, and rounded once."""
    place = _ACCUMULATING[function]
    dtype, out = _said(args, kwargs, "dtype", place), _said(args, kwargs, "out", place + 1)
    if dtype is None:
        dtype = getattr(args[0] if out is None and args else out, "dtype", None)
    if dtype is None or is_wide(np.dtype(dtype)):
        return function(*args, **kwargs)

    def call(wide: Any, there: Any) -> Any:
        said = _with(args, kwargs, "dtype", place, wide)
        positional, keywords = _with(*said, "out", place + 1, there)
        return function(*positional, **keywords)

    return _rounded_once(call, np.dtype(dtype), out)


def _product(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A product of arrays; of floats that NumPy has not by way of float32, and rounded once."""
    formats = [x.dtype for x in args[:2] if isinstance(x, np.ndarray)]
    if not any(map(is_of_ml_dtypes, formats)):
        return function(*args, **kwargs)
    place = _PRODUCTS[function]

    def call(wide: Any, there: Any) -> Any:
        operands = [x.astype(wide) if isinstance(x, np.ndarray) else x for x in args[:2]]
        positional, keywords = _with((*operands, *args[2:]), kwargs, "out", place, there)
        return function(*positional, **keywords)

    return _rounded_once(call, np.result_type(*formats), _said(args, kwargs, "out", place))


def _said(args: Any, kwargs: Any, name: str, place: int) -> Any:
    """An argument by its name or place; None where it is not given."""
    found = args[place] if place < len(args) else kwargs.get(name)
    return found[0] if type(found) is tuple and len(found) == 1 else found  # as ufuncs have `out`


def _with(args: Any, kwargs: Any, name: str, place: int, value: Any) -> tuple[Any, Any]:
    """The arguments with another value for one of them."""
    if place < len(args):
        return (*args[:place], value, *args[place + 1 :]), kwargs
    return args, {**kwargs, name: value} if value is not None else kwargs


def _rounded_once(call: Callable[[Any, Any], Any], dtype: Any, out: Any) -> Any:
    """What a call gives that is told a format to compute in, and where to store it, or None."""
    wide = accumulator(dtype)
    there = np.empty(out.shape, wide) if isinstance(out, np.ndarray) else out
    with np.errstate(over="ignore"):
        found = np.asarray(call(wide, there)).astype(dtype)
    if out is None:
        return found
    np.copyto(out, found, casting="same_kind")
    return out


def exporting(array: Any) -> Any:
    """An array of the host as users get it: NumPy's, or one that speaks the interfaces of GPUs."""
    wanted = type(array) is np.ndarray and _exports.exports_host()
    return array.view(ExportingArray) if wanted else array
