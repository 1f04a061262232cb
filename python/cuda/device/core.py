"""Devices, streams, events and memory: the part of cuda.core that launches use, with its names.

Device("host") is the host device, Device(n) GPU n; where there is no GPU, Device(0) is the host
device too. With a GPU and NVIDIA's cuda.core installed, Device(n) gives cuda.core's own object,
whose streams launches take.
"""

import atexit
import os
import re
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, ClassVar, cast

from cuda.device import _core, _missing, _places
from cuda.device._core import Event, Stream
from cuda.device._nvidia_core import nvidia_core
from cuda.device._options import (
    CudaStream,
    EventOptions,
    LaunchConfig,
    StreamOptions,
    check_event,
    check_launch,
    check_stream,
)
from cuda.device._properties import ComputeCapability, DeviceProperties
from cuda.device._resources import (
    Buffer,
    DeviceMemoryResource,
    ManagedMemoryResource,
    MemoryResource,
    PinnedMemoryResource,
)

__all__ = [
    "Buffer",
    "ComputeCapability",
    "Device",
    "DeviceMemoryResource",
    "DeviceProperties",
    "Event",
    "EventOptions",
    "LaunchConfig",
    "ManagedMemoryResource",
    "MemoryResource",
    "PinnedMemoryResource",
    "Stream",
    "StreamOptions",
    "launch",
]

_HOST = "host"

# Names of cuda.core that are not here.
_ELSEWHERE = {
    "Program": "@cuda.device.kernel, which compiles at the first launch",
}

if not TYPE_CHECKING:  # it would find every name that a user misspells

    def __getattr__(name: str) -> object:
        ours = _ELSEWHERE.get(name)
        raise _missing.no_such_name(__name__, name, f"; use {ours}" if ours else "")


def launch(
    stream: CudaStream,
    config: LaunchConfig,
    kernel: "_core.Kernel[...]",
    *kernel_args: object,
) -> None:
    """Queues a kernel on a stream, with the order of arguments of cuda.core's launch.

    stream: a Stream, or any object with __cuda_stream__.
    config: a LaunchConfig, cuda.core's own or a dict of its fields.

    Errors are those of cuda.device.launch(kernel, *kernel_args, grid=, block=, shared=, stream=).
    """
    c = check_launch(config)
    _core.launch(
        kernel, *kernel_args, grid=c.grid, block=c.block, shared=c.shmem_size, stream=stream
    )


class Device:
    """A device that kernels run on: a GPU by its number or as "cuda:0", "host" or "cpu".

    Without any it is the current one. There is one object per device. Raises ValueError for a
    device that does not exist, TypeError for what names none.
    """

    _number: int
    _resource: MemoryResource
    _all: ClassVar[dict[int, "Device"]] = {}

    def __new__(cls, device_id: "int | str | Device | None" = None) -> "Device":
        number = _places.number_of(device_id)
        if number != _places.HOST and (theirs := nvidia_core()) is not None:
            return cast("Device", theirs.Device(number))
        if number not in cls._all:
            made = super().__new__(cls)
            made._number = number
            made._resource = DeviceMemoryResource(made)
            cls._all.setdefault(number, made)
        return cls._all[number]

    @classmethod
    def get_all_devices(cls) -> "tuple[Device, ...]":
        """Every GPU, in order; the host device where there is none."""
        return tuple(cls(n) for n in range(_core.gpu_count())) or (cls(_HOST),)

    @property
    def device_id(self) -> int:
        """Number of the device; 0 for the host device."""
        return max(self._number, 0)

    @property
    def name(self) -> str:
        """Name of the device."""
        return _core.device_info(self._number)[0]

    @property
    def uuid(self) -> str:
        """What tells the device from others, wherever it is seen; zeros for the host device."""
        return _core.device_info(self._number)[1]

    @property
    def compute_capability(self) -> ComputeCapability:
        """(major, minor); the host device emulates (9, 0), or what CUDA_DEVICE_EMULATE names."""
        return ComputeCapability(*divmod(_core.device_info(self._number)[2], 10))

    @property
    def arch(self) -> str:
        """The compute capability as a string: "90"."""
        return str(_core.device_info(self._number)[2])

    @property
    def properties(self) -> DeviceProperties:
        """Limits and other attributes."""
        return DeviceProperties(self._number)

    @property
    def default_stream(self) -> Stream:
        """The stream of launches without stream=; of a GPU the legacy default stream."""
        return _core.default_stream(self._number)

    def set_current(self, ctx: None = None) -> None:
        """Makes the device that of this thread's launches that have neither a stream nor arrays.

        The primary context of a GPU becomes the thread's current one, as other libraries see it.
        """
        if ctx is not None:
            raise TypeError("set_current() takes no context: contexts are those of cuda.core")
        _core.set_current_device(self._number)

    def create_stream(self, obj: object = None, options: object = None) -> Stream:
        """A new stream; launches on it run in order, beside those of other streams.

        obj: an object with __cuda_stream__ whose stream is meant instead of a new one; it is kept.
        options: a StreamOptions, an object of that kind of cuda.core, or a dict of its fields.
        Raises TypeError for other objects and options, NotImplementedYetError for values that the
        host device cannot honour, ValueError for a priority that a GPU does not have.
        """
        host = self._number == _places.HOST
        if obj is None:
            asked = check_stream(options, host=host)
            return _core.create_stream(self._number, asked.nonblocking, asked.priority)
        if options is not None:
            raise TypeError("create_stream() takes options for a new stream only")
        stream = _core.stream_from(obj)
        if stream.device is not self:
            raise ValueError(f"create_stream() of {self!r} was given a stream of {stream.device!r}")
        return stream

    def create_event(self, options: object = None) -> Event:
        """A new event, done until it is recorded.

        options: an EventOptions, an object of that kind of cuda.core, or a dict of its fields.
        Without options the event has a time. Raises TypeError for other options,
        NotImplementedYetError for values that cannot be honoured.
        """
        return Event(timing=check_event(options).enable_timing, device=self._number)

    @property
    def memory_resource(self) -> MemoryResource:
        """What allocate() allocates from: a DeviceMemoryResource, until another one is put here.

        Raises TypeError for what is no memory resource, ValueError for one of another device.
        """
        return self._resource

    @memory_resource.setter
    def memory_resource(self, resource: MemoryResource) -> None:
        if not isinstance(resource, MemoryResource):
            found = type(resource).__qualname__
            raise TypeError(f"memory_resource expects a MemoryResource, found {found!r}")
        if resource._number != self._number:
            raise ValueError(f"memory_resource of {self!r} was given {resource!r}")
        self._resource = resource

    def allocate(self, size: int, stream: object = None) -> Buffer:
        """A new Buffer of `size` bytes in the device's memory.

        stream, and what it raises: as MemoryResource.allocate().
        """
        return self.memory_resource.allocate(size, stream)

    def sync(self) -> None:
        """Waits for every stream of the device; raises the first error of a kernel."""
        _core.sync_device(self._number)

    def __int__(self) -> int:
        return self.device_id

    def __reduce__(self) -> tuple[object, ...]:
        return Device, (_HOST if self._number == _places.HOST else self._number,)

    def __repr__(self) -> str:
        which = _HOST if self._number == _places.HOST else self._number
        return f"<cuda.device.core.Device {which!r}>"


def _add_search_paths() -> None:
    """CUDA's wheels (libdevice, ptxas) lie beside other packages."""
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):
            _core.add_search_path(folder)


_BYTES: tuple[Callable[[str], bool], str] = (
    lambda text: re.fullmatch(r"(\d{1,12}[KMG]?)?", text, re.ASCII) is not None,
    "a number of bytes, or one followed by K, M or G",
)
# What may stand in a variable that would otherwise be ignored without a word.
_VARIABLES: dict[str, tuple[Callable[[str], bool], str]] = {
    "CUDA_DEVICE_NUM_THREADS": (
        lambda text: text.isascii() and text.isdigit() and 1 <= int(text) <= 4096,
        "a whole number from 1 to 4096",
    ),
    "CUDA_DEVICE_CACHE_DIR": (
        lambda text: (
            not text.startswith("~")
            or (text.partition("/")[0] == "~" and os.environ.get("HOME", "").startswith("/"))
        ),
        "a folder, or one below ~ where HOME is set",
    ),
    "CUDA_DEVICE_CACHE": (lambda text: text in ("", "on", "off"), "'on' or 'off'"),
    "CUDA_DEVICE_CACHE_SIZE": _BYTES,
    "CUDA_DEVICE_IMAGE": (lambda text: text in ("", "ptx", "cubin"), "'ptx' or 'cubin'"),
    "CUDA_DEVICE_POOL_SIZE": _BYTES,
}


def _importer() -> tuple[str, int]:
    """File and line of the statement that imported the package."""
    ours = os.path.dirname(__file__) + os.sep
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((ours, "<frozen ")):
            return file, frame.f_lineno
        frame = frame.f_back
    return "sys", 0


def _check_environment() -> None:
    for name, (fits, expected) in _VARIABLES.items():
        asked = os.environ.get(name)
        if asked is not None and not fits(asked):
            text = f"{name}={asked!r} is ignored: {expected} was expected"
            warnings.warn_explicit(text, RuntimeWarning, *_importer())


_add_search_paths()
_check_environment()


@atexit.register
def _finish_queued_work() -> None:
    _core.shutdown()
