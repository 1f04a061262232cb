"""Arrays that are chosen at run time have one type."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms
from support.launching import run

bad = BadPrograms()
DOUBLES = np.ones(8)[::2]


@bad.kernel(FLOATS, DOUBLES)
def swapped_in_a_branch(a, b):
    if D.tid(1) % 2 == 1:
        # error at `b, a`: 'a' would be both array[float32, 1] and array[float64, 1] here
        # hint: give the two values one type, or use two names
        a, b = b, a
    a[0] = 1


@bad.kernel(FLOATS, DOUBLES)
def conditional_expression(a, b):
    # error at `a if a[0] > 0 else b`: the alternatives have types array[float32, 1] and array[float64, 1], which have no common type
    # hint: convert one of them
    c = a if a[0] > 0 else b
    c[0] = 1


@bad.kernel(FLOATS, (FLOATS.reshape(2, -1), 2))
def within_tuples(a, pair):
    # error at `(1, a) if a[0] > 0 else (2, pair[0])`: the alternatives have types (int, array[float32, 1]) and (int, array[float32, 2]), which have no common type
    # hint: convert one of them
    t = (1, a) if a[0] > 0 else (2, pair[0])


@bad.kernel(*(D.zeros(2, dtype=D.Atomic(int), device="cpu") for _ in range(2)))
def of_atomics(a, b):
    # error at `a if D.tid(1) > 0 else b`: this would be the array 'a' or the array 'b', chosen at run time
    # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as a[i] if ... else b[i], or write the statements once for each array
    c = a if D.tid(1) > 0 else b


@bad.kernel(FLOATS, FLOATS.copy(), 1)
def of_one_type(a, b, n):
    c = a if n > 0 else b
    # error at `c.reshape`: reshape() of an array chosen at run time is not implemented yet
    # hint: call it for each of the arrays
    d = c.reshape(2, -1)
    # error at `c.flags`: 'flags' of an array cannot be read in a kernel
    # hint: pass what you need of it as an argument
    e = c.flags


def larger(a, b):
    if a[0] > b[0]:
        return a
    return b


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


@D.kernel
def result_of_a_function(out, a, b):
    out[0] = larger(a, b)[1]


def test_an_array_returned_from_one_of_two_places():
    with pytest.raises(D.errors.CompileError) as raised:
        D.launch(result_of_a_function, FLOATS, FLOATS.copy(), DOUBLES, grid=1, block=1)
    (found,) = raised.value.diagnostics
    text = "the result would be both array[float32, 1] and array[float64, 1] here"
    assert (found.code, found.message) == ("no_common_type", text)


@D.kernel
def known_choices(out, a, b):
    x, y = a, b
    x, y = y, x
    c = x if True else y
    same = a if out[0] > 0 else a
    out[0] = x[0] * 10 + y[0]
    out[1] = c[0]
    out[2] = same[0]


def test_choices_that_are_known_work(target):
    out = np.zeros(3)
    run(known_choices, out, np.full(2, 1.0), np.full(4, 2.0)[::2])
    assert out.tolist() == [21, 2, 1]
