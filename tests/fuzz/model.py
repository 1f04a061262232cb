"""The meaning of kernel arithmetic, written anew in Python and NumPy: a second opinion.

A value is ``Val(type, number)``: type is a code of promotion.csv (``i4``, ``u8``, ``b1`` ...) or a
builtin, weak one (``int``, ``float``); the number is a Python int or bool, or a NumPy float. Of the
small floats it is one of ml_dtypes; what is computed in them is computed wider and rounded once.
Nothing here looks at the compiler: the promotion table is the data of tests/conformance. Whoever
computes runs it with numpy.errstate(all="ignore").
"""

from __future__ import annotations

import csv
import functools
import math
import operator
import pathlib
from typing import NamedTuple

import numpy
from support.small_floats import rounded

from support import small_floats

INTS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
EIGHT_BITS = ("e4", "e5")  # in statements of their own: other_numbers.py
SMALL = ("f2", "bf", *EIGHT_BITS)
FLOATS = ("f4", "f8", *SMALL)
TYPED = ("b1", *INTS, "f4", "f8", "f2", "bf")
COMPONENTS = {"c8": "f4", "c16": "f8"}  # of complex numbers, in those statements too
NAMES = {
    "b1": "bool",
    **{f"{s}{n}": f"{'u' * (s == 'u')}int{8 * n}" for s in "iu" for n in (1, 2, 4, 8)},
    "f4": "float32",
    "f8": "float64",
    "f2": "float16",
    "bf": "bfloat16",
    "e4": "float8e4m3",
    "e5": "float8e5m2",
    "c8": "complex64",
    "c16": "complex128",
}
NUMPY = {
    code: small_floats.DTYPES[name].type if name in small_floats.DTYPES else numpy.dtype(name).type
    for code, name in NAMES.items()
}


class Val(NamedTuple):
    type: str
    number: object


def is_record(t: str) -> bool:
    """Whether it is the type of a record instead of a number: see records.py."""
    return (
        t in ("Cell", "Flat", "c8", "c16")
        or t[-2:-1] == "x"
        or "*" in t
        or (t[:1] in ("S", "T", "N") and t[1:2].isdigit())  # of struct_types.py
    )


def _table() -> dict[tuple[str, str], str]:
    path = pathlib.Path(__file__).parent.parent / "conformance" / "promotion.csv"
    table = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            a, b, result = (
                row[key].rstrip("*") if "*" in row[key] else row[key]
                for key in ("a", "b", "result")
            )
            table[a, b] = table[b, a] = result
    weak = ("b1", "int", "float")
    for i, a in enumerate(weak):
        for b in weak[i:]:
            table[a, b] = table[b, a] = b
    return table


PROMOTION = _table()


def is_int(t: str) -> bool:
    return t == "int" or t in INTS


def is_float(t: str) -> bool:
    return t == "float" or t in FLOATS


MACHINE = {t: t for t in (*TYPED, *EIGHT_BITS)} | {"int": "i4", "float": "f4"}
BITS = {t: 16 if m == "bf" else 8 if m in EIGHT_BITS else 8 * int(m[1]) for t, m in MACHINE.items()}


def use_builtins(width: int) -> None:
    """From here on a builtin number has 32 bits, or 64, as in kernels with builtins=64."""
    for t, code in (("int", "i"), ("float", "f")):
        MACHINE[t], BITS[t] = f"{code}{width // 8}", width
    for t in INTS:
        PROMOTION[t, "float"] = PROMOTION["float", t] = MACHINE["float"]
    binary_type.cache_clear()


def machine(t: str) -> str:
    """The format a type is computed in."""
    return MACHINE[t]


def bits(t: str) -> int:
    return BITS[t]


def wrap(t: str, n: int) -> int:
    """An integer in the format of the integer type t, modulo two to its width."""
    width = BITS[t]
    n &= (1 << width) - 1
    return n - (1 << width) if n >> (width - 1) and MACHINE[t][0] == "i" else n


@functools.lru_cache(maxsize=1 << 16)
def _small(t: str, text: str):
    """The number of a small float next to a float64, or to an integer of up to 64 bits."""
    number = numpy.longdouble(int(text)) if text.lstrip("-").isdigit() else float.fromhex(text)
    return rounded(numpy.array([number]), NAMES[t])[0]


def small(t: str, number):
    return _small(t, float(number).hex())


def _float_of_int(t: str, n: int):
    if t in SMALL:
        return _small(t, str(n))
    source = numpy.uint64(n) if n >= 1 << 63 else numpy.int64(n)
    return source.astype(NUMPY[machine(t)])  # one rounding


def _int_of_float(t: str, x) -> int:
    """Truncates and saturates; NaN is 0."""
    m = machine(t)
    low, high = (
        (0, (1 << bits(t)) - 1)
        if m[0] == "u"
        else (-(1 << (bits(t) - 1)), (1 << (bits(t) - 1)) - 1)
    )
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return high if x > 0 else low
    return max(low, min(high, int(float(x))))  # bfloat16's own overflows


def convert(t: str, v: Val) -> Val:
    if t == v.type:
        return v
    if t == "b1":
        return Val(t, bool(v.number != 0))
    if is_int(t):
        return Val(t, _int_of_float(t, v.number) if is_float(v.type) else wrap(t, int(v.number)))
    if is_float(v.type):
        return Val(t, small(t, v.number) if t in SMALL else NUMPY[machine(t)](float(v.number)))
    return Val(t, _float_of_int(t, int(v.number)))


def promote(a: str, b: str) -> str:
    return PROMOTION[a, b]


def _no_bool(t: str) -> str:
    return "int" if t == "b1" else t


def division_type(a: str, b: str) -> str:
    p = promote(a, b)
    if is_float(p):
        return p
    if "i8" in (a, b) or "u8" in (a, b):
        return "f8"
    return "float" if p in ("int", "b1") else "f4"


def _floor_div_int(t: str, a: int, b: int) -> int:
    return wrap(t, -1 if b == 0 else a // b)


def _floor_mod_int(t: str, a: int, b: int) -> int:
    return a if b == 0 else wrap(t, a % b)


def _divmod_float(t: str, a, b):
    """Quotient and remainder as NumPy defines them."""
    with numpy.errstate(all="ignore"):
        return numpy.floor_divide(a, b), numpy.remainder(a, b)


def _shift(t: str, a: int, b: int, left: bool) -> int:
    count = b & ((1 << bits(t)) - 1)
    if left:
        return 0 if count >= bits(t) else wrap(t, a << count)
    return a >> min(count, bits(t))


OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def _plain(op: str, t: str, a, b):
    if t in SMALL:  # float64 has more than twice the bits: its result is rounded once
        return small(t, OPERATIONS[op](numpy.float64(a), numpy.float64(b)))
    result = OPERATIONS[op](a, b)
    return result if is_float(t) else wrap(t, result)


@functools.cache
def binary_type(op: str, a: str, b: str) -> str | None:
    """Type of the result, or None where the operator is not for these types."""
    p = promote(a, b)
    if op in ("+", "-", "*", "//", "%"):
        return _no_bool(p)
    if op == "/":
        return division_type(a, b)
    if op in ("&", "|", "^"):
        return None if is_float(p) else p
    if op in ("<<", ">>"):
        return p if is_int(p) and "b1" not in (a, b) else None
    raise AssertionError(op)


def binary(op: str, left: Val, right: Val) -> Val:
    t = binary_type(op, left.type, right.type)
    a, b = convert(t, left).number, convert(t, right).number
    if op in ("+", "-", "*"):
        return Val(t, _plain(op, t, a, b))
    if op == "/":
        if t in SMALL:
            return Val(t, small(t, numpy.float64(a) / numpy.float64(b)))
        with numpy.errstate(all="ignore"):
            return Val(t, a / b)
    if op in ("//", "%"):
        if t in SMALL:
            return Val(t, small(t, _divmod_float("f4", *map(numpy.float32, (a, b)))[op == "%"]))
        if is_float(t):
            return Val(t, _divmod_float(t, a, b)[op == "%"])
        return Val(t, (_floor_div_int if op == "//" else _floor_mod_int)(t, a, b))
    if op in ("<<", ">>"):
        return Val(t, _shift(t, a, b, op == "<<"))
    result = OPERATIONS[op](a, b)
    return Val(t, result if t == "b1" else wrap(t, result))


COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compare(op: str, left: Val, right: Val) -> Val:
    """Integers and bools as numbers, whatever their formats; with a float, in the promoted type."""
    p = promote(left.type, right.type)
    if is_float(p):
        left, right = convert(p, left), convert(p, right)
    else:
        left, right = (Val(v.type, int(v.number)) for v in (left, right))
    return Val("b1", bool(COMPARISONS[op](left.number, right.number)))


def unary(op: str, v: Val) -> Val:
    if op == "not":
        return Val("b1", v.number == 0)
    if op == "~":
        return Val("b1", not v.number) if v.type == "b1" else Val(v.type, wrap(v.type, ~v.number))
    t = _no_bool(v.type)
    number = convert(t, v).number
    if is_float(t):
        return Val(t, -number if op == "-" else abs(number))
    return Val(t, wrap(t, -number if op == "-" else abs(number)))


def limits(t: str) -> tuple[int, int]:
    """The least and the largest number of an integer type, or of bool."""
    if t == "b1":
        return 0, 1
    low = 0 if machine(t)[0] == "u" else -(1 << (bits(t) - 1))
    return low, low + (1 << bits(t)) - 1


def within(part: tuple[int, int], t: str) -> bool:
    low, high = limits(t)
    return low <= part[0] and part[1] <= high


SIGNIFICANDS = {"f2": 11, "bf": 8, "f4": 24, "f8": 53}


def keeps(t: str, source: str) -> bool:
    """Whether an element of a tuple may be chosen as one of type t: it keeps its value. Builtin
    numbers take any format of their kind or above, but no integers of fewer bits or no sign."""
    if t == source or source == "b1":
        return True
    if is_int(source) and is_int(t):
        return within(limits(source), t)
    if source in ("int", "float"):
        return is_float(t)
    if is_int(source):
        return is_float(t) and bits(source) - (source[0] == "i") <= SIGNIFICANDS[t]
    return t == "f8" or (t == "f4" and source in ("f2", "bf"))


def least_type(a: str, b: str, largest: bool) -> str:
    """Of min() and max() of two numbers of run time."""
    t = promote(a, b)
    if not is_int(t) or a == b:
        return t
    best = max if largest else min
    found = tuple(best(x, y) for x, y in zip(limits(a), limits(b), strict=True))
    return next((one for one in (t, "int", "i8") if within(found, one)), t)


def range_type(bounds: list[tuple[str, int | None]]) -> str:
    """Of the numbers of a range: of each bound its type, and its number if that is a literal."""
    t = functools.reduce(promote, (one for one, _ in bounds), "int")
    lows, highs = zip(*((n, n) if n is not None else limits(one) for one, n in bounds), strict=True)
    unsigned = machine(bounds[-1][0])[0] == "u"
    start, stop = (0, 1) if len(bounds) > 1 else (None, 0)
    step = (lows[2], highs[2]) if len(bounds) == 3 else (1, 1)
    low = high = 0
    if start is not None:
        low, high = lows[0], highs[0]
    if step[1] >= 0:
        high = max(high, highs[stop] - 1)
    if step[0] <= 0 and not (len(bounds) == 3 and unsigned):
        low = min(low, lows[stop] + 1)
    if bits(t) >= 32 and within((low, high), t):
        return t
    return "int" if t == "int" or within((low, high), "int") else "i8"


def least(left: Val, right: Val, largest: bool, t: str) -> Val:
    a, b = convert(t, left), convert(t, right)
    return b if compare(">" if largest else "<", right, left).number else a


def math_type(t: str) -> str:
    if is_float(t):
        return t
    return "f8" if t in ("i8", "u8") else ("float" if t in ("int", "b1") else "f4")


def math_call(name: str, *values: Val) -> Val:
    """The functions of `math` that are exact, in the arguments' float types, promoted."""
    t = math_type(values[0].type)
    for v in values[1:]:
        t = promote(t, math_type(v.type))
    numbers = [convert(t, v).number for v in values]
    with numpy.errstate(all="ignore"):
        if name in ("isnan", "isinf", "isfinite"):
            return Val("b1", bool(getattr(numpy, name)(*map(numpy.float64, numbers))))
        if t in SMALL:
            return Val(t, small(t, getattr(numpy, name)(*map(numpy.float64, numbers))))
        return Val(t, getattr(numpy, name)(*numbers))
