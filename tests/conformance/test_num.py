"""Builtin numbers: bool, int and float in kernels (DEV-NUM)."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import result_type, run

INT_MIN, INT_MAX = -(2**31), 2**31 - 1


@D.func
def as_it_is(x):
    return x


@D.func
def true():
    return True


@D.func
def seven():
    return 7


@D.func
def half():
    return 0.5


@D.kernel
def argument(out, x):
    out[0] = x


@D.kernel
def through_a_function(out, x):
    out[0] = as_it_is(x)


@D.kernel
def literals(bools, ints, floats):
    bools[0] = True
    bools[1] = False
    ints[0] = 7
    ints[1] = -7
    ints[2] = 2147483647
    ints[3] = -2147483648
    floats[0] = 0.5
    floats[1] = -1.5e10


VALUES = [(True, "bool"), (False, "bool"), (5, "int64"), (-5, "int64"), (0.25, "float64")]


@clause("DEV-NUM-01")
@pytest.mark.parametrize(("value", "dtype"), VALUES)
@pytest.mark.parametrize("kernel", [argument, through_a_function])
def test_arguments_and_results_of_functions(target, kernel, value, dtype):
    out = np.full(1, 99).astype(dtype)
    run(kernel, out, value)
    assert out[0] == value


@clause("DEV-NUM-01")
def test_literals(target):
    bools, ints, floats = np.array([False, True]), np.zeros(4, dtype=np.int64), np.zeros(2)
    run(literals, bools, ints, floats)
    assert bools.tolist() == [True, False]
    assert ints.tolist() == [7, -7, INT_MAX, INT_MIN]
    assert floats.tolist() == [0.5, -1.5e10]


@clause("DEV-NUM-01")
def test_types_of_literals_and_arguments():
    assert result_type(true) == "bool"
    assert result_type(seven) == "int"
    assert result_type(half) == "float"
    assert result_type(as_it_is, bool) == "bool"
    assert result_type(as_it_is, int) == "int"
    assert result_type(as_it_is, float) == "float"


@D.kernel
def comparisons(out, x):
    out[0] = True
    out[1] = x > 1
    out[2] = not x
    out[3] = bool(x)
    out[4] = x == 3 or x == 4
    out[5] = False
    out[6] = 1 < x < 3


@clause("DEV-NUM-02", partial="the interoperable representation, DEV-ABI-01")
@pytest.mark.parametrize("x", [3, 3.0])
def test_bool_is_a_byte_of_one_or_zero(target, x):
    out = np.full(7, 0xAA, dtype=np.uint8)
    run(comparisons, out.view(np.bool_), x)
    assert out.tolist() == [1, 1, 0, 1, 1, 0, 0]


@D.kernel
def truths(out, flags):
    i = D.tid(1)
    if flags[i]:
        out[i] = flags[i] + 1


@clause("DEV-NUM-02", partial="the interoperable representation, DEV-ABI-01")
def test_any_nonzero_byte_of_a_bool_array_is_true(target):
    flags = np.array([0, 1, 2, 0x80, 0xFF], dtype=np.uint8)
    out = np.zeros(5, dtype=np.int32)
    run(truths, out, flags.view(np.bool_), block=5)
    assert out.tolist() == [0, 2, 2, 2, 2]


@D.func
def twice(x):
    return x + x


@D.kernel
def store_twice(out, x):
    out[0] = twice(x)


@clause("DEV-NUM-03")
@pytest.mark.parametrize("value", [INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX])
def test_int_arguments_keep_their_value(target, value):
    out = np.zeros(1, dtype=np.int64)
    run(argument, out, value)
    assert out[0] == value


@clause("DEV-NUM-03")
@clause("DEV-NUM-06", partial="the report of an overflow under checking")
@pytest.mark.parametrize(
    ("value", "doubled"), [(5, 10), (INT_MAX, -2), (INT_MIN, 0), (2**30, INT_MIN)]
)
def test_int_arithmetic_has_32_bits_and_wraps(target, value, doubled):
    out = np.zeros(1, dtype=np.int64)
    run(store_twice, out, value)
    assert out[0] == doubled


@clause("DEV-NUM-03", "DEV-NUM-04")
def test_arithmetic_on_builtins_stays_builtin():
    assert result_type(twice, int) == "int"
    assert result_type(twice, float) == "float"


@clause("DEV-NUM-04")
@pytest.mark.parametrize("value", [0.1, -0.0, 1e-45, 3.4e38, 16777217.0, float("inf"), 1 / 3])
def test_float_arguments_are_binary32(target, value):
    out = np.zeros(1)
    run(argument, out, value)
    assert out[0] == np.float32(value)
    assert np.signbit(out[0]) == np.signbit(value)


@clause("DEV-NUM-04")
def test_nan_is_an_argument(target):
    out = np.zeros(1)
    run(argument, out, float("nan"))
    assert np.isnan(out[0])


@D.kernel
def add_a_tenth(out, x):
    out[0] = x + 0.1


@clause("DEV-NUM-04")
def test_float_arithmetic_is_binary32(target):
    out = np.zeros(1)
    run(add_a_tenth, out, 0.2)
    assert out[0] == np.float32(0.2) + np.float32(0.1)
    assert out[0] != 0.2 + 0.1


WIDE = 5_000_000_000
TENTH = 0.1  # no float32


@D.kernel
def builtins_of_formats(ints, floats, wide, large, tenth):
    """From numbers known when compiling, and from the same ones known at run time."""
    ints[0] = int(D.int64(WIDE))
    ints[1] = int(wide)
    ints[2] = int(D.float64(-1e10))
    ints[3] = int(large)
    ints[4] = round(D.float64(-1e10))
    ints[5] = round(large)
    ints[6] = int(D.float64(math.nan))
    ints[7] = int(D.uint32(2**31))
    floats[0] = float(D.float64(TENTH))
    floats[1] = float(tenth)
    floats[2] = float(D.float64(1e300))
    floats[3] = float(D.int32(16_777_217))


@clause("DEV-NUM-03", "DEV-NUM-04")
def test_formats_become_builtins_of_32_bits(target):
    ints, floats = np.zeros(8, np.int64), np.zeros(4)
    large, tenth = np.float64(-1e10), np.float64(TENTH)
    run(builtins_of_formats, ints, floats, np.int64(WIDE), large, tenth)
    wrapped = WIDE - 2**32
    assert ints.tolist() == [wrapped] * 2 + [INT_MIN] * 4 + [0, INT_MIN]
    assert floats.tolist() == [np.float32(TENTH)] * 2 + [np.inf, np.float32(16_777_216)]


@D.kernel
def exact_until_typed(ints, floats, one):
    """Literals, and what is made of them, of names that are assigned once."""
    ints[0] = int(1e10)
    ints[1] = round(-3e9)
    n = int(6e9)
    ints[2] = n // 2
    tenth = TENTH
    floats[0] = one * tenth
    floats[1] = one * float(16_777_217)


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
def test_constants_are_exact_until_they_meet_a_format(target):
    ints, floats = np.zeros(3, np.int64), np.zeros(2)
    run(exact_until_typed, ints, floats, np.float64(1))
    assert ints.tolist() == [10**10, -3 * 10**9, 3 * 10**9]
    assert floats.tolist() == [0.1, 16_777_217]


@D.func
def one_more(x):
    x = x + 1
    return x


@D.kernel
def variables(ints, floats, one, flag):
    """Exact where one constant reaches the read; 32 bits where several definitions do."""
    x = 2147483647
    x = x + 1
    ints[0] = x
    y = 2147483647
    for _ in range(1):
        y = y + 1
    ints[1] = y
    z = 2147483647
    ints[2] = z + 1
    if flag:
        z = 7
    ints[3] = z + 1
    ints[4] = one_more(2147483647)
    u = TENTH
    floats[0] = one * u
    u = 2 * u
    floats[1] = one * u
    v = TENTH
    for k in range(2):
        floats[2 + k] = one * v
        v = 2 * v
    w = TENTH
    floats[4] = one * w
    if flag:
        w = 0.5
        floats[5] = one * w
    floats[6] = one * w
    pair = (TENTH, 3)
    floats[7] = one * pair[0]
    if flag:
        pair = (0.2, 4)
    floats[8] = one * pair[0]


@clause("DEV-NUM-03", "DEV-NUM-04")
@clause("DEV-NUM-06", partial="the report of an overflow under checking")
@pytest.mark.parametrize("flag", [True, False])
def test_constants_are_exact_where_only_one_definition_reaches(target, flag):
    ints, floats = np.zeros(5, np.int64), np.zeros(9)
    run(variables, ints, floats, np.float64(1), flag)
    assert ints.tolist() == [2**31, INT_MIN, 2**31, 8 if flag else INT_MIN, 2**31]
    tenth = np.float32(TENTH)
    expected = [0.1, 0.2, tenth, 2 * tenth, 0.1, 0.5, 0.5, 0.1, np.float32(0.2)]
    if not flag:
        expected[5:] = [0, tenth, 0.1, tenth]
    assert floats.tolist() == expected


@D.kernel
def wraps_under_a_condition(out, flag):
    z = 2147483647
    if flag:
        z += 1  # refused
    out[0] = z


@D.kernel
def shape_of_a_name_assigned_twice(out):
    n = 4
    table = D.local_array(n, D.int32)  # refused
    n = 5
    table[0] = n
    out[0] = table[0]


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
def test_an_exact_sum_that_is_kept_in_an_int_must_fit():
    expect_refusal(wraps_under_a_condition, np.zeros(1), True, words=("2147483648", "int"))


@clause("DEV-CONST-04")
def test_shapes_are_of_names_that_are_assigned_once():
    expect_refusal(shape_of_a_name_assigned_twice, np.zeros(1), words=("constant",))


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**63, 2**64, 10**30, -(10**30)])
def test_int_arguments_out_of_range_are_refused(value):
    out = np.full(1, 7, dtype=np.int64)
    with pytest.raises(OverflowError) as raised:
        D.launch(argument, out, value, grid=1, block=1)
    assert "argument" in str(raised.value)
    assert "int32" in str(raised.value) or "32" in str(raised.value)
    assert out[0] == 7


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
@pytest.mark.parametrize("value", [1e300, -1e300, 3.5e38])
def test_float_arguments_out_of_range_are_refused(value):
    out = np.zeros(1)
    with pytest.raises(OverflowError) as raised:
        D.launch(argument, out, value, grid=1, block=1)
    assert "float32" in str(raised.value)


@D.kernel
def large_literal(out, n):
    x = 5_000_000_000  # refused
    if n > 3:
        x = 1
    out[0] = x


@D.kernel
def large_sum(out, n):
    out[0] = n + 5_000_000_000  # refused


@D.kernel
def large_constant(out, n):
    out[0] = n + 2**31  # refused


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
@pytest.mark.parametrize("kernel", [large_sum, large_constant])
def test_a_literal_that_ends_as_a_plain_int_must_fit(kernel):
    expect_refusal(kernel, np.zeros(1, dtype=np.int64), 1, words=("int",))


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
def test_a_variable_of_a_large_literal_is_refused():
    out = np.zeros(1, dtype=np.int64)
    expect_refusal(large_literal, out, 1, words=("5000000000",))


@D.kernel
def exact_literals(ints, floats, x):
    ints[0] = D.int64(5_000_000_000)
    ints[1] = ints[2] + 5_000_000_000
    floats[0] = 0.1
    floats[1] = x * 0.1


@clause("DEV-NUM-06", partial="the report of an overflow under checking")
def test_literals_are_exact_until_they_have_a_type(target):
    ints, floats = np.array([0, 0, 1]), np.zeros(2)
    run(exact_literals, ints, floats, np.float64(3))
    assert ints.tolist() == [5_000_000_000, 5_000_000_001, 1]
    assert floats.tolist() == [0.1, 3 * 0.1]
