"""The names of `cuda` that exist in kernels only."""

import types
from typing import Any

from cuda.device import _core
from cuda.device._positions import _DeviceOnly, _refuse

# Indices of the thread in its block and of the block in the grid, and their widths: .x .y .z,
# int32.
threadIdx: Any = _DeviceOnly("numbapro.cuda.threadIdx")
blockIdx: Any = _DeviceOnly("numbapro.cuda.blockIdx")
blockDim: Any = _DeviceOnly("numbapro.cuda.blockDim")
gridDim: Any = _DeviceOnly("numbapro.cuda.gridDim")


def grid(ndim: int) -> Any:
    """Position of the thread in the grid, an int32; for 2 and 3 dimensions a tuple, x first."""
    _refuse("numbapro.cuda.grid")


def gridsize(ndim: int) -> Any:
    """Number of threads of the grid; ndim and result as of `grid`."""
    _refuse("numbapro.cuda.gridsize")


def syncthreads() -> None:
    """Waits for all threads of the block; what they wrote before, all see afterwards."""
    _refuse("numbapro.cuda.syncthreads")


def _shared_array(shape: Any, dtype: Any) -> Any:
    """Array that the threads of a block share, declared in the entry block of the kernel.

    shape: an int or a tuple of ints, known when the kernel is compiled; 0 or (0,) stands for the
    shared memory that the launch gives, k[grid, block, stream, bytes]: as many elements as fit. All
    such arrays of a kernel are the same memory. dtype: a type object.
    """
    _refuse("numbapro.cuda.shared.array")


def _local_array(shape: Any, dtype: Any) -> Any:
    """Array of the thread's own; arguments as of shared.array."""
    _refuse("numbapro.cuda.local.array")


shared = types.SimpleNamespace(array=_shared_array)
local = types.SimpleNamespace(array=_local_array)

for _name, _object in {
    "threadIdx": threadIdx,
    "blockIdx": blockIdx,
    "blockDim": blockDim,
    "gridDim": gridDim,
    "grid": grid,
    "gridsize": gridsize,
    "syncthreads": syncthreads,
    "shared.array": _shared_array,
    "local.array": _local_array,
}.items():
    _core.name_entity(_object, f"numbapro.cuda.{_name}")
