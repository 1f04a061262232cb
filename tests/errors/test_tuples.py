"""Mistakes about tuples and what goes through them."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms

bad = BadPrograms()


@bad.kernel(FLOATS, FLOATS.astype(np.float64), 1)
def chosen_at_run_time(a, b, n):
    # error at `n`: an index that is known at run time only chooses among elements of one type, found 'int' and '(int, int)'
    # hint: go through the tuple itself, for x in t, or index it by constants
    x = (1, (2, 3))[n]
    # error at `n`: an index that is known at run time only chooses among elements of one type, found 'array[float32, 1]' and 'array[float64, 1]'
    # hint: go through the tuple itself, for x in t, or index it by constants
    x = (a, b)[n]
    # error at `n`: an index that is known at run time only chooses among elements of one type, found 'function twice' and 'int'
    # hint: go through the tuple itself, for x in t, or index it by constants
    x = (twice, 3)[n](a)
    # error at `0`: an empty tuple has no elements
    # hint: its length is zero
    x = ()[0]
    some = (1, None)
    # error at `n`: an index that is known at run time only chooses among elements of one type, found 'int' and 'None'
    # hint: go through the tuple itself, for x in some, or index it by constants
    x = some[n]


def twice(x):
    return 2 * x


LEVELS = (np.int64(2**53 + 1), np.float32(0.5))


@bad.kernel(FLOATS, np.ones(4, np.int64), np.ones(4, np.uint64), np.ones(4, np.int8), 1)
def chosen_with_loss(a, b, c, d, n):
    # error at `n`: an element that an index chooses at run time is float32 here, which does not hold every int64
    # hint: convert the elements to one type, such as device.float32(x), go through the tuple itself, for x in t, or index it by constants
    x = (b[0], a[0])[n]
    # error at `n`: an element that an index chooses at run time is uint64 here, which does not hold every int64
    # hint: convert the elements to one type, such as device.uint64(x), go through the tuple itself, for x in t, or index it by constants
    x = (c[0], b[0])[n]
    # error at `n`: an element that an index chooses at run time is float32 here, which does not hold every uint64
    # hint: convert the elements to one type, such as device.float32(x), go through the tuple itself, for x in t, or index it by constants
    x = (0.5, c[0])[n]
    # error at `n`@2: an element that an index chooses at run time is int8 here, which does not hold every int
    # hint: convert the elements to one type, such as device.int8(x), go through the tuple itself, for x in t, or index it by constants
    x = (n, d[0])[n]
    # error at `n`: an element that an index chooses at run time is float here, which does not hold 16777217
    # hint: convert the elements to one type, such as float(x), go through the tuple itself, for x in t, or index it by constants
    x = (0.5, 16777217)[n]
    # error at `n`: an element that an index chooses at run time is float32 here, which does not hold 9007199254740993
    # hint: convert the elements to one type, such as device.float32(x), go through the tuple itself, for x in LEVELS, or index it by constants
    x = LEVELS[n]
    pairs = ((1, a[0]), (2, b[0]))
    # error at `n`: an element that an index chooses at run time is float32 here, which does not hold every int64
    # hint: convert the elements to one type, such as device.float32(x), go through the tuple itself, for x in pairs, or index it by constants
    x = pairs[n]
    # error at `n`: an element that an index chooses at run time is complex64 here, which does not hold every int64
    # hint: convert the elements to one type, such as device.complex64(x), go through the tuple itself, for x in t, or index it by constants
    x = (D.complex64(1j), b[0])[n]
    # error at `n`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    x = (d[0], 300)[n]


@bad.kernel(FLOATS, 1)
def parts_at_run_time(a, n):
    t = (1, 2, 3)
    # error at `n`: the bounds of a slice of a tuple must be constants, found an int
    # hint: how many elements a tuple has is known when compiling
    x = t[n:]
    # error at `n`: a tuple is repeated by a constant number of times, found an int
    # hint: how many elements a tuple has is known when compiling
    x = t * n
    # error at `0`: the step of a slice is zero
    # hint: give another step; a negative one goes backwards
    x = t[::0]
    # error at `1.5`: the bounds of a slice are integers, found float
    # hint: convert with int()
    x = t[1.5:]
    # error at `t * 1.5` on `*`: cannot multiply '(int, int, int)' and 'float'
    # hint: operators work on numbers
    x = t * 1.5
    # error at `t + 1` on `+`: cannot add '(int, int, int)' and 'int'
    # hint: operators work on numbers
    x = t + 1
    # error at `t * 100`: a tuple of more than 256 elements
    # hint: use an array
    x = t * 100


@bad.kernel(FLOATS, 1)
def unpacked(a, n):
    t = (1, 2, 3)
    # error at `t`: 3 values cannot be unpacked into at least 4 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    p, q, r, s, *more = t
    # error at `range(n)`: the number of elements of range is known at run time only
    # hint: a tuple has a constant number of elements: go through them in a loop
    p, q = range(n)
    # error at `n`: int cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    p, q = n
    # error at `n`: int cannot be iterated over
    # hint: use range() or a tuple
    x = (1, *n)


@bad.kernel(FLOATS, 1)
def gone_through(a, n):
    # error at `range(n)`: the number of elements of range is known at run time only
    # hint: a tuple has a constant number of elements: go through them in a loop
    x = tuple(range(n))
    # error at `(k for k in (1, 2) if k < n)`: the number of elements of a generator expression is known at run time only
    # hint: a tuple has a constant number of elements: go through them in a loop
    x = tuple(k for k in (1, 2) if k < n)
    # error at `zip((1, 2), (3, 4))`: keeping a zip in a variable is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    x = zip((1, 2), (3, 4))
    # error at `(k for k in (1, 2))`: keeping a generator expression in a variable is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    x = (k for k in (1, 2))
    # error at `twice(enumerate((1, 2)))`: passing an enumerate to a function is not implemented yet
    # hint: pass a tuple of its elements: tuple(...)
    x = twice(enumerate((1, 2)))
    # error at `twice(k for k in (1, 2))`: passing a generator expression to a function is not implemented yet
    # hint: pass a tuple of its elements: tuple(...)
    x = twice(k for k in (1, 2))
    # error at `(k for k in (1, 2) if k < n)`: a generator expression of several loops or conditions in zip() or enumerate() is not implemented yet
    # hint: write a loop
    for x in enumerate(k for k in (1, 2) if k < n):
        pass
    # error at `zip((1, 2))`: zip cannot be gone through backwards
    # hint: reversed() takes tuples and ranges; write zip(reversed(a), reversed(b))
    for x in reversed(zip((1, 2))):
        pass


@bad.kernel(FLOATS, 1)
def reduced(a, n):
    # error at `1.5`: float cannot be iterated over
    # hint: use range() or a tuple
    x = sum(1.5)
    # error at `()`: min() of nothing
    # hint: give it one element at least, or default=
    x = min(())
    # error at `sum((1, "a"))`: cannot add 'int' and 'str'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    x = sum((1, "a"))
    # error at `list`: isinstance() asks for types of numbers, vectors, structs and tuple, found list
    # hint: such as int, float, device.float32 or (int, float)
    x = isinstance(n, list)
    # error at `sum((1, 2), begin=3)`: sum() has no parameter 'begin'
    # hint: its parameters are iterable, start
    x = sum((1, 2), begin=3)
    # error at `enumerate((1, 2), 1.5)`: the start of enumerate needs an integer, found float
    # hint: convert with a fixed format such as device.int32()
    for x in enumerate((1, 2), 1.5):
        pass
    # error at `zip((1, 2), (3,), strict=True)`: zip(strict=True) of 2 and 1 elements
    # hint: give it values of one length, or leave strict out
    for x in zip((1, 2), (3,), strict=True):
        pass
    # error at `n > 0`: strict of zip() is True or False, found bool
    # hint: it is a constant
    for x in zip((1, 2), strict=n > 0):
        pass


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
