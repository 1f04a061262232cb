"""Named tuples and frozen dataclasses in kernels: instances of their classes, as in Python."""

import re
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
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


@dataclass(frozen=True, order=True)
class Tagged:
    key: int
    tag: int = field(default=0, compare=False)
    size: int = field(default=7, init=False)
    _: KW_ONLY
    scale: float = 2.0
    name: int = field(default=1, kw_only=False)


@dataclass(frozen=True)
class Longer(Tagged):
    extra: int = 5


@dataclass(frozen=True, eq=False)
class SameAs(Tagged):
    other: int = 6


@D.kernel
def of_fields(out, t, longer):
    made = Tagged(1, 2, 3, scale=4.0)
    out[0], out[1], out[2], out[3] = made.key, made.tag, made.size, made.name
    out[4] = made.scale
    out[5] = 1 if made == t else 0
    out[6] = 1 if made != Tagged(1, 9, 3, scale=4.0) else 0
    out[7] = 1 if Tagged(1, 5) < Tagged(1, 6) else 0
    out[8] = 1 if Tagged(1, 5) >= Tagged(1, 6) else 0
    out[9] = 1 if longer == Longer(1, 2, extra=6) else 0
    out[10] = 1 if SameAs(1, other=3) == SameAs(1, other=4) else 0
    out[11] = 1 if Longer(1) < Longer(2) else 0
    again = replace(t, key=8)
    out[12], out[13] = again.key, again.size


@D.kernel
def orders_a_class_that_adds_fields(out):
    out[0] = 1 if Longer(2, extra=1) < Longer(2, extra=2) else 0


@clause("DEV-TUP-01", partial="named tuples and dataclasses")
def test_fields_are_given_and_compared_as_the_dataclass_says(target):
    for kernel, *arguments in [
        (of_fields, Tagged(1, 0, 3, scale=4.0), Longer(1, 2)),
        (orders_a_class_that_adds_fields,),
    ]:
        found, wanted = np.zeros(16, np.float32), np.zeros(16, np.float32)
        run(kernel, found, *arguments)
        kernel.underlying(wanted, *arguments)
        assert found.tolist() == wanted.tolist()


class Backward(NamedTuple):
    x: int
    y: int

    def __eq__(self, other):
        return self.x == other.x

    def __lt__(self, other):
        return self.x > other.x


class Further(Backward):
    def __gt__(self, other):
        return False


@D.kernel
def of_own_comparisons(out, a, b, c):
    out[0] = 1 if a == b else 0
    out[1] = 1 if a != b else 0
    out[2] = 1 if a < c else 0
    out[3] = 1 if a > c else 0
    out[4] = 1 if c > a else 0
    out[5] = 1 if a <= b else 0
    further = Further(a.x, a.y)
    out[6] = 1 if c < further else 0
    out[7] = 1 if further < c else 0
    plain = (9, 9)
    out[8] = 1 if plain < a else 0
    out[9] = 1 if plain != a else 0


def test_a_named_tuple_has_the_comparisons_of_tuples_beside_its_own(target):
    arguments = Backward(1, 2), Backward(1, 3), Backward(4, 0)
    found, wanted = np.zeros(10), np.zeros(10)
    run(of_own_comparisons, found, *arguments)
    of_own_comparisons.underlying(wanted, *arguments)
    assert found.tolist() == wanted.tolist()


@dataclass(frozen=True)
class Checked:
    a: int

    def __post_init__(self):
        if self.a < 0:
            raise ValueError


@dataclass(frozen=True, eq=False)
class Unique:
    a: int


@dataclass(frozen=True)
class Late:
    a: int
    b: int = field(init=False)


@dataclass(frozen=True)
class Given:
    a: int
    b: InitVar[int] = 0


class Doubled(NamedTuple):
    a: int
    b: int

    def __iter__(self):
        return iter((self.a * 2, self.b * 2))


def test_what_is_refused():
    @D.kernel
    def compares(out, v):
        out[0] = 1 if v == v else 0

    @D.kernel
    def makes_late(out):
        out[0] = Late(1).a

    @D.kernel
    def makes_given(out):
        out[0] = Given(1).a

    @D.kernel
    def gives(out):
        out[0] = Tagged(1, size=3).size

    @D.kernel
    def gives_too_many(out):
        out[0] = Tagged(1, 2, 3, 4).size

    @D.kernel
    def unpacks(out, v):
        out[0], out[1] = v

    @D.kernel
    def goes_through(out, v):
        for x in v:
            out[0] += x

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
        (compares, (out, Unique(1)), "instances of Unique are equal where they are one object"),
        (makes_late, (out,), "making a Late by field(init=False) is not implemented yet"),
        (makes_given, (out,), "making a Given by InitVar is not implemented yet"),
        (gives, (out,), "Tagged() has no parameter 'size'"),
        (gives_too_many, (out,), "Tagged() takes 3 arguments, but 4 are given"),
        (unpacks, (out, Doubled(1, 2)), "going through a Doubled by its own __iter__"),
        (goes_through, (out, Doubled(1, 2)), "going through a Doubled by its own __iter__"),
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


def test_a_comparison_that_is_replaced_is_seen():
    @dataclass(frozen=True)
    class Number:
        value: int

    @D.struct
    class Point:
        x: int

    @D.kernel
    def compares(out, a, b):
        out[0] = 1 if a == b else 0

    for cls in (Number, Point):
        out = np.zeros(1)
        run(compares, out, cls(3), cls(4))
        first = out[0]
        cls.__eq__ = lambda self, other: True
        run(compares, out, cls(3), cls(4))
        assert (first, out[0]) == (0, 1)
