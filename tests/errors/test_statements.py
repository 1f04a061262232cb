"""Statements that kernels do not have, each refused at its place."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms

bad = BadPrograms()


@bad.kernel(FLOATS)
def with_statement(a):
    # error at `with a:`: the 'with' statement is not supported in kernels
    # hint: kernels have no context managers
    with a:
        a[0] = 1


@bad.kernel(FLOATS)
def with_several_managers(a):
    # error at `with a as b, a as c:`: the 'with' statement is not supported in kernels
    # hint: kernels have no context managers
    with a as b, a as c:
        b[0] = c[0]


@bad.kernel(FLOATS)
def try_except(a):
    # error at `try:`: the 'try' statement is not supported in kernels
    # hint: kernels catch nothing: test with 'if' before what may fail, and write the lines of 'finally' after it
    try:
        a[0] = 1
    except ValueError as error:
        a[0] = 2
    else:
        a[0] = 3


@bad.kernel(FLOATS)
def try_finally(a):
    # error at `try:`: the 'try' statement is not supported in kernels
    # hint: kernels catch nothing: test with 'if' before what may fail, and write the lines of 'finally' after it
    try:
        a[0] = 1
    finally:
        a[0] = 2


@bad.kernel(FLOATS)
def try_star(a):
    # error at `try:`: the 'try' statement is not supported in kernels
    # hint: kernels catch nothing: test with 'if' before what may fail, and write the lines of 'finally' after it
    try:
        a[0] = 1
    except* ValueError:
        a[0] = 2


@bad.kernel(FLOATS)
def class_inside(a):
    # error at `class Pair:`: a class inside of a kernel is not supported in kernels
    # hint: do it outside of the kernel
    class Pair:
        x = 1


@bad.kernel(FLOATS)
def decorated_function_inside(a):
    # error at `D.kernel`: a decorator inside of a kernel is not supported in kernels
    # hint: decorate it outside of the kernel
    @D.kernel
    def twice(x):
        return 2 * x

    @D.func
    def thrice(x):
        return 3 * x

    a[0] = twice(a[0]) + thrice(a[0])


@bad.kernel(FLOATS)
def coroutine_inside(a):
    # error at `async def wait():`: an 'async def' inside of a kernel is not supported in kernels
    # hint: kernels are plain functions
    async def wait():
        async with a:
            await a


@bad.kernel(FLOATS)
def import_inside(a):
    # error at `import math`: 'import' is not supported in kernels
    # hint: do it outside of the kernel
    import math

    a[0] = math.pi


@bad.kernel(FLOATS)
def import_from_inside(a):
    # error at `from math import pi as p`: 'import' is not supported in kernels
    # hint: do it outside of the kernel
    from math import pi as p

    a[0] = p


LIMIT = 3


@bad.kernel(FLOATS)
def global_statement(a):
    # error at `global LIMIT`: 'global' is not supported in kernels
    # hint: globals are constants in kernels; pass an array to change values
    global LIMIT
    LIMIT = 4


def in_a_closure():
    limit = 3

    @bad.kernel(FLOATS)
    def nonlocal_statement(a):
        # error at `nonlocal limit`: 'nonlocal' is not supported in kernels
        # hint: outer variables are constants in kernels; pass an array to change values
        nonlocal limit
        limit = 4

    return limit


in_a_closure()


@bad.kernel(FLOATS)
def delete_a_name(a):
    x = a[0]
    # error at `del x`: 'del' is not supported in kernels
    # hint: a name needs no deletion in a kernel
    del x


@bad.kernel(FLOATS)
def delete_an_element(a):
    # error at `del a[0]`: 'del' is not supported in kernels
    # hint: a name needs no deletion in a kernel
    del a[0]


def classes(a):
    return a.size


@bad.kernel(FLOATS)
def match_statement(a):
    match a.size, 3:
        # error at `classes`: isinstance() asks for types of numbers, vectors, structs and tuple,
        # ... found function classes
        # hint: such as int, float, device.float32 or (int, float)
        case classes():
            a[0] = 1


@bad.kernel(FLOATS)
def names_in_several_patterns(a):
    match (a[0], a), a.size:
        # error at `y`@2: the alternatives have types int64 and (float32, array[float32, 1]), which
        # ... have no common type
        # hint: convert one of them
        # error at `x`@2: the alternatives have types array[float32, 1] and int64, which have no
        # ... common type
        # hint: convert one of them
        case ((1 | 2, x), y) | (y, x):
            a[0] = x


@bad.kernel(np.ones((), np.float32))
def iteration_over_no_dimension(a):
    # error at `a`: array[float32, 0] cannot be iterated over
    # hint: an array without dimensions has one element: a[()]
    for x in a:
        a[()] += x


@bad.kernel(FLOATS)
def several_statements(a):
    # error at `import math`: 'import' is not supported in kernels
    # hint: do it outside of the kernel
    import math

    if a[0] > 0:
        # error at `del a`: 'del' is not supported in kernels
        # hint: a name needs no deletion in a kernel
        del a
    while True:
        # error at `with math.x:`: the 'with' statement is not supported in kernels
        # hint: kernels have no context managers
        with math.x:
            break


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
