"""Functions of operator and functools that take elements, fields and methods by name; reduce."""

import functools
import operator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run, run_as_python


class Point(NamedTuple):
    x: float
    y: float

    def scaled(self, by, plus=0):
        return self.x * by + plus


@dataclass(frozen=True)
class Pair:
    first: Point
    second: Point


SECOND, BOTH = operator.itemgetter(1), operator.itemgetter(-1, 0)
X_OF, OF_PAIR = operator.attrgetter("x"), operator.attrgetter("second.y", "first.x")
NAME = "y"
TWICE, MORE = operator.methodcaller("scaled", 2), operator.methodcaller("scaled", 3, plus=1)


def captured(getter):
    def kernel(out, a):
        out[0] = getter((a[0], a[1], a[2]))

    return D.kernel(kernel)


@D.kernel
def getters(out, a):
    p, q = Point(a[0], a[1]), Point(a[2], 4)
    out[0] = SECOND((a[0], a[1]))
    out[1], out[2] = BOTH((a[0], a[1], a[2]))
    out[3] = X_OF(p)
    out[4], out[5] = OF_PAIR(Pair(p, q))
    out[6] = TWICE(p)
    out[7] = MORE(q)
    out[8], out[9] = max((p, q), key=X_OF)
    out[10] = min(((a[0], a[1]), (a[2], 0)), key=SECOND)[0]
    out[11] = operator.attrgetter("y")(p) + operator.methodcaller("scaled", 5)(q)
    out[12] = getattr(p, NAME)
    for k, x in enumerate(map(X_OF, (p, q))):
        out[13 + k] = x
    for k, x in enumerate(sorted((p, q), key=operator.attrgetter("y"))):
        out[15 + k] = x.x


def test_getters_made_anywhere(target):
    a = np.array([3.0, 5.0, 1.0])
    run_as_python(getters, np.zeros(17), a)
    out = np.zeros(1)
    run(captured(operator.itemgetter(2)), out, a)
    assert out[0] == 1.0


@D.kernel
def searches(out, a, n):
    t = (a[0], a[1], a[2])
    out[0] = operator.countOf(t, n)
    out[1] = operator.indexOf(t, n)
    out[2] = operator.countOf(range(n), 2)
    out[3] = operator.countOf(a, 8)


@pytest.mark.parametrize("n", [3, 8])
def test_what_is_there_is_counted_and_found(target, n):
    a = np.array([8, 3, 8])
    run_as_python(searches, np.zeros(4), a, n)
    if target == "cuda":
        return
    with pytest.raises(ValueError, match=r"sequence\.index") as caught:
        run(searches, np.zeros(4), a, 7)
    assert isinstance(caught.value, errors.KernelFailure)


def digits(total, x):
    return (10 * total + x) % 1000007


@D.kernel
def reductions(out, a, n):
    out[0] = functools.reduce(digits, range(1, n))
    out[1] = functools.reduce(digits, range(n), 7)
    out[2] = functools.reduce(lambda m, x: max(m, x), a)
    out[3] = functools.reduce(operator.add, (x * x for x in range(n)), 0)
    out[4] = functools.reduce(operator.mul, (a[0], a[1], n))
    out[5], out[6] = functools.reduce(lambda p, x: (p[1], p[0] + x), range(n), (0, 1))


@pytest.mark.parametrize("n", [2, 5, 9])
def test_reduce_goes_through_whatever_a_loop_does(target, n):
    run_as_python(reductions, np.zeros(7, np.int64), np.array([4, 9, 2]), n)


@D.kernel
def reduction_of_nothing(out, n):
    out[0] = functools.reduce(digits, range(n))


def test_reduce_of_nothing_is_a_type_error(target):
    out = np.zeros(1, np.int64)
    run(reduction_of_nothing, out, 4)
    assert out[0] == 123
    if target != "cuda":
        with pytest.raises(TypeError, match="reduce\\(\\) of empty iterable"):
            run(reduction_of_nothing, out, 0)


def count_of(**options):
    return len(options)


@D.kernel
def names(out):
    out[0] = len(digits.__name__) + (digits.__name__ == "digits")
    out[1] = count_of(a=1, b=2) + 10 * count_of()
    out[2] = len(Point.__name__)

    def inner():
        return 1

    out[3] = len(inner.__name__) + inner()


def test_functions_have_names_and_keywords_a_length(target):
    run_as_python(names, np.zeros(4))
