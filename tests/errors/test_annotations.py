"""Annotations that do not match, of parameters, results and variables."""

import re
from typing import Annotated, Final, NewType

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from numpy.typing import NDArray
from support.bad_programs import FLOATS, BadPrograms
from support.errors import check_error
from support.launching import run

bad = BadPrograms()


@bad.kernel(FLOATS, np.int32(3))
# error at `n: D.int8`: parameter 'n' is declared int8, but the value is int32
# hint: convert it explicitly, or change the annotation
def narrower_integer(a, n: D.int8):
    a[0] = n


@bad.kernel(FLOATS, 1.5)
# error at `x: int`: parameter 'x' is declared int, but the value is float
# hint: convert it explicitly, or change the annotation
def float_for_int(a, x: int):
    a[0] = x


@bad.kernel(FLOATS, np.float64(1))
# error at `x: float`: parameter 'x' is declared float, but the value is float64
# hint: convert it explicitly, or change the annotation
def double_for_float(a, x: float):
    a[0] = x


@bad.kernel(FLOATS)
# error at `a: D.float32`: parameter 'a' is declared float32, but the value is array[float32, 1]
# hint: convert it explicitly, or change the annotation
def array_for_number(a: D.float32):
    pass


@bad.kernel(FLOATS, np.uint8(1))
# error at `n: D.int8`: parameter 'n' is declared int8, but the value is uint8
# hint: convert it explicitly, or change the annotation
def unsigned_for_signed(a, n: D.int8):
    a[0] = n


@bad.kernel(FLOATS, 300)
def ints_that_may_not_fit(a, n):
    # error at `n`@2: 'x' is declared int8, but the value is int
    # hint: convert it explicitly, or change the annotation
    x: D.int8 = n
    # error at `n`@2: 'y' is declared uint32, but the value is int
    # hint: convert it explicitly, or change the annotation
    y: D.uint32 = n
    fine: D.int64 = n
    constant: D.int8 = 100


@bad.kernel(FLOATS, np.int32(3), np.int64(3), np.float64(1))
def variables(a, n, wide, f):
    # error at `n`@2: 'x' is declared int8, but the value is int32
    # hint: convert it explicitly, or change the annotation
    x: D.int8 = n
    # error at `0.5`: 'y' is declared int, but the value is float
    # hint: convert it explicitly, or change the annotation
    y: int = 0.5
    # error at `f`@2: 'z' is declared float32, but the value is float64
    # hint: convert it explicitly, or change the annotation
    z: D.float32 = f
    # error at `wide`: 'w' is declared float64, but the value is int64
    # hint: convert it explicitly, or change the annotation
    w: D.float64 = wide
    # error at `a`@2: 'v' is declared float32, but the value is array[float32, 1]
    # hint: convert it explicitly, or change the annotation
    v: D.float32 = a
    # error at `1`: 'nothing' is declared None, but the value is int
    # hint: convert it explicitly, or change the annotation
    nothing: None = 1
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    u: D.int8 = 300


@bad.kernel(FLOATS, 3)
def later_values_of_a_declared_variable(a, n):
    i: int = n
    # error at `2.5`: 'i' is declared int, but the value is float
    # hint: convert it explicitly, or change the annotation
    i = 2.5
    k: int = n
    # error at `k += a[0]`: 'k' is declared int, but the value is float32
    # hint: convert it explicitly, or change the annotation
    k += a[0]
    x: D.int8
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    x = 300
    a[0] = i + x


@D.kernel
def declares_before_it_assigns(a):
    x: D.float64
    x = 1
    y: D.float32 = 2
    y = 3
    z: D.int8 = 4
    a[0] = x / 3
    z: D.float64 = 0.1  # another declaration holds where it stands
    a[1] = z
    a[2] = y / 3


def test_a_declared_variable_has_its_type_everywhere(target):
    a = np.zeros(3)
    D.launch(declares_before_it_assigns, a, grid=1, block=1)
    assert a.tolist() == [1 / 3, 0.1, np.float32(1)]


@bad.kernel(FLOATS, clause="DEV-NUM-06", partial="launch arguments, overflow at run time")
def wider_than_the_builtin(a):
    # error at `2**40`: 1099511627776 does not fit in int, which has 32 bits in kernels
    # hint: declare it device.int64
    x: int = 2**40
    # error at `-(2**31) - 1`: -2147483649 does not fit in int, which has 32 bits in kernels
    # hint: declare it device.int64
    y: int = -(2**31) - 1
    # error at `2**63`: 9223372036854775808 does not fit in int, which has 32 bits in kernels
    # hint: declare it device.uint64
    z: int = 2**63
    # error at `-(2**63) - 1`: -9223372036854775809 does not fit in int, which has 32 bits in kernels
    # hint: declare it device.float64
    w: int = -(2**63) - 1
    # error at `1e300`: 1e+300 does not fit in float, which has 32 bits in kernels
    # hint: declare it device.float64
    u: float = 1e300


def limits(x: int = 2**31 - 1, y: float = 3.4e38) -> int:
    least: int = -(2**31)
    return least if y < 0 else x


@D.kernel
def within_the_builtin(a):
    a[0] = limits()
    a[1] = limits(-(2**31))


def test_builtins_hold_their_limits(target):
    a = np.zeros(2, np.int64)
    run(within_the_builtin, a)
    assert a.tolist() == [2**31 - 1, -(2**31)]


@bad.kernel(FLOATS, clause="DEV-KERN-04")
# error at `int`: the kernel 'declared_result' returns int
# hint: a kernel returns nothing; store the result in an array
def declared_result(a) -> int:
    a[0] = 1


@bad.kernel(FLOATS, 3, clause="DEV-KERN-04")
def returned_values(a, n):
    if n == 1:
        # error at `return 1`: the kernel 'returned_values' returns int
        # hint: a kernel returns nothing; store the result in an array
        return 1
    if n == 2:
        # error at `return a[0] > 0`: the kernel 'returned_values' returns bool
        # hint: a kernel returns nothing; store the result in an array
        return a[0] > 0
    # error at `return a, n`: the kernel 'returned_values' returns (array[float32, 1], int)
    # hint: a kernel returns nothing; store the result in an array
    return a, n


@bad.kernel(FLOATS, 1)
def constants_of_wrong_values(a, m):
    # error at `m`: 'k' is declared ConstExpr, but the value, of type int, is known at run time
    # ... only
    # hint: give it a literal, a global, a ConstExpr parameter of this function, or a name that is
    # ... assigned once from these
    k: D.ConstExpr = m
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    j: D.ConstExpr[D.int8] = 300


TEXT_OF_A_PARAMETER = """
test_annotations.py:L+0:9: parameter 'x' is declared int8, but the value is int32
  L+0 | def low(x: D.int8) -> D.int8:
      |         ^^^^^^^^^
convert it explicitly, or change the annotation
test_annotations.py:L+6:12: in 'low', called here
  L+6 |     a[0] = low(n)
      |            ^^^^^^
  in kernel 'calls_low', specialised for (array[float32, 1], int32)
"""


def low(x: D.int8) -> D.int8:
    return x


@D.kernel
def calls_low(a, n):
    a[0] = low(n)


TEXT_OF_A_RESULT = """
test_annotations.py:L+1:12: the result of 'half' is declared int, but the value is float
  L+1 |     return x / 2
      |            ^^^^^
convert it explicitly, or change the annotation
test_annotations.py:L+6:12: in 'half', called here
  L+6 |     a[0] = half(n)
      |            ^^^^^^^
  in kernel 'calls_half', specialised for (array[float32, 1], int)
"""


def half(x) -> int:
    return x / 2


@D.kernel
def calls_half(a, n):
    a[0] = half(n)


@pytest.mark.parametrize(
    ("kernel", "argument", "text", "function"),
    [
        (calls_low, np.int32(3), TEXT_OF_A_PARAMETER, low),
        (calls_half, 3, TEXT_OF_A_RESULT, half),
    ],
)
def test_annotations_of_helpers(kernel, argument, text, function):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, FLOATS, argument, grid=1, block=1)
    check_error(raised, text, at=function)


@bad.kernel(FLOATS, 3)
def annotations_in_quotes(a, n):
    # error at `a[0]`: 'x' is declared int8, but the value is float32
    # hint: convert it explicitly, or change the annotation
    x: "D.int8" = a[0]
    # error at `"not a type"`: the text 'not a type' is no type that kernels have
    # hint: numbers are declared with int, float, bool or a format such as device.float32
    y: "not a type" = n  # noqa: F722
    # error at `"D.nothing"`: module cuda.device has no attribute 'nothing'
    # hint: dir() of it, outside of the kernel, lists what it has
    z: "D.nothing" = n


@bad.kernel(FLOATS)
# error at `"int"`: the kernel 'result_in_quotes' returns int
# hint: a kernel returns nothing; store the result in an array
def result_in_quotes(a) -> "int":
    pass


@bad.kernel(FLOATS, 3)
def annotations_that_are_no_types(a, n):
    # error at `list`: 'list' is no type that kernels have
    # hint: numbers are declared with int, float, bool or a format such as device.float32
    x: list = n
    # error at `5`: a number is no type that kernels have
    # hint: numbers are declared with int, float, bool or a format such as device.float32
    y: 5 = n


@bad.kernel(FLOATS, 3)
def hints_of_typing_with_errors(a, n):
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    x: Final[D.int8] = 300
    # error at `5`: a number is no type that kernels have
    # hint: numbers are declared with int, float, bool or a format such as device.float32
    y: int | 5 = n
    # error at `Optionl`: name 'Optionl' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    z: Optionl[int] | None = n  # noqa: F821
    # error at `dict`: 'dict' is no type that kernels have
    # hint: numbers are declared with int, float, bool or a format such as device.float32
    w: dict = n


def of_a_list(x: list[int]):
    return x


def annotated_type(x: Annotated[D.float32, "metres"]):
    return x


def of_a_new_type(x: NewType("Metres", float)):
    return x


@pytest.mark.parametrize("function", [of_a_list, annotated_type, of_a_new_type])
def test_what_says_how_a_value_is_stored_is_not_ignored(function):
    def kernel(a):
        a[0] = function(1)

    with pytest.raises(errors.CompileError, match=r"the annotation '.*' is not implemented yet"):
        run(D.kernel(kernel), FLOATS)


@D.kernel
def array_class(a: np.ndarray):
    a[0] = 5


@D.kernel
def arrays_of_formats(
    a: NDArray[np.float32], b: "np.ndarray[tuple[int, int], np.dtype[D.int16]]", c: D.Array
):
    row: NDArray[np.int16] = b[1:]
    one: "np.ndarray[tuple[int], np.dtype[np.int16]]" = b[1]
    a[0] = row[0, 1] + c[0] + one[0] - 3


def test_a_class_of_arrays_declares_an_array():
    a = np.zeros(2, np.float32)
    D.launch(array_class, a, grid=1, block=1)
    assert a.tolist() == [5, 0]
    D.launch(arrays_of_formats, a, np.full((2, 2), 3, np.int16), np.ones(1), grid=1, block=1)
    assert a[0] == 4


def test_an_array_of_another_format_is_refused():
    a, b = np.zeros(2, np.float32), np.zeros((2, 2), np.int16)
    for arguments, text in [
        ((b, b, a), "parameter 'a' is array[float32, ...], but the value is array[int16, 2]"),
        ((a, b[0], a), "parameter 'b' is array[int16, 2], but the value is array[int16, 1]"),
        ((a, b, 1), "'device.Array' is no type"),
    ]:
        with pytest.raises(errors.CompileError, match=re.escape(text)):
            D.launch(arrays_of_formats, *arguments, grid=1, block=1)


@D.kernel
def local_of_another_format(a, b):
    row: NDArray[np.int16] = a
    b[0] = row[0]


def test_a_local_variable_of_another_format_is_refused():
    with pytest.raises(errors.CompileError, match=re.escape("'row' is array[int16, ...]")):
        D.launch(local_of_another_format, np.zeros(2), np.zeros(2), grid=1, block=1)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


@bad.kernel(FLOATS, 3)
def tuples_of_another_form(a, n):
    # error at `(n, 2)`: 't' is declared a tuple of 3 elements, but the value is (int, int)
    # hint: convert it explicitly, or change the annotation
    t: tuple[int, int, int] = (n, 2)
    # error at `n + 1`: 'u' is declared a tuple, but the value is int
    # hint: convert it explicitly, or change the annotation
    u: tuple[bool, ...] = n + 1
    # error at `(n, a[0])`: element 1 of 'v' is declared int32, but the value is float32
    # hint: convert it explicitly, or change the annotation
    v: tuple[D.float32, D.int32] = (n, a[0])


@D.func
def halves(pair: tuple[D.float64, tuple[int, ...]]) -> tuple[D.float64, D.float64]:
    return pair[0] / 2, pair[1][1] / 2


@D.kernel
def tuples(out, given: tuple[int, ...]):
    wide: tuple[D.int64, D.float32] = (given[0], 0.5)
    empty: tuple[()] = ()
    nested: tuple[D.float64, tuple[int, ...]] = (1, (2, 3, 4))
    out[0] = wide[0] << 40
    out[1], out[2] = halves(nested)
    out[3] = len(empty) + given[1] + wide[1]


def test_tuples_are_declared_by_their_elements(target):
    out = np.zeros(4)
    D.launch(tuples, out, (1, 2), grid=1, block=1)
    assert out.tolist() == [1 << 40, 0.5, 1.5, 2.5]


def narrow_result(n) -> D.int8:
    return n


@D.kernel
def keeps_narrow_result(a, n):
    a[0] = narrow_result(n)


def test_int_for_a_narrower_result():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(keeps_narrow_result, FLOATS, 300, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert found.code == "annotation_mismatch"
    assert found.message == "the result of 'narrow_result' is declared int8, but the value is int"
