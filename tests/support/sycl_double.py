"""dpctl's C library, as far as _sycl_runtime.py asks it.

Contexts are counted, and memory is of one of them."""

import ctypes

_HANDLE = ctypes.c_void_p
_KINDS = {"unknown": 0, "device": 1, "shared": 2, "host": 3}
_CPU, _GPU = 4, 16


class Library:
    """allocations: (context, first address, end, kind, whether the device is a CPU) of each.

    A context is a number that all its copies share; handles are copies of it.
    """

    def __init__(self):
        self.allocations = []
        self.contexts = {}  # by handle, those that are not freed
        self._next = 1000
        self.DPCTLContext_Copy = self._function(_HANDLE, _HANDLE)(self.copy)
        self.DPCTLQueue_GetContext = self.DPCTLContext_Copy  # a queue's handle is its context's
        self.DPCTLContext_Delete = self._function(None, _HANDLE)(self.delete)
        self.DPCTLUSM_GetPointerType = self.kind
        self.DPCTLUSM_GetPointerDevice = self.device
        self.DPCTLDevice_GetDeviceType = lambda device: device
        self.DPCTLDevice_Delete = lambda device: None
        self.without_usm = set()  # contexts in which the real runtime ends the process
        self.DPCTLContext_GetDevices = lambda handle: [self.contexts[handle]]
        self.DPCTLDeviceVector_Size = len
        self.DPCTLDeviceVector_GetAt = lambda devices, i: devices[i]
        self.DPCTLDeviceVector_Delete = lambda devices: None
        self.DPCTLDevice_HasAspect = lambda context, aspect: context not in self.without_usm
        self.DPCTLFilterSelector_Create = lambda text: None

    _function = staticmethod(ctypes.PYFUNCTYPE)

    def make(self, context):
        """A handle of a context, which the caller owns."""
        self._next += 8
        self.contexts[self._next] = context
        return self._next

    def copy(self, handle):
        return self.make(self.contexts[handle])

    def delete(self, handle):
        del self.contexts[handle]  # KeyError: freed twice

    def _found(self, address, handle):
        for context, low, end, *found in self.allocations:
            if context == self.contexts[handle] and low <= address < end:
                return found
        return ["unknown", True]

    def kind(self, address, handle):
        assert self.contexts[handle] not in self.without_usm
        return _KINDS[self._found(address, handle)[0]]

    def device(self, address, handle):
        return _CPU if self._found(address, handle)[1] else _GPU
