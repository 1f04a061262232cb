"""DLPack producers written with ctypes: every field as a test wants it, and deleters that count."""

import ctypes

VERSIONED, LEGACY = b"dltensor_versioned", b"dltensor"
INT, UINT, FLOAT, BOOL = 0, 1, 2, 6


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


class _ManagedVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype = ctypes.c_char_p
_capsule_name.argtypes = (ctypes.py_object,)

_CODES = {"b": BOOL, "i": INT, "u": UINT, "f": FLOAT}


class Producer:
    """Hands out a NumPy array's memory; strides=None writes a null pointer."""

    def __init__(
        self,
        array,
        *,
        legacy=False,
        strides="own",
        byte_offset=0,
        version=(1, 0),
        flags=0,
        device=(1, 0),
        lanes=1,
        with_deleter=True,
    ):
        self.array = array
        self.legacy = legacy
        self.strides = strides
        self.byte_offset = byte_offset
        self.version = version
        self.flags = flags
        self.device = device
        self.lanes = lanes
        self.with_deleter = with_deleter
        self.calls = []  # the protocol's methods, in order, with their keywords
        self.deleted = 0
        self.capsules = []
        self._keep = []

    def __dlpack_device__(self):
        self.calls.append(("device", {}))
        return self.device

    def __dlpack__(self, **keywords):
        self.calls.append(("dlpack", keywords))
        if self.legacy and keywords:
            raise TypeError("unexpected keywords")
        capsule = self._capsule()
        self.capsules.append(capsule)
        return capsule

    def names(self):
        """Names of the capsules handed out, as they are now."""
        return [_capsule_name(capsule) for capsule in self.capsules]

    def _delete(self, pointer):
        self.deleted += 1

    def _tensor(self):
        array, item = self.array, self.array.itemsize
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = None
        if self.strides is not None:
            elements = [s // item for s in array.strides] if self.strides == "own" else self.strides
            strides = (ctypes.c_int64 * array.ndim)(*elements)
        self._keep += [shape, strides]
        return _Tensor(
            data=array.ctypes.data - self.byte_offset,
            device_type=self.device[0],
            device_id=self.device[1],
            ndim=array.ndim,
            code=_CODES[array.dtype.kind],
            bits=item * 8,
            lanes=self.lanes,
            shape=ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64)),
            strides=ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            byte_offset=self.byte_offset,
        )

    def _capsule(self):
        deleter = _Deleter(self._delete) if self.with_deleter else _Deleter()
        if self.legacy:
            managed = _Managed(tensor=self._tensor(), deleter=deleter)
        else:
            major, minor = self.version
            managed = _ManagedVersioned(
                major=major, minor=minor, deleter=deleter, flags=self.flags, tensor=self._tensor()
            )
        self._keep += [managed, deleter]
        return _new_capsule(ctypes.addressof(managed), LEGACY if self.legacy else VERSIONED, None)
