"""CUDA's driver through ctypes, for code that is not ours: each call checked."""

import ctypes
import functools


class DriverError(Exception):
    """A call that failed; the text names it and the error."""


class Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint),
    )


@functools.cache
def library():
    return ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    error = getattr(library(), name)(*arguments)
    if error:
        text = ctypes.c_char_p()
        library().cuGetErrorName(error, ctypes.byref(text))
        raise DriverError(f"{name}: {(text.value or b'error').decode()} ({error})")


def load(image):
    """The library that an image makes: PTX, with a zero at its end, or a cubin, as bytes."""
    loaded = ctypes.c_void_p()
    nothing = (None, None, 0)
    call("cuLibraryLoadData", ctypes.byref(loaded), ctypes.c_char_p(image), *nothing, *nothing)
    return loaded


def kernel(loaded, name):
    found = ctypes.c_void_p()
    call("cuLibraryGetKernel", ctypes.byref(found), loaded, name.encode())
    return found


def config(grid, block, stream):
    """stream: a handle."""
    three = [(*extents, 1, 1)[:3] for extents in (grid, block)]
    made = Config(stream=stream)
    made.grid[:], made.block[:] = three
    return made


def pointers(parameters):
    """Addresses of ctypes values, which must be kept as long."""
    addresses = [ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in parameters]
    return (ctypes.c_void_p * max(1, len(addresses)))(*addresses)


def launcher(function, grid, block, stream, parameters):
    """A function that launches it with these parameters, ctypes values."""
    made, where = config(grid, block, stream), pointers(parameters)

    def launch(kept=parameters):
        call("cuLaunchKernelEx", ctypes.byref(made), function, where, None)

    return launch


def copier(to, source, size, stream):
    """A function that copies within the GPU's memory, in the stream's order."""
    arguments = ctypes.c_uint64(to), ctypes.c_uint64(source), ctypes.c_size_t(size)

    def copy():
        call("cuMemcpyAsync", *arguments, ctypes.c_void_p(stream))

    return copy
