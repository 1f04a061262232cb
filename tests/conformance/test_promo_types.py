"""Result types of every operator on every pair of types (DEV-PROMO), without running anything."""

import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device.errors import CompileError
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import result_type
from support.promotion import ERROR, FIXED, KNOWN
from support.scalars import INTEGERS, NUMBERS, SMALL_FLOATS
from support.sources import executed

from support import promotion


def type_of(name):
    """The object that stands for a type in result_type."""
    builtins = {"bool": bool, "int": int, "float": float, "complex": complex}
    return builtins.get(name) or getattr(D, name)


@D.func
def add(x, y):
    return x + y


@D.func
def sub(x, y):
    return x - y


@D.func
def mul(x, y):
    return x * y


@D.func
def div(x, y):
    return x / y


@D.func
def floordiv(x, y):
    return x // y


@D.func
def mod(x, y):
    return x % y


@D.func
def power(x, y):
    return x**y


@D.func
def bit_and(x, y):
    return x & y


@D.func
def bit_or(x, y):
    return x | y


@D.func
def bit_xor(x, y):
    return x ^ y


@D.func
def shift_left(x, y):
    return x << y


@D.func
def shift_right(x, y):
    return x >> y


@D.func
def equal(x, y):
    return x == y


@D.func
def unequal(x, y):
    return x != y


@D.func
def less(x, y):
    return x < y


@D.func
def less_equal(x, y):
    return x <= y


@D.func
def greater(x, y):
    return x > y


@D.func
def greater_equal(x, y):
    return x >= y


FUNCTIONS = {
    "+": add, "-": sub, "*": mul, "/": div, "//": floordiv, "%": mod, "**": power,
    "&": bit_and, "|": bit_or, "^": bit_xor, "<<": shift_left, ">>": shift_right,
    "==": equal, "!=": unequal, "<": less, "<=": less_equal, ">": greater, ">=": greater_equal,
}  # fmt: skip


def found_type(function, *types):
    """Name of the result type, or "err" where the compiler refuses."""
    try:
        return result_type(function, *map(type_of, types))
    except CompileError:
        return ERROR


def check_pairs(function, expected):
    """Compares {(a, b): type} with what the compiler gives; lists every difference."""
    wrong = []
    for (a, b), type_ in expected.items():
        found = found_type(function, a, b)
        if type_ is not None and found != type_:
            wrong.append(f"{a}, {b}: expected {type_}, found {found}")
    assert not wrong, "\n".join(wrong)


def test_the_tables_agree_with_each_other():
    assert set(FUNCTIONS) == set(promotion.OPERATORS)
    assert all(pair in promotion.table() for pair in promotion.pairs())
    assert len(promotion.pairs()) == 20 * 20
    assert promotion.join("int8", "uint8") == "int16"
    assert promotion.join("int64", "uint64") == "uint64"
    assert promotion.join("int32", "float32") == "float32"


@clause("DEV-PROMO-01")
@pytest.mark.parametrize("operator", promotion.OPERATORS)
def test_pairs_that_the_standard_defines(operator):
    pairs = [(a, b) for a, b in promotion.pairs("std") if a in FIXED and b in FIXED]
    check_pairs(FUNCTIONS[operator], {p: promotion.result(operator, *p) for p in pairs})


@clause("DEV-PROMO-02")
@pytest.mark.parametrize("operator", promotion.OPERATORS)
def test_builtins_are_weak(operator):
    pairs = [(a, b) for a, b in promotion.pairs("std") if (a in FIXED) != (b in FIXED)]
    check_pairs(FUNCTIONS[operator], {p: promotion.result(operator, *p) for p in pairs})


@clause("DEV-PROMO-03")
@pytest.mark.parametrize("operator", promotion.OPERATORS)
def test_builtin_with_builtin(operator):
    builtins = ("bool", *promotion.WEAK)
    pairs = [(a, b) for a in builtins for b in builtins]
    check_pairs(FUNCTIONS[operator], {p: promotion.result(operator, *p) for p in pairs})


@clause("DEV-PROMO-04")
@pytest.mark.parametrize("operator", promotion.OPERATORS)
def test_pairs_that_the_standard_leaves_open(operator):
    pairs = promotion.pairs("rec")
    check_pairs(FUNCTIONS[operator], {p: promotion.result(operator, *p) for p in pairs})


IN_PLACE = [sign for sign in promotion.OPERATORS if sign not in promotion.COMPARISONS]


@clause("DEV-PROMO-01", "DEV-PROMO-02", "DEV-PROMO-03", "DEV-PROMO-04")
@pytest.mark.parametrize("operator", IN_PLACE)
def test_assignments_in_place_give_a_variable_the_type_of_the_result(operator):
    text = f"@D.func\ndef in_place(x, y):\n    x {operator}= y\n    return x\n"
    expected = {pair: promotion.result(operator, *pair) for pair in promotion.pairs()}
    check_pairs(executed(text)["in_place"], expected)


@clause("DEV-PROMO-01")
def test_the_host_agrees_where_the_standard_decides():
    for a, b in promotion.pairs("std"):
        if a in NUMBERS and b in NUMBERS:
            host = getattr(D, a)(1) + getattr(D, b)(1)
            assert host.dtype.name == promotion.join(a, b)


# --- literals ---


@D.func
def plus_1(x):
    return x + 1


@D.func
def minus_half(x):
    return 0.5 - x


@D.func
def times_constant(x):
    return x * 2.0


@D.func
def one_plus_two():
    return 1 + 2.0


@D.func
def true_plus_one():
    return True + 1


@D.func
def true_plus_true():
    return True + True


@D.func
def one_half():
    return 1 / 2


@D.func
def seven_over_two():
    return 7 // 2


@D.func
def to_a_power():
    return 2**10


@D.func
def to_a_negative_power():
    return 2**-1


@clause("DEV-PROMO-02")
def test_literals_are_weak():
    numbers = (*NUMBERS, *SMALL_FLOATS, *promotion.COMPLEX)
    real = {name: "float32" if name in INTEGERS else name for name in numbers}
    expected = {plus_1: {name: name for name in numbers}, minus_half: real, times_constant: real}
    for function, types in expected.items():
        for name, type_ in types.items():
            assert found_type(function, name) == type_, (function.__name__, name)
    assert found_type(plus_1, "int") == "int"
    assert found_type(minus_half, "int") == "float"
    assert found_type(plus_1, "float") == "float"


@clause("DEV-PROMO-03")
def test_literals_with_literals():
    assert result_type(one_plus_two) == "float"
    assert result_type(true_plus_one) == "int"
    assert result_type(true_plus_true) == "int"
    assert result_type(one_half) == "float"
    assert result_type(seven_over_two) == "int"
    assert result_type(to_a_power) == "int"
    assert result_type(to_a_negative_power) == "float"


@D.func
def plus_127(x):
    return x + 127


@D.func
def plus_128(x):
    return x + 128


@D.func
def minus_128(x):
    return x + -128


@D.func
def plus_minus_1(x):
    return x + -1


@D.func
def plus_300(x):
    return 300 + x


@D.func
def plus_70000(x):
    return x + 70_000


@D.func
def plus_2_to_31(x):
    return x + 2**31


@D.func
def plus_2_to_64(x):
    return x * 18_446_744_073_709_551_616


def fits(value, name):
    info = np.iinfo(name)
    return info.min <= value <= info.max


LITERALS = {
    plus_127: 127,
    plus_128: 128,
    minus_128: -128,
    plus_minus_1: -1,
    plus_300: 300,
    plus_70000: 70_000,
    plus_2_to_31: 2**31,
    plus_2_to_64: 2**64,
}


@clause("DEV-PROMO-05")
@pytest.mark.parametrize("function", LITERALS)
@pytest.mark.parametrize("name", INTEGERS)
def test_a_literal_must_fit_its_integer_partner(function, name):
    expected = name if fits(LITERALS[function], name) else ERROR
    assert found_type(function, name) == expected
    if expected == ERROR and LITERALS[function] >= 0:
        with pytest.raises(OverflowError):
            getattr(D, name)(1) + LITERALS[function]


@D.kernel
def adds_300(out, x):
    out[0] = x + 300  # refused


@clause("DEV-PROMO-05")
def test_the_error_names_literal_and_type():
    expect_refusal(adds_300, np.zeros(1), D.int8(1), words=("300", "int8"))


@D.func
def literal_below(x):
    return x > -1


@D.func
def literal_above(x):
    return x < 1_000


def test_comparisons_take_any_literal():
    assert found_type(literal_below, "uint8") == "bool"
    assert found_type(literal_above, "int8") == "bool"


# --- joins, unary operators, functions ---


@D.func
def conditional(x, y):
    return x if x != 0 else y


@D.func
def merged(x, y):
    z = x
    if x != 0:
        z = y
    return z


@D.func
def minimum(x, y):
    return min(x, y)


@D.func
def maximum(x, y):
    return max(x, y)


@clause("DEV-PROMO-01", "DEV-PROMO-02", "DEV-PROMO-04")
@pytest.mark.parametrize("function", [conditional, merged])
def test_joins_promote(function):
    check_pairs(function, {pair: promotion.join(*pair) for pair in promotion.pairs()})


def bounds_of(name):
    """Of an integer type; a builtin int has 32 bits in kernels."""
    limits = np.iinfo("int32" if name == "int" else name)
    return limits.min, limits.max


def chosen(which, pair):
    """The type of min or max: the common one, where it has every number that may come out."""
    common = promotion.join(*pair)
    if promotion.is_complex(common):
        return ERROR
    if common == ERROR or not all(map(promotion.is_integer, pair)):
        return common
    bounds = [bounds_of(name) for name in pair]
    lowest, highest = (which(ends) for ends in zip(*bounds, strict=True))
    fits = [
        name
        for name in (common, "int", "int64")
        if bounds_of(name)[0] <= lowest and highest <= bounds_of(name)[1]
    ]
    return fits[0]


@pytest.mark.parametrize(("function", "which"), [(minimum, min), (maximum, max)])
def test_the_smaller_and_the_larger_of_two_numbers_fit(function, which):
    check_pairs(function, {pair: chosen(which, pair) for pair in promotion.pairs()})


@D.func
def negative(x):
    return -x


@D.func
def positive(x):
    return +x


@D.func
def inverted(x):
    return ~x


@D.func
def negated(x):
    return not x


@D.func
def absolute(x):
    return abs(x)


@D.func
def root(x):
    return math.sqrt(x)


def root_type(name):
    if promotion.is_complex(name):
        return ERROR
    if promotion.is_float(name):
        return name
    if name in ("int64", "uint64"):
        return "float64"
    return None if name == "bool" else "float" if name == "int" else "float32"


SIZES = {"complex": "float", "complex64": "float32", "complex128": "float64"}
UNARY = {
    negative: lambda t: "int" if t == "bool" else t,
    positive: lambda t: "int" if t == "bool" else t,
    inverted: lambda t: ERROR if promotion.is_float(t) or promotion.is_complex(t) else t,
    negated: lambda t: "bool",
    absolute: lambda t: None if t == "bool" else SIZES.get(t, t),
    root: root_type,
}


@clause("DEV-PROMO-01")
@pytest.mark.parametrize("function", UNARY)
def test_unary_operators_and_functions(function):
    for name in KNOWN:
        expected = UNARY[function](name)
        if expected is not None:
            assert found_type(function, name) == expected, name
