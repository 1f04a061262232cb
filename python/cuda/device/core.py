"""Devices, streams and events: the part of cuda.core that launches use, with the same names.

Device("host") is the host device, and so is Device(0), whatever GPUs there are: launches on streams
of a GPU are not implemented yet.
"""

import atexit
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Optional

from cuda.device import _core
from cuda.device._core import Event, Stream
from cuda.device._options import EventOptions, StreamOptions, check_event, check_stream

__all__ = ["Device", "Event", "EventOptions", "Stream", "StreamOptions"]

_HOST = "host"


class Device:
    """A device that kernels run on. There is one object per device.

    Raises ValueError for a device that does not exist.
    """

    _host: Optional["Device"] = None

    def __new__(cls, device_id: int | str | None = None) -> "Device":
        if device_id not in (None, 0, _HOST):
            known = "this process has the host device, Device('host')"
            raise ValueError(f"no device {device_id!r}: {known}")
        if cls._host is None:
            cls._host = super().__new__(cls)
        return cls._host

    @property
    def device_id(self) -> int:
        """Number of the device; 0 for the host device."""
        return 0

    @property
    def name(self) -> str:
        """Name of the device."""
        return _HOST

    @property
    def default_stream(self) -> Stream:
        """The stream of launches without stream=."""
        return _core.default_stream()

    def set_current(self) -> None:
        """Makes the device the one of launches that name none. The host device always is."""

    def create_stream(self, obj: None = None, options: object = None) -> Stream:
        """A new stream; launches on it run in order, beside those of other streams.

        options: a StreamOptions, an object of that kind of cuda.core, or a dict of its fields.
        Raises TypeError for other options, NotImplementedYetError for values that the host device
        cannot honour.
        """
        if obj is not None:
            raise TypeError("create_stream() of the host device takes no foreign stream")
        check_stream(options)
        return _core.create_stream()

    def create_event(self, options: object = None) -> Event:
        """A new event, done until it is recorded.

        options: an EventOptions, an object of that kind of cuda.core, or a dict of its fields.
        Without options the event has a time. Raises TypeError for other options,
        NotImplementedYetError for values that the host device cannot honour.
        """
        return Event(timing=check_event(options).enable_timing)

    def sync(self) -> None:
        """Waits for every stream of the device; raises the first error of a kernel."""
        _core.sync_all()

    def __reduce__(self) -> tuple[object, ...]:
        return Device, (_HOST,)

    def __repr__(self) -> str:
        return f"<cuda.device.core.Device {_HOST!r}>"


def _add_search_paths() -> None:
    """CUDA's wheels (libdevice, ptxas) lie beside other packages."""
    for folder in sys.path:
        if folder.endswith(("site-packages", "dist-packages")):
            _core.add_search_path(folder)


# What may stand in a variable that would otherwise be ignored without a word.
_VARIABLES: dict[str, tuple[Callable[[str], bool], str]] = {
    "CUDA_DEVICE_NUM_THREADS": (
        lambda text: text.isascii() and text.isdigit() and 1 <= int(text) <= 4096,
        "a whole number from 1 to 4096",
    ),
    "CUDA_DEVICE_CACHE": (lambda text: text in ("", "on", "off"), "'on' or 'off'"),
    "CUDA_DEVICE_CACHE_SIZE": (
        lambda text: re.fullmatch(r"(\d{1,12}[KMG]?)?", text, re.ASCII) is not None,
        "a number of bytes, or one with K, M or G behind it",
    ),
}


def _check_environment() -> None:
    for name, (fits, expected) in _VARIABLES.items():
        asked = os.environ.get(name)
        if asked is not None and not fits(asked):
            warnings.warn(
                f"{name}={asked!r} is ignored: {expected} was expected",
                RuntimeWarning,
                stacklevel=2,
            )


_add_search_paths()
_check_environment()
atexit.register(_core.shutdown)
