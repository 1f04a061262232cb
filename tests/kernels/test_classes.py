"""Named tuples and frozen dataclasses in kernels: instances of their classes, as in Python."""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
from cuda import device as D
from cuda.device.errors import CompileError
from support.clauses import clause
from support.launching import run


class Vector(NamedTuple):
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    @property
    def square(self):
        return self.x * self.x + self.y * self.y

    def scaled(self, s):
        return Vector(self.x * s, self.y * s)

    @staticmethod
    def zero():
        return Vector(0.0, 0.0)

    @classmethod
    def unit(cls):
        return cls(1.0)


class Tall(Vector):
    def __add__(self, other):
        return Vector(self.x, self.y + other.y)


@dataclass(frozen=True)
class Range:
    first: int
    size: int = 3

    def __mul__(self, k):
        return Range(self.first * k, self.size * k)

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return self.first + i

    def __bool__(self):
        return self.first > 10

    def __call__(self, i):
        return self.size * i

    def __contains__(self, i):
        return self.first <= i and i < self.first + self.size

    def __abs__(self):
        return Range(abs(self.first), self.size)


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int


CONSTANT = Range(4, 5)


@D.kernel
def of_named_tuples(out, v, tall):
    w = v + Vector(1.0)
    out[0], out[1] = w.x, (-w).y
    out[2], out[3] = w.square, w.scaled(3).y
    out[4] = Vector.zero().x + Vector.unit().y
    out[5] = w._replace(y=9.0).y
    out[6] = (tall + w).x
    out[7] = len(w) + w[1]
    x, y = w
    out[8] = x - y
    out[9] = 1 if isinstance(w, Vector) and isinstance(w, tuple) else 0
    out[10] = 1 if isinstance(w, (Range, Version)) else 0
    out[11] = 1 if isinstance(tall, Vector) and not isinstance(w, Tall) else 0
    if v.x > 0:
        w = Vector(5.0, 6.0)
    out[12] = (w + w).x
    out[13] = 1 if w == (5.0, 6.0) else 0


@D.kernel
def of_dataclasses(out, r):
    twice = r * 2
    out[0], out[1] = twice.first, len(twice)
    out[2], out[3] = twice[10], twice(2)
    out[4] = 1 if twice else 0
    out[5] = 1 if 8 in twice else 0
    out[6] = 1 if 99 not in twice else 0
    out[7] = replace(twice, size=1).size
    out[8] = (CONSTANT * 3).first
    out[9] = 1 if isinstance(twice, tuple) else 0
    out[10] = 1 if twice == Range(8, 14) else 0
    out[11] = 1 if twice == Version(8, 14) else 0
    out[12] = 1 if Version(1, 9) < Version(2, 0) else 0
    out[13] = abs(Range(-7, 1)).first
    match twice:
        case Version():
            out[14] = 1
        case Range(first=8, size=n):
            out[14] = n


@clause("DEV-TUP-01", partial="named tuples and dataclasses")
def test_methods_and_operators_are_those_of_the_class(target):
    for kernel, *arguments in [
        (of_named_tuples, Vector(1.5, 2.5), Tall(1.0, 1.0)),
        (of_dataclasses, Range(4, 7)),
    ]:
        found, wanted = np.zeros(16, np.float32), np.zeros(16, np.float32)
        run(kernel, found, *arguments)
        kernel.underlying(wanted, *arguments)
        assert found.tolist() == wanted.tolist()


@dataclass(frozen=True)
class Checked:
    a: int

    def __post_init__(self):
        if self.a < 0:
            raise ValueError


def test_what_is_refused():
    @D.kernel
    def makes(out):
        out[0] = Checked(1).a

    @D.kernel
    def orders(out):
        out[0] = 1 if CONSTANT < CONSTANT else 0

    @D.kernel
    def joins(out, v):
        w = v
        if out[0] > 0:
            w = (1.0, 2.0)
        out[0] = w[0]

    out = np.zeros(1)
    for kernel, arguments, text in [
        (makes, (out,), "making a Checked by __post_init__"),
        (orders, (out,), "Range"),
        (joins, (out, Vector(1.0)), "'w' would be both Vector and (float, float)"),
    ]:
        with pytest.raises(CompileError, match=re.escape(text)):
            run(kernel, *arguments)


def test_a_method_that_is_replaced_is_seen():
    class Number(NamedTuple):
        value: int

        def get(self):
            return self.value

    @D.kernel
    def gets(out, n):
        out[0] = n.get()

    out = np.zeros(1)
    run(gets, out, Number(3))
    Number.get = lambda self: self.value + 10
    first = out[0]
    run(gets, out, Number(3))
    assert (first, out[0]) == (3, 13)
