"""Python's builtin functions and those of math on wrong arguments."""

import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms

bad = BadPrograms()
TYPE = errors.CompileTypeError


@bad.kernel(FLOATS, raises=TYPE)
def wrong_counts(a):
    # error at `abs()`: abs() takes 1 argument, but 0 are given
    # hint: give it the others too
    x = abs()
    # error at `len(a, a)`: len() takes 1 argument, but 2 are given
    # hint: leave out the others
    x = len(a, a)
    # error at `min()`: min() takes at least 1 argument, but 0 are given
    # hint: give it the others too
    x = min()
    # error at `round(1.5, 1, 1)`: round() takes 1 to 2 arguments, but 3 are given
    # hint: leave out the others
    x = round(1.5, 1, 1)
    # error at `pow(2)`: pow() takes 2 to 3 arguments, but 1 is given
    # hint: give it the others too
    x = pow(2)
    # error at `divmod(1)`: divmod() takes 2 arguments, but 1 is given
    # hint: give it the others too
    x = divmod(1)
    # error at `range()`: range() takes 1 to 3 arguments, but 0 are given
    # hint: give it the others too
    for i in range():
        pass
    # error at `math.sqrt(1.0, 2.0)`: sqrt() takes 1 argument, but 2 are given
    # hint: leave out the others
    x = math.sqrt(1.0, 2.0)
    # error at `math.atan2(1.0)`: atan2() takes 2 arguments, but 1 is given
    # hint: give it the others too
    x = math.atan2(1.0)


@bad.kernel(FLOATS, raises=TYPE)
def wrong_counts_of_types(a):
    # error at `int(1, 2)`: int() takes at most 1 argument, but 2 are given
    # hint: give it one number
    x = int(1, 2)
    # error at `D.float32(1, 2)`: float32() takes at most 1 argument, but 2 are given
    # hint: give it one number
    y = D.float32(1, 2)
    # error at `bool(x=1)`: bool() has no parameter 'x'
    # hint: give it one number, by position
    z = bool(x=1)


@bad.kernel(FLOATS, 3)
def orders(a, n):
    # error at `a`: sorted() gives a tuple, and the number of elements of array[float32, 1] is known
    # ... at run time only
    # hint: sort them by loops, in the array or a copy in device.local_array(n, dtype)
    x = sorted(a)
    # error at `range(40)`: sorted() takes 32 elements at most, found 40: each pair is compared
    # hint: sort them by loops in device.local_array(40, dtype), or across the threads of a block in
    # ... a shared array
    y = sorted(range(40))
    # error at `sorted((n, 1), order=2)`: sorted() has no parameter 'order'
    # hint: its keywords are key and reverse
    y = sorted((n, 1), order=2)
    # error at `sorted((D.int32(n), D.uint64(n)))`: sorted() makes one type of all elements, and
    # ... uint64 does not have all numbers of int32
    # hint: convert them to one type first, such as device.int64(x)
    y = sorted((D.int32(n), D.uint64(n)))
    # error at `3`: key of max() is a function of one element or None, found int
    # hint: such as key=lambda x: -x
    z = max((n, 1), key=3)
    # error at `max(n, 1, default=2)`: max() takes default= of one sequence, and several arguments
    # ... are given
    # hint: leave it out: they are never empty
    z = max(n, 1, default=2)
    # error at `max((n, 1), start=2)`: max() has no parameter 'start'
    # hint: its keywords are key and default
    z = max((n, 1), start=2)
    # error at `max((range(n), range(3)), key=len)`: max() gives one of several values of the type
    # ... range, which cannot be chosen at run time
    # hint: choose among positions: max(range(len(t)), key=...)
    z = max((range(n), range(3)), key=len)
    # error at `sorted((range(n), range(3)), key=len)`: sorted() gives one of several values of the
    # ... type range, which cannot be chosen at run time
    # hint: choose among positions: sorted(range(len(t)), key=...)
    z = sorted((range(n), range(3)), key=len)
    # error at `(1, 2, 3).index(4)`: index() of a value that the tuple does not have
    # hint: ask x in t first
    z = (1, 2, 3).index(4)
    # error at `max(a, default=None)`: max() gives None if there turns out to be no element, and
    # ... float32 otherwise: data would decide on the type
    # hint: give a number that says so, such as default=-1
    z = max(a, default=None)
    # error at `ValueError`: 'ValueError' cannot be used in a kernel
    # hint: use raise ValueError(...) in one statement
    z = ValueError("no")
    # error at `(1, 2, n).index(4, 1, 2, 3)`: index() takes 1 to 3 arguments, but 4 are given
    # hint: give it a value, and the positions between which to search
    z = (1, 2, n).index(4, 1, 2, 3)
    # error at `-5`: index -5 is outside of a range of 4
    # hint: the last number has index -1
    z = range(4)[-5]


@bad.kernel(FLOATS, raises=TYPE)
def keywords(a):
    # error at `abs(a[0], key=abs)`: abs() takes its arguments by position, found the keyword 'key'
    # hint: leave out 'key='
    x = abs(a[0], key=abs)
    # error at `math.isclose(a[0], 1.0, tol=1.0)`: isclose() has no parameter 'tol'
    # hint: its keywords are rel_tol and abs_tol
    y = math.isclose(a[0], 1.0, tol=1.0)


@bad.kernel(FLOATS)
def arrays_for_numbers(a):
    # error at `a`@3: abs() needs a number, found array[float32, 1]
    # hint: arrays are worked on element by element
    a[0] = abs(a)
    # error at `a`@2: max() needs a number, found array[float32, 1]
    # hint: arrays are worked on element by element
    x = max(1, a)
    # error at `a`@2: sqrt() needs a number, found array[float32, 1]
    # hint: arrays are worked on element by element
    y = math.sqrt(a)
    # error at `a`@2: pow() needs a number, found array[float32, 1]
    # hint: arrays are worked on element by element
    z = math.pow(a, 2)


@bad.kernel(FLOATS)
def not_iterable(a):
    # error at `1`: int cannot be iterated over
    # hint: use range() or a tuple
    x = min(1)
    # error at `a`: the number of elements of array[float32, 1] is known at run time only
    # hint: a tuple has a constant number of elements: go through them in a loop
    z = tuple(a)


@bad.kernel(FLOATS, 3)
def no_length(a, n):
    # error at `n`@2: int has no len()
    # hint: arrays and tuples have
    x = len(n)
    # error at `a[0]`: float32 has no len()
    # hint: arrays and tuples have
    y = len(a[0])
    # error at `None`: None has no len()
    # hint: arrays and tuples have
    z = len(None)


@bad.kernel(np.ones((), np.float32))
def length_of_an_array_without_dimensions(a):
    # error at `a`: array[float32, 0] has no len()
    # hint: arrays and tuples have
    x = len(a)


@bad.kernel(FLOATS)
def bounds_of_ranges(a):
    # error at `1.5`: range() needs integers, found float
    # hint: convert with int()
    for i in range(1.5):
        pass
    # error at `a[0]`: range() needs integers, found float32
    # hint: convert with int()
    for i in range(0, a[0]):
        pass
    # error at `"3"`: range() needs integers, found str
    # hint: convert with int()
    for i in range("3"):
        pass
    # error at `0`: the step of range() is zero
    # hint: give another step; a negative one counts down
    for i in range(1, 2, 0):
        pass


@bad.kernel(FLOATS, 3)
def iterations_over_numbers(a, n):
    # error at `n`@2: int cannot be iterated over
    # hint: use range() or a tuple
    for i in n:
        pass
    # error at `a[0]`: float32 cannot be iterated over
    # hint: use range() or a tuple
    for i in a[0]:
        pass


@bad.kernel(FLOATS, 3)
def digits_and_moduli(a, n):
    # error at `n`@2: the number of digits of round() is a constant from -22 to 22, found an int
    # hint: scale the number, round it, and scale it back
    x = round(a[0], n)
    # error at `23`: the number of digits of round() is a constant from -22 to 22, found 23
    # hint: scale the number, round it, and scale it back
    x = round(a[0], 23)
    # error at `a[0]`: pow() with a modulus needs an integer, found float32
    # hint: convert with a fixed format such as device.int32()
    y = pow(2, a[0], 5)


@bad.kernel(FLOATS)
def planned_functions(a):
    # error at `math.fsum`: math.fsum is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    x = math.fsum((5, 6))


@bad.kernel(FLOATS)
def functions_of_the_host(a):
    # error at `type`: 'type' cannot be used in a kernel
    # hint: use x.dtype, or isinstance
    x = type(a)
    # error at `list`: 'list' cannot be used in a kernel
    # hint: use a tuple, or device.local_array(shape, dtype)
    x = list(a)
    # error at `a[0]`: getattr() needs a constant string, found float32
    # hint: write p.x, with the name itself
    x = getattr(a, a[0])
    # error at `open`: 'open' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call Python
    # ... functions, and those of math and cuda.device
    x = open("file")


@bad.kernel(FLOATS)
def views_of_numbers(a):
    # error at `a[0].view(D.int64)`: the bits of float32 are no int64: the sizes differ
    # hint: astype() converts the value
    x = a[0].view(D.int64)
    # error at `a[0].view()`: 'view' needs one type as its argument
    # hint: for example device.int32
    y = a[0].view()
    # error at `a[0].astype("list")`: 'astype' needs one type as its argument
    # hint: for example device.int32
    z = a[0].astype("list")
    # error at `a[0].reshape(1)`: reshape() of a number to an array is not implemented yet
    # hint: keep it in device.local_array(1, dtype)
    b = a[0].reshape(1)


@bad.kernel(FLOATS)
def exponent_of_ldexp(a):
    # error at `1.5`: the exponent of ldexp needs an integer, found float
    # hint: convert with a fixed format such as device.int32()
    a[0] = math.ldexp(a[0], 1.5)


@bad.kernel(FLOATS)
def other_things_for_numbers(a):
    # error at `None`: abs() needs a number, found None
    # hint: it works on numbers
    x = abs(None)
    # error at `"2"`: sqrt() needs a number, found str
    # hint: it works on numbers
    y = math.sqrt("2")
    # error at `int("5")`: int() needs a number, found str
    # hint: write the number, without quotes
    z = int("5")
    # error at `D.float32(a.shape)`: float32() needs a number, found (int64,)
    # hint: it works on numbers
    w = D.float32(a.shape)


@bad.kernel(FLOATS, raises=TYPE)
def keywords_by_position(a):
    # error at `abs(x=1)`: abs() takes its arguments by position, found the keyword 'x'
    # hint: leave out 'x='
    x = abs(x=1)
    # error at `max(1, 2, default=3)`: max() takes default= of one sequence, and several arguments
    # ... are given
    # hint: leave it out: they are never empty
    y = max(1, 2, default=3)
    # error at `math.sqrt(x=2.0)`: sqrt() takes its arguments by position, found the keyword 'x'
    # hint: leave out 'x='
    z = math.sqrt(x=2.0)
    # error at `range(stop=3)`: range() takes its arguments by position, found the keyword 'stop'
    # hint: leave out 'stop='
    for i in range(stop=3):
        pass


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
