"""Functions as values: nested functions, lambdas, what they capture, defaults, *args, partial."""

import functools
import operator

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run

BIAS = 100


def apply(f, x):
    return f(x)


def compose(f, g):
    return lambda x: f(g(x))


def adder(n):
    def add(x, scale=n + 1):
        return x * scale + n

    return add


def either(test, f, g):
    if test:
        return f
    return g


def total(*values, start=0):
    for v in values:
        start += v
    return start


def forwards(f, *args, **keywords):
    return f(*args, **keywords)


def weighted(x, *, weight=1, offset=0):
    return x * weight + offset


add_five = functools.partial(adder(5), scale=2)
OPERATIONS = (operator.add, lambda a, b: a * 10 + b, max)


@D.kernel(fmad=False)
def captures(out, n):
    i = D.tid(1)
    k = i * 2
    BIAS = 7  # a variable of the kernel

    def plus(x):
        return x + k + BIAS

    def late(x):
        return x + later  # assigned below, before the call

    later = 3
    out[i, 0] = plus(1)
    k = 50  # as Python's closures, it reads k as it is when it is called
    out[i, 1] = plus(1)
    out[i, 2] = late(i)
    later = n
    out[i, 3] = late(i)
    out[i, 4] = (lambda x, y=k: x * y)(i)
    square = lambda x: x * x  # noqa: E731
    out[i, 5] = apply(square, i) + apply(lambda x: -x, n)
    out[i, 6] = compose(square, plus)(i)
    add = adder(n)
    out[i, 7] = add(i) + add(1, 2) + adder(3)(1)
    t = 0
    for f in (plus, square, lambda x: x - later):
        t += f(i)
    out[i, 8] = t
    out[i, 9] = either(True, square, plus)(5) + either(BIAS == 8, square, plus)(5)


def expect_captures(i, n):
    k, later = 50, n
    row = [1 + 2 * i + 7, 1 + 57, i + 3, i + n, i * 50, i * i - n, (i + 57) ** 2]
    row.append((i * (n + 1) + n) + (2 + n) + (4 + 3))
    row.append((i + k + 7) + i * i + (i - later))
    row.append(25 + (5 + 57))
    return row


def test_functions_read_the_variables_around_them(target):
    out = np.zeros((37, 10), dtype=np.int64)
    run(captures, out, 4, block=37)
    assert out.tolist() == [expect_captures(i, 4) for i in range(37)]


@D.kernel
def arguments(out, *rest, seven=7):
    i = D.tid(1)
    out[i, 0] = total() + total(1) + total(i, 2, 3, start=10)
    out[i, 1] = total(*rest[1:])
    out[i, 2] = forwards(weighted, i, weight=3) + forwards(weighted, i)
    out[i, 3] = forwards(forwards, weighted, i, offset=2)
    out[i, 4] = add_five(i)
    f = functools.partial(weighted, weight=i)
    out[i, 5] = f(2) + f(2, weight=5) + f(1, offset=1)
    t = 0
    for op in OPERATIONS:
        t += op(i, 3)
    out[i, 6] = t
    out[i, 7] = functools.reduce(operator.mul, (i, 2, 3)) + functools.reduce(
        lambda a, b: a - b, (1, 2), i
    )
    out[i, 8] = len(rest) + rest[0][i] + seven


def test_arguments_of_any_number_partial_and_operators(target):
    out = np.zeros((5, 9), dtype=np.int64)
    first = np.arange(10, 15)
    run(arguments, out, first, 5, np.int8(6), 7, block=5)
    expected = [
        [
            (0 + 1 + i + 15),
            18,
            3 * i + i,
            i + 2,
            2 * i + 5,
            2 * i + 10 + (i + 1),
            (i + 3) + (10 * i + 3) + max(i, 3),
            6 * i + (i - 3),
            4 + 10 + i + 7,
        ]
        for i in range(5)
    ]
    assert out.tolist() == expected


@D.func
def power_of(x, n):
    if n == 0:
        return 1
    if n % 2:
        return x * power_of(x, n - 1)
    return power_of(x * x, n // 2)


@D.func
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@D.kernel
def known_depth(out):
    i = D.tid(1)
    out[i, 0] = power_of(i, 5)
    out[i, 1] = fibonacci(10)
    out[i, 2] = apply(lambda x: apply(lambda y: x + y, 2 * x), i)

    def count_down(n):
        return 0 if n == 0 else n + count_down(n - 1)

    out[i, 3] = count_down(4)


def test_recursion_that_constants_end(target):
    out = np.zeros((4, 4), dtype=np.int64)
    run(known_depth, out, block=4)
    assert out.tolist() == [[i**5, 55, 3 * i, 10] for i in range(4)]


@D.kernel
def kept_values(a, out, n):
    i = D.tid(1)
    r = range(i, n, 2)
    t = 0
    for k in r:
        t += k
    if n > 100:
        r = range(5, n, 1)
    out[i, 0] = t + len(r)
    cast = a[i].astype
    out[i, 1] = cast(D.int8)
    names = (lambda: i, lambda: a[i])
    out[i, 2] = names[0]() + names[1]()


def test_ranges_and_methods_are_kept_in_variables(target):
    a = np.array([1.5, 2.5, 300.0, -3.5])
    for n in (9, 120):
        out = np.zeros((4, 3))
        run(kept_values, a, out, n, block=4)
        for i in range(4):
            r = range(i, n, 2)
            second = r if n <= 100 else range(5, n)
            cast = min(int(a[i]), 127)
            assert out[i].tolist() == [sum(r) + len(second), cast, i + a[i]]


@D.kernel
def types_by_call(out, x):
    def twice(v):
        w = v + v
        return w

    out[0] = twice(x)
    out[1] = twice(0.25)
    out[2] = twice(3)
    pair = twice((1, 2))
    out[3] = pair[2]


def test_a_nested_function_is_typed_at_each_call(target):
    out = np.zeros(4)
    run(types_by_call, out, np.int8(100))
    assert out.tolist() == [-56, 0.5, 6, 1]


@pytest.mark.parametrize("value", [3, 0.1])
def test_a_closure_of_the_host_keeps_its_own_value(target, value):
    scale = functools.partial(operator.mul, value)

    @D.kernel
    def kernel(out, x):
        out[0] = scale(x)

    out = np.zeros(1)
    run(kernel, out, np.float64(7))
    assert out[0] == value * 7.0


def of_copies(n):
    """Functions that a loop over a tuple defines again: they read its variables as they are."""
    total = 0
    for i in (5, 6):

        def plus(x, more=i):
            return x + i * more  # noqa: B023

        def counted(x):
            return i if x <= 0 else 1 + counted(x - 1)  # noqa: B023

        through = lambda v: plus(v)  # noqa: E731
        total = total * 100 + through(1) + counted(n)
    return total * 100 + through(2) + counted(n)


@D.kernel
def functions_of_copies(out):
    i = D.tid(1)
    out[i] = of_copies(i)


def test_functions_defined_in_loops_over_tuples(target):
    out = np.zeros(8, dtype=np.int32)
    run(functions_of_copies, out, block=8)
    assert out.tolist() == [of_copies(i) for i in range(8)]


@D.func
def passes(f, x):
    return f(x)


@D.kernel
def own_lambda(out):
    i = D.tid(1)
    out[i] = passes(lambda v: v + D.thread_idx.x, i)


def test_func_calls_a_lambda_of_the_kernel(target):
    out = np.zeros(8, dtype=np.int32)
    run(own_lambda, out, block=8)
    assert out.tolist() == list(range(0, 16, 2))


@D.func
def later_target(n):
    if n > 100 and D.target(D.is_host):
        input("x")
    if not (n > 100 or D.target(D.is_device)):
        input("x")
    return n


@D.kernel
def target_after_a_condition(out):
    i = D.tid(1)
    out[i] = later_target(i * 50)


def test_target_decides_after_a_condition(target):
    out = np.zeros(8, dtype=np.int32)
    run(target_after_a_condition, out, block=8)
    assert out.tolist() == list(range(0, 400, 50))


@D.func
def of_both(n):
    if n > 100:

        def inner(x):
            return x + 1
    else:

        def inner(x):
            return x + 2

    return inner(n)


@D.kernel
def function_by_data(out):
    out[0] = of_both(D.tid(1))


def test_function_defined_in_both_branches(target):
    out = np.zeros(1)
    run(function_by_data, out)
    assert out[0] == 2


@D.func
def opens(x):
    print(input("x"))
    return x


@D.kernel
def calls_opens(out):
    out[0] = opens(1)


def test_host_only_call_in_a_func():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(calls_opens, np.zeros(1), grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert found.message == "'input' cannot be used in a kernel"
    assert found.hint == (
        "if only host code needs it, put it under `if device.target(device.is_host):`"
    )
