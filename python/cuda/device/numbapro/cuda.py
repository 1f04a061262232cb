"""The names of `cuda`: intrinsics of kernels, cuda.jit, device memory, streams and events."""

import types as _types

from cuda.device import _core
from cuda.device.numbapro import _config as config
from cuda.device.numbapro._devices import (
    close,
    detect,
    get_current_device,
    is_available,
    select_device,
)
from cuda.device.numbapro._intrinsics import (
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    local,
    shared,
    syncthreads,
    threadIdx,
)
from cuda.device.numbapro._jit import autojit, jit
from cuda.device.numbapro._memory import (
    as_cuda_array,
    default_stream,
    device_array,
    device_array_like,
    event,
    event_elapsed_time,
    external_stream,
    from_cuda_array_interface,
    is_cuda_array,
    legacy_default_stream,
    mapped,
    per_thread_default_stream,
    pinned,
    pinned_array,
    stream,
    synchronize,
    to_device,
)

__all__ = [
    "as_cuda_array",
    "autojit",
    "blockDim",
    "blockIdx",
    "close",
    "config",
    "default_stream",
    "detect",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "external_stream",
    "from_cuda_array_interface",
    "get_current_device",
    "grid",
    "gridDim",
    "gridsize",
    "is_available",
    "is_cuda_array",
    "jit",
    "legacy_default_stream",
    "local",
    "mapped",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "select_device",
    "shared",
    "stream",
    "synchronize",
    "syncthreads",
    "threadIdx",
    "to_device",
]

# Kernels refuse those of the host by these names, and do not look into them.
for _name in __all__:
    if isinstance(_function := globals()[_name], _types.FunctionType):
        _core.name_entity(_function, f"numbapro.cuda.{_name}")
