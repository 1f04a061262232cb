"""Which device an argument device= means, and which kind of memory."""

import operator
from typing import Any

from cuda.device import _core

HOST = -1  # beside the numbers of GPUs, which count from 0
KINDS = ("device", "pinned", "managed")


def _gpu(number: int, named: object) -> int:
    count = _core.gpu_count()
    if 0 <= number < count:
        return number
    lines = (line.partition("=") for line in _core.info().splitlines())
    why = next(value for name, _, value in lines if name == "gpu")
    there = f"this process sees GPUs 0 to {count - 1}" if count else why
    raise ValueError(f"no device {named!r}: {there}; the host device is 'cpu' or 'host'")


def _named(name: str) -> int:
    if name in ("cpu", "host"):
        return HOST
    kind, colon, number = name.partition(":")
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise ValueError(
            f"no device {name!r}: a GPU is 'cuda', 'cuda:1' or its number, "
            "the host device is 'cpu' or 'host'"
        )
    return _gpu(int(number or 0), f"cuda:{int(number or 0)}")


def number_of(device: Any) -> int:
    """The number of a device; HOST for the host device.

    device: None for the current one, "cpu" or "host", "cuda" or "cuda:1", a number, or a Device.
    Raises ValueError for a device that there is not, TypeError for anything else.
    """
    if device is None:
        return _core.current_device()
    if isinstance(device, str):
        return _named(device)
    own = getattr(device, "_number", None)
    if isinstance(own, int):
        return own
    if hasattr(device, "__index__") and not isinstance(device, bool):
        number = operator.index(device)
        # Device(0) is the host device where there is no GPU.
        return HOST if number == 0 and not _core.gpu_count() else _gpu(number, number)
    given = getattr(device, "device_id", None)
    if not isinstance(given, int):
        found = type(device).__qualname__
        raise TypeError(f"a device is a Device, a number, 'cpu' or 'cuda:0'; found {found!r}")
    return HOST if getattr(device, "name", None) == "host" else _gpu(given, given)


def kind_of(memory: object) -> str:
    """A kind of memory by its name; ValueError for others."""
    if memory not in KINDS:
        kinds = ", ".join(map(repr, KINDS))
        raise ValueError(f"memory={memory!r} is no kind of memory; there are {kinds}")
    return str(memory)
