"""WarpMask on the host (DEV-WARP-01 to -05)."""

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["WarpMask"]

_LANES = 32
_FULL = 0xFFFFFFFF
_LOWEST = -(1 << 31)


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def _pattern(value: Any) -> int:
    """The 32 bits of an integer from -2**31 to 2**32 - 1, without a sign."""
    if not _is_integer(value):
        raise TypeError(
            f"a WarpMask is made of an integer, a bit for each lane, found {type(value).__name__}"
        )
    number = int(value)
    if not _LOWEST <= number <= _FULL:
        raise OverflowError(
            f"{number} is out of the range of a WarpMask, which has 32 lanes: "
            "-2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)"
        )
    return number & _FULL


def _lane(i: Any) -> int:
    if isinstance(i, (bool, np.bool_)) or not hasattr(i, "__index__"):
        raise TypeError(f"a lane of a WarpMask is an integer, found {type(i).__name__}")
    lane = operator.index(i)
    if not 0 <= lane < _LANES:
        raise IndexError(f"lane {lane} of a WarpMask: lanes are 0 to {_LANES - 1}")
    return lane


def _bitwise(name: str, operation: Callable[[int, int], int]) -> Any:
    def method(self: "WarpMask", other: Any) -> Any:
        if not _is_integer(other):
            return NotImplemented
        return WarpMask(operation(self._bits(), _pattern(other)))

    method.__name__ = name
    return method


def _shift(name: str, operation: Callable[[int, int], int]) -> Any:
    def method(self: "WarpMask", other: Any) -> Any:
        if not _is_integer(other):
            return NotImplemented
        count = int(other)
        if count < 0:
            raise ValueError(f"a WarpMask is shifted by 0 or more lanes, found {count}")
        # Beyond the width nothing is left, without an integer of that many bits on the way.
        return WarpMask(operation(self._bits(), min(count, _LANES)) & _FULL)

    method.__name__ = name
    return method


def _comparison(name: str, operation: Callable[[Any, Any], bool]) -> Any:
    inherited = getattr(np.int32, name)

    def method(self: "WarpMask", other: Any) -> Any:
        if not _is_integer(other):
            return inherited(self, other)
        number = int(other)
        # An integer that is no mask keeps its place: below all masks, or above them.
        return operation(self._bits(), number & _FULL if _LOWEST <= number <= _FULL else number)

    method.__name__ = name
    return method


class WarpMask(np.int32):
    """Lanes of a warp, lane i at bit i. An int32, so `int()` of all lanes is -1.

    WarpMask(bits) takes an integer from -2**31 to 2**32 - 1. `mask[i]` is whether lane i is in it,
    and a loop over a mask asks for lanes 0 to 31. Operators see 32 bits without a sign: `&`, `|`,
    `^`, `~` and shifts give masks, `>>` moves in zeros, and `WarpMask(-1) == 0xFFFFFFFF`. A mask
    equals integers whose hashes differ, -1 and 0xFFFFFFFF, so it has none; `int(mask)` has one.
    `str()` writes what makes the mask; formats, hex and bin write the int32. On the host a mask
    does not change, as numbers of NumPy do not; with_lane makes another, in kernels too.

    Raises OverflowError for integers out of range, TypeError for what is no integer, IndexError for
    lanes other than 0 to 31.
    """

    __slots__ = ()
    __module__ = "cuda.device"
    # Numbers of NumPy on the left leave operators to the mask; arrays, whose priority is 0, do not.
    __array_priority__ = -1.0

    def __new__(cls, bits: Any) -> "WarpMask":
        pattern = _pattern(bits)
        return super().__new__(cls, pattern - (1 << 32) if pattern >> 31 else pattern)

    def _bits(self) -> int:
        return int(self) & _FULL

    def with_lane(self, i: int, val: bool) -> "WarpMask":
        """This mask with lane i added (val is True) or removed (False)."""
        if not isinstance(val, (bool, np.bool_)):
            raise TypeError(f"a lane is in a WarpMask or not: True or False, found {val!r}")
        bit = 1 << _lane(i)
        return WarpMask(self._bits() | bit if val else self._bits() & ~bit)

    def __getitem__(self, i: Any) -> bool:
        return bool(self._bits() >> _lane(i) & 1)

    def __setitem__(self, i: Any, val: Any) -> None:
        raise TypeError(
            "a WarpMask does not change on the host; write mask = mask.with_lane(i, val)"
        )

    # Of 32 truth values, which `5 in mask` does not mean.
    __contains__ = None

    def bit_count(self) -> int:
        """The number of lanes in the mask."""
        return self._bits().bit_count()

    __and__ = __rand__ = _bitwise("__and__", operator.and_)
    __or__ = __ror__ = _bitwise("__or__", operator.or_)
    __xor__ = __rxor__ = _bitwise("__xor__", operator.xor)
    __lshift__ = _shift("__lshift__", operator.lshift)
    __rshift__ = _shift("__rshift__", operator.rshift)
    __eq__ = _comparison("__eq__", operator.eq)
    __ne__ = _comparison("__ne__", operator.ne)
    __lt__ = _comparison("__lt__", operator.lt)
    __le__ = _comparison("__le__", operator.le)
    __gt__ = _comparison("__gt__", operator.gt)
    __ge__ = _comparison("__ge__", operator.ge)
    # It equals two integers where lane 31 is in it, whose hashes differ.
    __hash__ = None  # type: ignore[assignment]

    def __invert__(self) -> "WarpMask":
        return WarpMask(self._bits() ^ _FULL)

    def __repr__(self) -> str:
        return f"device.WarpMask(0x{self._bits():08x})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)

    def __iter__(self) -> Iterator[bool]:
        return (self[i] for i in range(_LANES))

    def __reduce__(self) -> Any:
        return WarpMask, (int(self),)

    def __copy__(self) -> "WarpMask":
        return self

    def __deepcopy__(self, memo: Any) -> "WarpMask":
        return self
