"""What kernels must compute, by Python's integers and NumPy's floats, without the package."""

import operator

import numpy as np

from support.promotion import is_float, join, stored
from support.scalars import SIGNED, bits, wrap, wrapped

_PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def saturate(value, name):
    """A float as an integer type: truncated, out of range to the nearest end, NaN to 0."""
    info = np.iinfo(name)
    if np.isnan(value):
        return 0
    if np.isinf(value):
        return info.max if value > 0 else info.min
    return min(max(int(value), info.min), info.max)


def convert(x, name):
    """An array as another type, as D.T(x) does it."""
    target = np.dtype(name)
    if target == np.bool_:
        return x != 0
    if target.kind == "f":
        with np.errstate(over="ignore"):
            return x.astype(target)
    if x.dtype.kind == "f":
        return np.array([saturate(v, name) for v in x.tolist()], dtype=target)
    return wrapped(x.tolist(), name)


def floor_divide(a, b, name):
    """Integers: x // 0 has all bits set; the most negative number over -1 wraps."""
    return wrap(-1 if b == 0 else a // b, name)


def modulo(a, b, name):
    """Integers: sign of the divisor; x % 0 is x."""
    return wrap(a if b == 0 else a % b, name)


def shift_left(a, count, name):
    return wrap(a << count if 0 <= count < bits(name) else 0, name)


def shift_right(a, count, name):
    width = bits(name)
    return a >> min(count, width - 1) if name in SIGNED else (a >> count if count < width else 0)


def power(a, b, name):
    """Integers: a negative exponent gives 1 / a**-b truncated, and 0 for a = 0."""
    if b >= 0:
        return wrap(pow(a, b, 1 << 64), name)
    if a in (1, -1):
        return a if b % 2 else 1
    return 0


_INTEGER = {
    "//": floor_divide,
    "%": modulo,
    "<<": shift_left,
    ">>": shift_right,
    "**": power,
}
_FLOAT = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "//": np.floor_divide, "%": np.remainder, "**": np.power,
}  # fmt: skip


def _on_integers(op, x, y, name):
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    if op in _INTEGER:
        return np.array([_INTEGER[op](a, b, name) for a, b in pairs], dtype=name)
    return wrapped([_PYTHON[op](a, b) for a, b in pairs], name)


def binary(op, x, y, result):
    """`x op y` in the result type: operands converted to it, then the operation."""
    name = stored(result)
    if name == "bool":
        return {"&": np.logical_and, "|": np.logical_or, "^": np.logical_xor}[op](x, y)
    x, y = convert(x, name), convert(y, name)
    if is_float(name):
        with np.errstate(all="ignore"):
            return _FLOAT[op](x, y)
    return _on_integers(op, x, y, name)


def compare(op, x, y, a, b):
    """`x op y` for types a and b: integers exactly, whatever their signs, the rest as joined."""
    common = stored(join(a, b))
    if is_float(common):
        x, y = convert(x, common), convert(y, common)
        return _PYTHON[op](x, y)
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return np.array([_PYTHON[op](int(a), int(b)) for a, b in pairs], dtype=bool)


def popc(value, name):
    return (value & ((1 << bits(name)) - 1)).bit_count()


def clz(value, name):
    return bits(name) - (value & ((1 << bits(name)) - 1)).bit_length()


def ffs(value, name):
    return (value & -value).bit_length()


def brev(value, name):
    width = bits(name)
    pattern = format(value & ((1 << width) - 1), f"0{width}b")
    return wrap(int(pattern[::-1], 2), name)
