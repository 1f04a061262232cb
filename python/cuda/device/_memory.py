"""Memory of threads and blocks, and barriers. They exist in kernels only (DEV-MEM, DEV-BLK)."""

from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device._positions import _refuse


def local_array(shape: Any, dtype: Any, order: str = "C", align: int | None = None) -> Any:
    """Array of the thread's own, its contents undefined at first (DEV-MEM-01).

    shape, an int or a tuple of ints, dtype, order 'C' or 'F' and align, a power of two in bytes,
    are constant expressions. Each call in the text of the kernel is one array, in loops too.
    """
    _refuse("local_array")


def shared_array(shape: Any, dtype: Any, order: str = "C", align: int | None = None) -> Any:
    """Array that the threads of a block share (DEV-MEM-02); arguments as for local_array.

    A kernel has at most 48 KiB of them.
    """
    _refuse("shared_array")


def dynamic_shared_array() -> Any:
    """The block's dynamic shared memory: uint8, as many as shared= of the launch (DEV-MEM-11).

    All calls give the same memory; view(dtype) and slices make arrays of it.
    """
    _refuse("dynamic_shared_array")


def syncthreads() -> None:
    """Waits for all threads of the block; what they wrote before is seen behind it (DEV-BLK-01)."""
    _refuse("syncthreads")


def syncthreads_count(pred: Callable[[], bool]) -> np.int32:
    """syncthreads, and the number of threads in which pred() is true (DEV-BLK-02)."""
    _refuse("syncthreads_count")


def syncthreads_and(pred: Callable[[], bool]) -> bool:
    """syncthreads, and whether pred() is true in all threads (DEV-BLK-03)."""
    _refuse("syncthreads_and")


def syncthreads_or(pred: Callable[[], bool]) -> bool:
    """syncthreads, and whether pred() is true in some thread (DEV-BLK-04)."""
    _refuse("syncthreads_or")
