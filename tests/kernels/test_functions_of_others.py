"""Wrappers of functools, class methods of ordinary classes, functions that stand where no call of
them is compiled."""

import functools
import re
import statistics
from dataclasses import astuple, dataclass

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing, errors
from support.launching import run


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return 2 * function(*args, **kwargs)

    return wrapper


def times(factor):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return factor * function(*args, **kwargs)

        return wrapper

    return decorate


@doubled
def area(width, height=3, *, scale=1):
    return width * height * scale


@times(10)
@doubled
def shifted(x, by=1):
    return x + by


@D.func
@doubled
def of_func(x):
    return x - 1


@D.kernel
def through_wrappers(x, out):
    i = D.tid(1)
    out[i, 0] = area(x[i])
    out[i, 1] = area(x[i], height=2)
    out[i, 2] = area(x[i], 4, scale=5)
    out[i, 3] = shifted(x[i], by=2) + shifted(1)
    out[i, 4] = of_func(x[i])


def test_wrappers_pass_on_what_they_are_given(target):
    x = np.arange(4.0)
    out = np.zeros((4, 5))
    run(through_wrappers, x, out, block=4)
    wanted = [[area(v), area(v, height=2), area(v, 4, scale=5)] for v in x]
    wanted = [
        [*w, shifted(v, by=2) + shifted(1), 2 * (v - 1)] for v, w in zip(x, wanted, strict=True)
    ]
    assert out.tolist() == wanted


def on_the_device(function):
    @functools.wraps(function)
    def wrapper(*args):
        i = D.tid(1)
        if i < 3:
            function(i, *args)

    return wrapper


@D.kernel
@on_the_device
def a_wrapped_kernel(i, a, b):
    a[i] = b[i] + 1


def test_a_kernel_may_be_wrapped(target):
    a, b = np.zeros(4), np.arange(4.0)
    run(a_wrapped_kernel, a, b, block=4)
    assert a.tolist() == [1, 2, 3, 0]


class Scale:
    factor = 3

    @classmethod
    def of(cls, x, extra=0):
        return cls.factor * x + extra

    @classmethod
    def twice(cls, x):
        return 2 * cls.of(x) + (lambda: cls.factor)()

    @staticmethod
    def half(x):
        return x / 2


class Larger(Scale):
    factor = 5


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    @classmethod
    def diagonal(cls, x):
        return cls(x, x)


of_larger = Larger.of
diagonal = Point.diagonal


@D.kernel
def class_methods(x, out):
    i = D.tid(1)
    out[i, 0] = Scale.of(x[i], extra=1)
    out[i, 1] = Larger.of(x[i])
    out[i, 2] = Scale.twice(x[i])
    out[i, 3] = Scale.half(x[i])
    out[i, 4] = of_larger(x[i])
    p = diagonal(x[i])
    out[i, 5] = p.x + p.y


def test_class_methods_of_ordinary_classes(target):
    x = np.arange(3.0)
    out = np.zeros((3, 6))
    for factor in (3, 4, 3):
        Scale.factor = factor  # known when the kernel is compiled: it is compiled again
        run(class_methods, x, out, block=3)
        for v, row in zip(x, out, strict=True):
            wanted = [Scale.of(v, extra=1), Larger.of(v), Scale.twice(v), Scale.half(v)]
            assert row.tolist() == [*wanted, of_larger(v), 2 * v]


def test_a_class_method_that_is_replaced():
    class Changing:
        @classmethod
        def value(cls):
            return 1

    @D.kernel
    def kernel(out):
        out[0] = Changing.value()

    out = np.zeros(1)
    run(kernel, out)
    first = out[0]
    Changing.value = classmethod(lambda cls: 2)
    run(kernel, out)
    assert (first, out[0]) == (1, 2)


def without_source():
    scope = {}
    exec("def made(x):\n    return x\n", scope)
    return scope["made"]


made = without_source()
USES_IT = False


@D.kernel
def names_it_in_a_dead_branch(out):
    out[0] = 1
    if USES_IT:
        out[0] = made(2)


def test_a_dead_branch_may_name_what_has_no_source(target):
    out = np.zeros(1)
    run(names_it_in_a_dead_branch, out)
    assert out[0] == 1


@functools.singledispatch
def size(x):
    return 1


@size.register
def _(x: float):
    return 2


@D.kernel
def of_statistics(out):
    out[0] = statistics.mean((1.0, 2.0, 3.0))


@D.kernel
def of_dataclasses(out):
    out[0] = astuple(Point(1.0, 2.0))[0]


@D.kernel
def of_singledispatch(out):
    out[0] = size(1.5)


@pytest.mark.parametrize(
    ("kernel", "name", "hint"),
    [
        (of_statistics, "statistics.mean", "use sum(x) / len(x)"),
        (of_dataclasses, "dataclasses.astuple", "use a tuple of its fields, (p.x, p.y)"),
        (
            of_singledispatch,
            "functools.singledispatch",
            "use one function that asks isinstance(x, float) for each class",
        ),
    ],
)
def test_functions_of_the_library_are_refused_once_where_they_are_called(kernel, name, hint):
    with pytest.raises(errors.CompileError) as raised:
        run(kernel, np.zeros(1))
    (found,) = raised.value.diagnostics
    assert found.code == "library_function"
    assert found.message.startswith(f"{name} of Python's standard library cannot be compiled: ")
    assert found.hint == hint
    assert re.search(r" \(line \d+ of (statistics|dataclasses|functools)\.py\)$", found.message)
    assert found.file == __file__
    assert found.line == kernel.underlying.__code__.co_firstlineno + 2


def looks_at_keywords(**kwargs):
    return kwargs["scale"]


def goes_through_keywords(**kwargs):
    return sum(1 for name in kwargs)


@D.kernel
def kernel_that_looks(out):
    out[0] = looks_at_keywords(scale=1)


@D.kernel
def kernel_that_goes_through(out):
    out[0] = goes_through_keywords(scale=1)


@pytest.mark.parametrize("kernel", [kernel_that_looks, kernel_that_goes_through])
def test_keywords_are_only_passed_on(kernel):
    with pytest.raises(errors.CompileError) as raised:
        run(kernel, np.zeros(1))
    (found,) = raised.value.diagnostics
    assert found.code == "keywords_use"
    assert found.message == (
        "what a parameter such as **kwargs has collected can only be passed on, by ** in a call"
    )


def test_what_is_captured_of_a_function_that_cannot_be_read():
    found = _testing.captured(names_it_in_a_dead_branch)
    assert [(f["name"], f["text"]) for f in found][1] == ("made", "")
