"""What the threads of a warp do together (DEV-WARP-06 to -25). It exists in kernels only.

A mask is a WarpMask, or an integer with a bit for each lane; -1 are all lanes. The
calling thread is in it, and all its threads that have not left the kernel make the same call. Of an
integer of 64 bits, as a mask or a lane, the low 32 count. Only syncwarp orders accesses to memory.
"""

from collections.abc import Callable
from typing import Any

from cuda.device._positions import _refuse
from cuda.device._warps import WarpMask

__all__ = [
    "activemask",
    "all_sync",
    "any_sync",
    "ballot_sync",
    "eq_sync",
    "lanemask_lt",
    "match_all_sync",
    "match_any_sync",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncwarp",
]


def activemask() -> WarpMask:
    """The lanes of the warp that execute the call together. Raises DeviceOnlyError in host code."""
    _refuse("activemask")


def lanemask_lt() -> WarpMask:
    """The lanes below the thread's own, active or not. Raises DeviceOnlyError in host code."""
    _refuse("lanemask_lt")


def syncwarp(mask: WarpMask | int = -1) -> None:
    """Waits for all threads of mask; what they wrote before, all of them see afterwards.

    Raises DeviceOnlyError in host code.
    """
    _refuse("syncwarp")


def all_sync(mask: WarpMask | int, pred: Callable[[], bool]) -> bool:
    """Whether pred() is true in all threads of mask: a bool.

    pred: a function without parameters, such as `lambda: x > 0`. Raises DeviceOnlyError in host
    code.
    """
    _refuse("all_sync")


def any_sync(mask: WarpMask | int, pred: Callable[[], bool]) -> bool:
    """Whether pred() is true in any thread of mask: a bool; pred as for all_sync."""
    _refuse("any_sync")


def eq_sync(mask: WarpMask | int, pred: Callable[[], bool]) -> bool:
    """Whether pred() is the same in all threads of mask: a bool; pred as for all_sync."""
    _refuse("eq_sync")


def ballot_sync(mask: WarpMask | int, pred: Callable[[], bool]) -> WarpMask:
    """The threads of mask in which pred() is true; pred as for all_sync."""
    _refuse("ballot_sync")


def shfl_sync(mask: WarpMask | int, value: Any, src_lane: int) -> Any:
    """The value of lane src_lane, which is in mask: of the type of value.

    value: a number, or a vector, tuple or struct, of at most 8 bytes.
    src_lane: 0 to 31.

    Of a lane that is not in mask it is undefined. Raises DeviceOnlyError in host code.
    """
    _refuse("shfl_sync")


def shfl_up_sync(mask: WarpMask | int, value: Any, delta: int) -> Any:
    """The value of lane lane_id - delta, or the thread's own where there is none; as shfl_sync."""
    _refuse("shfl_up_sync")


def shfl_down_sync(mask: WarpMask | int, value: Any, delta: int) -> Any:
    """The value of lane lane_id + delta, or the thread's own where there is none; as shfl_sync."""
    _refuse("shfl_down_sync")


def shfl_xor_sync(mask: WarpMask | int, value: Any, flag: WarpMask | int) -> Any:
    """The value of lane lane_id ^ flag; as shfl_sync.

    flag: 0 to 31.
    """
    _refuse("shfl_xor_sync")


def match_any_sync(mask: WarpMask | int, value: Any, flag: int = 0) -> WarpMask:
    """The threads of mask whose value has the same bits as the caller's.

    value: a number, or a vector, tuple or struct, of any size. flag means nothing. Raises
    DeviceOnlyError in host code.
    """
    _refuse("match_any_sync")


def match_all_sync(mask: WarpMask | int, value: Any, flag: int = 0) -> tuple[WarpMask, bool]:
    """The threads of mask and True where all their values have the same bits, else none and False.

    value and flag: as for match_any_sync.
    """
    _refuse("match_all_sync")
