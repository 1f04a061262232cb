"""SIMT kernels in Python, compiled to PTX for NVIDIA GPUs and to SIMD code for CPUs.

from cuda import device

@device.kernel
def vec_add(a, b, c):
    i = device.tid(1)
    if i < c.size:
        c[i] = a[i] + b[i]

device.launch(vec_add, a, b, c, grid=(a.size + 255) // 256, block=256)
"""

from typing import TYPE_CHECKING, Any

from cuda.device import (
    _core,
    _floats,
    _intrinsics,
    _missing,
    _targets,
    _vectors,
    _warp_calls,
    core,
    errors,  # noqa: F401 it is found as an attribute
)
from cuda.device._array_operators import install as _give_operators
from cuda.device._arrays import (
    Array,
    arange,
    asarray,
    empty,
    from_dlpack,
    full,
    to_host,
    zeros,
)
from cuda.device._atomics import Atomic, AtomicInterface, AtomicRef, atomic_ref
from cuda.device._blocks import blocks
from cuda.device._core import __version__, launch
from cuda.device._decorators import func, kernel
from cuda.device._formats import (
    ConstExpr,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from cuda.device._interfaces import as_cuda_array, from_cuda_array_interface, from_sycl_usm
from cuda.device._intrinsics import *  # noqa: F403 all that it lists
from cuda.device._memory import (
    dynamic_shared_array,
    local_array,
    shared_array,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
    threadfence,
)
from cuda.device._positions import (
    block_dim,
    block_idx,
    grid_dim,
    grid_size,
    lane_id,
    thread_idx,
    tid,
    warp_size,
)
from cuda.device._representation import machine_representation
from cuda.device._structs import align, replace, struct
from cuda.device._targets import *  # noqa: F403 all that it lists
from cuda.device._vectors import *  # noqa: F403 all that it lists
from cuda.device._warp_calls import *  # noqa: F403 all that it lists
from cuda.device._warps import WarpMask

if TYPE_CHECKING:
    from ml_dtypes import bfloat16
    from ml_dtypes import float8_e4m3fn as float8e4m3
    from ml_dtypes import float8_e5m2 as float8e5m2

_give_operators()

__all__ = [
    "Array",
    "Atomic",
    "AtomicInterface",
    "AtomicRef",
    "ConstExpr",
    "WarpMask",
    "__version__",
    "align",
    "arange",
    "as_cuda_array",
    "asarray",
    "atomic_ref",
    "bfloat16",
    "block_dim",
    "block_idx",
    "blocks",
    "complex64",
    "complex128",
    "core",
    "dynamic_shared_array",
    "empty",
    "float8e4m3",
    "float8e5m2",
    "float16",
    "float32",
    "float64",
    "from_cuda_array_interface",
    "from_dlpack",
    "from_sycl_usm",
    "full",
    "func",
    "grid_dim",
    "grid_size",
    "int8",
    "int16",
    "int32",
    "int64",
    "kernel",
    "lane_id",
    "launch",
    "local_array",
    "machine_representation",
    "replace",
    "shared_array",
    "struct",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "thread_idx",
    "threadfence",
    "tid",
    "to_host",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "warp_size",
    "zeros",
]
__all__ += _intrinsics.__all__
__all__ += _targets.__all__
__all__ += _vectors.__all__
__all__ += _warp_calls.__all__


if not TYPE_CHECKING:  # it would find every name that a user misspells

    def __getattr__(name: str) -> Any:
        if name in _floats.OF_ML_DTYPES:  # loaded when first asked for
            value = globals()[name] = _floats.named(name)
            return value
        raise _missing.no_such_name(__name__, name, _what_to_write(name))


def _what_to_write(name: str) -> str:
    """For names of Numba and CUDA C++: what they are called here."""
    ours, entity = _core.foreign_name_hint(name) or ("", "")
    _, _, missing = entity.partition("device.")
    if ours and missing and missing not in globals():
        ours += ", which is not implemented yet"
    return ours and f"; use {ours}"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
