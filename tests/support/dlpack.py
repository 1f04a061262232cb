"""A DLPack producer made of ctypes, every field of which a test can set."""

import ctypes

import numpy as np

CPU, CUDA, CUDA_HOST, CUDA_MANAGED, ONEAPI = 1, 2, 3, 13, 14
READ_ONLY, IS_COPIED = 1, 2
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


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


class _Versioned(ctypes.Structure):
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


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_rename_capsule = ctypes.pythonapi.PyCapsule_SetName
_rename_capsule.argtypes = (ctypes.py_object, ctypes.c_char_p)
_names = []  # a capsule does not copy its name


def name_of(capsule):
    return _capsule_name(capsule).decode()


def rename(capsule, name):
    """As a consumer does that has taken it over."""
    _names.append(name)
    _rename_capsule(capsule, name)


def managed_of(capsule):
    """The struct in a capsule that nobody has consumed, as ctypes sees it."""
    name = _capsule_name(capsule)
    kind = _Versioned if name == b"dltensor_versioned" else _Managed
    return kind.from_address(_capsule_pointer(capsule, name))


def tensor_of(capsule):
    """Its tensor, copied, with the flags where it has any; shape and strides stay the capsule's."""
    managed = managed_of(capsule)
    found = _Tensor.from_buffer_copy(managed.tensor)
    if isinstance(managed, _Versioned):
        found.flags = managed.flags
    return found


class Producer:
    """Exports the memory of a NumPy array; `calls` and `deleted` record what the consumer does.

    `versioned`: a DLManagedTensorVersioned of `version` and `flags`, given to those who ask for
    max_version; otherwise the legacy struct, and the keyword is unknown. Other keywords override
    fields of the tensor: shape, strides (elements, or None for NULL), byte_offset, code, bits,
    lanes, device, data. `deleter=False` leaves it NULL.
    """

    def __init__(self, array, versioned=True, version=(1, 0), flags=0, name=None, **fields):
        self.array = array
        self.versioned = versioned
        self.version = version
        self.flags = flags
        self.name = name
        self.fields = fields
        self.calls = []
        self.deleted = 0
        self.capsules = []
        self._keep = []

    def __dlpack_device__(self):
        self.calls.append("__dlpack_device__")
        return self.fields.get("device", (CPU, 0))

    def __dlpack__(self, **keywords):
        self.calls.append(("__dlpack__", keywords))
        if not self.versioned and set(keywords) - {"stream"}:
            raise TypeError(f"unexpected keywords {sorted(keywords)}")
        capsule = self._capsule(self.versioned and keywords.get("max_version") is not None)
        self.capsules.append(capsule)
        return capsule

    def capsule_names(self):
        """What the capsules handed out are called now."""
        return [name_of(capsule) for capsule in self.capsules]

    def managed(self, versioned=True):
        """A struct as consumers take it over."""
        managed = _Versioned() if versioned else _Managed()
        self._fill(managed.tensor)
        if self.fields.get("deleter", True):
            managed.deleter = _Deleter(lambda p: self._delete(p))
        if versioned:
            managed.major, managed.minor = self.version
            managed.flags = self.flags
        self._keep.append(managed)
        return managed

    def _capsule(self, versioned):
        managed = self.managed(versioned)
        name = self.name or ("dltensor_versioned" if versioned else "dltensor")
        name = name.encode()
        self._keep.append(name)
        return _new_capsule(ctypes.addressof(managed), name, None)

    def _delete(self, _):
        self.deleted += 1

    def _fill(self, tensor):
        a, fields = self.array, self.fields
        shape = fields.get("shape", a.shape)
        strides = fields.get("strides", tuple(s // a.itemsize for s in a.strides))
        tensor.data = fields.get("data", a.__array_interface__["data"][0])
        tensor.device_type, tensor.device_id = fields.get("device", (CPU, 0))
        tensor.ndim = len(shape)
        tensor.code = fields["code"] if "code" in fields else CODES[a.dtype.kind]
        tensor.bits = fields.get("bits", 8 * a.itemsize)
        tensor.lanes = fields.get("lanes", 1)
        tensor.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        if strides is not None:
            tensor.strides = (ctypes.c_int64 * max(len(shape), 1))(*strides)
        tensor.byte_offset = fields.get("byte_offset", 0)


def check_against_numpy():
    """The producer itself is right: NumPy imports the same values."""
    a = np.arange(12.0).reshape(3, 4)[:, ::2]
    return all(
        np.array_equal(np.from_dlpack(Producer(a, versioned=versioned)), a)
        for versioned in (True, False)
    )
