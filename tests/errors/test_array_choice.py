"""Which array a name means must be known when a kernel is compiled."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms
from support.launching import run

bad = BadPrograms()
DOUBLES = np.ones(8)[::2]


@bad.kernel(FLOATS, FLOATS.copy())
def swapped_in_a_branch(a, b):
    if D.tid(1) % 2 == 1:
        # error at `b, a`: 'a' would be the array 'a' or the array 'b', chosen at run time
        # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as a[i] if ... else b[i], or write the statements once for each array
        a, b = b, a
    a[0] = 1


@bad.kernel(FLOATS, FLOATS.copy(), 3)
def swapped_in_a_loop(a, b, n):
    for k in range(n):
        b[0] = a[0] + k
        # error at `b, a`: 'a' would be the array 'a' or the array 'b', chosen at run time
        # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as a[i] if ... else b[i], or write the statements once for each array
        # error at `b, a`: 'b' would be the array 'b' or the array 'a', chosen at run time
        # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as b[i] if ... else a[i], or write the statements once for each array
        a, b = b, a


@bad.kernel(FLOATS, DOUBLES)
def conditional_expression(a, b):
    # error at `a if a[0] > 0 else b`: this would be the array 'a' or the array 'b', chosen at run time
    # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as a[i] if ... else b[i], or write the statements once for each array
    c = a if a[0] > 0 else b
    c[0] = 1


@bad.kernel(FLOATS, (FLOATS.copy(), 2))
def within_tuples(a, pair):
    # error at `(1, a) if a[0] > 0 else (2, pair[0])`: this would be the array 'a' or the array 'pair.0', chosen at run time
    # hint: which array is meant must be known when the kernel is compiled; choose between elements, such as a[i] if ... else pair.0[i], or write the statements once for each array
    t = (1, a) if a[0] > 0 else (2, pair[0])


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
    text = "the result would be the array 'a' or the array 'b', chosen at run time"
    assert (found.code, found.message) == ("array_choice", text)


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
