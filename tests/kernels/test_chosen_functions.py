"""Functions chosen when the kernel runs: by conditions, indices, loops and returns."""

import functools
import math
from typing import NamedTuple

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run_as_host


def double(x):
    return x * 2


def square(x):
    return x * x


def negative(x):
    return -x


def bounded(x, low=-3, high=3):
    return min(max(x, low), high)


@D.kernel
def by_expressions(out, x, n):
    f = double if n > 0 else square
    out[0] = f(x)
    out[1] = (double, square, negative, bounded)[n](x)
    out[2] = (lambda y: y + 1 if y > 2 else y - 1)(x) + (square if n else negative)(f(x))
    table = (negative, square, double)
    for k in range(3):
        out[3] += table[k](x + k)
        f = table[(k + n) % 3]
    out[4] = f(x)


@clause("DEV-TUP-01")
@pytest.mark.parametrize("n", range(4))
def test_conditional_expressions_and_indices(target, n):
    run_as_host(by_expressions, np.zeros(5, np.int32), np.int32(5), n)


@D.kernel
def by_statements(out, x, n):
    match n:
        case 0:
            f = square
        case 1:
            f = double
        case _:

            def f(y):
                return bounded(y, high=n)

    out[0] = f(x)
    if n > 1:

        def inner(y):
            return y + n

    else:

        def inner(y, more=n * 10):
            return y - more

    out[1] = inner(x)
    out[2] = sum(map(f, (x, 1, 2)))
    out[3] = max((3, -7, 5), key=f)


@pytest.mark.parametrize("n", range(3))
def test_match_and_branches(target, n):
    run_as_host(by_statements, np.zeros(4, np.int32), np.int32(5), n)


def picked(n):
    if n == 0:
        return double
    if n == 1:
        return lambda x: x + n
    return functools.partial(bounded, high=n * 10)


def twice(f, x):
    return f(f(x))


@D.func(inline="never")
def called(f, x):
    return f(x) + 1


@D.kernel
def passed(out, x, n):
    f = picked(n)
    out[0] = twice(f, x)
    out[1] = called(f, x)
    out[2] = functools.partial(f)(x) if f else -1
    pair = (f, x) if n > 0 else (square, x + 1)
    out[3] = pair[0](pair[1])


@pytest.mark.parametrize("n", range(3))
def test_functions_are_returned_and_passed(target, n):
    run_as_host(passed, np.zeros(4, np.int32), np.int32(7), n)


class Point(NamedTuple):
    x: int
    y: int

    def total(self):
        return self.x + self.y

    def moved(self, by):
        return Point(self.x + by, self.y)

    def turned(self, by):
        return Point(by, self.x)


@D.kernel
def methods(out, n):
    p, q = Point(n, 3), Point(7, n + 1)
    size = p.total if n > 1 else q.total
    move = p.moved if n > 0 else q.turned
    r = move(n + 10)
    out[0] = size()
    out[1] = r.x
    out[2] = r.y


@D.kernel
def of_the_language(out, a, n):
    out[0] = (math.floor if n > 1 else math.ceil)(a[0])
    out[1] = (max, min)[n % 2](a[1], a[2])
    step = math.sqrt if n > 1 else math.exp2
    out[2] = step(a[2])


@pytest.mark.parametrize("n", range(3))
def test_methods(target, n):
    run_as_host(methods, np.zeros(3, np.int32), n)
    run_as_host(of_the_language, np.zeros(3, np.float32), np.array([2.5, -1, 4], np.float32), n)


@D.kernel
def compared(out, n):
    f = (double, square, negative)[n]
    out[0] = f is square
    out[1] = f != negative
    g = double if n else square
    out[2] = f is g
    out[3] = f is None
    out[4] = f in (double, square)


@pytest.mark.parametrize("n", range(3))
def test_functions_are_compared(target, n):
    run_as_host(compared, np.zeros(5, np.int32), n)


@D.kernel
def told(n):
    f = (double, square)[n]
    print(f.__name__, f(3))


@pytest.mark.parametrize("n", range(2))
def test_names_of_functions(capsys, n, on_the_host):
    D.launch(told, n, grid=1, block=1)
    assert capsys.readouterr().out == ("double 6\n", "square 9\n")[n]


@D.kernel
def by_thread(out, codes):
    i = D.tid(1)
    f = (double, square, negative, bounded)[codes[i]]
    out[i] = f(i - 3)


@clause("DEV-TUP-01")
def test_each_thread_has_its_own(target):
    out, codes = np.zeros(64, np.int32), np.arange(64, dtype=np.int32) * 7 % 4
    D.launch(by_thread, out, codes, grid=2, block=32)
    functions = (double, square, negative, bounded)
    assert out.tolist() == [functions[c](i - 3) for i, c in enumerate(codes)]


OPERATIONS = tuple(functools.partial(lambda k, x: x * k + k % 3, k) for k in range(60))


@D.kernel
def many(out, n):
    for k in range(60):
        out[k] = OPERATIONS[(k * n) % 60](k)


def test_many_functions(target):
    run_as_host(many, np.zeros(60, np.int32), 7)


@D.kernel
def rows(out, a, i, j, n):
    out[0] = (a[i:], a[j:])[n][0]


def test_views_of_one_form_are_chosen(target):
    """As values, whose abstract forms are one."""
    for n in range(2):
        run_as_host(rows, np.zeros(1), np.arange(8.0), 2, 5, n)


@D.kernel
def texts_of_one_form(x, y, n):
    print((f"<{x}>", f"<{y}>")[n])


@pytest.mark.parametrize("n", range(2))
def test_texts_of_one_form_are_chosen(capsys, n, on_the_host):
    D.launch(texts_of_one_form, 5, 6, n, grid=1, block=1)
    assert capsys.readouterr().out == f"<{5 + n}>\n"


@D.kernel
def of_two_types(out, n):
    f = (lambda x: (x, x)) if n else (lambda x: x)
    out[0] = f(n)


LANES = tuple((lambda x, k=k: x + k) for k in range(65))


@D.kernel
def too_many(out, n):
    out[0] = LANES[n](n)


@pytest.mark.parametrize(
    ("kernel", "message", "hint"),
    [
        (
            of_two_types,
            "the alternatives have types (int, int) and int, which have no common type",
            "convert one of them",
        ),
        (
            too_many,
            "this would be one of more than 64 functions here",
            "choose among fewer, and among these in branches",
        ),
    ],
)
def test_what_cannot_be_chosen(kernel, message, hint):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), 1, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert (found.message, found.hint) == (message, hint)
