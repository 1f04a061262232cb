"""Values of every operator on every pair of types, against Python's integers and NumPy's floats."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.promotion import is_float
from support.scalars import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    TYPES,
    assert_same_bits,
    cross,
    samples,
    ulps,
)

from support import promotion, reference

BLOCK = 64


@D.kernel(fmad=False)
def on_numbers(x, y, add, sub, mul, div, eq, ne, lt, le, gt, ge):
    i = D.tid(1)
    if i < x.size:
        a = x[i]
        b = y[i]
        add[i] = a + b
        sub[i] = a - b
        mul[i] = a * b
        div[i] = a / b
        eq[i] = a == b
        ne[i] = a != b
        lt[i] = a < b
        le[i] = a <= b
        gt[i] = a > b
        ge[i] = a >= b


@D.kernel(fmad=False)
def quotients(x, y, quotient, rest):
    i = D.tid(1)
    if i < x.size:
        quotient[i] = x[i] // y[i]
        rest[i] = x[i] % y[i]


@D.kernel
def on_integers(x, y, and_, or_, xor):
    i = D.tid(1)
    if i < x.size:
        and_[i] = x[i] & y[i]
        or_[i] = x[i] | y[i]
        xor[i] = x[i] ^ y[i]


@D.kernel
def shifts(x, y, left, right):
    i = D.tid(1)
    if i < x.size:
        left[i] = x[i] << y[i]
        right[i] = x[i] >> y[i]


@D.kernel(fmad=False)
def powers(x, y, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i] ** y[i]


def launch(kernel, operators, x, y, a, b):
    """Runs a kernel that stores one result array per operator; {operator: array}."""
    outs = {
        op: np.zeros(len(x), dtype=promotion.stored(promotion.result(op, a, b))) for op in operators
    }
    run(kernel, x, y, *outs.values(), grid=len(x) // BLOCK + 1, block=BLOCK)
    return outs


def clause_of(a, b):
    origin = promotion.table()[a, b][1]
    return clause("DEV-PROMO-01" if origin == "std" else "DEV-PROMO-04")


def pairs_of(names, both_orders):
    """Each unordered pair once, the order alternating, or both orders."""
    return [
        pytest.param((a, b), marks=clause_of(a, b), id=f"{a}-{b}")
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if both_orders or i == j or (i < j) == ((i + j) % 2 == 0)
    ]


TYPES_OF = {"test_bitwise_operators": ("bool", *INTEGERS), "test_shifts": INTEGERS}


def pytest_generate_tests(metafunc):
    if "pair" in metafunc.fixturenames:
        names = TYPES_OF.get(metafunc.function.__name__, TYPES)
        metafunc.parametrize("pair", pairs_of(names, metafunc.config.getoption("--long")))


def test_arithmetic_and_comparisons(target, pair):
    a, b = pair
    x, y = cross(samples(a), samples(b, 2))
    operators = (*promotion.ARITHMETIC, "/", *promotion.COMPARISONS)
    for op, out in launch(on_numbers, operators, x, y, a, b).items():
        if op in promotion.COMPARISONS:
            expected = reference.compare(op, x, y, a, b)
        else:
            expected = reference.binary(op, x, y, promotion.result(op, a, b))
        assert_same_bits(out, expected, x, y)


def test_floor_division_and_remainder(target, pair):
    a, b = pair
    x, y = cross(samples(a), samples(b, 2))
    if is_float(promotion.join(a, b)):
        keep = y != 0
        x, y = x[keep], y[keep]
    for op, out in launch(quotients, promotion.QUOTIENTS, x, y, a, b).items():
        expected = reference.binary(op, x, y, promotion.result(op, a, b))
        assert_same_bits(out, expected, x, y)


def test_bitwise_operators(target, pair):
    a, b = pair
    x, y = cross(samples(a), samples(b, 2))
    for op, out in launch(on_integers, promotion.BITWISE, x, y, a, b).items():
        assert_same_bits(out, reference.binary(op, x, y, promotion.result(op, a, b)), x, y)


SHIFT_COUNTS = np.array([0, 1, 2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 100])


def test_shifts(target, pair):
    a, b = pair
    x, y = cross(samples(a), SHIFT_COUNTS.astype(b))
    for op, out in launch(shifts, promotion.SHIFTS, x, y, a, b).items():
        assert_same_bits(out, reference.binary(op, x, y, promotion.result(op, a, b)), x, y)


def test_powers(target, pair):
    a, b = pair
    result = promotion.result("**", a, b)
    if is_float(result):
        bases, exponents = samples(a), np.array([0, 1, 2, 3, 5]).astype(b)
        bases = np.abs(bases) if a in FLOATS else bases
    else:
        bases = samples(a)
        exponents = np.array([0, 1, 2, 3, 7, 11, 33], dtype=np.int64).astype(b)
    x, y = cross(bases, exponents)
    (out,) = launch(powers, ["**"], x, y, a, b).values()
    if not is_float(result):
        assert_same_bits(out, reference.binary("**", x, y, result), x, y)
        return
    wide = [reference.convert(v, promotion.stored(result)).astype(np.longdouble) for v in (x, y)]
    with np.errstate(all="ignore"):
        expected = np.power(*wide).astype(out.dtype)
    assert ulps(out, expected).max() <= 4


# --- in place ---


@D.kernel(fmad=False)
def elements_of_numbers(ys, add, sub, mul, div, quotient, rest):
    i = D.tid(1)
    for n, y in enumerate(ys):
        if i < y.size:
            add[n][i] += y[i]
            sub[n][i] -= y[i]
            mul[n][i] *= y[i]
            div[n][i] /= y[i]
            quotient[n][i] //= y[i]
            rest[n][i] %= y[i]


@D.kernel
def elements_of_integers(ys, and_, or_, xor):
    i = D.tid(1)
    for n, y in enumerate(ys):
        if i < y.size:
            and_[n][i] &= y[i]
            or_[n][i] |= y[i]
            xor[n][i] ^= y[i]


@D.kernel
def shifted_elements(ys, left, right):
    i = D.tid(1)
    for n, y in enumerate(ys):
        if i < y.size:
            left[n][i] <<= y[i]
            right[n][i] >>= y[i]


IN_PLACE = [
    (elements_of_numbers, ("+", "-", "*", "/", "//", "%"), TYPES),
    (elements_of_integers, promotion.BITWISE, ("bool", *INTEGERS)),
    (shifted_elements, promotion.SHIFTS, INTEGERS),
]


@clause("DEV-PROMO-01", "DEV-PROMO-04")
@pytest.mark.parametrize("name", TYPES)
def test_elements_in_place_take_the_result_in_their_type(target, name):
    for kernel, operators, others in IN_PLACE:
        if name not in others:
            continue
        crossed = [
            cross(
                samples(name),
                SHIFT_COUNTS.astype(t) if operators is promotion.SHIFTS else samples(t, 2),
            )
            for t in others
        ]
        outs = [tuple(x.copy() for x, _ in crossed) for _ in operators]
        most = max(len(x) for x, _ in crossed)
        run(kernel, tuple(y for _, y in crossed), *outs, grid=most // BLOCK + 1, block=BLOCK)
        for operator, out in zip(operators, outs, strict=True):
            for other, (x, y), found in zip(others, crossed, out, strict=True):
                result = promotion.result(operator, name, other)
                wanted = reference.convert(reference.binary(operator, x, y, result), name)
                assert_same_bits(found, wanted, x, y)


# --- a builtin beside a typed operand ---


@D.kernel(fmad=False)
def with_builtin(x, n, add, sub, mul, div, lt, reflected):
    i = D.tid(1)
    if i < x.size:
        add[i] = x[i] + n
        sub[i] = n - x[i]
        mul[i] = x[i] * n
        div[i] = x[i] / n
        lt[i] = x[i] < n
        reflected[i] = n < x[i]


BUILTINS = {"int": (1, -3, 300, 2**31 - 1), "float": (1.0, -0.1, 3e38)}


def builtin_clause(name, builtin):
    origin = promotion.table()[name, builtin][1]
    return clause("DEV-PROMO-02" if origin == "std" else "DEV-PROMO-04")


BUILTIN_PAIRS = [
    pytest.param(name, builtin, marks=builtin_clause(name, builtin), id=f"{name}-{builtin}")
    for name in TYPES
    for builtin in BUILTINS
]


def builtin_reference(op, x, n, a, b):
    """x op n with n an array of the builtin's 32-bit format."""
    if op in promotion.COMPARISONS:
        return reference.compare(op, x, n, a, b)
    return reference.binary(op, x, n, promotion.result(op, a, b))


@pytest.mark.parametrize(("name", "builtin"), BUILTIN_PAIRS)
def test_run_time_builtins(target, name, builtin):
    x = samples(name)
    for value in BUILTINS[builtin]:
        n = np.full(len(x), value, dtype=promotion.stored(builtin))
        types = [promotion.stored(promotion.result(op, name, builtin)) for op in "+-*/"]
        outs = [np.zeros(len(x), dtype=t) for t in [*types, "bool", "bool"]]
        run(with_builtin, x, value, *outs, grid=1, block=BLOCK)
        add, sub, mul, div, lt, reflected = outs
        assert_same_bits(add, builtin_reference("+", x, n, name, builtin), x, n)
        assert_same_bits(sub, builtin_reference("-", n, x, builtin, name), n, x)
        assert_same_bits(mul, builtin_reference("*", x, n, name, builtin), x, n)
        assert_same_bits(div, builtin_reference("/", x, n, name, builtin), x, n)
        assert_same_bits(lt, builtin_reference("<", x, n, name, builtin), x, n)
        assert_same_bits(reflected, builtin_reference("<", n, x, builtin, name), n, x)


WIDE = [name for name in NUMBERS if name in FLOATS or np.dtype(name).itemsize >= 4]


@D.kernel(fmad=False)
def with_literals(x, out, floats, double):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i] * 3 + 100
        floats[i] = x[i] * 0.1
        double[i] = x[i] + 16777217


@clause("DEV-PROMO-02")
@pytest.mark.parametrize(
    "name", [n for n in NUMBERS if n not in ("int8", "uint8", "int16", "uint16")]
)
def test_literals_take_the_type_of_their_partner(target, name):
    x = samples(name)
    wide = name if name in FLOATS else "float32"
    out, floats, double = np.zeros_like(x), np.zeros(len(x), dtype=wide), np.zeros_like(x)
    run(with_literals, x, out, floats, double, grid=1, block=BLOCK)
    three, hundred, large = (np.full(len(x), v).astype(name) for v in (3, 100, 16777217))
    tripled = reference.binary("*", x, three, name)
    assert_same_bits(out, reference.binary("+", tripled, hundred, name), x)
    assert_same_bits(double, reference.binary("+", x, large, name), x)
    tenth = np.full(len(x), 0.1, dtype=wide)  # the double 0.1 beside a float64
    assert_same_bits(floats, reference.binary("*", x, tenth, wide), x)


@D.kernel
def exact_comparisons(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i, 0] = x[i] > -1
        out[i, 1] = x[i] < 1_000
        out[i, 2] = x[i] == -1
        out[i, 3] = x[i] >= 4_294_967_296


@clause("DEV-PROMO-04")
@pytest.mark.parametrize("name", INTEGERS)
def test_comparisons_with_literals_are_exact(target, name):
    x = samples(name)
    out = np.zeros((len(x), 4), dtype=bool)
    run(exact_comparisons, x, out, grid=1, block=BLOCK)
    expected = [[v > -1, v < 1000, v == -1, v >= 2**32] for v in x.tolist()]
    assert np.array_equal(out, expected)


@D.kernel
def unary(x, minus, plus, magnitude, truth):
    i = D.tid(1)
    if i < x.size:
        minus[i] = -x[i]
        plus[i] = +x[i]
        magnitude[i] = abs(x[i])
        truth[i] = not x[i]


@D.kernel
def inverted(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = ~x[i]


@clause("DEV-PROMO-01")
@pytest.mark.parametrize("name", NUMBERS)
def test_unary_operators(target, name):
    x = samples(name)
    minus, plus, magnitude = (np.zeros_like(x) for _ in range(3))
    truth = np.zeros(len(x), dtype=bool)
    run(unary, x, minus, plus, magnitude, truth, grid=1, block=BLOCK)
    with np.errstate(over="ignore"):
        assert_same_bits(minus, np.negative(x), x)
        assert_same_bits(magnitude, np.abs(x), x)
    assert_same_bits(plus, x)
    assert_same_bits(truth, x == 0, x)
    if name in INTEGERS:
        out = np.zeros_like(x)
        run(inverted, x, out, grid=1, block=BLOCK)
        assert_same_bits(out, ~x, x)


@D.kernel
def unary_bool(x, minus, inverse, truth):
    i = D.tid(1)
    if i < x.size:
        minus[i] = -x[i]
        inverse[i] = ~x[i]
        truth[i] = not x[i]


@clause("DEV-PROMO-01")
def test_unary_operators_on_bool(target):
    x = np.array([False, True, True])
    minus = np.zeros(3, dtype=np.int64)
    inverse, truth = np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)
    run(unary_bool, x, minus, inverse, truth, grid=1, block=BLOCK)
    assert minus.tolist() == [0, -1, -1]
    assert inverse.tolist() == truth.tolist() == [True, False, False]


def test_signedness_is_told_apart():
    """A guard of this file's reference: the same bits compare differently."""
    assert reference.compare("<", np.array([-1]), np.array([1], dtype=np.uint64), "int64", "uint64")
    assert "int64" in SIGNED
