"""NumbaPro's types: type objects, inference, loops, literals (NP-TYPE, NP-ARITH)."""

import copy
import math
import pickle

import numpy as np
import pytest
from cuda.device import numbapro
from cuda.device.errors import LaunchTypeError
from cuda.device.numbapro import (
    bool_,
    complex64,
    complex128,
    cuda,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    intp,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from support.clauses import clause
from support.numbapro import expect_errors, made_of, types_of_variables
from support.numbapro_rules import kind_of_int


@cuda.autojit
def of_literals(out, ints, a):
    out[0] = 1 / 2
    out[1] = int32(1) / int32(3)
    out[2] = int64(1) / int8(3)
    out[3] = float32(1) / 3.0
    out[4] = a / 3
    out[5] = 2.0**0.5
    out[6] = 7.5 % -2.0
    ints[0] = -7 // 2
    ints[1] = 1e300 // 1.0
    ints[2] = float32(7.5) // float32(2)
    ints[3] = int8(100) + int8(100)
    ints[4] = -7 % 3
    ints[5] = int32(3) ** int32(4)
    ints[6] = True + True
    ints[7] = uint8(1) << uint8(7)
    ints[8] = int8(-1) & int32(0x12345)
    ints[9] = 2147483647 + 1
    ints[10] = 2147483648 + 1
    ints[11] = -int8(-128)
    ints[12] = ~uint8(1)
    ints[13] = int(3.99)
    ints[14] = not 5


@clause("NP-ARITH-02", "NP-ARITH-03", "NP-ARITH-04")
def test_literals_have_formats_of_their_own(target):
    out, ints = np.zeros(7), np.zeros(15, np.int64)
    of_literals[1, 1](out, ints, 1.0)
    third = float(np.float32(1) / np.float32(3))
    assert out.tolist() == [0.5, third, 1 / 3, 1 / 3, 1 / 3, 2**0.5, 7.5 % -2.0]
    assert ints.tolist() == [
        *(-4, (1 << 63) - 1, 3, -56, 2, 81, 2, 128, 0x12345),
        *(-(1 << 31), 2147483649, -128, 254, 3, 0),
    ]


@cuda.autojit
def complex_arithmetic(out, z, w, x):
    out[0] = z[0] + w[0]
    out[1] = z[0] * x[0]
    out[2] = z[0] - w[0]
    out[3] = z[0] * w[0]
    out[4] = 2j * z[0]
    out[5] = complex64(3) + float64(0.1)
    out[6] = z[0].real + z[0].imag


@clause("NP-ARITH-06")
def test_complex_numbers_add_subtract_and_multiply(target):
    z, w = np.array([1.5 + 2j], np.complex64), np.array([3 - 0.25j], np.complex64)
    out = np.zeros(7, np.complex128)
    complex_arithmetic[1, 1](out, z, w, np.array([2.5], np.float32))
    a, b = complex(z[0]), complex(w[0])
    assert out.tolist() == [a + b, a * 2.5, a - b, a * b, 2j * a, 3 + 0.1, 3.5]


@cuda.autojit
def complex_operators(out, z):
    x = z[0] / z[0]  # error at `z[0] / z[0]` on `/`: cannot divide 'complex128' by 'complex128'
    # hint: complex numbers of this dialect have + - and *
    # error at `z[0] == z[0]` on `==`: cannot compare 'complex128' with 'complex128'
    # hint: complex numbers of this dialect have + - and *
    x = z[0] == z[0]
    out[0] = x


@cuda.autojit
def bits_of_floats(out):
    out[0] = 1.0 & 2  # error at `1.0 & 2` on `&`: '&' needs integers, found 'float64' and 'int32'
    # hint: convert with int() or a fixed format such as int32()


@clause("NP-ARITH-05", "NP-ARITH-07")
def test_operators_that_complex_numbers_and_floats_do_not_have():
    expect_errors(complex_operators, np.zeros(1), np.zeros(1, complex))
    expect_errors(bits_of_floats, np.zeros(1))


@cuda.autojit
def divides(quotient, root, a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        quotient[i] = a[i] / b[i]
        root[i] = c[i] ** 0.5 * 0.0 + math_sqrt(c[i])


def math_sqrt(x):
    import math

    return math.sqrt(x)


@cuda.autojit
def augments(ints, out):
    ints[0] += 1.5
    ints[1] //= 2
    x = 1
    x += 1.5
    out[0] = x * 2
    y = int32(1)
    for i in range(3):
        y += 1.5
    out[1] = y


@clause("NP-ARITH-09")
def test_augmented_assignments(target):
    ints, out = np.array([1, -7], np.int32), np.zeros(2)
    augments[1, 1](ints, out)
    assert ints.tolist() == [2, -4]
    assert out.tolist() == [5, 4]


@cuda.autojit
def divides_by_zero(out, a):
    out[0] = a[0] // a[1]
    out[1] = a[0] % a[1]
    out[2] = 1


@clause("NP-ARITH-10")
def test_integer_division_by_zero_ends(target):
    out = np.zeros(3, np.int64)
    divides_by_zero[1, 1](out, np.array([5, 0]))
    assert out[2] == 1


# --- variables ---


@cuda.autojit
def redefines(out, ints):
    x = 1
    y = x
    x = 2.5
    out[0] = y / 4
    out[1] = x
    z = int16(5)
    ints[0] = z
    w = int16(30000)
    ints[1] = w + w


@clause("NP-TYPE-01", "NP-TYPE-02", "NP-TYPE-03")
def test_a_variable_has_the_type_of_its_definition(target):
    out, ints = np.zeros(2), np.zeros(2, np.int64)
    redefines[1, 1](out, ints)
    assert out.tolist() == [0.25, 2.5]
    assert ints.tolist() == [5, 60000 - 65536]


@cuda.autojit
def in_loops(out, n):
    x = int32(0)
    for i in range(4):
        x = x + 1.5
    out[0] = x
    y = int32(0)
    for i in range(2):
        for j in range(2):
            y = y + 1.5
    out[1] = y
    z = int32(0)
    i = 0
    while i < 4:
        z += 1.5
        i += 1
    out[2] = z
    for i in range(2):  # the first assignment in the loop
        if i == 0:
            w = 1
        w = w + 1.5
        out[3] = w
    if n > 0:  # the more general one
        v = 1
    else:
        v = 2.5
    out[4] = v
    u = int8(100)
    for i in range(n):
        u = u + 100
    out[5] = u
    t = int32(0)
    for i in range(2):
        t = 1.5  # not read together with the first one
        out[6] = t
    for i in range(2):
        for k in range(2):
            t = 2.5
            out[7] = t
    for i in range(int64(3)):  # a loop's variable is of its range
        out[8] = i + 2147483647
    for i in range(2):  # A-2, where no read meets both
        r = 1
        out[9] = r
        r = 2.5
        out[10] = r
        q = i
        q += 0.5
        out[11] = q


@clause("NP-TYPE-04", "NP-TYPE-05")
def test_a_loop_keeps_the_type_from_before_it(target):
    out = np.zeros(12)
    in_loops[1, 1](out, 2)
    assert out.tolist() == [4, 4, 4, 3, 1, 300 - 256, 1, 2, 2147483649, 1, 2, 1]
    in_loops[1, 1](out, 0)
    assert out.tolist() == [4, 4, 4, 3, 2.5, 100, 1, 2, 2147483649, 1, 2, 1]


@cuda.autojit
def retypes_counters(out, n):
    for i in range(4):
        i = i * 1.5  # stays an int32
        out[0] += i
    out[1] = i
    for i in range(2):
        for i in range(int64(3)):  # a counter of its own
            i = i * 1.5 + 2147483648
            out[2] = i
    for i in range(4):
        i += 0.75
        while i < 3:
            i = i + 1.75
        out[3] += i
    i = int8(0)
    for i in range(n):  # the counter is as wide as the range
        out[4] += 1
    out[5] = i
    j = 2.5
    for j in range(n):
        out[6] = j / 4
    out[7] = j
    for i in range(3):
        if i == 0:
            w = 1
        w = w + 1.5
        out[8] = w
    if n > 0:
        w = 2.5  # where both meet, the more general type
    out[9] = w


@clause("NP-TYPE-02", "NP-TYPE-04", "NP-TYPE-05")
def test_the_counter_of_a_loop_keeps_its_type(target):
    out = np.zeros(10)
    retypes_counters[1, 1](out, 300)
    counted = [0 + 1 + 3 + 4, 4, 2 * 1.5 + 2147483648, 4 * 3]
    assert out.tolist() == [*counted, 300, 299, 299 / 4, 299, 4, 2.5]
    out[:] = 0
    retypes_counters[1, 1](out, 0)
    assert out.tolist() == [*counted, 0, 0, 0, 2.5, 4, 4]


@clause("NP-TYPE-02", "NP-TYPE-04")
def test_types_of_counters():
    kernel = made_of(
        """
        def k(out):
            for i in range(3):
                i = i * 1.5
                out[i] = 1
            for j in range(int8(3), int64(4)):
                j = j / 2
                out[j] = 1
            for k in range(int8(3)):  # A-4: at least int32
                out[k] = 1
            for m in xrange(uint8(3), uint16(4)):
                out[m] = 1
            for n in range(uint32(3)):
                out[n] = 1
        """
    )
    found = types_of_variables(kernel, "array[float64, 1]")
    assert found == {"i": "int32", "j": "int64", "k": "int32", "m": "int32", "n": "uint32"}


@cuda.autojit
def counts_through_signs(out, u, w, s):
    n = 0
    for i in range(u, -1, -1):
        out[n] = i
        n += 1
    for i in range(w, s, s):  # no constants
        out[n] = i + 10
        n += 1
    for i in range(uint8(2), -1, -2):
        out[n] = i + 20
        n += 1
    for i in range(s, u):
        out[n] = i == uint32(-1)  # the variable has no sign
        n += 1
    for i in range(u, 5):
        out[n] = i + 30
        n += 1
    for i in range(u, s):
        out[n] = 99
        n += 1
    out[n] = len(xrange(w, s, -1))  # noqa: F821
    out[n + 1] = -7


@clause("NP-NPM-05", "NP-TYPE-02")
@pytest.mark.parametrize("wide", [np.uint32, np.uint64])
def test_ranges_with_bounds_and_steps_of_either_sign(target, wide):
    out = np.zeros(24)
    counts_through_signs[1, 1](out, np.uint32(3), wide(2), np.int32(-1))
    wanted = [3, 2, 1, 0, 12, 11, 10, 22, 20, 1, 0, 0, 0, 33, 34, 3, -7]
    assert out.tolist() == wanted + [0] * (24 - len(wanted))


@clause("NP-TYPE-02")
def test_the_variable_of_a_range_has_the_more_general_type():
    kernel = made_of(
        """
        def k(out, u, w, s):
            for a in range(u, -1, -1):
                out[0] = a
            for b in range(s, w):
                out[0] = b
            for c in range(u, 10, 2):
                out[0] = c
            for d in range(uint8(9), s, s):
                out[0] = d
        """
    )
    found = types_of_variables(kernel, "array[float64, 1]", "uint32", "uint64", "int32")
    kinds = {"a": "uint32", "b": "uint64", "c": "uint32", "d": "int32"}
    assert {name: found[name] for name in kinds} == kinds


@cuda.autojit
def large_literals(out, flags, x):
    y = 0x8000000000000000
    flags[0] = y > 0
    flags[1] = 0x8000000000000000 > 0
    flags[2] = y + 0 > 0
    flags[3] = y == 9223372036854775808.0
    flags[4] = x < 0x8000000000000000  # both in uint64: NP-A-12
    flags[5] = x == 0xFFFFFFFFFFFFFFFF
    flags[6] = -9223372036854775808 < 0
    flags[7] = LARGE > 0
    flags[8] = LEAST < 0
    out[0] = y
    out[1] = y + 1
    out[2] = 0xFFFFFFFFFFFFFFFF
    out[3] = -9223372036854775808
    out[4] = -0x8000000000000000 + 1
    out[5] = LARGE
    out[6] = LEAST
    out[7] = 0xFFFFFFFFFFFFFFFF // 3
    out[8] = uint32(x) ** 0xFFFFFFFFFFFFFFFF
    out[9] = int64(3) ** uint32(-1)


LARGE, LEAST = 1 << 63, -(1 << 63)


@clause("NP-TYPE-02", "NP-ARITH-01")
def test_literals_beyond_int64_have_no_sign(target):
    out, flags = np.zeros(10, np.uint64), np.zeros(9, np.uint8)
    large_literals[1, 1](out, flags, -1)
    assert flags.tolist() == [1, 1, 1, 1, 0, 1, 1, 1, 1]
    least = 1 << 63
    assert out.tolist() == [
        *(least, least + 1, (1 << 64) - 1, least, least + 1, least, least),
        *(((1 << 64) - 1) // 3, pow((1 << 32) - 1, (1 << 64) - 1, 1 << 64)),
        pow(3, (1 << 32) - 1, 1 << 64),
    ]


def test_types_of_literals():
    kernel = made_of(
        """
        def k(out, n):
            a = 0x7FFFFFFFFFFFFFFF if n else 0
            b = 0x8000000000000000 if n else 0
            c = -0x8000000000000000 if n else 0
            d = -2147483648 if n else 0
            out[0] = a + b + c + d
        """
    )
    found = types_of_variables(kernel, "array[float64, 1]", "int64")
    kinds = {"a": "int64", "b": "uint64", "c": "int64", "d": "int64"}
    assert {name: found.get(name) for name in kinds} == kinds


TOO_LARGE = 1 << 64


@cuda.autojit
def literals_that_do_not_fit(out):
    out[0] = 0x10000000000000000  # error at `0x10000000000000000`: 18446744073709551616 does not
    # ... fit in uint64
    # hint: integers have up to 64 bits
    out[1] = -9223372036854775809  # error at `-9223372036854775809`: -9223372036854775809 does not
    # ... fit in int64
    # hint: integers have up to 64 bits
    out[2] = TOO_LARGE  # error at `TOO_LARGE`: 18446744073709551616 does not fit in uint64
    # hint: integers have up to 64 bits


def test_literals_beyond_64_bits_are_refused():
    expect_errors(literals_that_do_not_fit, np.zeros(3))


# --- assignments where paths meet, beside loops ---


@cuda.autojit
def assigned_beside_loops(out, n):
    x = int32(0)
    for i in range(4):
        x = x + 1.5  # an int32, whatever is assigned after the loop
    if n > 9:
        x = 0.5
    out[0] = x
    y = int32(2)
    out[y] = 1  # an index, though y is a float64 below
    while y < 4:
        y = y + 1.5
    out[y] = 4
    if n > 9:
        y = 0.5
    out[1] = y
    if n > 1:
        z = int32(16777217)
    else:
        z = float32(0)
    if n > 9:  # the branches above have met in a float32 before
        z = 0.5
    out[3] = z
    w = int8(100)
    if n > 1:
        w = w + w  # an int8
    out[5] = w
    w = w * 1.5
    if n > 1:
        w = int16(300)
    else:
        w = w / 2
    out[6] = w


@clause("NP-TYPE-02", "NP-TYPE-03", "NP-TYPE-04", "NP-TYPE-05")
def test_assignments_after_a_loop_change_nothing_in_it(target):
    out = np.zeros(7)
    assigned_beside_loops[1, 1](out, 2)
    assert out.tolist() == [4, 4, 1, 16777216, 4, 200 - 256, 300]
    assigned_beside_loops[1, 1](out, 10)
    assert out.tolist() == [0.5, 0.5, 1, 0.5, 4, 200 - 256, 300]
    assigned_beside_loops[1, 1](out, 0)
    assert out.tolist() == [4, 4, 1, 0, 4, 100, 75]


@cuda.autojit
def counters_that_meet(out, n):
    x = 2.5
    for x in range(n):
        if x == 3:
            break
        out[1] = x / 2
        x = x + 0.7
        out[2] = x
    else:
        out[3] = x
    out[0] = x
    for i in range(2):
        for k in range(n):  # what the loop around assigns first: an int32 in all of it
            if k == 2:
                break
        else:
            if n == 0:
                continue
        k = k + 0.75
        out[4] = k
        for k in range(int64(3)):
            out[5] = k + 2147483648
        out[6] = k
    f = float32(0.5)
    for i in range(2):
        for f in range(3):
            f = f + 1.75
        out[7] = f
        f = f + 0.25  # a float32, as before the loops
    out[8] = f


@clause("NP-TYPE-04", "NP-TYPE-05")
def test_counters_meet_what_is_before_their_loop(target):
    out = np.zeros(9)
    counters_that_meet[1, 1](out, 2)
    assert out.tolist() == [1, 0.5, 1, 1, 1, 2147483650, 2, 3, 3.25]
    out[:] = 0
    counters_that_meet[1, 1](out, 5)
    assert out.tolist() == [3, 1, 2, 0, 2, 2147483650, 2, 3, 3.25]
    out[:] = 0
    counters_that_meet[1, 1](out, 0)
    assert out.tolist() == [2.5, 0, 0, 2.5, 0, 0, 0, 3, 3.25]


@cuda.autojit
def assigns_in_expressions(out, n):
    x = 1
    found = (n > 2 and (x := 2.5) > 1) or n > 100
    out[0] = x
    y = 5 if n > 2 else (x := 7.5)
    out[1] = x
    if n < 3 < (x := 100):
        out[2] = y
    out[3] = x
    if 1 > 2 > (x := 4.5):
        out[4] = found
    out[5] = x
    if 1 < 2 < (x := 4.5):
        out[6] = x
    while (x := x - 1.75) > 0:
        out[7] = out[7] + 1
    out[8] = x


@clause("NP-TYPE-03", "NP-TYPE-04")
def test_assignments_in_expressions_that_may_be_left_out(target):
    out = np.zeros(9)
    assigns_in_expressions[1, 1](out, 5)
    assert out.tolist() == [2.5, 2.5, 0, 2.5, 0, 2.5, 4.5, 2, -0.75]
    out[:] = 0
    assigns_in_expressions[1, 1](out, 1)
    assert out.tolist() == [1, 7.5, 7.5, 100, 0, 100, 4.5, 2, -0.75]


@cuda.autojit
def follows_narrower_types(out, a, s, n):
    f = 3
    if n > 0:
        s = int64(5)
    else:
        f = s  # an int32, though s is an int64 where both meet
    for i in range(1):
        f /= 1e-300
    out[0] = f
    out[1] = s
    x = int64(a[0])
    if n > 3:
        x = int32(2)
    y = x // 1  # of an int64, whatever x becomes below
    if n > 4:
        x = float32(3)
    if n > 5:
        y = int8(1)
    out[2] = y
    out[3] = x
    for i in range(2):
        if i > 0:
            # t is a float32, as the assignment below says: the quotient is an int32.
            z = (t if n > 1 else int64(a[0])) // 1  # noqa: F821
            out[4] = z + 1
        t = float32(4)


@clause("NP-TYPE-02", "NP-TYPE-03")
def test_types_follow_from_what_types_are_in_the_end(target):
    out = np.zeros(5)
    follows_narrower_types[1, 1](out, np.array([1e15]), np.int32(7), 0)
    assert out.tolist() == [2147483647, 7, 1e15, float(np.float32(1e15)), -2147483648]
    follows_narrower_types[1, 1](out, np.array([1e15]), np.int32(7), 6)
    assert out.tolist() == [2147483647, 5, 1, 3, 5]


DEBUG = True


@cuda.autojit
def constants(out, flags, u, n):
    yes = True
    a = 1 if yes else 2.5
    if yes:
        b = 1
    else:
        b = 2.5
    c = 0 or 1  # noqa: SIM222
    d = 2 and 2.5
    if DEBUG:
        e = int8(1)
    else:
        e = int16(2)
    f = 1 if 2 > 1 else 2.5
    m = 2**-1
    p = int8(-1) ** -3
    q = int64(3) ** -2
    out[0], out[1], out[2], out[3], out[4], out[5] = a, b, c, d, e, f
    out[6], out[7], out[8] = m, p, q
    out[9], out[10], out[11] = 2**n, int8(-1) ** (n - 2), 2.0**-1
    while False:
        out[0] = 17
    flags[0], flags[1] = int32(-1) < uint32(1), u > -1
    flags[2], flags[3] = n < u, uint8(255) == -1
    flags[4], flags[5] = u == 4294967295, True > False


@clause("NP-TYPE-02", "NP-TYPE-03", "NP-ARITH-01")
def test_constants_decide_no_types(target):
    out, flags = np.zeros(12), np.zeros(6, bool)
    constants[1, 1](out, flags, np.uint32(5), np.int32(-1))
    assert out.tolist() == [1, 1, 1, 2.5, 1, 1, 0, -1, 0, 0, -1, 0.5]
    assert flags.tolist() == [False, False, False, False, False, True]
    found = types_of_variables(constants, "array[float64, 1]", "array[bool, 1]", "uint32", "int32")
    assert [found[name] for name in "abcdefmpq"] == [
        *("float64", "float64", "int32", "float64", "int16", "float64"),
        *("int32", "int32", "int64"),
    ]


@cuda.autojit
def complex_in_loop(out):
    x = 0
    for i in range(4):
        x = 1j  # error at `1j`: 'x' is int32 in this loop, and complex128 cannot be converted to
        # ... that
        # hint: a loop keeps the type that a variable has before it, or else that of its first
        # ... assignment in it, and converts integers and floats alone: use another name
    out[0] = x


@cuda.autojit
def array_in_loop(out, a):
    x = 0
    while out[0] > 0:
        for i in range(4):
            x = a  # error at `a`: 'x' is int32 in this loop, and array[float64, 1] cannot be
            # ... converted to that
            # hint: a loop keeps the type that a variable has before it, or else that of its first
            # ... assignment in it, and converts integers and floats alone: use another name
    out[0] = x


@cuda.autojit
def stores(out, z, a):
    out[0] = z[0]  # error at `z[0]`: complex128 cannot be stored in an array of float64
    # hint: .real and abs() are numbers without an imaginary part
    out[0] = a  # error at `a`: array[float64, 1] cannot be stored in an array of float64
    # hint: an element takes a number
    x = 1.0
    if out[0] > 0:
        x = z[0]  # error at `z[0]`: 'x' would be both float64 and complex128 here
        # hint: give the two values one type, or use two names
    out[0] = x


# --- arrays and other values as variables ---


@cuda.autojit
def swaps_arrays(a, b, n):
    i = cuda.grid(1)
    for step in range(n):
        left = max(i - 1, 0)
        right = min(i + 1, a.size - 1)
        b[i] = (a[left] + a[right]) / 2
        cuda.syncthreads()
        a, b = b, a


@cuda.autojit
def chooses_arrays(out, a, b, n):
    if n > 0:
        x = a
    else:
        x = b
    out[0] = x[0]
    y = a if n > 1 else b
    out[1] = y[1] + y.size
    z = a
    for i in range(n):
        if i == 1:
            z = b
        z[2] = z[2] + 1
    out[2] = z[2]
    pair = a, 1
    for i in range(n):
        pair = b, 2.5  # an int32 still
    out[3] = pair[0][0] * pair[1]


@clause("NP-TYPE-03", "NP-TYPE-04", "NP-NPM-02")
def test_arrays_of_one_type_are_chosen_at_run_time(target):
    a = np.arange(8.0)
    b, wanted = np.zeros(8), a.copy()
    swaps_arrays[1, 8](a, b, 3)
    for _ in range(3):
        padded = np.concatenate([wanted[:1], wanted, wanted[-1:]])
        wanted = (padded[:-2] + padded[2:]) / 2
    assert b.tolist() == wanted.tolist()  # an odd number of steps
    for n in (0, 1, 2, 3):
        out, a, b = np.zeros(4), np.array([1, 2, 3.0]), np.array([10, 20, 30.0])
        chooses_arrays[1, 1](out, a, b, n)
        last = b if n > 1 else a
        counted = [3 + min(n, 1), 30 + max(n - 1, 0)]
        assert [a[2], b[2]] == counted
        pair = 10 * 2 if n else 1
        assert out.tolist() == [1 if n else 10, (2 if n > 1 else 20) + 3, last[2], pair]


@cuda.autojit
def other_values_in_loops(out, a, b):
    x = a
    f = math.sin
    for i in range(3):
        x = 5  # error at `5`: 'x' is array[float64, 1] in this loop, and int32 cannot be converted
        # ... to that
        # hint: a loop keeps the type that a variable has before it, or else that of its first
        # ... assignment in it, and converts integers and floats alone: use another name
        f = math.cos  # error at `math.cos`: 'f' is math.sin in this loop, and math.cos cannot be
        # ... converted to that
        # hint: a loop keeps the type that a variable has before it, or else that of its first
        # ... assignment in it, and converts integers and floats alone: use another name
    y = a
    while out[0] > 0:
        y = b  # error at `b`: 'y' is array[float64, 1] in this loop, and array[int16, 1] cannot be
        # ... converted to that
        # hint: a loop keeps the type that a variable has before it, or else that of its first
        # ... assignment in it, and converts integers and floats alone: use another name
    out[0] = x[0] + f(y[0])


@clause("NP-TYPE-06")
def test_a_loop_keeps_what_is_no_number_too():
    expect_errors(other_values_in_loops, np.zeros(1), np.zeros(1), np.zeros(1, np.int16))


@cuda.autojit
def assigns_where_no_path_comes(out, n):
    for i in range(3):
        if i > 5:
            continue
            y = 1
        y = 2.5  # the first one that some path comes to: a float64
        y = y + int8(1)
    out[0] = y
    while n > 0:
        n = n - 1
        if n > 3:
            break
            for z in range(3):
                out[1] = z
        z = float32(0.5)
    out[2] = z / 2


@clause("NP-TYPE-04")
def test_what_no_path_comes_to_says_no_type(target):
    out = np.zeros(3)
    assigns_where_no_path_comes[1, 1](out, 2)
    assert out.tolist() == [3.5, 0, 0.25]


@cuda.autojit
def bools_in_arithmetic(out, n):
    out[0] = (n > 0) + int8(127)  # arithmetic takes a bool for an int32
    out[1] = uint8(255) + (n > 0)
    out[2] = int8(-128) - True
    out[3] = (n > 0) / int8(2)
    out[4] = (n > 0) << int8(9)
    out[5] = uint32(0) - (n > 0)
    out[6] = float32(0.5) * True
    x = int8(127)
    x += n > 0
    out[7] = x


@clause("NP-ARITH-01", "NP-ARITH-04")
def test_a_bool_is_an_int32_in_arithmetic(target):
    out = np.zeros(8)
    bools_in_arithmetic[1, 1](out, 1)
    assert out.tolist() == [128, 256, -129, 0.5, 512, 2**32 - 1, 0.5, 128]


@cuda.autojit
def first_in_loop(out, a):
    for i in range(4):
        if i > 0:
            x = 1
        x = a  # error at `a`: 'x' is int32 in this loop, and array[float64, 1] cannot be converted
        # ... to that
        # hint: a loop keeps the type that a variable has before it, or else that of its first
        # ... assignment in it, and converts integers and floats alone: use another name
    y = a
    # error at `y`: 'y' would be both array[float64, 1] and int32 here
    # hint: give the two values one type, or use two names
    for y in range(2):  # another variable in the loop
        out[y] = y
    if out[0] > 0:
        x = a  # never read
    else:
        x = 1
    out[1] = y


@clause("NP-TYPE-01", "NP-TYPE-06")
def test_only_integers_and_floats_are_converted():
    a = np.zeros(1)
    expect_errors(first_in_loop, np.zeros(4), a.copy())
    expect_errors(complex_in_loop, a)
    expect_errors(array_in_loop, a, a.copy())
    expect_errors(stores, a, np.zeros(1, complex), a.copy())


# --- type objects ---

NUMBERS_OF_TYPES = {
    "int8": int8,
    "int16": int16,
    "int32": int32,
    "int64": int64,
    "uint8": uint8,
    "uint16": uint16,
    "uint32": uint32,
    "uint64": uint64,
    "float32": float32,
    "float64": float64,
    "complex64": complex64,
    "complex128": complex128,
    "bool": bool_,
}


@cuda.autojit
def casts(ints, floats, zs, n, x):
    a = int8(n)
    b = int16(n)
    c = int32(n)
    d = int64(n)
    e = uint8(n)
    f = uint16(n)
    g = uint32(n)
    h = uint64(n)
    i = intp(n)
    j = float32(x)
    k = float64(x)
    l = complex64(x)  # noqa: E741
    m = complex128(x)
    o = bool_(n)
    p = float(n)
    q = int(x)
    ints[0], ints[1], ints[2], ints[3] = a, b, c, d
    ints[4], ints[5], ints[6], ints[7] = e, f, g, h
    ints[8], ints[9], ints[10] = i, o, q
    floats[0], floats[1], floats[2] = j, k, p
    zs[0], zs[1] = l, m


@clause("NP-TYPE-07", "NP-TYPE-08", "NP-INTP-01")
def test_calls_of_type_objects_force_the_type(target):
    ints, floats, zs = np.zeros(11, np.int64), np.zeros(3), np.zeros(2, np.complex128)
    n = (3 << 40) + 0x81828384
    casts[1, 1](ints, floats, zs, n, 0.1)
    wrapped = [kind_of_int(name, n) for name in list(NUMBERS_OF_TYPES)[:8]]
    assert ints.tolist() == [*map(int, wrapped), n, 1, 0]
    third = float(np.float32(0.1))
    assert floats.tolist() == [third, 0.1, float(n)]
    assert zs.tolist() == [third, 0.1]
    kinds = types_of_variables(
        casts, "array[int64, 1]", "array[float64, 1]", "array[complex128, 1]", "int64", "float64"
    )
    assert [kinds[name] for name in "abcdefghijk"] == [
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("int64", "float32", "float64"),
    ]
    assert (kinds["l"], kinds["m"]) == ("float32", "float64")  # the imaginary part is a constant
    assert (kinds["o"], kinds["p"], kinds["q"]) == ("bool", "float64", "int64")


OTHER_NAMES = {
    "bool": "bool_ boolean b1",
    "int8": "i1 char",
    "int16": "i2 short",
    "int32": "i4 intc",
    "int64": "i8 int_ long_ longlong intp",
    "uint8": "u1 byte uchar",
    "uint16": "u2 ushort",
    "uint32": "u4 uintc",
    "uint64": "u8 uint ulong ulonglong uintp",
    "float32": "f4 float_",
    "float64": "f8 double",
    "complex64": "c8",
    "complex128": "c16",
}


@clause("NP-TYPE-08", "NP-INTP-01")
def test_other_names_of_type_objects():
    assert set(OTHER_NAMES) == set(NUMBERS_OF_TYPES)
    for kind, names in OTHER_NAMES.items():
        for name in names.split():
            assert getattr(numbapro, name) is NUMBERS_OF_TYPES[kind]
            assert cuda.jit(f"void({name}[:])")(lambda a: None).signature.args[0].dtype.name == kind
    listed = {name for names in OTHER_NAMES.values() for name in names.split()}
    types = {name for name in numbapro.__all__ if isinstance(getattr(numbapro, name), type(int8))}
    assert types == listed | (set(NUMBERS_OF_TYPES) - {"bool"})


@clause("NP-TYPE-07", "NP-TYPE-08", "NP-INTP-01")
def test_type_objects_on_the_host():
    assert intp is int64
    assert intp.bitwidth == 64
    for name, kind in NUMBERS_OF_TYPES.items():
        assert kind.name == name
        assert kind(1).dtype == name
        assert pickle.loads(pickle.dumps(kind)) is kind
        assert copy.deepcopy(kind) is kind
    assert int8(300) == 44
    assert uint8(-1) == 255
    assert int32(3.9) == 3
    assert [int32(3e9), int32(-3e9), uint8(-1.0), int8(300.5), int16(float("nan"))] == [
        *(2147483647, -2147483648, 0, 127, 0),
    ]
    assert uint64(1e30) == 18446744073709551615
    assert int64(float("inf")) == 9223372036854775807
    assert float32(16777217) == 16777216
    assert float32(9007199791611905) == np.int64(9007199791611905).astype(np.float32)
    assert float32(1e300) == np.inf
    assert bool_(float("nan"))
    assert not bool_(0j)
    assert complex64(0.1) == np.float32(0.1)
    for wrong in ("3", None, [1], np.zeros(2)):
        with pytest.raises(TypeError, match=r"int16\(\) takes a number, found "):
            int16(wrong)
    with pytest.raises(TypeError, match=r"float32\(\) takes a real number, found the complex"):
        float32(1j)
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        int64(1 << 64)
    assert repr(int16[:]) == "int16[:]"
    assert int16[:].ndim == 1
    assert repr(float32[:, ::1]) == "float32[:, ::1]"
    assert float32[:, ::1].layout == "C"
    assert float32[::1, :].layout == "F"
    assert float32[:, :].layout == "A"
    assert repr(void(int32[:], float32)) == "void(int32[:], float32)"
    assert int32(int32, float64).return_type == int32
    assert int16[:] == int16[:] != int16[:, :]
    with pytest.raises(TypeError, match=r"written int16\[:\] with one ':'"):
        int16[3]
    with pytest.raises(TypeError, match="takes one number"):
        int16(1, 2)


# --- autojit and signatures ---


@cuda.autojit
def a_cuda_kernel(arg):
    must_be_int16 = int16(123)
    must_be_float32 = float32(321)


@cuda.autojit
def doubles(out, arg):
    twice = arg + arg
    out[0] = twice


@clause("NP-TYPE-09")
def test_autojit_specialises_for_the_arguments(target):
    a_cuda_kernel[1, 1](1)
    a_cuda_kernel[1, 1](2)
    a_cuda_kernel[1, 1](2.5)
    assert a_cuda_kernel.specializations == [(int64,), (float64,)]
    out = np.zeros(1)
    doubles[1, 1](out, 1 << 40)
    assert out[0] == 1 << 41
    doubles[1, 1](out, 0.1)
    assert out[0] == 0.2
    doubles[1, 1](out, np.float32(0.1))
    assert out[0] == float(np.float32(0.1)) * 2
    doubles[1, 1](out, np.int8(100))
    assert out[0] == -56


SPELLINGS = [
    void(float32[:], int32),
    "void(float32[:], int32)",
    "void(f4[:], i4)",
    (float32[:], int32),
    [float32[:], int32],
    "(float32[:], int32)",
]


def assigns(a, n):
    a[cuda.grid(1)] = n / 4


@clause("NP-TYPE-08", "NP-GEN-02")
@pytest.mark.parametrize("spelling", SPELLINGS, ids=str)
def test_spellings_of_signatures(spelling):
    kernel = cuda.jit(spelling)(assigns)
    assert kernel.specializations == [(float32[:], int32)]
    out = np.zeros(4, np.float32)
    kernel[2, 2](out, 7.9)  # an int32, as the signature says
    assert out.tolist() == [1.75] * 4
    for wrong in (np.zeros(4), np.zeros((2, 2), np.float32), 3):
        with pytest.raises(LaunchTypeError, match=r"argument 1 \('a'\) of kernel 'assigns' is "):
            kernel[1, 1](wrong, 1)


IN_TEXT = {"bool": "bool", "int": "int32", "long": "int64", "float": "float32"}


@clause("NP-TYPE-08")
@pytest.mark.parametrize("name", IN_TEXT)
def test_pythons_names_in_the_text_of_a_signature_are_those_of_c(name, target):
    kind = NUMBERS_OF_TYPES[IN_TEXT[name]]
    assert cuda.jit(f"void({name}[:], {name})")(lambda out, x: None).signature == void(
        kind[:], kind
    )

    @cuda.jit(f"{name}({name})", device=True)
    def given_back(x):
        return x

    @cuda.jit(f"void(float64[:], {name})")
    def both(out, x):
        out[0] = x
        out[1] = given_back(0.7)

    for x in (0.1, (1 << 31) + 1):
        out = np.zeros(2)
        both[1, 1](out, x)
        assert out.tolist() == [float(kind(x)), float(kind(0.7))]


@clause("NP-TYPE-08")
def test_older_spellings_of_jit():
    kernel = cuda.jit(restype=void, argtypes=[float32[:], int32], target="gpu")(assigns)
    assert kernel.signature == void(float32[:], int32)
    with pytest.raises(TypeError, match="declared to return int32"):
        cuda.jit("int32(float32[:], int32)")(assigns)
    with pytest.raises(TypeError, match="has 2 parameters"):
        cuda.jit("void(int32)")(assigns)
    with pytest.raises(TypeError, match="'nothing' in the signature"):
        cuda.jit("void(nothing)")
    with pytest.raises(TypeError, match="target is 'gpu'"):
        cuda.jit(target="cpu")


EDGES = (
    0.0,
    -0.0,
    0.5,
    -0.5,
    3.75,
    -3.75,
    127.5,
    255.5,
    -129.0,
    2.0**31,
    -(2.0**63),
    2.0**64,
    np.inf,
)


@clause("NP-TYPE-02")
@pytest.mark.parametrize("name", [n for n in NUMBERS_OF_TYPES if "int" in n])
def test_floats_are_converted_alike_on_the_host_in_launches_and_in_kernels(name, target):
    to = NUMBERS_OF_TYPES[name]

    @cuda.jit(f"void({name}[:], float64, {name})")
    def both(out, x, declared):
        out[0] = to(x)
        out[1] = declared

    for x in (*EDGES, np.nan):
        out = np.ones(2, name)
        both[1, 1](out, x, x)
        assert out.tolist() == [to(x)] * 2, x
        assert to(0.0) == 0
