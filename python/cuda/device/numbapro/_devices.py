"""Devices under the names of NumbaPro: cuda.select_device, get_current_device, detect, close."""

from __future__ import annotations

from typing import Any

from cuda.device import _core, core


class Device:
    """A device: `id`, `name`, `compute_capability`, and limits by CUDA's names: WARP_SIZE."""

    def __init__(self, device: Any) -> None:
        self._device = device

    @property
    def id(self) -> int:
        """Number of the device."""
        return int(self._device.device_id)

    @property
    def name(self) -> str:
        """Name of the device."""
        return str(self._device.name)

    @property
    def compute_capability(self) -> tuple[int, int]:
        """(major, minor); the host device emulates (9, 0)."""
        major, minor = self._device.compute_capability
        return major, minor

    def __getattr__(self, name: str) -> int:
        if not name.isupper():
            raise AttributeError(f"devices have no attribute {name!r}")
        found: int = getattr(self._device.properties, name.lower())
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._device is other._device

    def __hash__(self) -> int:
        return hash((Device, self.name, self.id))

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} {self.name!r}>"


def select_device(device_id: int) -> Device:
    """Makes a device the current one of this thread, and returns it.

    device_id: its number; 0 is the host device where there is no GPU. Raises ValueError for a
    device that there is not.
    """
    chosen = core.Device(device_id)
    chosen.set_current()
    return Device(chosen)


def get_current_device() -> Device:
    """The current device of this thread."""
    return Device(core.Device())


def close() -> None:
    """Waits for the work of the current device.

    Memory is freed with its arrays, and other libraries may use the device, so nothing is closed.
    """
    core.Device().sync()


def is_available() -> bool:
    """Whether there is a GPU. Without one kernels run on the CPU."""
    return _core.gpu_count() > 0


def detect() -> bool:
    """Prints the devices that kernels run on; whether there is a GPU among them."""
    devices = [Device(each) for each in core.Device.get_all_devices()]
    print(f"Found {_core.gpu_count()} CUDA devices")
    for each in devices:
        major, minor = each.compute_capability
        print(f"id {each.id}    {each.name}    compute capability: {major}.{minor}")
    return is_available()
