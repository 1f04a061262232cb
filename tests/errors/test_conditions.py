"""Comparisons and conditions of what has none."""

import pytest
from cuda import device as D
from support.bad_programs import BYTES, FLOATS, BadPrograms

bad = BadPrograms()


@bad.kernel(FLOATS, BYTES)
def arrays_compared(a, b):
    # error at `a < b` on `<`: '<' cannot compare 'array[float32, 1]' and 'array[int8, 2]'
    # hint: numbers can be compared, and tuples of them
    x = a < b
    # error at `a == 1` on `==`: '==' cannot compare 'array[float32, 1]' and 'int'
    # hint: numbers can be compared, and tuples of them
    y = a == 1


@bad.kernel(FLOATS)
def text_compared(a):
    # error at `1 < "b"` on `<`: '<' cannot compare 'int' and 'str'
    # hint: numbers can be compared, and tuples of them
    x = 1 < "b"
    # error at `a[0] != "3"` on `!=`: '!=' cannot compare 'float32' and 'str'
    # hint: numbers can be compared, and tuples of them
    y = a[0] != "3"


@bad.kernel(FLOATS)
def order_of_none(a):
    # error at `None >= 1` on `>=`: '>=' cannot compare 'None' and 'int'
    # hint: numbers can be compared, and tuples of them
    x = None >= 1


@bad.kernel(FLOATS)
def order_of_tuples(a):
    # error at `(1, None) < (1, 4)` on `<`: '<' cannot compare 'None' and 'int'
    # hint: numbers can be compared, and tuples of them
    x = (1, None) < (1, 4)
    # error at `a.shape == 4` on `==`: '==' cannot compare '(int64,)' and 'int'
    # hint: numbers can be compared, and tuples of them
    y = a.shape == 4


@bad.kernel(FLOATS)
def position_compared(a):
    # error at `D.thread_idx < 3` on `<`: '<' cannot compare 'device.thread_idx' and 'int'
    # hint: numbers can be compared, and tuples of them
    x = D.thread_idx < 3


@bad.kernel(FLOATS)
def array_as_condition_of_if(a):
    # error at `a`: the array 'a' is used as a condition
    # hint: compare an element, or its size
    if a:
        a[0] = 1
    # error at `a`: the array 'a' is used as a condition
    # hint: compare an element, or its size
    elif not a:
        a[0] = 2


@bad.kernel(FLOATS)
def array_as_condition_of_while(a):
    # error at `a`: the array 'a' is used as a condition
    # hint: compare an element, or its size
    while a:
        a[0] = 1


@bad.kernel(FLOATS)
def array_as_operand_of_and(a):
    # error at `a`@2: the array 'a' is used as a condition
    # hint: compare an element, or its size
    a[0] = a and 1


@bad.kernel(FLOATS)
def array_as_condition_of_a_choice(a):
    # error at `a`: the array 'a' is used as a condition
    # hint: compare an element, or its size
    x = 1 if a else 2


@bad.kernel(FLOATS)
def alternatives_without_a_common_type(a):
    # error at `a[0] or a`: the alternatives have types float32 and array[float32, 1], which have
    # ... no common type
    # hint: convert one of them
    x = a[0] or a
    # error at `1 if a[0] else None`: the alternatives have types int and None, which have no common
    # ... type
    # hint: convert one of them
    y = 1 if a[0] else None
    # error at `a[0] > 0 and (1, 2)`: the alternatives have types (int, int) and bool, which have no
    # ... common type
    # hint: convert one of them
    z = a[0] > 0 and (1, 2)


@bad.kernel(FLOATS)
def chains(a):
    # error at `a[0] < a` on `<`: '<' cannot compare 'float32' and 'array[float32, 1]'
    # hint: numbers can be compared, and tuples of them
    x = 1 < a[0] < a
    # error at `1 < None` on `<`: '<' cannot compare 'int' and 'None'
    # hint: numbers can be compared, and tuples of them
    # error at `None <= 2` on `<=`: '<=' cannot compare 'None' and 'int'
    # hint: numbers can be compared, and tuples of them
    y = 1 < None <= 2


@bad.kernel(FLOATS, 1)
def membership(a, n):
    # error at `2 in n` on `in`: 'in' needs a tuple, a range, an array or a generator expression on its right side, found 'int'
    # hint: compare numbers with ==, and bounds with a <= x < b
    x = 2 in n
    # error at `2 not in a.size` on `not in`: 'not in' needs a tuple, a range, an array or a generator expression on its right side, found 'int64'
    # hint: compare numbers with ==, and bounds with a <= x < b
    y = 2 not in a.size


@bad.kernel(FLOATS)
def identity(a):
    # error at `a is a` on `is`: 'is' cannot compare 'array[float32, 1]' and 'array[float32, 1]'
    # hint: it works with None only; values are compared with ==
    x = a is a
    # error at `a[0] is not a[1]` on `is not`: 'is not' cannot compare 'float32' and 'float32'
    # hint: it works with None only; values are compared with ==
    y = a[0] is not a[1]


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
