"""Numbers that do not fit: literals beside fixed formats, stored, joined, at launch (DEV-NUM-06)."""

import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import BYTES, FLOATS, BadPrograms

bad = BadPrograms()
UNSIGNED = np.zeros(4, np.uint32)


@bad.kernel(FLOATS, np.int8(1), np.uint8(1), clause="DEV-PROMO-05", partial="host code")
def beside_a_fixed_format(a, x, u):
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    a[0] = x + 300
    # error at `-129`: -129 does not fit in int8
    # hint: use a wider type, such as int64
    a[0] = -129 * x
    # error at `-1`: -1 does not fit in uint8
    # hint: use a signed type, such as int64
    a[0] = u - -1
    # error at `256`: 256 does not fit in uint8
    # hint: use a wider type, such as int64
    a[0] = u & 256


@bad.kernel(FLOATS, clause="DEV-FIX-14", partial="host code")
def constructors(a):
    # error at `D.int8(300)`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    x = D.int8(300)
    # error at `D.uint8(-1)`: -1 does not fit in uint8
    # hint: use a signed type, such as int64
    x = D.uint8(-1)
    # error at `D.int32(2**31)`: 2147483648 does not fit in int32
    # hint: use a wider type, such as int64
    x = D.int32(2**31)
    # error at `D.float32(1e300)`: 1e+300 does not fit in float32
    # hint: use float64
    x = D.float32(1e300)
    # error at `D.int16(1e10)`: 1e+10 does not fit in int16
    # hint: use a wider type, such as int64
    x = D.int16(1e10)


BROKEN = "global \ud800"


@bad.kernel(FLOATS)
def broken_strings(a):
    "\ud800 in a docstring"
    "\udfff beside it"
    # error at `"x\ud800"`: the string 'x\ud800' holds half of a surrogate pair
    # hint: strings in kernels are Unicode text, which UTF-8 can hold
    s = "x\ud800"
    # error at `BROKEN`: the string 'global \ud800' holds half of a surrogate pair
    # hint: strings in kernels are Unicode text, which UTF-8 can hold
    t = BROKEN


@D.kernel
def broken_docstring(a):
    "\ud800"
    "\udfff beside it"
    s = "\U0001f600 is whole, and so is \\ud800"
    a[0] = s == "\U0001f600 is whole, and so is \\ud800"


def test_a_docstring_may_hold_anything(target):
    a = np.zeros(1)
    D.launch(broken_docstring, a, grid=1, block=1)
    assert a[0] == 1
    assert r"\\ud800" in broken_docstring.inspect(a, what="syntax")


def test_names_may_hold_anything():
    def renamed(a):
        a[0] = unknown  # noqa: F821

    renamed.__name__ = renamed.__qualname__ = "re\ud800named"
    with pytest.raises(errors.CompileError, match=r"in kernel 're\\ud800named'"):
        D.launch(D.kernel(renamed), FLOATS, grid=1, block=1)


@bad.kernel(FLOATS, 3, clause="DEV-NUM-06", partial="launch arguments, overflow at run time")
def wider_than_a_builtin(a, n):
    # error at `n + 5_000_000_000`: 5000000000 does not fit in int, which has 32 bits in kernels
    # hint: give it a format, such as device.int64(5000000000) or device.float64(5000000000)
    a[0] = n + 5_000_000_000
    x = 2**31
    # error at `x * n`: 2147483648 does not fit in int, which has 32 bits in kernels
    # hint: give it a format, such as device.int64(2147483648) or device.float64(2147483648)
    a[1] = x * n


@bad.kernel(BYTES, UNSIGNED, FLOATS)
def stored(b, u, a):
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    b[0, 0] = 300
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    b[0, 1] += 300
    # error at `1e10`: 1e+10 does not fit in int8
    # hint: use a wider type, such as int64
    b[0, 2] = 1e10
    # error at `-1`: -1 does not fit in uint32
    # hint: use a signed type, such as int64
    u[0] = -1
    # error at `2**32`: 4294967296 does not fit in uint32
    # hint: use a wider type, such as int64
    u[1] = 2**32
    # error at `1e300`: 1e+300 does not fit in float32
    # hint: use float64
    a[0] = 1e300


BIG = 2**33


@bad.kernel(np.zeros(4, np.int32))
def stored_globals(a):
    # error at `BIG`: 8589934592 does not fit in int32
    # hint: use a wider type, such as int64
    a[0] = BIG
    x = BIG // 2
    # error at `x`: 4294967296 does not fit in int32
    # hint: use a wider type, such as int64
    a[1] = x


@bad.kernel(FLOATS, np.uint8(1), 3)
def joined_with_a_fixed_format(a, u, n):
    # error at `-1`: 'x' is uint8 here, and -1 does not fit in it
    # hint: use a signed type, such as int64, or use another name
    x = -1
    if n:
        x = u
    a[0] = x
    # error at `300`: 300 does not fit in uint8
    # hint: use a wider type, such as int64
    a[1] = u if n else 300


@bad.kernel(FLOATS)
def constants_without_bound(a):
    # error at `2**200`: the result is too large for a constant
    # hint: constants have up to 127 bits
    a[0] = 2**200
    # error at `1 << 5000`: the result is too large for a constant
    # hint: constants have up to 127 bits
    a[0] = 1 << 5000
    # error at `1 << -1`: shift by -1
    # hint: the count must not be negative
    a[0] = 1 << -1


ENORMOUS = 10**39


@bad.kernel(FLOATS)
def global_without_bound(a):
    # error at `ENORMOUS`: 1000000000000000000000000000000000000000 is too large for a constant
    # hint: constants have up to 127 bits
    a[0] = ENORMOUS


@bad.kernel(np.zeros(4, np.float64))
def double_literals_beside_float32(a):
    # error at `1e39`: 1e+39 does not fit in float32
    # hint: use float64
    a[0] = D.float32(2) + 1e39
    a[1] = D.float64(2) + 1e39


@bad.kernel(FLOATS, np.int64(1))
def beyond_64_bits(a, wide):
    # error at `D.int64(2**63)`: 9223372036854775808 does not fit in int64
    # hint: use float64
    x = D.int64(2**63)
    # error at `2**64`: 18446744073709551616 does not fit in int64
    # hint: use float64
    y = wide + 2**64


@bad.kernel(FLOATS)
def no_integer_holds_it(a):
    # error at `D.int8(math.nan)`: nan does not fit in int8
    # hint: integers are finite numbers
    x = D.int8(math.nan)
    # error at `int(-math.inf)`: -inf does not fit in int
    # hint: integers are finite numbers
    y = int(-math.inf)
    # error at `int(math.nan)`: nan does not fit in int
    # hint: integers are finite numbers
    y = int(math.nan)
    # error at `round(math.inf)`: inf does not fit in int
    # hint: integers are finite numbers
    a[0] = round(math.inf)
    # error at `int(-1e300)`: -1e+300 does not fit in int
    # hint: use float64
    a[1] = int(-1e300)
    # error at `round(1e300)`: 1e+300 does not fit in int
    # hint: use float64
    a[2] = round(1e300)


@bad.kernel(np.zeros(4, np.int32), np.zeros(4, np.int64))
def integers_of_floats(a, wide):
    # error at `int(1e10)`: 10000000000 does not fit in int32
    # hint: use a wider type, such as int64
    a[0] = int(1e10)
    wide[0] = int(1e10)
    # error at `round(-3e9)`: -3000000000 does not fit in int32
    # hint: use a wider type, such as int64
    a[1] = round(-3e9)
    wide[1] = round(-3e9)
    # error at `int(1e30)`: 1000000000000000019884624838656 does not fit in int64
    # hint: use float64
    wide[2] = int(1e30)


@bad.kernel(np.zeros(4, np.int64))
def assigned_twice(wide):
    # error at `5_000_000_000`: 5000000000 does not fit in int, which has 32 bits in kernels
    # hint: give it a format, such as device.int64(5000000000) or device.float64(5000000000)
    x = 5_000_000_000
    wide[0] = x
    if wide[3]:
        x = 1
    wide[1] = x
    y = 5_000_000_000
    wide[2] = y


@bad.kernel(FLOATS, 1.5)
def wider_than_a_builtin_float(a, x):
    # error at `x + 1e300`: 1e+300 does not fit in float, which has 32 bits in kernels
    # hint: write device.float64(1e+300)
    a[0] = x + 1e300


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
