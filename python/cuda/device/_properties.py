"""Limits and other attributes of devices, under the names of cuda.core."""

from typing import NamedTuple

from cuda.device import _core

__all__ = ["ComputeCapability", "DeviceProperties"]


class ComputeCapability(NamedTuple):
    """Compute capability of a device, (major, minor), such as (9, 0)."""

    major: int
    minor: int


_NAMES = tuple(name for name in _core.device_attributes().split(",") if name)
_YES_OR_NO = {
    "kernel_exec_timeout",
    "integrated",
    "can_map_host_memory",
    "concurrent_kernels",
    "ecc_enabled",
    "unified_addressing",
    "stream_priorities_supported",
    "managed_memory",
    "pageable_memory_access",
    "concurrent_managed_access",
    "compute_preemption_supported",
    "cooperative_launch",
    "memory_pools_supported",
    "cluster_launch",
}


class DeviceProperties:
    """Attributes of a device, as numbers or bools; dir() lists them.

    Those of the host device are what its kernels may rely on: they are made for a GPU of compute
    capability 9.0. What does not exist there (clocks, caches of a GPU) is 0.
    """

    def __init__(self, device: int) -> None:
        self._device = device

    def __getattr__(self, name: str) -> int:
        if name not in _NAMES:
            raise AttributeError(f"devices have no property {name!r}")
        value = _core.device_attribute(self._device, name)
        return bool(value) if name in _YES_OR_NO else value

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_NAMES]
