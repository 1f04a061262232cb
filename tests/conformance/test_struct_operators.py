"""Operators that classes define, in kernels as on the host."""

import dataclasses

import numpy as np
import pytest
from cuda import device as D
from support.launching import run_as_host


@D.struct
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    @D.func
    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __rmul__(self, factor):
        return self * factor

    def __truediv__(self, divisor):
        return self * (1.0 / divisor)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __pow__(self, n):
        return self.x**n + self.y**n

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __invert__(self):
        return Vector(self.y, self.x)

    def __lt__(self, other):
        return self @ self < other @ other

    def __ge__(self, other):
        return self @ self >= other @ other


@D.struct
class Modular:
    value: int

    def __eq__(self, other):
        return (self.value - other.value) % 7 == 0

    def __hash__(self):
        return 0


@D.struct
class Total:
    value: int

    def __add__(self, other):
        return Total(self.value + other.value)

    def __iadd__(self, other):
        return Total(self.value * 100 + other.value)

    def __imul__(self, factor):
        return Total(self.value * factor)


@dataclasses.dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int


@D.kernel
def arithmetic(out, a, b, n):
    c = a + b * 2.0 - 0.5 * a
    c += b
    out[0], out[1] = c.x, c.y
    out[2] = a @ b
    out[3] = (-a / 4.0).x
    out[4] = (~a).x
    out[5] = a**n
    total = Vector(0.0, 0.0)
    for i in range(n):
        total = total + a if i % 2 else total - b
    out[6], out[7] = total.x, total.y


@D.kernel
def in_place(out, a, b):
    c = a
    c += b
    out[0] = c.value
    out[1] = (a + b).value
    c *= 3
    out[2] = c.value


@D.kernel
def comparisons(out, a, b, m, n):
    out[0] = a < b
    out[1] = a > b  # b < a
    out[2] = a >= b
    out[3] = a <= b  # b >= a
    out[4] = a == b  # of all fields
    out[5] = m == n
    out[6] = m != n
    out[7] = (1, m) == (1, n)
    out[8] = a != b


def test_operators_of_a_class_are_its_methods(target):
    run_as_host(arithmetic, np.zeros(8), Vector(1.5, -2.0), Vector(0.25, 3.0), 5)
    run_as_host(in_place, np.zeros(3), Total(1), Total(2))
    for m, n in ((1, 8), (1, 2)):
        for a, b in ((Vector(1.0, 2.0), Vector(2.0, 2.0)), (Vector(3.0, 0.0), Vector(3.0, 0.0))):
            run_as_host(comparisons, np.zeros(9), a, b, Modular(m), Modular(n))


def test_what_a_class_lacks_is_refused_as_before():
    @D.kernel
    def multiplied(a):
        a * a % 2

    with pytest.raises(D.errors.CompileError, match="operators work on numbers"):
        D.launch(multiplied, Modular(1), grid=1, block=1)


@D.kernel
def same_version(out, a):
    out[0] = a == Version(1, 2)
    out[1] = a != Version(1, 2)


def test_methods_that_a_decorator_made_are_not_read(target):
    for version in (Version(1, 2), Version(1, 3), Version(2, 2)):
        run_as_host(same_version, np.zeros(2), version)
