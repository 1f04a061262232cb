"""Expressions that kernels do not have, each refused at its place."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms
from support.launching import run

bad = BadPrograms()


@bad.kernel(FLOATS)
def list_display(a):
    # error at `[1, 2]`: a list is not supported in kernels
    # hint: use a tuple, or device.local_array(shape, dtype) for elements that change
    x = [1, 2]
    a[0] = x[0]


@bad.kernel(FLOATS)
def list_as_target(a):
    # error at `[x, y]`: a list is not supported in kernels
    # hint: use a tuple, or device.local_array(shape, dtype) for elements that change
    [x, y] = 1, 2


@bad.kernel(FLOATS)
def set_display(a):
    # error at `{1, 2}`: a set is not supported in kernels
    # hint: use a tuple
    a[0] = 1 in {1, 2}


@bad.kernel(FLOATS)
def dict_display(a):
    # error at `{1: 2.5}`: a dict is not supported in kernels
    # hint: use a tuple, its elements by index, or 'match' on the key
    a[0] = {1: 2.5}[1]


@bad.kernel(FLOATS)
def list_comprehension(a):
    # error at `[2 * i for i in range(3)]`: a list comprehension is not supported in kernels
    # hint: tuple(... for ...) makes a tuple, and sum(... for ...) a sum
    a[0] = [2 * i for i in range(3)][0]


@bad.kernel(FLOATS)
def set_comprehension(a):
    # error at `{i for i in range(3)}`: a set comprehension is not supported in kernels
    # hint: tuple(... for ...) makes a tuple, and sum(... for ...) a sum
    a[0] = len({i for i in range(3)})


@bad.kernel(FLOATS)
def dict_comprehension(a):
    # error at `{i: 2 * i for i in range(3)}`: a dict comprehension is not supported in kernels
    # hint: use a tuple, its elements by index, or 'match' on the key
    a[0] = {i: 2 * i for i in range(3)}[0]


@bad.kernel(FLOATS)
def lambda_expression(a):
    twice = lambda x: 2 * x
    # error at `twice`: a lambda cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = twice


@bad.kernel(FLOATS)
def yield_statement(a):
    # error at `yield a[0]`: 'yield' is not supported in kernels
    # hint: kernels are plain functions
    yield a[0]


@bad.kernel(FLOATS)
def yield_expression(a):
    # error at `yield`: 'yield' is not supported in kernels
    # hint: kernels are plain functions
    x = yield


@bad.kernel(FLOATS)
def yield_from(a):
    # error at `yield from a`: 'yield from' is not supported in kernels
    # hint: kernels are plain functions
    yield from a


@bad.kernel(FLOATS)
def values_that_are_no_numbers(a):
    # error at `"x"`: str cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = "x"
    # error at `b"x"`: array[uint8, 1] cannot be stored in an array of float32
    # hint: an element takes a number
    a[1] = b"x"
    # error at `...`: Ellipsis cannot be stored in an array of float32
    # hint: an element takes a number
    a[2] = ...
    # error at `D`: module cuda.device cannot be stored in an array of float32
    # hint: an element takes a number
    a[3] = D


@bad.kernel(FLOATS)
def tuples_that_double(a):
    x = (1, 2, 3, 4, 5, 6, 7, 8)
    x = (x, x, x, x, x, x, x, x)
    # error at `(x, x, x, x, x)`: a tuple of more than 256 elements
    # hint: use an array
    x = (x, x, x, x, x)


@D.kernel
def what_the_hints_say(out, a):
    doubled = tuple(2 * i for i in range(3))
    out[0] = doubled[2]
    out[1] = sum(2 * i for i in range(3))
    out[2] = sum(a) + min(a) + max(a)


def test_what_the_hints_say_works(target):
    out = np.zeros(3)
    run(what_the_hints_say, out, np.array([1.0, 2.0, 4.0]))
    assert out.tolist() == [4, 6, 12]


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
