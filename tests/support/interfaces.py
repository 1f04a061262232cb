"""Producers of the dictionary interfaces in memory of the host, and capsules as SYCL makes them."""

import ctypes


class Cuda:
    """An object whose __cuda_array_interface__ is the dictionary; counts how often it is read."""

    def __init__(self, description, keep=None):
        self.description, self.keep, self.reads = description, keep, 0

    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return self.description


class Sycl(Cuda):
    """The same for SYCL's."""

    @property
    def __sycl_usm_array_interface__(self):
        self.reads += 1
        return self.description

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("none")


def dictionary_of(view, interface):
    """What an array says of itself, of which no two callers share a dictionary."""
    found = getattr(view, interface)
    assert type(found) is dict
    found["shape"] = None
    return getattr(view, interface)


def cuda_dict(a, **changes):
    """What an exporter says of a NumPy array; a change to `...` leaves the key out."""
    found = {
        "shape": a.shape,
        "typestr": a.dtype.str,
        "data": (a.ctypes.data, not a.flags.writeable),
        "strides": a.strides,
        "version": 3,
        **changes,
    }
    return {key: value for key, value in found.items() if value is not ...}


def cuda(a, **changes):
    return Cuda(cuda_dict(a, **changes), a)


def sycl_dict(a, **changes):
    found = {
        "shape": a.shape,
        "typestr": a.dtype.str,
        "data": (a.ctypes.data, not a.flags.writeable),
        "strides": tuple(s // a.itemsize for s in a.strides),
        "offset": 0,
        "version": 1,
        "syclobj": "opencl:cpu",
        **changes,
    }
    return {key: value for key, value in found.items() if value is not ...}


def sycl(a, **changes):
    return Sycl(sycl_dict(a, **changes), a)


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_names = []  # a capsule does not copy its name


def capsule(name, pointer=64):
    """A PyCapsule of that name, by default around a pointer that nobody may follow."""
    _names.append(name.encode())
    return _new(pointer, _names[-1], None)
