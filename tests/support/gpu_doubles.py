"""Arrays of libraries for GPUs: what each says of its memory and stream, as its sources have it;
and how mpi4py reads ours.

Memory of the tests' GPUs is the host's, so a library looks at it by NumPy.
"""

import ctypes
import types

import numpy as np
from cuda.device import core

from support import dlpack


def at(address, shape, dtype, strides=None, owner=None):
    """The elements at an address; owner: lives as long as they are looked at."""
    dtype = np.dtype(dtype)
    if 0 in shape:
        return np.zeros(shape, dtype)
    steps = strides or np.zeros(shape, dtype).strides
    spans = [(n - 1) * s for n, s in zip(shape, steps, strict=True)]
    low = sum(s for s in spans if s < 0)
    size = sum(map(abs, spans)) + dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address + low)
    memory.owner = owner
    return np.ndarray(shape, dtype, memory, -low, steps)


def of_dictionary(fields):
    return at(fields["data"][0], fields["shape"], fields["typestr"], fields.get("strides"))


class Double:
    """An array of another library, in memory that it was given; asked: by which protocols."""

    name = "CuPy 8"  # without DLPack
    dtypes = ("bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex64")
    has_streams = True
    strided = True

    def __init__(self, memory, elements, stream=None):
        self.memory, self.elements, self.stream = memory, elements, stream
        self.asked = []

    def compact(self):
        return self.elements.flags.c_contiguous

    def data(self):
        a = self.elements
        return a.__array_interface__["data"][0] if a.size else 0, False

    def fields(self):
        a = self.elements
        return {
            "shape": a.shape,
            "typestr": a.dtype.str,
            "descr": a.dtype.descr,
            "data": self.data(),
            "strides": None if self.compact() else a.strides,
            "stream": self.stream or 1,
            "version": 3,
        }

    @property
    def __cuda_array_interface__(self):
        self.asked.append("dictionary")
        return self.fields()


_exported = []  # a deleter must outlive its call


class _Exported(dlpack.Producer):
    """Keeps the array until the consumer calls the deleter."""

    def __init__(self, owner):
        super().__init__(owner.elements, device=(dlpack.CUDA, 0))
        self.owner = owner
        _exported.append(self)

    def _delete(self, pointer):
        super()._delete(pointer)
        self.owner = None


class CuPy(Double):
    """As of version 14: both protocols. Its current stream is the one it was made with."""

    name = "CuPy"

    def __dlpack_device__(self):
        return dlpack.CUDA, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The consumer's stream waits for what is queued on the current one."""
        self.asked.append("DLPack")
        theirs = 1 if stream is None else stream
        assert theirs == -1 or theirs > 0
        if theirs not in (-1, self.stream):
            ours = core.Stream.from_handle(self.stream or 1)
            core.Stream.from_handle(theirs).wait(ours.record())
        keywords = {} if max_version is None else {"max_version": max_version}
        return _Exported(self).__dlpack__(stream=stream, **keywords)


class PyCuda(Double):
    name = "PyCUDA"
    has_streams = False  # it says None

    def fields(self):
        a = self.elements
        return {
            "shape": a.shape,
            "strides": a.strides,
            "data": self.data(),
            "typestr": a.dtype.str,
            "stream": None,
            "version": 3,
        }


class Dali(Double):
    name = "DALI"
    has_streams = False
    strided = False

    def fields(self):
        a = self.elements
        return {
            "typestr": a.dtype.str.lstrip("<|"),
            "shape": a.shape,
            "data": self.data(),
            "version": 2,
            "strides": None,
        }


class Cudf(Double):
    """A column; with_nulls: its mask is of bits."""

    name = "cuDF"
    has_streams = False
    dtypes = ("bool", "int8", "int64", "uint8", "float32", "float64")
    with_nulls = False

    def fields(self):
        a = self.elements
        made = {
            "shape": a.shape,
            "strides": a.strides,
            "typestr": a.dtype.str,
            "data": self.data(),
            "version": 1,
        }
        if self.with_nulls:
            bits = {"shape": a.shape, "typestr": "<t1", "data": self.data(), "version": 1}
            made["mask"] = types.SimpleNamespace(__cuda_array_interface__=bits)
        return made


class Rmm(Double):
    """A DeviceBuffer: bytes."""

    name = "RMM"
    has_streams = False
    strided = False
    dtypes = ("uint8",)

    def fields(self):
        return {
            "data": self.data(),
            "shape": self.elements.shape,
            "strides": None,
            "typestr": "|u1",
            "version": 0,
        }


class PyArrowCuda(Rmm):
    """A CudaBuffer, which has an address and a size, and no dictionary."""

    name = "PyArrow CUDA"

    @property
    def address(self):
        return self.data()[0]

    @property
    def size(self):
        return self.elements.nbytes

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("a CudaBuffer has none")

    def dictionary(self):
        """What a user writes."""
        shape = (self.size,)
        return {"data": (self.address, False), "shape": shape, "typestr": "|u1", "version": 3}


DOUBLES = {each.name: each for each in (Double, CuPy, PyCuda, Dali, Cudf, Rmm, PyArrowCuda)}


def mpi_buffer(array):
    """The bytes that mpi4py sends and receives: by a buffer, else DLPack, else the dictionary.

    It keeps the array, waits for no stream, and takes what is contiguous alone, by rows or by
    columns.
    """
    try:
        return np.frombuffer(memoryview(array).cast("B"), np.uint8)
    except (TypeError, BufferError, ValueError):
        pass
    if hasattr(array, "__dlpack__"):
        kind, _ = array.__dlpack_device__()
        capsule = array.__dlpack__() if kind == dlpack.CPU else array.__dlpack__(stream=-1)
        return _bytes_of_capsule(capsule, array)
    seen = of_dictionary(array.__cuda_array_interface__)
    if not seen.flags.forc:
        raise BufferError("__cuda_array_interface__: buffer is not contiguous")
    return at(seen.__array_interface__["data"][0], (seen.nbytes,), np.uint8, owner=array)


def _bytes_of_capsule(capsule, owner):
    """Of a legacy capsule, which it gives back at once: it keeps the object itself."""
    if dlpack.name_of(capsule) != "dltensor":
        raise BufferError("dlpack: invalid capsule object")
    managed = dlpack.managed_of(capsule)
    tensor = managed.tensor
    shape = tensor.shape[: tensor.ndim]
    item = tensor.bits // 8 * tensor.lanes
    steps = [n * item for n in tensor.strides[: tensor.ndim]] if tensor.strides else None
    seen = at((tensor.data or 0) + tensor.byte_offset, shape, f"V{item}", steps)
    address, size, ordered = seen.__array_interface__["data"][0], seen.nbytes, seen.flags.forc
    dlpack.rename(capsule, b"used_dltensor")
    if managed.deleter:
        managed.deleter(ctypes.addressof(managed))
    if not ordered:
        raise BufferError("dlpack: buffer is not contiguous")
    return at(address, (size,), np.uint8, owner=owner)
