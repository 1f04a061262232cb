"""Aligned NumPy arrays that every contestant shares."""

import contextlib
import math
import mmap

import numpy as np

PAGE = 4096
HUGE_PAGE = 2 << 20
MADV_HUGEPAGE = 14

_made = 0


def aligned(shape, dtype):
    """A zeroed C-contiguous array, page-aligned (OpenCL shares such memory without a copy).

    Every page is touched. Successive arrays start at different offsets from a huge page, so that
    equal indices of two arrays do not meet in the same cache sets.
    """
    global _made
    _made += 1
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = -(-size // PAGE) * PAGE + HUGE_PAGE + 64 * PAGE
    memory = mmap.mmap(-1, room)
    with contextlib.suppress(OSError):  # a kernel without transparent huge pages
        memory.madvise(MADV_HUGEPAGE)
    raw = np.frombuffer(memory, np.uint8)
    start = -raw.ctypes.data % HUGE_PAGE + _made % 64 * PAGE
    array = raw[start : start + size].view(dtype).reshape(shape)
    array[...] = 0
    return array
