"""super() in methods: of dataclasses, named tuples and enumerations."""

import enum
import typing
from dataclasses import dataclass

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run_as_host


@dataclass(frozen=True)
class Shape:
    size: float
    SIDES = 1

    def area(self, scale):
        return self.size * scale

    @property
    def label(self):
        return self.size + 100

    @classmethod
    def weight(cls):
        return cls.SIDES * 10

    @staticmethod
    def twice(x):
        return 2 * x

    def __add__(self, other):
        return self.size + other

    def __str__(self):
        return f"shape of {self.size}"


@dataclass(frozen=True)
class Square(Shape):
    SIDES = 4

    def area(self, scale):
        return super().area(scale) * self.size

    @property
    def label(self):
        return super().label * 2

    @classmethod
    def weight(cls):
        return super().weight() + 1

    @staticmethod
    def twice(x):
        return 3 * x

    def both(self, x):
        return self.twice(x) + super().twice(x) + super().SIDES

    def __add__(self, other):
        return super().__add__(other) * 2

    def __str__(self):
        return f"square, a {super().__str__()}"


@dataclass(frozen=True)
class Cube(Square):
    depth: float = 2.0

    def area(self, scale):
        return 6 * super().area(scale=scale)


class Left:
    def order(self):
        return 2


@dataclass(frozen=True)
class Middle(Left):
    x: float

    def order(self):
        return 10 * super().order() + 1


class Right(Left):
    def order(self):
        return 10 * super().order() + 3


@dataclass(frozen=True)
class Diamond(Middle, Right):
    """super() of Middle finds Right here, and Left where Middle is the class."""


class Base(typing.NamedTuple):
    x: float

    def get(self):
        return self.x


class Derived(Base):
    def get(self):
        return super().get() + 0.5


class Named(enum.Enum):
    def code(self):
        return self.value * 2


class Tone(Named):
    LOW = 1
    HIGH = 2

    def code(self):
        return super().code() + 1


@D.kernel
def calls(out, n, x):
    square, cube = Square(x), Cube(x, 3.0)
    out[0] = square.area(2.0)
    out[1] = cube.area(0.5)
    out[2] = square.label + cube.label
    out[3] = Square.weight() + Shape.weight() + cube.weight()
    out[4] = square.both(n)
    out[5] = square + 1.0
    out[6] = Middle(x).order()
    out[7] = Diamond(x).order()
    out[8] = Derived(x).get()
    out[9] = (Tone.LOW if n else Tone.HIGH).code()


@pytest.mark.parametrize("n", range(2))
def test_calls(target, n):
    run_as_host(calls, np.zeros(10), n, 1.5)


@D.kernel
def written(x):
    print(Square(x), f"{Shape(x)}|{Cube(x)}")


def test_texts(on_the_host, capsys):
    written.underlying(0.5)
    expected = capsys.readouterr().out
    D.launch(written, 0.5, grid=1, block=1)
    assert capsys.readouterr().out == expected


@dataclass(frozen=True)
class Wrong(Shape):
    def absent(self):
        return super().absent()

    def kept(self):
        base = super()
        return base.area(1.0)

    def other_form(self):
        return super(Wrong, self).area(1.0)  # noqa: UP008

    def nested(self):
        return (lambda: super().area(1.0))()


@D.kernel
def absent(out):
    out[0] = Wrong(1.0).absent()


@D.kernel
def kept(out):
    out[0] = Wrong(1.0).kept()


@D.kernel
def other_form(out):
    out[0] = Wrong(1.0).other_form()


@D.kernel
def nested(out):
    out[0] = Wrong(1.0).nested()


@pytest.mark.parametrize(
    ("kernel", "message", "hint"),
    [
        (absent, "super() of Wrong has no attribute 'absent'", "base classes define"),
        (kept, "super() is no value in kernels", "super().name()"),
        (other_form, "super() is no value in kernels", "super().name()"),
        (nested, "super() is no value in kernels", "super().name()"),
    ],
)
def test_mistakes(kernel, message, hint):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert found.message == message
    assert hint in found.hint


@D.kernel
def of_bases(out, x):
    out[0] = Cube(x).area(1.0)
    out[1] = Middle(x).order()
    out[2] = (Tone.LOW if x > 0 else Tone.HIGH).code()


@pytest.mark.parametrize(
    ("base", "method", "function"),
    [
        (Shape, "area", lambda self, scale: 5.0),
        (Left, "order", lambda self: 7),  # which is no dataclass
        (Named, "code", lambda self: 9),
    ],
)
def test_a_base_class_that_changes(base, method, function, monkeypatch):
    run_as_host(of_bases, np.zeros(3), 2.0)
    monkeypatch.setattr(base, method, function)
    run_as_host(of_bases, np.zeros(3), 2.0)
