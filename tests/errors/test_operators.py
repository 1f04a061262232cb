"""Operators on what they do not work on."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import BYTES, FLOATS, BadPrograms

bad = BadPrograms()
F64 = np.float64(2)


@bad.kernel(FLOATS)
def array_plus_number(a):
    # error at `a + 1` on `+`: cannot add 'array[float32, 1]' and 'int'
    # hint: operators work on numbers
    a[0] = a + 1


@bad.kernel(FLOATS, BYTES)
def array_plus_array(a, b):
    # error at `a + b` on `+`: cannot add 'array[float32, 1]' and 'array[int8, 2]'
    # hint: operators work on numbers
    c = a + b


@bad.kernel(FLOATS)
def inside_of_an_expression(a):
    # error at `2 + a` on `+`: cannot add 'int' and 'array[float32, 1]'
    # hint: operators work on numbers
    a[0] = 1 + a[0] * (2 + a)


@bad.kernel(FLOATS)
def number_plus_text(a):
    # error at `a[0] + "x"` on `+`: cannot add 'float32' and 'str'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    a[0] = a[0] + "x"


@bad.kernel(FLOATS)
def number_plus_none(a):
    # error at `1 + None` on `+`: cannot add 'int' and 'None'
    # hint: operators work on numbers
    a[0] = 1 + None


@bad.kernel(FLOATS)
def names_that_are_no_numbers(a):
    # error at `D.tid + 1` on `+`: cannot add 'device.tid' and 'int'
    # hint: operators work on numbers
    x = D.tid + 1
    # error at `D.int32 * 2` on `*`: cannot multiply 'device.int32' and 'int'
    # hint: operators work on numbers
    z = D.int32 * 2
    # error at `len + 1` on `+`: cannot add 'len' and 'int'
    # hint: operators work on numbers
    w = len + 1


@bad.kernel(FLOATS)
def matrix_product(a):
    # error at `a @ a` on `@`: cannot matrix-multiply 'array[float32, 1]' and 'array[float32, 1]'
    # hint: operators work on numbers
    x = a @ a
    # error at `a[0] @ 2` on `@`: cannot matrix-multiply 'float32' and 'int'
    # hint: operators work on numbers
    y = a[0] @ 2


@bad.kernel(FLOATS, F64)
def bits_of_floats(a, f):
    # error at `a[0] & 1` on `&`: '&' needs integers, found 'float32' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    x = a[0] & 1
    # error at `1.5 | 2` on `|`: '|' needs integers, found 'float' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    y = 1.5 | 2
    # error at `f ^ f` on `^`: '^' needs integers, found 'float64' and 'float64'
    # hint: convert with int() or a fixed format such as device.int32()
    z = f ^ f
    # error at `True & f` on `&`: '&' needs integers, found 'bool' and 'float64'
    # hint: convert with int() or a fixed format such as device.int32()
    w = True & f


@bad.kernel(FLOATS, F64)
def shifts_of_floats(a, f):
    # error at `f << 1` on `<<`: '<<' needs integers, found 'float64' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    x = f << 1
    # error at `1 >> a[0]` on `>>`: '>>' needs integers, found 'int' and 'float32'
    # hint: convert with int() or a fixed format such as device.int32()
    y = 1 >> a[0]


@bad.kernel(FLOATS)
def bits_of_an_array(a):
    # error at `a & 1` on `&`: cannot apply & to 'array[float32, 1]' and 'int'
    # hint: operators work on numbers
    x = a & 1


@bad.kernel(FLOATS)
def signs(a):
    # error at `-a`: unary '-' does not work on 'array[float32, 1]'
    # hint: it works on numbers, '~' on integers
    x = -a
    # error at `+(1, 2)`: unary '+' does not work on '(int, int)'
    # hint: it works on numbers, '~' on integers
    y = +(1, 2)
    # error at `-None`: unary '-' does not work on 'None'
    # hint: it works on numbers, '~' on integers
    z = -None
    # error at `-"x"`: unary '-' does not work on 'str'
    # hint: it works on numbers, '~' on integers
    w = -"x"


@bad.kernel(FLOATS)
def inversions(a):
    # error at `~a[0]`: unary '~' does not work on 'float32'
    # hint: it works on numbers, '~' on integers
    x = ~a[0]
    # error at `~1.5`: unary '~' does not work on 'float'
    # hint: it works on numbers, '~' on integers
    y = ~1.5


@bad.kernel(FLOATS, BYTES, F64)
def augmented(a, b, f):
    # error at `a[0] += a` on `+`: cannot add 'float32' and 'array[float32, 1]'
    # hint: operators work on numbers
    a[0] += a
    # error at `a[1] <<= 1` on `<<`: '<<' needs integers, found 'float32' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    a[1] <<= 1
    # error at `b[0, 0] &= 1.5` on `&`: '&' needs integers, found 'int8' and 'float'
    # hint: convert with int() or a fixed format such as device.int32()
    b[0, 0] &= 1.5
    # error at `f *= "x"` on `*`: cannot multiply 'float64' and 'str'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    f *= "x"
    # error at `a += 1` on `+`: cannot add 'array[float32, 1]' and 'int'
    # hint: for each of its elements, write a[:] in place of a
    a += 1


@bad.kernel(FLOATS)
def signs_after_brackets_and_wide_letters(a):
    größe = 1
    # error at `(größe) - ("ü")` on `-`: cannot subtract 'str' from 'int'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    a[0] = (größe) - ("ü")


@bad.kernel(FLOATS)
def on_two_lines(a):
    # error at `a[0]`: cannot add 'float32' and 'None'
    # hint: operators work on numbers
    x = (a[0]
         + None)  # fmt: skip


@bad.kernel(FLOATS, 3)
def operands_in_the_order_of_speech(a, n):
    # error at `a - 1` on `-`: cannot subtract 'int' from 'array[float32, 1]'
    # hint: operators work on numbers
    x = a - 1
    # error at `n / None` on `/`: cannot divide 'int' by 'None'
    # hint: operators work on numbers
    x = n / None
    # error at `a // n` on `//`: cannot floor-divide 'array[float32, 1]' by 'int'
    # hint: operators work on numbers
    x = a // n
    # error at `a.shape % n` on `%`: cannot take the remainder of '(int64,)' divided by 'int'
    # hint: operators work on numbers
    x = a.shape % n
    # error at `2**a` on `**`: cannot raise 'int' to the power of 'array[float32, 1]'
    # hint: operators work on numbers
    x = 2**a
    # error at `a << 1` on `<<`: cannot shift 'array[float32, 1]' by 'int'
    # hint: operators work on numbers
    x = a << 1
    # error at `a[0] -= "x"` on `-`: cannot subtract 'str' from 'float32'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    a[0] -= "x"


@bad.kernel(FLOATS, 3)
def types_are_no_numbers(a, n):
    # error at `int + n` on `+`: cannot add 'type int' and 'int'
    # hint: operators work on numbers
    x = int + n
    # error at `-float`: unary '-' does not work on 'type float'
    # hint: it works on numbers, '~' on integers
    y = -float


@bad.kernel(FLOATS)
def builtins_that_are_operators(a):
    # error at `divmod(a, 2)`: cannot floor-divide 'array[float32, 1]' by 'int'
    # hint: operators work on numbers
    x = divmod(a, 2)
    # error at `pow(2, "x")`: cannot raise 'int' to the power of 'str'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    y = pow(2, "x")


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
