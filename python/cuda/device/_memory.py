"""Memory of threads and blocks, and barriers. They exist in kernels only."""

from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device._positions import _refuse


def local_array(shape: Any, dtype: Any, order: str = "C", align: int | None = None) -> Any:
    """Array of the thread's own, its contents undefined at first.

    shape: an int or a tuple of ints.
    dtype: of the elements.
    order: "C" for row by row, "F" for column by column.
    align: of the first element in bytes, a power of two.

    All are constant expressions. Each call in the source of the kernel is one array, in loops too.
    A thread has at most 512 KiB of them.

    Raises DeviceOnlyError in host code; a shape that is no constant is a CompileError.
    """
    _refuse("local_array")


def shared_array(shape: Any, dtype: Any, order: str = "C", align: int | None = None) -> Any:
    """Array that the threads of a block share; arguments as for local_array.

    A kernel has at most 48 KiB of them.
    """
    _refuse("shared_array")


def dynamic_shared_array() -> Any:
    """The block's dynamic shared memory: uint8, as many as shared= of the launch.

    All calls give the same memory; view(dtype) and slices make arrays of it. Its contents are
    undefined at first. Raises DeviceOnlyError in host code.
    """
    _refuse("dynamic_shared_array")


def syncthreads() -> None:
    """Waits for all threads of the block; what they wrote before, all see afterwards.

    Every thread of the block that has not left the kernel must come to it: a call that some threads
    certainly miss is a CompileError. Raises DeviceOnlyError in host code.
    """
    _refuse("syncthreads")


def syncthreads_count(pred: Callable[[], bool]) -> np.int32:
    """syncthreads, and the number of threads in which pred() is true: an int32.

    pred: a function without parameters, such as `lambda: x > 0`.
    """
    _refuse("syncthreads_count")


def syncthreads_and(pred: Callable[[], bool]) -> bool:
    """syncthreads, and whether pred() is true in all threads: a bool; pred as syncthreads_count."""
    _refuse("syncthreads_and")


def syncthreads_or(pred: Callable[[], bool]) -> bool:
    """syncthreads, and whether pred() is true in any thread: a bool; pred as syncthreads_count."""
    _refuse("syncthreads_or")


_ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
_SCOPES = ("system", "device", "block", "thread")


def check_order_and_scope(
    method: str, memory: object, scope: object, orders: tuple[str, ...] = _ORDERS
) -> None:
    """ValueError for what is no order of memory that the operation has, or no scope."""
    if memory not in orders:
        names = ", ".join(map(repr, orders))
        raise ValueError(f"the memory order of {method}() can be {names}; found {memory!r}")
    if scope not in _SCOPES:
        names = "'system', 'device', 'block' or 'thread'"
        raise ValueError(f"the scope of {method}() can be {names}; found {scope!r}")


def threadfence(memory: str = "seq_cst", scope: str = "system") -> None:
    """Keeps what the thread accesses before it and after it in order.

    memory: 'relaxed', 'consume', 'acquire', 'release', 'acq_rel' or 'seq_cst', as in ISO C++.
    scope: for which threads: of the 'system', the 'device', the 'block', or this 'thread' alone.

    Raises DeviceOnlyError in host code.
    """
    _refuse("threadfence")
