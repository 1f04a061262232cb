"""Arrays of our own: NumPy's arrays on the host device, Array in memory that GPUs reach.

On the host device an array is a numpy.ndarray whose memory comes from our pool, aligned to 256
bytes; those of array_api are of a subclass. On a GPU it is a thin Array, which kernels and DLPack
take and the host copies by to_host.
"""

import operator
from typing import Any

import numpy as np
from cuda.device import _core, _floats, _interfaces, _places
from cuda.device._core import Array, Vector
from cuda.device._elements import plain
from cuda.device._host_arrays import ExportingArray, exporting, given, wait

__all__ = ["Array", "arange", "asarray", "empty", "from_dlpack", "full", "to_host", "zeros"]


# Python's numbers are of other formats in NumPy's arrays than in kernels.
_TWO_FORMATS = {
    float: ("float64", "float32"),
    int: ("int64", "int32"),
    complex: ("complex128", "complex64"),
}


def _format(dtype: Any) -> np.dtype[Any]:
    """NumPy's dtype, that of a struct or vector too; TypeError for Python objects and numbers."""
    if isinstance(dtype, type) and dtype in _TWO_FORMATS:
        numpys, ours = _TWO_FORMATS[dtype]
        raise TypeError(
            f"dtype={dtype.__name__} is {numpys} in NumPy and {ours} in kernels: "
            f"write device.{numpys} or device.{ours}"
        )
    if isinstance(dtype, str) and dtype in _floats.OF_ML_DTYPES:
        dtype = _floats.named(dtype)
    made: np.dtype[Any] = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    _check_elements(made)
    return made


def _check_elements(dtype: np.dtype[Any]) -> None:
    """TypeError for elements that kernels do not take: Python objects, text, dates."""
    kind = "O" if dtype.hasobject else dtype.base.kind
    if kind in _interfaces.UNUSABLE:
        raise TypeError(f"arrays of {_interfaces.UNUSABLE[kind]} cannot be passed to kernels")
    if dtype.itemsize == 0 and dtype.names is None:
        raise TypeError(f"elements of {dtype} have no bytes")


def _format_of(value: Any) -> Any:
    """The dtype of a vector or struct; None for what NumPy finds out."""
    return getattr(type(value), "numpy_dtype", None)


def _record_of(obj: Any) -> Any:
    """The struct or vector that is given, or that a list is of, or a list of lists; else None."""
    while type(obj) in (list, tuple) and obj:
        obj = obj[0]
    known = isinstance(obj, Vector) or hasattr(type(obj), "__cuda_device_struct__")
    return type(obj) if known else None


def _rows(obj: Any) -> Any:
    """Nested sequences of vectors or structs as lists of tuples."""
    return list(map(_rows, obj)) if type(obj) in (list, tuple) else plain(obj)


def _extents(shape: Any) -> list[int]:
    """A shape, an int or a sequence of them; TypeError and ValueError for others."""
    try:
        extents = list(map(operator.index, shape if isinstance(shape, tuple | list) else (shape,)))
    except TypeError:
        raise TypeError(f"shape expects an int or a tuple of ints, found {shape!r}") from None
    if extents and min(extents) < 0:
        raise ValueError(f"shape={tuple(extents)} has a negative extent")
    if extents and max(extents) >= 1 << 63:
        raise ValueError(f"shape={tuple(extents)} has an extent that does not fit 64 bits")
    if len(extents) > 64:
        raise ValueError(f"an array of {len(extents)} dimensions; at most 64 are allowed")
    return extents


def _columns(order: object) -> bool:
    if order not in ("C", "F"):
        raise ValueError(f"order={order!r}: 'C' (row by row) or 'F' was expected")
    return order == "F"


def _make(shape: Any, dtype: Any, device: Any, memory: str, order: str, zero: bool = False) -> Any:
    extents, made = _extents(shape), _format(dtype)
    if made.shape:  # the dimensions of a sub-array follow those of the array
        extents, made = _extents((*extents, *made.shape)), made.base
    number, kind, columns = _places.number_of(device), _places.kind_of(memory), _columns(order)
    if number == _places.HOST:
        return exporting(_core.host_array(extents, made, columns, zero))
    array = _core.gpu_array(number, kind, extents, made, columns)
    if zero:
        _fill(array, np.zeros((), made))
    return array


def _fill(array: Array, value: np.ndarray[Any, Any]) -> None:
    if array.size and not _core.fill_gpu(array, value.tobytes()):
        array[...] = value


def empty(
    shape: Any,
    dtype: Any = np.float64,
    *,
    device: Any = None,
    memory: str = "device",
    order: str = "C",
) -> Any:
    """An array whose elements are undefined.

    shape: an int or a tuple of ints. dtype: of numbers or bools, as NumPy names it, a vector type
    or a struct; float64 where none is given. device: "cpu", "cuda:0", a core.Device or its number;
    the current device where none is given. memory: on a GPU "device", "pinned" or "managed". order:
    "C" for row by row, "F" for column by column.

    The host device gives a numpy.ndarray, a GPU an Array. Raises OutOfMemoryError where the device
    has not so much memory, ValueError for a device that there is not.
    """
    return _make(shape, dtype, device, memory, order)


def zeros(
    shape: Any,
    dtype: Any = np.float64,
    *,
    device: Any = None,
    memory: str = "device",
    order: str = "C",
) -> Any:
    """An array of zeros; arguments, result and errors as for empty."""
    return _make(shape, dtype, device, memory, order, zero=True)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    *,
    device: Any = None,
    memory: str = "device",
    order: str = "C",
) -> Any:
    """An array of equal elements; arguments as for empty.

    Without dtype the elements have the format that NumPy gives to fill_value.
    """
    made = _format_of(fill_value) if dtype is None else _format(dtype)
    if isinstance(fill_value, np.ndarray):
        wait()
    value = np.asarray(plain(fill_value), None if made is None else made.base)
    if value.ndim != 0:
        raise TypeError(f"fill_value expects one number, found shape {value.shape}")
    array = _make(shape, value.dtype if made is None else made, device, memory, order)
    if isinstance(array, Array):
        _fill(array, value)
    else:
        array.fill(value[()])
    return array


def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    *,
    device: Any = None,
    memory: str = "device",
) -> Any:
    """Numbers from start up to stop, which is left out, at distances of step, as numpy.arange.

    arange(stop) begins at 0. device, memory: as for empty.
    """
    if start is None:
        raise TypeError("arange() expects numbers, found None")
    first: Any = 0 if stop is None else start
    end: Any = start if stop is None else stop
    wanted = None if dtype is None else _format(dtype)
    return _moved(np.arange(first, end, step, dtype=wanted), _places.number_of(device), memory)


def _moved(array: np.ndarray[Any, Any], number: int, memory: str) -> Any:
    """A copy of a host array in memory of a device."""
    made = _make(array.shape, array.dtype, _device_text(number), memory, "C")
    made[...] = array
    return made


def _device_text(number: int) -> str:
    return "cpu" if number == _places.HOST else f"cuda:{number}"


def _check_copy(copy: Any) -> None:
    if copy not in (None, True, False):
        raise TypeError(f"copy expects None, True or False, found {copy!r}")


def _host_view(obj: Any, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """An object of the host as an array, without a copy where that is possible."""
    record = _record_of(obj)
    dtype = record if dtype is None else dtype
    wanted = None if dtype is None else _format(dtype)
    source = obj
    if wanted is not None and wanted.names is not None:
        source = _rows(obj) if record else plain(obj)
    made = np.asarray(source, wanted, copy=False if copy is False else None)
    if made.dtype.hasobject and not isinstance(obj, np.ndarray | list | tuple):
        raise TypeError(
            f"{type(obj).__qualname__!r} is no array: it implements neither __dlpack__ nor "
            "__cuda_array_interface__ nor __sycl_usm_array_interface__, and is no buffer and no "
            "number"
        )
    return made


def _holds_arrays(obj: Any) -> bool:
    """Whether arrays are among the first elements of a list, or of the first lists in it.

    Not of all: that would take as long as to make an array of them. An array of several elements
    has lists and arrays beside it, and a single element has waited when it was taken.
    """
    if type(obj) not in (list, tuple):
        return isinstance(obj, np.ndarray)
    return any(map(_holds_arrays, obj[:8]))


def in_our_memory(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy of an array of the host in memory of our pool."""
    columns = array.flags.f_contiguous and not array.flags.c_contiguous
    made: np.ndarray[Any, Any] = _core.host_array(list(array.shape), array.dtype, columns, False)
    made[...] = array
    return made


def _is_new(made: np.ndarray[Any, Any], of: Any) -> bool:
    """Whether NumPy has made an array of memory that nobody else has."""
    if isinstance(of, np.ndarray):
        return made is not of and made.base is None
    return isinstance(of, list | tuple | int | float | complex | np.generic | Vector)


def _on_gpu(array: Array, number: int, dtype: Any, copy: bool | None, memory: str) -> Any:
    """An array of a GPU on some device, copied where that is needed."""
    here = array.device == _device_text(number)
    other_format = dtype is not None and _format(dtype) != array.dtype
    if here and not other_format and not copy:
        return array
    if number == _places.HOST and array.memory != "device" and not other_format and not copy:
        return array.__array__()
    if copy is False:
        raise ValueError("an array elsewhere or of another dtype is a copy, copy=False was given")
    if number == _places.HOST or other_format:
        host = to_host(array)
        host = host if dtype is None else host.astype(_format(dtype))
        return host if number == _places.HOST else _moved(host, number, memory)
    made = _make(array.shape, array.dtype, _device_text(number), memory, "C")
    made[...] = array
    return made


def asarray(
    obj: Any,
    dtype: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    memory: str = "device",
) -> Any:
    """An array of what obj holds: numbers, structs, sequences of them, buffers, arrays of any
    library with DLPack, the CUDA Array Interface or SYCL's USM array interface, in this order.

    Without a copy where that is possible, as of pinned and managed memory for the host, when all
    that is queued is done; copy=True makes one always, copy=False raises ValueError where one is
    needed. A copy on the host lies in memory of ours, as that of empty. Bytes are uint8 and can be
    read only, other buffers have the format that they name. dtype: convert to this format. device:
    where the array is to be; without it, an array of a GPU stays where it is and everything else
    goes to the current device. memory: of a copy on a GPU, as for empty.
    """
    _check_copy(copy)
    _places.kind_of(memory)
    found = imported(obj)
    if isinstance(found, Array):
        number = _places.number_of(found.device if device is None else device)
        return _on_gpu(found, number, dtype, copy, memory)
    number = _places.number_of(device)
    if copy or dtype is not None or (type(found) in (list, tuple) and _holds_arrays(found)):
        wait()
    host = _host_view(found, dtype, copy if number == _places.HOST else None)
    _check_elements(host.dtype)
    if number == _places.HOST:
        return exporting(in_our_memory(host) if copy or _is_new(host, found) else host)
    return _to_gpu(host, number, copy, memory)


def _to_gpu(host: np.ndarray[Any, Any], number: int, copy: bool | None, memory: str) -> Any:
    if copy is False:
        raise ValueError("memory of the host gets to a GPU by a copy, copy=False was given")
    return _moved(host, number, memory)


def imported(obj: Any) -> Any:
    """An array of another library as ours, in the same memory; what NumPy takes is given back.

    The protocols are asked in the order of launches. One that refuses (DLPack has no name for
    records) leaves the array to the next.
    """
    if isinstance(obj, np.ndarray | np.generic | Array | type):
        _interfaces.refuse_mask(obj)
        return obj
    if isinstance(obj, bytes):
        return np.asarray(memoryview(obj))
    refusal = None
    if hasattr(obj, "__dlpack_device__"):
        try:
            return _core.import_dlpack(obj)
        except (BufferError, TypeError) as error:  # TypeError: PyArrow's
            refusal = error
    description = getattr(obj, "__cuda_array_interface__", None)
    if description is not None:
        return _interfaces.from_cuda_array_interface(description, obj)
    if hasattr(obj, "__sycl_usm_array_interface__"):
        return _interfaces.from_sycl_usm(obj)
    if refusal is not None and not hasattr(obj, "__array__"):
        raise refusal
    return obj


def _taken(x: Any, for_host: bool, copy: bool | None) -> Any:
    """By DLPack; arrays of NumPy as they are where only NumPy refuses their elements."""
    if isinstance(x, Array):
        return x
    _interfaces.refuse_mask(x)
    plainly = type(x) is np.ndarray or isinstance(x, ExportingArray)
    if plainly and x.dtype.isnative and x.dtype.kind in "biufcV" and not x.dtype.hasobject:
        if isinstance(x, ExportingArray):
            wait()  # as its __dlpack__ does
        return x.view(np.ndarray)
    return _core.import_dlpack(x, for_host, False if copy is False else None)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """The array of another library, in the same memory where that is possible.

    device: where the array is to be; without it, it stays where it is. copy: as for asarray.
    Raises AttributeError for an object without __dlpack__ and __dlpack_device__, BufferError for a
    tensor that cannot be taken.
    """
    for name in ("__dlpack__", "__dlpack_device__"):
        if not hasattr(x, name):
            raise AttributeError(
                f"from_dlpack() needs {name}, which {type(x).__qualname__!r} lacks"
            )
    _check_copy(copy)
    for_host = device is not None and _places.number_of(device) == _places.HOST
    array = _taken(x, for_host, copy)
    if isinstance(array, Array):
        number = _places.number_of(array.device if device is None else device)
        return _on_gpu(array, number, None, copy, "device")
    number = _places.HOST if device is None else _places.number_of(device)
    if number == _places.HOST:
        if copy:
            wait()
        return exporting(in_our_memory(array) if copy else array)
    return _to_gpu(array, number, copy, "device")


def to_host(array: Any) -> np.ndarray[Any, Any]:
    """A NumPy array with the elements of an array of any device, when all that is queued is done.

    In the same memory where that is of the host: NumPy's own arrays are given as they are, those of
    other libraries as by asarray.
    """
    found = imported(array)
    if isinstance(found, Array):
        return _core.to_host(found)
    wait()
    host = _host_view(found, None, None)
    if host.dtype.hasobject:
        _check_elements(host.dtype)
    return host


def reduced(array: Array) -> tuple[Any, ...]:
    """For pickle and copy: the elements, when all that is queued is done."""
    return restored, (to_host(array), array.memory)


def restored(host: np.ndarray[Any, Any], memory: str) -> Any:
    """What was pickled, on the current device of the process that reads it.

    On the host it is what to_device("cpu") gives.
    """
    return given(_moved(host, _core.current_device(), memory))
