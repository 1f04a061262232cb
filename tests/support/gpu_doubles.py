"""Arrays of libraries for GPUs: what each says of its memory and stream, as its sources have it.

Memory of the tests' GPUs is the host's, so a library looks at it by NumPy.
"""

import ctypes
import types

import numpy as np


def at(address, shape, dtype, strides=None):
    """The elements at an address."""
    dtype = np.dtype(dtype)
    if 0 in shape:
        return np.zeros(shape, dtype)
    steps = strides or np.zeros(shape, dtype).strides
    spans = [(n - 1) * s for n, s in zip(shape, steps, strict=True)]
    low = sum(s for s in spans if s < 0)
    size = sum(map(abs, spans)) + dtype.itemsize
    memory = (ctypes.c_char * size).from_address(address + low)
    return np.ndarray(shape, dtype, memory, -low, steps)


def of_dictionary(fields):
    return at(fields["data"][0], fields["shape"], fields["typestr"], fields.get("strides"))


class Double:
    """An array of another library, in memory that it was given."""

    name = "CuPy"
    dtypes = ("bool", "int8", "int64", "uint8", "float16", "float32", "float64", "complex64")
    has_streams = True
    strided = True

    def __init__(self, memory, elements, stream=None):
        self.memory, self.elements, self.stream = memory, elements, stream

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
        return self.fields()


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


DOUBLES = {each.name: each for each in (Double, PyCuda, Dali, Cudf, Rmm, PyArrowCuda)}
