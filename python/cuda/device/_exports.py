"""What arrays say of themselves to other libraries: the CUDA Array Interface, SYCL's USM interface.

Memory of the host is exported where CUDA_DEVICE_HOST_CAI=1 asks for it only: a library would take
its address for one of a GPU. So is memory of GPUs by SYCL's interface. Every setting is read when
the attribute is.
"""

import functools
import os
from typing import Any

import numpy as np
from cuda.device import _core, _places, _sycl, _sycl_runtime
from cuda.device._floats import is_of_ml_dtypes

__all__ = ["as_asked", "cuda_dictionary", "exports_host", "sycl_dictionary", "usm_type"]

_VERSION = "CUDA_DEVICE_ARRAY_INTERFACE_VERSION"
_STREAM = "CUDA_DEVICE_ARRAY_INTERFACE_STREAM"
_USM_TYPES = {"device": "device", "pinned": "host", "managed": "shared", "host": "host"}


def exports_host() -> bool:
    """Whether arrays of the host device speak the interfaces of GPUs."""
    return os.environ.get("CUDA_DEVICE_HOST_CAI") == "1"


def as_asked(fields: dict[str, Any]) -> dict[str, Any]:
    """A dictionary of version 3 as the environment asks for it: as version 2, without a stream."""
    version = os.environ.get(_VERSION, "3")
    if version not in ("2", "3"):
        raise ValueError(f"{_VERSION}={version!r}; 2 or 3 was expected")
    if version == "2":
        del fields["stream"]
        fields["version"] = 2
    elif os.environ.get(_STREAM) == "0":
        fields["stream"] = None
    return fields


def _check_host() -> None:
    if not exports_host():
        raise AttributeError(
            "arrays of the host have no address that a GPU reaches; CUDA_DEVICE_HOST_CAI=1 in the "
            "environment exports them for libraries that know this"
        )
    _core.sync_device(_places.HOST)  # streams of the host have no handle to wait for


def _address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0]) if array.size else 0


def _type_text(dtype: np.dtype[Any]) -> str:
    """As NumPy writes it; formats of ml_dtypes are bytes without a meaning there (CAI-TYPE-05)."""
    if dtype.isbuiltin != 2:
        return dtype.str
    return f"{'<' if dtype.itemsize > 1 else '|'}V{dtype.itemsize}"


@functools.cache
def _refusal(dtype: np.dtype[Any]) -> str | None:
    """Why no kernel takes a dictionary of such elements; None where it does."""
    from cuda.device import _interfaces

    if dtype.isbuiltin == 2 and not is_of_ml_dtypes(dtype):
        return "they would be bytes without a meaning"
    try:
        _interfaces.dtype_of_description(_type_text(dtype), _descr(dtype))
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def _descr(dtype: np.dtype[Any]) -> list[Any] | None:
    return None if dtype.names is None else description(dtype)


def description(dtype: np.dtype[Any]) -> list[Any]:
    """The fields of elements as dictionaries give them; AttributeError where they cannot."""
    try:
        described: list[Any] = dtype.descr
    except ValueError:
        raise AttributeError(
            f"the fields of {dtype} overlap or are out of order, which a 'descr' cannot say"
        ) from None
    return described


def cuda_dictionary(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """__cuda_array_interface__ of memory of the host, where all that is queued is done."""
    _check_host()
    refusal = _refusal(array.dtype)
    if refusal is not None:
        raise AttributeError(f"elements of {array.dtype} are for no library of GPUs: {refusal}")
    fields = {
        "shape": array.shape,
        "strides": None if array.flags.c_contiguous else array.strides,
        "typestr": _type_text(array.dtype),
        "data": (_address(array), not array.flags.writeable),
        "version": 3,
        "stream": None,
    }
    if array.dtype.names is not None:
        fields["descr"] = description(array.dtype)
    return as_asked(fields)


def host_sycl_dictionary(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """__sycl_usm_array_interface__ of memory that this package has allocated on the host."""
    _check_host()
    if host_usm_type(array) == "unknown":
        if _sycl_runtime.is_loaded() and _sycl.imported(array) is None:
            raise AttributeError(
                "the SYCL runtime that dpctl has loaded takes memory of its own contexts only, and "
                "the array lies in other memory; numpy.asarray(a) gives one that its users copy"
            )
        raise AttributeError(
            "the memory of the array is NumPy's and no USM allocation; "
            "cuda.device.asarray(a, copy=True) makes an array in memory that is one"
        )
    address = _address(array)
    came = _sycl.imported(array)
    context = "opencl:cpu" if came is None else came.context.capsule()
    return sycl_dictionary(array, address, not array.flags.writeable, context)


def check_gpu() -> None:
    """AttributeError where SYCL's interface of memory of a GPU is not asked for: CUDA allocated it,
    and SYCL would know nothing of it.
    """
    if not exports_host():
        raise AttributeError(
            "memory of CUDA is no USM allocation of SYCL's; CUDA_DEVICE_HOST_CAI=1 in the "
            "environment exports it for libraries that know this"
        )


def _steps(array: Any) -> tuple[int, ...] | None:
    """Strides in elements; None: row by row."""
    item, size, steps = array.dtype.itemsize, 1, []
    compact = True
    for extent, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        step, rest = divmod(stride, item) if extent > 1 and array.size else (size, 0)
        if rest:
            raise BufferError(
                f"a stride of {stride} bytes is no whole number of {item}-byte elements, "
                "in which SYCL's interface counts"
            )
        compact = compact and (extent <= 1 or step == size)
        steps.append(step)
        size *= max(extent, 1)
    return None if compact else tuple(reversed(steps))


def _base(address: int, item: int) -> tuple[int, int]:
    """The allocation's address and the elements from there, where they are a whole number."""
    base = _core.memory_find(address)[2] if address else 0
    offset, rest = divmod(address - base, item)
    return (address, 0) if rest or not base else (base, offset)


def sycl_dictionary(array: Any, address: int, read_only: bool, context: Any) -> dict[str, Any]:
    """__sycl_usm_array_interface__ of an array at an address, whose work is done (USM-37)."""
    dtype = array.dtype
    if dtype.isbuiltin == 2:
        raise BufferError(f"elements of {dtype} have no name in SYCL's interface; DLPack has one")
    refusal = _refusal(dtype)
    if refusal is not None:
        raise BufferError(f"elements of {dtype} are for no library of SYCL's: {refusal}")
    start, offset = _base(address if array.size else 0, dtype.itemsize)
    fields = {
        "data": (start, read_only),
        "shape": array.shape,
        "strides": _steps(array),
        "offset": offset,
        "typestr": dtype.str,
        "version": 1,
        "syclobj": context,
    }
    if dtype.names is not None:
        fields["typedescr"] = description(dtype)
    return fields


def usm_type(device: int, kind: str, syclobj: Any = None) -> str:
    """What SYCL calls memory of ours; "unknown" for a context that is not known as its device's."""
    ours = ("opencl", "cpu", 0) if device == _places.HOST else ("cuda", "gpu", device)
    known = syclobj is None or _sycl.context_of(syclobj).device == ours
    return _USM_TYPES[kind] if known else "unknown"


def host_usm_type(array: np.ndarray[Any, Any], syclobj: Any = None) -> str:
    """The same of an array of the host: "unknown" where neither we nor SYCL allocated it.

    Memory of ours is "host" as long as there is no runtime of SYCL's, which does not know it.
    """
    came = _sycl.imported(array)
    if came is not None:
        context = came.context if syclobj is None else _sycl.context_of(syclobj).real
        return "unknown" if context is None else context.pointer(came.address).kind
    if _sycl_runtime.is_loaded():
        return "unknown"
    device, kind, _, _, ours = _core.memory_find(_address(array))
    found = usm_type(device, kind, syclobj)
    return found if ours or device != _places.HOST or not array.size else "unknown"
