"""Which device an argument device= means, and which kind of memory."""

from typing import Any

from cuda.device import _core

HOST = -1  # beside the numbers of GPUs, which count from 0
KINDS = ("device", "pinned", "managed")


def gpu(number: int) -> int:
    """The number of a GPU that there is.

    Raises ValueError where there is none of this number.
    """
    count = _core.gpu_count()
    if 0 <= number < count:
        return number
    lines = (line.partition("=") for line in _core.info().splitlines())
    why = next(value for name, _, value in lines if name == "gpu")
    there = f"this process sees GPUs 0 to {count - 1}" if count else why
    raise ValueError(f"no device 'cuda:{number}': {there}; the host device is 'cpu'")


def _named(name: str) -> int:
    if name in ("cpu", "host"):
        return HOST
    kind, colon, number = name.partition(":")
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise ValueError(f"no device {name!r}: 'cpu', 'cuda' and 'cuda:0' and up are known")
    return gpu(int(number or 0))


def number_of(device: Any) -> int:
    """The number of a device; HOST for the host device.

    device: None for the current one, "cpu" or "host", "cuda" or "cuda:1", a number as
    core.Device() takes it, or a Device. Raises ValueError for a device that there is not,
    TypeError for anything else.
    """
    if device is None:
        return _core.current_device()
    if isinstance(device, str):
        return _named(device)
    if isinstance(device, int) and not isinstance(device, bool):
        # As Device(0) is the host device where there is no GPU.
        return HOST if device == 0 and not _core.gpu_count() else gpu(device)
    own = getattr(device, "_number", None)
    if isinstance(own, int):
        return own
    name, number = getattr(device, "name", None), getattr(device, "device_id", None)
    if not isinstance(number, int):
        found = type(device).__qualname__
        raise TypeError(f"device= expects a Device, a number, 'cpu' or 'cuda:0', found {found!r}")
    return HOST if name == "host" else gpu(number)


def kind_of(memory: object) -> str:
    """A kind of memory by its name; ValueError for others."""
    if memory not in KINDS:
        kinds = ", ".join(map(repr, KINDS))
        raise ValueError(f"memory={memory!r} is no kind of memory; there are {kinds}")
    return str(memory)
