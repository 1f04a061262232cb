"""Device memory, streams and events under the names of NumbaPro and Numba.

On a machine without a GPU the device is the host: its arrays are memory of this process.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from cuda.device import _arrays, _core, _interfaces, _places
from cuda.device.numbapro import _config
from cuda.device.numbapro._types import NumberType

_INTERFACE = "__cuda_array_interface__"


class Stream:
    """A queue of work. `with stream.auto_synchronize():` waits for it at the end."""

    def __init__(self, stream: _core.Stream) -> None:
        self._stream = stream

    @property
    def handle(self) -> int:
        """What CUDA knows it by."""
        return self._stream.handle

    def __int__(self) -> int:
        return self.handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._stream.__cuda_stream__()

    def synchronize(self) -> None:
        """Waits for all that is queued; raises the first error of a kernel."""
        self._stream.sync()

    @contextlib.contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Waits for the stream when the block of the `with` statement ends."""
        yield self
        self.synchronize()

    def __repr__(self) -> str:
        return f"<CUDA stream {self.handle:#x}>"


def _number() -> int:
    return _places.number_of(None)


def stream() -> Stream:
    """A new stream of the current device.

    As CUDA's own, it and the default stream wait for each other: each operation of one comes after
    what was queued on the other before.
    """
    return Stream(_core.create_stream(_number(), nonblocking=False))


def default_stream() -> Stream:
    """The stream of what names none; it and those of stream() wait for each other."""
    return Stream(_core.default_stream(_number()))


def _well_known(handle: int) -> Stream:
    if _number() == _places.HOST:  # it has one default stream
        return default_stream()
    return external_stream(handle)


def legacy_default_stream() -> Stream:
    """CUDA's default stream that other blocking streams wait for."""
    return _well_known(1)


def per_thread_default_stream() -> Stream:
    """CUDA's default stream of this thread."""
    return _well_known(2)


def external_stream(ptr: int) -> Stream:
    """The stream with this handle, which its owner keeps alive."""
    return Stream(_core.Stream.from_handle(ptr))


def _queue(given: Any) -> Any:
    """Our stream of what a program gives; None for 0, which is none."""
    if isinstance(given, Stream):
        return given._stream
    if given is None or (isinstance(given, int) and given == 0):
        return None
    return _core.stream_from(given)


class Event:
    """A mark in a stream, for other streams and the host to wait for."""

    def __init__(self, timing: bool = True) -> None:
        self._event = _core.Event(timing=timing, device=_number())

    def record(self, stream: Any = 0) -> None:
        """Marks what is queued on the stream now; of none the default stream."""
        (_queue(stream) or default_stream()._stream).record(self._event)

    def wait(self, stream: Any = 0) -> None:
        """Lets what is queued on the stream from now on wait for the mark."""
        (_queue(stream) or default_stream()._stream).wait(self._event)

    def synchronize(self) -> None:
        """Waits on the host for the mark."""
        self._event.sync()

    def query(self) -> bool:
        """Whether all that was queued before the mark is done."""
        return self._event.is_done

    def elapsed_time(self, later: Event) -> float:
        """Milliseconds from this mark to a later one."""
        return later._event - self._event


def event(timing: bool = True) -> Event:
    """A new event; timing=False where no time between events is asked for."""
    return Event(timing)


def event_elapsed_time(earlier: Event, later: Event) -> float:
    """Milliseconds between two marks."""
    return earlier.elapsed_time(later)


def synchronize() -> None:
    """Waits for every stream of the current device; raises the first error of a kernel."""
    _core.sync_device(_number())


class DeviceNDArray:
    """An array in memory of the device.

    stream: its default stream, which its copies come after and use where none is given; 0 for
    none. It is no default stream of CUDA's. The array keeps it alive.
    """

    def __init__(self, array: Any, stream: Any = 0, host: Any = None) -> None:
        self._array = array
        self.stream = stream if stream is not None else 0
        self._host = host  # the array that to_device() made it of

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each dimension."""
        return tuple(self._array.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension."""
        return tuple(self._array.strides)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        found: np.dtype[Any] = np.dtype(self._array.dtype)
        return found

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return len(self._array)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """A NumPy array of the elements, as copy_to_host() gives it. Raises ValueError for
        copy=False."""
        if copy is False:
            raise ValueError("the elements of an array of the device are copied for NumPy")
        found = self.copy_to_host()
        return found if dtype is None else found.astype(dtype, copy=False)

    def __getitem__(self, index: Any) -> Any:
        part = self._array[index]
        if isinstance(part, np.generic):
            self._wait(0)
            return self._array[index]
        if part.ndim == 0:
            self._wait(0)
            return _arrays.to_host(part)[()]
        return DeviceNDArray(part, self.stream)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._wait(0)
        source = value._array if isinstance(value, DeviceNDArray) else value
        self._refuse_complex("an assignment to a part", source)
        self._array[index] = source

    def reshape(self, *shape: Any) -> DeviceNDArray:
        """The same memory in another shape."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        return DeviceNDArray(self._array.reshape(wanted), self.stream)

    def _wait(self, stream: Any) -> None:
        queue = _queue(stream) or _queue(self.stream) or default_stream()._stream
        queue.record().sync()  # the default stream's mark comes after those that it waits for
        queue.sync()  # raises what went wrong

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """A NumPy array of the elements, or `ary` filled with them.

        It comes after what is queued on the stream, or where none is given on the array's. Raises
        ValueError where `ary` has another shape or dtype, TypeError where it is no NumPy array.
        """
        self._wait(stream)
        found = _arrays.to_host(self._array)
        if ary is None:
            return found.copy(order="K") if found is self._array else found
        if not isinstance(ary, np.ndarray):
            raise TypeError(f"copy_to_host() fills a NumPy array, found {type(ary).__name__}")
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(
                f"copy_to_host() of {self.dtype}{list(self.shape)} was given an array of "
                f"{ary.dtype}{list(ary.shape)}"
            )
        ary[...] = found
        return ary

    def to_host(self, stream: Any = 0) -> Any:
        """Copies the elements back into the array of the host that to_device() was given.

        As copy_to_host() of that array. Raises ValueError for other arrays of the device, and for
        one whose elements the host may not write.
        """
        if self._host is None:
            raise ValueError(
                "to_host() copies into the array that to_device() was given, and this array comes "
                "from elsewhere; copy_to_host() makes a new one"
            )
        return self.copy_to_host(self._host, stream)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Fills the array with the elements of an array of the host or device.

        They are converted to its type. Raises ValueError where `ary` has another shape, and
        TypeError for complex numbers in an array of real ones.
        """
        self._wait(stream)
        source = ary._array if isinstance(ary, DeviceNDArray) else np.asarray(ary)
        if tuple(source.shape) != self.shape:
            raise ValueError(
                f"copy_to_device() of shape {self.shape} was given an array of {source.shape}"
            )
        self._refuse_complex("copy_to_device()", source)
        self._array[...] = source

    def _refuse_complex(self, action: str, source: Any) -> None:
        """Complex numbers become no real ones, as in kernels: NP-TYPE-01."""
        found = source.dtype if hasattr(source, "dtype") else np.asarray(source).dtype
        if found.kind == "c" and self.dtype.kind != "c":
            raise TypeError(
                f"{action} of an array of {self.dtype} was given {found}: complex numbers do not "
                "become real ones; give their .real, .imag or abs()"
            )

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array for other libraries, its stream the default stream of the array."""
        queue = _queue(self.stream)
        found = _interface_of(self._array)
        found["stream"] = None if queue is None else int(queue.handle)
        return found

    def __repr__(self) -> str:
        return f"<device array {self.dtype}{list(self.shape)}>"


def _interface_of(array: Any) -> dict[str, Any]:
    if not isinstance(array, np.ndarray):
        return dict(array.__cuda_array_interface__)
    if os.environ.get("CUDA_DEVICE_HOST_CAI") != "1":
        raise AttributeError(
            f"memory of the host has no {_INTERFACE}: others would take it for a GPU's; "
            "CUDA_DEVICE_HOST_CAI=1 in the environment shows it"
        )
    return {
        "shape": array.shape,
        "typestr": array.dtype.str,
        "data": (array.ctypes.data if array.size else 0, not array.flags.writeable),
        "strides": None if array.flags.c_contiguous else array.strides,
        "version": 3,
    }


def device_array(
    shape: Any, dtype: Any = np.float64, order: str = "C", stream: Any = 0
) -> DeviceNDArray:
    """An array of the device whose elements are undefined; stream: its default stream."""
    return DeviceNDArray(_arrays.empty(shape, _dtype(dtype), order=order), stream)


def _dtype(dtype: Any) -> Any:
    return dtype.dtype if isinstance(dtype, NumberType) else dtype


def device_array_like(ary: Any, stream: Any = 0) -> DeviceNDArray:
    """An array of the device with the shape, dtype and order of another one."""
    columns = ary.ndim > 1 and ary.strides[0] < ary.strides[-1]
    return device_array(ary.shape, ary.dtype, "F" if columns else "C", stream)


def to_device(
    obj: Any, stream: Any = 0, copy: bool = True, to: DeviceNDArray | None = None
) -> DeviceNDArray:
    """A copy of an array of the host in memory of the device.

    copy=False: only the memory, whose elements are undefined. to: the array that it goes to; it
    raises what copy_to_device() raises.
    """
    source = obj if isinstance(obj, DeviceNDArray) else np.asarray(obj)
    made = device_array_like(source, stream) if to is None else to
    if copy:
        made.copy_to_device(source, stream)
    if isinstance(obj, np.ndarray):
        made._host = obj
    return made


def pinned_array(shape: Any, dtype: Any = np.float64, order: str = "C") -> Any:
    """An array of the host whose memory GPUs read and write themselves."""
    if _number() == _places.HOST:
        return _arrays.empty(shape, _dtype(dtype), order=order)
    return np.asarray(_arrays.empty(shape, _dtype(dtype), memory="pinned", order=order))


@contextlib.contextmanager
def pinned(*arrays: Any) -> Iterator[None]:
    """Within the `with` statement copies of these arrays of the host may be asynchronous.

    Copies wait in any case, so nothing is locked.
    """
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"pinned() expects arrays of the host, found {type(array).__name__!r}")
    yield


@contextlib.contextmanager
def mapped(*arrays: Any, stream: Any = 0) -> Iterator[Any]:
    """Within the `with` statement arrays of the host are arrays of the device.

    Gives the array of the device, or a list of them where there are several. When the statement
    ends the stream is waited for, and the arrays of the host have what kernels wrote.
    """
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"mapped() expects arrays of the host, found {type(array).__name__!r}")
    on_host = _number() == _places.HOST
    made = [
        DeviceNDArray(array, stream, array) if on_host else to_device(array, stream)
        for array in arrays
    ]
    yield made[0] if len(made) == 1 else made
    for array in made:
        array._wait(0)
        if not on_host:
            array.to_host()


def _synchronised(desc: Any, sync: bool) -> Any:
    """The stream that a description names, waited for; 0 for none."""
    handle = desc.get("stream") if isinstance(desc, dict) else None
    if not isinstance(handle, int) or handle <= 0:
        return 0
    found = external_stream(handle)
    if sync and _config.synchronises():
        found.synchronize()
    return found


def as_cuda_array(obj: Any, sync: bool = True) -> DeviceNDArray:
    """The array of an object with __cuda_array_interface__, in the same memory; keeps the object.

    The stream that the object names is waited for, and is the array's default stream. sync=False
    leaves the waiting out, as NUMBA_CUDA_ARRAY_INTERFACE_SYNC=0 and
    cuda.config.CUDA_ARRAY_INTERFACE_SYNC = 0 do for all. Raises as
    cuda.device.as_cuda_array.
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if not is_cuda_array(obj):
        raise TypeError(
            f"as_cuda_array() needs {_INTERFACE}, which {type(obj).__qualname__!r} lacks"
        )
    return from_cuda_array_interface(getattr(obj, _INTERFACE), obj, sync)


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> DeviceNDArray:
    """The array that a dictionary of the CUDA Array Interface describes, as by as_cuda_array.

    owner: kept as long as the array; without one the caller keeps the memory.
    """
    found = _interfaces.from_cuda_array_interface(desc, owner, False)
    return DeviceNDArray(found, _synchronised(desc, sync))


def argument_of(obj: Any) -> Any:
    """The array that an object with __cuda_array_interface__ is to a launch.

    The launch comes after the work on the stream that the object names. For memory of the host that
    stream is waited for here.
    """
    desc, sync = getattr(obj, _INTERFACE), _config.synchronises()
    made = _interfaces.from_cuda_array_interface(desc, obj, sync)
    if isinstance(made, np.ndarray):
        _synchronised(desc, sync)
    return made


def is_cuda_array(obj: Any) -> bool:
    """Whether the object has __cuda_array_interface__."""
    return not isinstance(obj, type) and hasattr(obj, _INTERFACE)
