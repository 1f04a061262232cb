"""Arrays that a producer names by address, shape and strides: what is in them, by NumPy alone."""

import numpy as np
from cuda import device as D

from support.launching import run


def view_of(memory, address, shape, strides, dtype):
    """The elements that a producer names, by NumPy alone; None where some lie outside of memory.

    strides: in bytes; None: row by row.
    """
    offset = address - memory.ctypes.data
    if offset < 0:  # which NumPy takes where there are no strides
        return None
    try:
        return np.ndarray(shape, dtype, memory, offset, strides)
    except (TypeError, ValueError, OverflowError):
        return None


def place(i, shape):
    """The index of element i, row by row."""
    if len(shape) == 0:
        return ()
    return (*place(i // shape[-1], shape[:-1]), i % shape[-1])


@D.kernel
def gather(out, a):
    for i in range(out.size):
        out[i] = a[place(i, a.shape)]


def check_elements(found, given, wanted):
    """An import gives these elements in this memory; a launch with what was given reads them."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.size == 0 or found.ctypes.data == wanted.ctypes.data
    assert found.size == 0 or found.strides == wanted.strides
    assert found.tobytes() == wanted.tobytes()
    out = np.zeros(wanted.size, wanted.dtype)
    run(gather, out, given)
    assert out.tobytes() == wanted.tobytes()
