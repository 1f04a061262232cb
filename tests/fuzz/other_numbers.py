"""Complex numbers and 8-bit floats in random programs.

The statements stand at the end of a program and have random numbers of their own, so that the
rest of it stays what it is. Each thread reads of one array of each type and stores to its own
element of another. The model's value of a complex number is a tuple of its parts.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy
from support.complex_numbers import divide, multiply

from . import model
from .expression_tree import Binary, Cast, Element, Infix, Thread, Variable, call_of
from .model import COMPONENTS, Val
from .program import Store

KINDS = ("c8", "c16", "e4", "e5")


def input_of(t: str) -> str:
    return f"z_{t}"


def output_of(t: str) -> str:
    return f"y_{t}"


# --- complex numbers ---


def as_complex(t: str, v: Val) -> Val:
    part = COMPONENTS[t]
    if v.type not in COMPONENTS:
        return Val(t, (model.convert(part, v).number, model.NUMPY[part](0)))
    return Val(t, tuple(model.convert(part, Val(COMPONENTS[v.type], x)).number for x in v.number))


def of_parts(f, *parts):
    """A function of arrays of numbers, of numbers."""
    re, im = f(*(numpy.array([part]) for part in parts))
    return re[0], im[0]


@dataclass
class Make:
    """D.complex64(x, y)"""

    type: str
    parts: list

    def text(self) -> str:
        return call_of(f"D.{model.NAMES[self.type]}", self.parts)

    def run(self, t: Thread) -> Val:
        part = COMPONENTS[self.type]
        return Val(self.type, tuple(model.convert(part, p.run(t)).number for p in self.parts))


@dataclass
class Convert:
    type: str
    operand: object

    def text(self) -> str:
        return call_of(f"D.{model.NAMES[self.type]}", [self.operand])

    def run(self, t: Thread) -> Val:
        return as_complex(self.type, self.operand.run(t))


class Both(Infix):
    """Of two complex numbers; the wider type has the result."""

    def run(self, t: Thread) -> Val:
        (a, b), (c, d) = (as_complex(self.type, e.run(t)).number for e in (self.left, self.right))
        if self.op in "+-":
            one = model.OPERATIONS[self.op]
            return Val(self.type, (one(a, c), one(b, d)))
        return Val(self.type, of_parts(multiply if self.op == "*" else divide, a, b, c, d))


@dataclass
class WithReal:
    """A real number beside a complex one stays real."""

    type: str
    op: str
    number: object  # complex
    real: object  # of the format of its parts
    real_first: bool

    def text(self) -> str:
        left, right = (self.real, self.number) if self.real_first else (self.number, self.real)
        return f"({left.text()} {self.op} {right.text()})"

    def run(self, t: Thread) -> Val:
        (a, b), x = self.number.run(t).number, self.real.run(t).number
        if self.op in "*/":
            parts = (a * x, b * x) if self.op == "*" else (a / x, b / x)
        elif self.op == "+":
            parts = a + x, b
        else:
            parts = (x - a, -b) if self.real_first else (a - x, b)
        return Val(self.type, parts)


@dataclass
class Changed:
    """-z, or z.conjugate()"""

    type: str
    operand: object
    negated: bool

    def text(self) -> str:
        return f"(-{self.operand.text()})" if self.negated else f"{self.operand.text()}.conjugate()"

    def run(self, t: Thread) -> Val:
        a, b = self.operand.run(t).number
        return Val(self.type, (-a if self.negated else a, -b))


@dataclass
class PartOf:
    type: str
    operand: object
    name: str

    def text(self) -> str:
        return f"{self.operand.text()}.{self.name}"

    def run(self, t: Thread) -> Val:
        return Val(self.type, self.operand.run(t).number[self.name == "imag"])


@dataclass
class OtherNumbers:
    """Makes such statements for a generator of programs."""

    of: object  # the generator
    seed: int

    @staticmethod
    def chosen(seed: int) -> list[str]:
        """The types that a program has arrays of; none in most."""
        rng = random.Random(f"{seed} has other numbers")
        return rng.sample(KINDS, 2) if rng.random() < 0.3 else []

    def element(self, t: str) -> Element:
        array = input_of(t)
        return Element(t, array, self.of.indices.within(self.of.record_arrays.shapes[array]))

    def real(self, t: str):
        return Cast(t, self.of.runtime(self.of.expression(1)))

    def complex(self, t: str, depth: int):
        rng, part = self.of.random, COMPONENTS[t]
        if depth == 0:
            if input_of(t) in self.of.record_arrays.inputs and rng.random() < 0.7:
                return self.element(t)
            return Make(t, [self.real(part), self.real(part)])
        kind = rng.choice(("both", "both", "real", "changed", "convert"))
        if kind == "both":
            left = self.complex(t, depth - 1)
            other = rng.choice(("c8", t))
            operands = [left, self.complex(other, depth - 1)]
            rng.shuffle(operands)
            return Both(t, rng.choice("+-**/"), *operands)
        if kind == "real":
            op = rng.choice("+-*/")
            first = op != "/" and rng.random() < 0.5
            return WithReal(t, op, self.complex(t, depth - 1), self.real(part), first)
        if kind == "changed":
            return Changed(t, self.complex(t, depth - 1), rng.random() < 0.5)
        return Convert(t, self.complex(rng.choice(("c8", "c16")), depth - 1))

    def small(self, t: str, depth: int):
        rng = self.of.random
        if depth == 0:
            return self.element(t) if rng.random() < 0.6 else self.real(t)
        operands = self.small(t, depth - 1), self.small(t, depth - 1)
        return Binary(t, rng.choice("+-*/"), *operands)

    def statement(self, t: str):
        """Of a number of the type: in an array of it, or what becomes of it in another one."""
        rng, is_complex = self.of.random, t in COMPONENTS
        value = (
            self.complex(t, rng.randint(1, 2)) if is_complex else self.small(t, rng.randint(0, 2))
        )
        if rng.random() < 0.6:
            return Store(output_of(t), Variable("i4", "i"), "", value)
        array, place = self.of.own_element()
        if is_complex:
            return Store(
                array, place, "", PartOf(COMPONENTS[t], value, rng.choice(("real", "imag")))
            )
        return Store(array, place, "", Cast("f4", value))

    def make(self) -> list:
        outer, self.of.random = self.of.random, random.Random(f"{self.seed} other numbers")
        kinds = self.chosen(self.seed)
        rng = self.of.random
        out = [self.statement(rng.choice(kinds)) for _ in range(rng.randint(2, 4))]
        self.of.random = outer
        return out
