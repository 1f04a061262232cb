"""Functions of each element by itself: which operation a kernel does, in which formats.

The formats are those of NumPy's ufunc of the same name, which is asked for them.
"""

import cmath
import functools
import math
import operator
from typing import Any

import numpy as np
from cuda import device as D
from cuda.device import array_api
from cuda.device._floats import accumulator, kind_of
from cuda.device._gpu_arrays import _kernels
from cuda.device._gpu_arrays._views import common_shape, each_element, empty, flat, spread

# --- what kernels compute where the language has no function for it ---


def itself(x: Any) -> Any:
    return x


def conj(x: Any) -> Any:
    return x.conjugate()


def real(x: Any) -> Any:
    return x.real


def imag(x: Any) -> Any:
    return x.imag


def zero(x: Any) -> Any:
    return x - x


def never(x: Any) -> Any:
    return False


def always(x: Any) -> Any:
    return True


def signbit(x: Any) -> Any:
    return math.copysign(1.0, x) < 0


def complex_sign(z: Any) -> Any:
    size = abs(z)
    return size + 0j if size == 0 else z / size


def divide_or_zero(a: Any, b: Any) -> Any:
    return a // b if b != 0 else a - a


def remainder_or_zero(a: Any, b: Any) -> Any:
    return a % b if b != 0 else a - a


def shift_left(a: Any, b: Any) -> Any:
    return D.uint64(a) << D.uint64(b) if D.uint64(b) < 64 else D.uint64(0)


def shift_right(a: Any, b: Any) -> Any:
    return D.int64(a) >> D.int64(b if b < 64 else 63)


def shift_right_unsigned(a: Any, b: Any) -> Any:
    return D.uint64(a) >> D.uint64(b) if b < 64 else D.uint64(0)


def whole_power_unsigned(a: Any, b: Any) -> Any:
    """By squares, modulo 2**64."""
    base, left, found = D.uint64(a), D.uint64(b), D.uint64(1)
    while left > 0:
        if left & 1:
            found = found * base
        base = base * base
        left = left >> 1
    return found


def whole_power(a: Any, b: Any) -> Any:
    """Modulo 2**64; zero for negative exponents, one where the base is one."""
    if b < 0:
        return D.uint64(1 if a == 1 else 0)
    return whole_power_unsigned(D.int64(a), b)


def add_logarithms(a: Any, b: Any) -> Any:
    if a == b:
        return a + math.log(2.0)
    if a != a or b != b:
        return a + b
    high, low = max(a, b), min(a, b)
    return high + math.log1p(math.exp(low - high))


def complex_log1p(z: Any) -> Any:
    return cmath.log(1 + z)


def complex_log2(z: Any) -> Any:
    return cmath.log(z) / math.log(2)


def complex_exp2(z: Any) -> Any:
    return cmath.exp(z * math.log(2))


def complex_expm1(z: Any) -> Any:
    """exp(x) cos(y) - 1 without its cancellation."""
    half = math.sin(z.imag / 2)
    down = math.expm1(z.real)
    up = down + 1
    return complex(down * math.cos(z.imag) - 2 * half * half, up * math.sin(z.imag))


def complex_power(a: Any, b: Any) -> Any:
    if b == 0:
        return b + 1
    return a**b if a != 0 else a


def reciprocal(x: Any) -> Any:
    return 1 / x


def whole_reciprocal(x: Any) -> Any:
    """The part before the point, as NumPy has it; zero of zero."""
    return x if x == 1 or x == -1 else x - x


def complex_square(z: Any) -> Any:
    return z * z


def complex_round(z: Any) -> Any:
    return complex(np.rint(z.real), np.rint(z.imag))


def fraction(x: Any) -> Any:
    return math.modf(x)[0]


def whole(x: Any) -> Any:
    return math.modf(x)[1]


def mantissa(x: Any) -> Any:
    return math.frexp(x)[0]


def exponent(x: Any) -> Any:
    return math.frexp(x)[1]


def _mixed(compare: Any) -> Any:
    """A comparison of int64 with uint64, exact."""

    def compared(a: Any, b: Any) -> Any:
        if a < 0:
            return compare(-1, 0)
        if b < 0:
            return compare(0, -1)
        return compare(D.uint64(a), D.uint64(b))

    return compared


# By the kind of the operands, as NumPy calls them; "*" for all others.
_FUNCTIONS: dict[str, dict[str, Any]] = {
    "abs": {"u": itself, "b": itself, "*": abs},
    "add": {"b": operator.or_, "*": operator.add},
    "bitwise_and": {"*": operator.and_},
    "bitwise_invert": {"b": operator.not_, "*": operator.invert},
    "bitwise_left_shift": {"*": shift_left},
    "bitwise_or": {"*": operator.or_},
    "bitwise_right_shift": {"u": shift_right_unsigned, "*": shift_right},
    "bitwise_xor": {"*": operator.xor},
    "conj": {"c": conj, "*": itself},
    "copysign": {"*": math.copysign},
    "divide": {"*": operator.truediv},
    "float_power": {"c": complex_power, "*": operator.pow},
    "floor_divide": {"f": operator.floordiv, "*": divide_or_zero},
    "hypot": {"*": math.hypot},
    "isfinite": {"f": math.isfinite, "c": cmath.isfinite, "*": always},
    "isinf": {"f": math.isinf, "c": cmath.isinf, "*": never},
    "isnan": {"f": math.isnan, "c": cmath.isnan, "*": never},
    "atan2": {"*": math.atan2},
    "logaddexp": {"*": add_logarithms},
    "logical_and": {"*": np.logical_and},
    "logical_not": {"*": operator.not_},
    "logical_or": {"*": np.logical_or},
    "logical_xor": {"*": np.logical_xor},
    "maximum": {"b": operator.or_, "*": np.maximum},
    "minimum": {"b": operator.and_, "*": np.minimum},
    "multiply": {"b": operator.and_, "*": operator.mul},
    "negative": {"*": operator.neg},
    "positive": {"*": itself},
    "pow": {
        "f": operator.pow,
        "c": complex_power,
        "u": whole_power_unsigned,
        "*": whole_power,
    },
    "nextafter": {"*": math.nextafter},
    "reciprocal": {"f": reciprocal, "c": reciprocal, "*": whole_reciprocal},
    "remainder": {"f": operator.mod, "*": remainder_or_zero},
    "sign": {"c": complex_sign, "*": np.sign},
    "signbit": {"*": signbit},
    "square": {"c": complex_square, "*": np.square},
    "subtract": {"*": operator.sub},
    "exp2": {"c": complex_exp2, "*": math.exp2},
    "expm1": {"c": complex_expm1, "*": math.expm1},
    "log1p": {"c": complex_log1p, "*": math.log1p},
    "log2": {"c": complex_log2, "*": math.log2},
    **{
        name: {"*": getattr(operator, short)}
        for name, short in {
            "equal": "eq",
            "greater": "gt",
            "greater_equal": "ge",
            "less": "lt",
            "less_equal": "le",
            "not_equal": "ne",
        }.items()
    },
    **{
        name: {"c": getattr(cmath, name), "*": getattr(math, name)}
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log"),
            *("log10", "sin", "sinh", "sqrt", "tan", "tanh"),
        )
    },
    **{
        name: {"f": function, "*": itself}
        for name, function in {
            "ceil": math.ceil,
            "floor": math.floor,
            "round": np.rint,
            "trunc": math.trunc,
        }.items()
    },
}
_FUNCTIONS["round"]["c"] = complex_round
# The standard has them not; kernels know NumPy's.
_FUNCTIONS |= {
    name: {"*": getattr(np, name)}
    for name in (
        *("bitwise_count", "cbrt", "deg2rad", "degrees", "fabs", "fmod", "gcd", "heaviside"),
        *("lcm", "ldexp", "logaddexp2", "rad2deg", "radians", "spacing"),
    )
}
_FUNCTIONS |= {
    "fmax": {"b": operator.or_, "*": np.fmax},
    "fmin": {"b": operator.and_, "*": np.fmin},
}
# Functions of two results: the one and the other.
_PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "divmod": (_FUNCTIONS["floor_divide"], _FUNCTIONS["remainder"]),
    "frexp": ({"*": mantissa}, {"*": exponent}),
    "modf": ({"*": fraction}, {"*": whole}),
}
_COMPARISONS = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
_MIXED = {name: _mixed(_FUNCTIONS[name]["*"]) for name in _COMPARISONS}
_ORDERED = frozenset(_COMPARISONS[1:5]) | {"fmax", "fmin", "maximum", "minimum"}
_EXACT = ("nextafter", "spacing")  # all others are computed in float32 at least, and rounded once
_UFUNCS = {"round": np.rint}
_WHOLE = ("ceil", "floor", "round", "trunc")  # that give integers back as they are
_NUMBERS = (bool, int, float, complex)
NAMES = frozenset(_FUNCTIONS) | frozenset(_PAIRS)


def format_of(dtype: Any) -> Any:
    """The type of a kernel's values in an array of that dtype."""
    return bool if dtype.kind == "b" else dtype.type


@functools.cache
def _formats(name: str, kinds: Any, dtype: Any) -> Any:
    """The dtypes in which an operation is done, and those of its results.

    dtype: of the results, as NumPy's ufuncs take it.
    """
    if name in _WHOLE and kinds[0].kind in "iu" and dtype is None:
        return (kinds[0],), (kinds[0],)
    ufunc = _UFUNCS.get(name) or getattr(np, name)
    results = (None,) * ufunc.nout
    said: Any = {}
    if dtype is not None:
        said["signature"] = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    found = ufunc.resolve_dtypes((*kinds, *results), **said)
    return found[: ufunc.nin], found[ufunc.nin :]


def _functions(name: str, forms: Any) -> Any:
    """What gives each of the results."""
    if name in _MIXED and {form.kind for form in forms} == {"i", "u"}:
        return (_MIXED[name],)
    kind = kind_of(forms[0])
    if kind == "c" and name in _ORDERED:
        raise TypeError(f"{name}() of {forms[0]}: complex numbers have no order")
    return tuple(table.get(kind, table["*"]) for table in _PAIRS.get(name) or (_FUNCTIONS[name],))


def is_number(x: Any) -> bool:
    """A number of the host's: Python's, whose format adapts, or NumPy's."""
    return type(x) in _NUMBERS or isinstance(x, np.generic)


def _kind_of(x: Any) -> Any:
    if type(x) is bool:
        return np.dtype(bool)
    return type(x) if type(x) in _NUMBERS else x.dtype


def _beyond(x: Any, other: Any) -> bool:
    """Whether a Python int is less or more than every element of an array of integers."""
    if type(x) is not int or is_number(other) or other.dtype.kind not in "iub":
        return False
    known = np.iinfo(np.int64 if other.dtype.kind == "b" else other.dtype)
    return not known.min <= x <= known.max


def _compared_beyond(name: str, a: Any, b: Any) -> Any:
    """A comparison that every element answers as zero does."""
    array = b if is_number(a) else a
    answer = _FUNCTIONS[name]["*"](*(x if is_number(x) else 0 for x in (a, b)))
    out = empty(array.shape, np.bool_, array)
    each_element(_kernels.unary(always if answer else never, bool, bool), out, out)
    return out


def _check_power(form: Any, power: Any) -> None:
    if form.kind in "iu" and is_number(power) and power < 0:
        raise ValueError(f"integers to the power {power}, which is negative; make floats of them")


def elementwise(name: str, *operands: Any, dtype: Any = None) -> Any:
    """A function of the standard or a ufunc of NumPy, whose dtype= is that of the result.

    Operands are arrays of one device or numbers, one of them an array.
    """
    if name in _COMPARISONS and (_beyond(*operands) or _beyond(*operands[::-1])):
        return _compared_beyond(name, *operands)
    forms, results = _formats(
        name, tuple(map(_kind_of, operands)), None if dtype is None else np.dtype(dtype)
    )
    if name == "pow":
        _check_power(forms[0], operands[1])
    arrays = [x for x in operands if not is_number(x)]
    shape = common_shape(*(x.shape for x in arrays))
    given = [
        form.type(x) if is_number(x) else spread(x, shape)
        for x, form in zip(operands, forms, strict=True)
    ]
    kinds = tuple(format_of(form if name in _EXACT else accumulator(form)) for form in forms)
    numbers = tuple(is_number(x) for x in operands)
    found = []
    for function, result in zip(_functions(name, forms), results, strict=True):
        out, made = empty(shape, result, arrays[0]), format_of(result)
        if len(given) == 1:
            each_element(_kernels.unary(function, kinds[0], made), out, *given)
        else:
            each_element(_kernels.binary(function, kinds, numbers, made), out, *given)
        found.append(out)
    return found[0] if len(found) == 1 else tuple(found)


def _part(function: Any, x: Any) -> Any:
    out = empty(x.shape, np.empty(0, x.dtype).real.dtype, x)
    each_element(_kernels.unary(function, format_of(x.dtype), format_of(out.dtype)), out, x)
    return out


def real_part(x: Any, /) -> Any:
    return _part(real, x) if x.dtype.kind == "c" else x


def imaginary_part(x: Any, /) -> Any:
    return _part(imag if x.dtype.kind == "c" else zero, x)


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The elements in another dtype; copy=False gives x itself where it has that one."""
    wanted = np.dtype(dtype)
    if wanted == x.dtype and not copy:
        return x
    out = empty(x.shape, wanted, x)
    each_element(_kernels.unary(itself, format_of(x.dtype), format_of(wanted)), out, x)
    return out


def as_array(x: Any, like: Any, dtype: Any = None) -> Any:
    """An operand as an array where another one is; a number takes the dtype, or the other's."""
    if type(x) in (list, tuple):
        return array_api.asarray(x, dtype=dtype, device=str(like.device))
    if not is_number(x):
        return x
    made = empty((), dtype or np.result_type(x, like.dtype), like)
    made[...] = x
    return made


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    like = next(x for x in (condition, x1, x2) if not is_number(x))
    result = np.result_type(*(x if type(x) in _NUMBERS else x.dtype for x in (x1, x2)))
    parts = [condition, as_array(x1, like, result), as_array(x2, like, result)]
    shape = common_shape(*(x.shape for x in parts))
    out = empty(shape, result, like)
    each_element(_kernels.where(format_of(result)), out, *(spread(x, shape) for x in parts))
    return out


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The elements, none below min and none above max, in the dtype that NumPy gives them."""
    limits = (min, max)
    if x.dtype.kind in "iu":  # limits beyond the dtype, which the elements cannot pass
        known = np.iinfo(x.dtype)
        limits = (
            None if type(min) is int and min <= known.min else min,
            None if type(max) is int and max >= known.max else max,
        )
    dtype = np.clip(np.empty(0, x.dtype), *map(_example, limits)).dtype
    found = x
    for name, limit in zip(("maximum", "minimum"), limits, strict=True):
        if limit is not None:
            found = elementwise(name, found, limit)
    return astype(found, dtype, copy=found is x)


def _example(x: Any) -> Any:
    """A number as it is, an array as an empty one of its dtype."""
    return x if x is None or is_number(x) else np.empty(0, x.dtype)


def nonzero_mask(x: Any) -> Any:
    """Which elements are not zero, in one dimension."""
    each = flat(x)
    return each if each.dtype.kind == "b" else elementwise("not_equal", each, 0)
