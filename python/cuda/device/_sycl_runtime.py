"""What the SYCL runtime of this process says of a pointer, through the C interface of dpctl.

Nothing is loaded for this: where dpctl is imported, its library is there. Each handle that is made
here is freed here.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from cuda.device import _core

_LIBRARY = "libDPCTLSyclInterface.so"
_NOLOAD = 4  # RTLD_NOLOAD
_CPU = 1 << 2  # DPCTLSyclDeviceType
_USM_ASPECTS = (12, 13, 14)  # DPCTLSyclAspectType: device, host and shared allocations
_KINDS = ("unknown", "device", "shared", "host")  # DPCTLSyclUSMType


class Pointer(NamedTuple):
    """kind: "unknown" for memory that is not of the context. on_cpu: of a device that is a CPU."""

    kind: str
    on_cpu: bool


class Context:
    """A SYCL context that is owned, and freed with the object."""

    def __init__(self, library: Any, handle: int) -> None:
        self._library, self.handle = library, handle

    def __del__(self) -> None:
        self._library.DPCTLContext_Delete(self.handle)

    def capsule(self) -> object:
        """A new capsule that owns a copy."""
        import ctypes

        copy = self._library.DPCTLContext_Copy(self.handle)
        free = ctypes.cast(self._library.DPCTLContext_Delete, ctypes.c_void_p).value
        return _core.sycl_context_capsule(copy, free or 0)

    def _has_usm(self) -> bool:
        """The runtime ends the process where it is asked about memory in a context without USM."""
        library = self._library
        devices = library.DPCTLContext_GetDevices(self.handle)
        found = False
        for i in range(library.DPCTLDeviceVector_Size(devices)):
            device = library.DPCTLDeviceVector_GetAt(devices, i)
            found |= any(library.DPCTLDevice_HasAspect(device, each) for each in _USM_ASPECTS)
            library.DPCTLDevice_Delete(device)
        library.DPCTLDeviceVector_Delete(devices)
        return found

    def pointer(self, address: int) -> Pointer:
        if not self._has_usm():
            return Pointer("unknown", False)
        kind = _KINDS[self._library.DPCTLUSM_GetPointerType(address, self.handle)]
        if kind == "unknown":
            return Pointer(kind, False)
        device = self._library.DPCTLUSM_GetPointerDevice(address, self.handle)
        on_cpu = self._library.DPCTLDevice_GetDeviceType(device) == _CPU
        self._library.DPCTLDevice_Delete(device)
        return Pointer(kind, on_cpu)


def _declare(library: Any) -> None:
    import ctypes

    handle = ctypes.c_void_p
    results = {
        "DPCTLContext_Copy": ([handle], handle),
        "DPCTLContext_Delete": ([handle], None),
        "DPCTLContext_GetDevices": ([handle], handle),
        "DPCTLDeviceVector_Delete": ([handle], None),
        "DPCTLDeviceVector_GetAt": ([handle, ctypes.c_size_t], handle),
        "DPCTLDeviceVector_Size": ([handle], ctypes.c_size_t),
        "DPCTLDevice_CreateFromSelector": ([handle], handle),
        "DPCTLDevice_Delete": ([handle], None),
        "DPCTLDevice_GetDeviceType": ([handle], ctypes.c_int),
        "DPCTLDevice_GetPlatform": ([handle], handle),
        "DPCTLDevice_HasAspect": ([handle, ctypes.c_int], ctypes.c_bool),
        "DPCTLDeviceSelector_Delete": ([handle], None),
        "DPCTLFilterSelector_Create": ([ctypes.c_char_p], handle),
        "DPCTLPlatform_Delete": ([handle], None),
        "DPCTLPlatform_GetDefaultContext": ([handle], handle),
        "DPCTLQueue_GetContext": ([handle], handle),
        "DPCTLUSM_GetPointerDevice": ([handle, handle], handle),
        "DPCTLUSM_GetPointerType": ([handle, handle], ctypes.c_int),
    }
    for name, (arguments, result) in results.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result


_loaded: list[Any] = []  # one library, when it has been found


def _library() -> Any | None:
    """dpctl's library; None while the process has none."""
    if not _loaded:
        if "dpctl" not in sys.modules:
            return None
        import ctypes  # takes milliseconds, which every start of the package would

        try:
            library = ctypes.CDLL(_LIBRARY, mode=_NOLOAD)
        except OSError:
            return None
        _declare(library)
        _loaded.append(library)
    return _loaded[0]


def is_loaded() -> bool:
    """Whether this process has a runtime to ask."""
    return _library() is not None


def _context(library: Any, handle: int | None) -> Context | None:
    return Context(library, handle) if handle else None


def of_filter(text: str) -> Context | None:
    """The default context of the platform of the device that a filter selects.

    None: there is no runtime, or it has no such device.
    """
    library = _library()
    if library is None:
        return None
    selector = library.DPCTLFilterSelector_Create(text.encode())
    device = library.DPCTLDevice_CreateFromSelector(selector) if selector else None
    platform = library.DPCTLDevice_GetPlatform(device) if device else None
    context = library.DPCTLPlatform_GetDefaultContext(platform) if platform else None
    for handle, free in (
        (platform, library.DPCTLPlatform_Delete),
        (device, library.DPCTLDevice_Delete),
        (selector, library.DPCTLDeviceSelector_Delete),
    ):
        if handle:
            free(handle)
    return _context(library, context)


def of_capsule(capsule: Any, *, is_queue: bool) -> Context | None:
    """The context of a capsule of a context or a queue, which stays its producer's."""
    library = _library()
    if library is None:
        return None
    pointer = _core.capsule_pointer(capsule)
    get = library.DPCTLQueue_GetContext if is_queue else library.DPCTLContext_Copy
    return _context(library, get(pointer))
