"""Numeric intrinsics. In kernels they are instructions; on the host they give the same values.

Integers have their own width: NumPy's types theirs, Python's int 32 bits.
"""

import math
from typing import Any

import numpy as np
from cuda.device import _core

__all__ = ["brev", "cbrt", "clz", "ffs", "fma", "popc"]


def _bits(name: str, x: object) -> tuple[int, int, type[np.integer[Any]]]:
    """(bit pattern, width, type) of an integer; TypeError for anything else (DEV-INTR-05)."""
    if isinstance(x, np.integer):
        width = x.dtype.itemsize * 8
        return int(x) & ((1 << width) - 1), width, type(x)
    if isinstance(x, int) and not isinstance(x, bool):
        if not -(2**31) <= x < 2**31:
            raise OverflowError(f"{name}: {x} does not fit int, which has 32 bits in kernels")
        return x & 0xFFFFFFFF, 32, np.int32
    raise TypeError(f"{name} needs an integer, found {type(x).__name__!r}")


def popc(x: Any) -> np.int32:
    """Number of set bits of an integer, in its own width: an int32.

    x: a signed or unsigned integer of any format. Raises TypeError for anything else, on the host
    OverflowError for a Python int beyond 32 bits.
    """
    return np.int32(_bits("popc", x)[0].bit_count())


def brev(x: Any) -> Any:
    """The bits of an integer in reverse order, in the same type; raises as popc."""
    pattern, width, kind = _bits("brev", x)
    reverse = int(f"{pattern:0{width}b}"[::-1], 2)
    return np.array(reverse, dtype=f"u{width // 8}").view(kind)[()]


def clz(x: Any) -> np.int32:
    """Number of leading zero bits of an integer, its width for 0: an int32; raises as popc."""
    pattern, width, _ = _bits("clz", x)
    return np.int32(width - pattern.bit_length())


def ffs(x: Any) -> np.int32:
    """Position of the lowest set bit counted from 1, 0 for 0: an int32; raises as popc."""
    pattern = _bits("ffs", x)[0]
    return np.int32((pattern & -pattern).bit_length())


def _float_type(name: str, values: tuple[object, ...]) -> type[np.floating[Any]]:
    """The common float type: float32 for Python's float alone (DEV-INTR-07, DEV-INTR-09)."""
    for value in values:
        if not isinstance(value, (float, np.floating)):
            raise TypeError(f"{name} needs floats, found {type(value).__name__!r}")
    fixed = [type(v) for v in values if isinstance(v, np.floating)]
    return np.result_type(*fixed).type if fixed else np.float32


def cbrt(a: Any) -> Any:
    """Real cube root of a float, in the same type, within 1 ulp.

    a: a float32 or float64; a Python float is a float32. Raises TypeError for integers.
    """
    kind = _float_type("cbrt", (a,))
    return kind(math.cbrt(a))


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once.

    a, b, c: floats of one type, or of several, which meet in their common type. Raises TypeError
    for integers.
    """
    kind = _float_type("fma", (a, b, c))
    if kind is np.float64:
        return kind(_core.fma64(float(a), float(b), float(c)))
    return kind(_core.fma32(float(kind(a)), float(kind(b)), float(kind(c))))
