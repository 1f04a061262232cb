"""Numbers of NumbaPro's dialect and what its operators do to them: a model in Python and NumPy.

A number is Val(type, number): the type by NumPy's name, the number a Python int or bool, or a
float or complex number of NumPy in that format. Whoever computes runs it with
numpy.errstate(all="ignore").
"""

from __future__ import annotations

import ast
import math
import operator
from typing import NamedTuple

import numpy as np

from support.numbapro_rules import bits, general, kind_of_int, result_of, unary_result

# Python's names of operators in its syntax trees, and how they are written.
SIGNS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "UAdd": "+", "USub": "-", "Invert": "~", "Not": "not ",
}  # fmt: skip
_COMPARE = {
    "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Val(NamedTuple):
    type: str
    number: object


def is_float(t: str) -> bool:
    return t.startswith("float")


def is_complex(t: str) -> bool:
    return t.startswith("complex")


def is_int(t: str) -> bool:
    return "int" in t


def convert(t: str, v: Val) -> Val:
    """Integers wrap; floats are cut off and saturate, NaN is 0; a bool is whether it is not 0."""
    if t == v.type:
        return v
    if t == "bool":
        return Val(t, bool(v.number != 0))
    if is_complex(t):
        if not is_complex(v.type):
            return of_parts(t, v, Val("bool", False))
        return of_parts(t, part(v, "real"), part(v, "imag"))
    if is_float(t):
        kind = np.dtype(t).type
        if is_float(v.type):
            return Val(t, kind(v.number))
        whole = int(v.number)
        return Val(t, kind(np.uint64(whole) if whole >= 1 << 63 else np.int64(whole)))
    if is_float(v.type):
        return Val(t, _cut_off(t, float(v.number)))
    return Val(t, int(kind_of_int(t, int(v.number))))


def _cut_off(t: str, x: float) -> int:
    limits = np.iinfo(t)
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return int(limits.max if x > 0 else limits.min)
    return max(int(limits.min), min(int(limits.max), int(x)))


def part_type(t: str) -> str:
    """Of the parts of a complex number."""
    return f"float{bits(t)}"


def part(v: Val, name: str) -> Val:
    return Val(part_type(v.type), getattr(v.number, name))


def of_parts(t: str, real: Val, imag: Val) -> Val:
    made = np.zeros((), t)
    made.real, made.imag = (convert(part_type(t), each).number for each in (real, imag))
    return Val(t, made[()])


def typed(number: np.generic) -> Val:
    """A number of NumPy."""
    t = number.dtype.name
    return Val(t, number if is_float(t) or is_complex(t) else number.item())


def literal(number: object) -> Val:
    """A-13."""
    if isinstance(number, complex):
        return Val("complex128", np.complex128(number))
    if isinstance(number, bool):
        return Val("bool", number)
    if isinstance(number, int):
        signed = "int32" if -(1 << 31) <= number < 1 << 31 else "int64"
        return Val(signed if number < 1 << 63 else "uint64", number)
    return Val("float64", np.float64(number))


def negative_literal(e: ast.AST) -> Val | None:
    """A literal beyond int64 with a minus sign, which belongs to it; None: an operator."""
    match e:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return literal(-number) if number >= 1 << 63 else None
    return None


def _whole(sign: str, t: str, a: int, b: int) -> int:
    """The integer operation, before it wraps."""
    if sign == "//":
        return -1 if b == 0 else a // b
    if sign == "%":
        return a if b == 0 else a % b
    if sign == "<<":
        return 0 if _count(t, b) >= bits(t) else a << b
    if sign == ">>":
        return a >> min(_count(t, b), bits(t))
    if sign == "**":
        return pow(a, b, 1 << bits(t))
    return {
        "+": operator.add, "-": operator.sub, "*": operator.mul,
        "&": operator.and_, "|": operator.or_, "^": operator.xor,
    }[sign](a, b)  # fmt: skip


def _count(t: str, b: int) -> int:
    """Bits to shift by: a negative count is a large one."""
    return b & ((1 << bits(t)) - 1)


def _inverse(a: int, b: int) -> int:
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


def _real(sign: str, a, b):
    if sign == "//":
        return np.floor_divide(a, b)
    if sign == "%":
        return np.remainder(a, b)
    return {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign](
        a, b
    )


def _complex_product(a: complex, b: complex) -> tuple:
    """The parts, by ISO C, G.5.1: what is infinite stays so where the plain formula has NaNs."""
    ar, ai, br, bi = a.real, a.imag, b.real, b.imag
    kind = type(ar)
    products = [ar * br, ai * bi, ar * bi, ai * br]
    real, imag = products[0] - products[1], products[2] + products[3]
    if not (np.isnan(real) and np.isnan(imag)):
        return real, imag

    def unit(x):
        return np.copysign(kind(1 if np.isinf(x) else 0), x)

    def zero(x):
        return np.copysign(kind(0), x) if np.isnan(x) else x

    first, second = np.isinf(ar) or np.isinf(ai), np.isinf(br) or np.isinf(bi)
    if first:
        ar, ai, br, bi = unit(ar), unit(ai), zero(br), zero(bi)
    if second:
        ar, ai, br, bi = zero(ar), zero(ai), unit(br), unit(bi)
    if not (first or second):
        if not any(np.isinf(each) for each in products):
            return real, imag
        ar, ai, br, bi = zero(ar), zero(ai), zero(br), zero(bi)
    infinity = kind(np.inf)
    return infinity * (ar * br - ai * bi), infinity * (ar * bi + ai * br)


def _complex_binary(sign: str, t: str, left: Val, right: Val) -> Val:
    a, b = convert(t, left).number, convert(t, right).number
    if sign == "*":
        parts = _complex_product(a, b)
    else:
        of = operator.add if sign == "+" else operator.sub
        parts = of(a.real, b.real), of(a.imag, b.imag)
    return of_parts(t, *(Val(part_type(t), each) for each in parts))


def binary(sign: str, left: Val, right: Val) -> Val:
    result = result_of(sign, left.type, right.type)
    if is_complex(result):
        return _complex_binary(sign, result, left, right)
    if sign == "/":
        return Val(result, _real(sign, convert(result, left).number, convert(result, right).number))
    common = general(left.type, right.type)
    if common == "bool" and sign not in "&|^":
        common = "int32"
    a, b = convert(common, left), convert(common, right)
    if is_float(common):
        return convert(result, Val(common, _real(sign, a.number, b.number)))
    if common == "bool":
        return Val("bool", bool(_whole(sign, common, a.number, b.number)))
    a, b = convert(result, a), convert(result, b)
    if sign == "**" and right.number < 0:  # the exponent keeps its own sign
        return Val(result, _inverse(a.number, right.number))
    return Val(result, int(kind_of_int(result, _whole(sign, result, a.number, b.number))))


def compare(sign: str, left: Val, right: Val) -> Val:
    """A-12: on operands of the more general type."""
    common = general(left.type, right.type)
    a, b = convert(common, left).number, convert(common, right).number
    return Val("bool", bool(_COMPARE[sign](a, b)))


def unary(sign: str, v: Val) -> Val:
    if sign == "not ":
        return Val("bool", not truth(v))
    t = unary_result(sign, v.type)
    if sign == "~":
        return Val(t, int(kind_of_int(t, ~v.number)) if is_int(t) else not v.number)
    number = convert(t, v).number
    if sign == "+":
        return Val(t, number)
    if is_complex(t):
        parts = (Val(part_type(t), -each) for each in (number.real, number.imag))
        return of_parts(t, *parts)
    return Val(t, -number if is_float(t) else int(kind_of_int(t, -number)))


def truth(v: Val) -> bool:
    return bool(v.number != 0)


def absolute(v: Val) -> Val:
    t = unary_result("+", v.type)
    number = abs(convert(t, v).number)
    return Val(t, number if is_float(t) else int(kind_of_int(t, number)))


def least(left: Val, right: Val, largest: bool) -> Val:
    t = general(left.type, right.type)
    a, b = convert(t, left), convert(t, right)
    return b if (b.number > a.number if largest else b.number < a.number) else a


MATH = {
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "fabs": np.abs, "fmod": np.fmod,
    "copysign": np.copysign, "isnan": np.isnan, "isinf": np.isinf,
}  # fmt: skip


def math_type(name: str, types: list[str]) -> str:
    """float32 and float64 as they are, integers as float64; of two the more general one."""
    if name.startswith("is"):
        return "bool"
    found = [t if is_float(t) else "float64" for t in types]
    return found[0] if len(found) == 1 else general(*found)


def math_call(name: str, values: list[Val]) -> Val:
    t = math_type("", [v.type for v in values])
    result = MATH[name](*(convert(t, v).number for v in values))
    return Val("bool", bool(result)) if name.startswith("is") else Val(t, result)
