"""Memory resources: what buffers are allocated from, under cuda.core's names."""

from typing import Any

from cuda.device import _core, _places
from cuda.device._core import Buffer

__all__ = [
    "Buffer",
    "DeviceMemoryResource",
    "ManagedMemoryResource",
    "MemoryResource",
    "PinnedMemoryResource",
]


class MemoryResource:
    """Allocates buffers of one kind of memory.

    On the host device every kind is plain memory of the process, from one pool; a buffer then
    belongs to host and device alike. What is freed is kept for the next who asks.
    """

    _kind = "device"

    def __init__(self, device_id: Any = None, options: None = None) -> None:
        """device_id: a Device, its number, or None for the current device.

        Raises ValueError for a device that there is not, TypeError for options: there are none.
        """
        if options is not None:
            raise TypeError(f"{type(self).__name__} takes no options, found {options!r}")
        self._number = _places.number_of(device_id)

    def allocate(self, size: int, stream: Any = None) -> Buffer:
        """A new Buffer of `size` bytes, aligned to 256; their contents are undefined.

        stream: the buffer may be used in the order of this stream, and is freed in it; without
        one, by the device's default stream. Raises OutOfMemoryError, a MemoryError, where the
        device has not so much; ValueError for a negative size; TypeError for what is no stream of
        the device.
        """
        return _core.allocate(self._number, self._kind, size, stream, self)

    @property
    def device_id(self) -> int:
        """Number of the device, as Device.device_id."""
        return max(self._number, 0)

    @property
    def is_host_accessible(self) -> bool:
        """Whether the host reads and writes its buffers in place."""
        return self._number == _places.HOST or self._kind != "device"

    @property
    def is_device_accessible(self) -> bool:
        """Whether kernels of the device read and write its buffers."""
        return True

    @property
    def is_managed(self) -> bool:
        """Whether its buffers move between host and device as they are used."""
        return self._kind == "managed"

    def trim(self) -> None:
        """Gives freed memory that is kept but unused back to the system."""
        _core.memory_trim(self._number)

    def __repr__(self) -> str:
        where = "host" if self._number == _places.HOST else f"GPU {self._number}"
        return f"<cuda.device.core.{type(self).__name__} of {where}>"


class DeviceMemoryResource(MemoryResource):
    """Memory of the device itself, in the order of its streams."""

    _kind = "device"


class PinnedMemoryResource(MemoryResource):
    """Memory of the host with its pages locked, which GPUs read and write in place."""

    _kind = "pinned"


class ManagedMemoryResource(MemoryResource):
    """Memory that moves between the host and GPUs as it is used."""

    _kind = "managed"
