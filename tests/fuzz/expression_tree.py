"""Expressions of random programs as trees: they print themselves as Python source, and the model
computes them for one thread by .run(thread)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from . import model
from .model import Val
from .reports import Said

Shape = int | tuple[int, ...]


@dataclass
class Array:
    type: str
    numbers: list  # one row after the other
    shape: tuple[int, ...]
    places: numpy.ndarray | None = None  # where the elements of a view are among the numbers

    def place(self, index: Shape) -> int:
        at = 0
        indices = index if isinstance(index, tuple) else (index,)
        for k, size in zip(indices, self.shape, strict=True):
            if not -size <= k < size:
                raise IndexError(f"{index} of {self.shape}")
            at = at * size + k % size
        return at if self.places is None else int(self.places.flat[at])


@dataclass
class Thread:
    """State of one thread of the model."""

    variables: dict[str, Val]
    arrays: dict[str, Array]
    said: Said = field(default_factory=Said)

    def load(self, array: str, index: Shape) -> Val:
        a = self.arrays[array]
        return Val(a.type, a.numbers[a.place(index)])

    def store(self, array: str, index: Shape, value: Val) -> None:
        a = self.arrays[array]
        a.numbers[a.place(index)] = model.convert(a.type, value).number


def call_of(function: str, operands: list) -> str:
    return f"{function}({', '.join(o.text() for o in operands)})"


def holds(test, t: Thread) -> bool:
    return test.run(t).number != 0


@dataclass
class Literal:
    type: str
    number: object

    def text(self) -> str:
        return repr(self.number)

    def run(self, _: Thread) -> Val:
        if self.type == "float":
            return Val("float", model.NUMPY[model.machine("float")](self.number))
        return Val(self.type, self.number)


@dataclass
class Variable:
    type: str
    name: str

    def text(self) -> str:
        return self.name

    def run(self, t: Thread) -> Val:
        return t.variables[self.name]


@dataclass
class Several:
    """The index of an element of an array of several axes."""

    parts: list

    def text(self) -> str:
        return ", ".join(part.text() for part in self.parts)

    def run(self, t: Thread) -> Val:
        return Val("index", tuple(part.run(t).number for part in self.parts))


@dataclass
class Element:
    type: str
    array: str
    index: object

    def text(self) -> str:
        return f"{self.array}[{self.index.text()}]"

    def run(self, t: Thread) -> Val:
        return t.load(self.array, self.index.run(t).number)


@dataclass
class Infix:
    """An operator between its operands."""

    type: str
    op: str
    left: object
    right: object

    def text(self) -> str:
        return f"({self.left.text()} {self.op} {self.right.text()})"


class Binary(Infix):
    def run(self, t: Thread) -> Val:
        return model.binary(self.op, self.left.run(t), self.right.run(t))


@dataclass
class Unary:
    type: str
    op: str
    operand: object

    def text(self) -> str:
        if self.op == "abs":
            return call_of("abs", [self.operand])
        return f"({self.op} {self.operand.text()})"

    def run(self, t: Thread) -> Val:
        return model.unary(self.op, self.operand.run(t))


@dataclass
class Comparison:
    ops: list[str]
    operands: list
    type: str = "b1"

    def text(self) -> str:
        words = [self.operands[0].text()]
        for op, operand in zip(self.ops, self.operands[1:], strict=True):
            words += [op, operand.text()]
        return "(" + " ".join(words) + ")"

    def run(self, t: Thread) -> Val:
        left = self.operands[0].run(t)
        for op, operand in zip(self.ops, self.operands[1:], strict=True):
            right = operand.run(t)
            if not model.compare(op, left, right).number:
                return Val("b1", False)
            left = right
        return Val("b1", True)


@dataclass
class Both(Binary):
    """`and` or `or` of two values, with Python's value semantics and the joined type."""

    def run(self, t: Thread) -> Val:
        left = self.left.run(t)
        take_left = (left.number != 0) == (self.op == "or")
        return model.convert(self.type, left if take_left else self.right.run(t))


@dataclass
class Conditional:
    type: str
    test: object
    yes: object
    no: object

    def text(self) -> str:
        return f"({self.yes.text()} if {self.test.text()} else {self.no.text()})"

    def run(self, t: Thread) -> Val:
        return model.convert(self.type, (self.yes if holds(self.test, t) else self.no).run(t))


# Descriptions, and whether they hold for kernels on every target that programs are made for.
TARGETS = {
    "D.is_device": True,
    "~D.is_host & D.any_target": True,
    "D.provides(D.sm70) | D.is_exactly(D.sm52)": True,
    "D.is_host": False,
    "D.no_target | ~D.provides(D.sm75)": False,
    "D.is_exactly(D.sm60)": False,
}


@dataclass
class OfTarget:
    """The side for this target; the other one is not compiled, whatever it is."""

    description: str
    taken: object
    dead: str

    @property
    def type(self) -> str:
        return self.taken.type

    def text(self) -> str:
        sides = (self.taken.text(), self.dead)
        yes, no = sides if TARGETS[self.description] else reversed(sides)
        return f"({yes} if D.target({self.description}) else {no})"

    def run(self, t: Thread) -> Val:
        return self.taken.run(t)


@dataclass
class Cast:
    """int(x), float(x), bool(x) or a fixed-format constructor."""

    type: str
    operand: object

    def text(self) -> str:
        if self.type in ("int", "float"):
            return call_of(self.type, [self.operand])
        return call_of(
            "bool" if self.type == "b1" else f"D.{model.NAMES[self.type]}", [self.operand]
        )

    def run(self, t: Thread) -> Val:
        return model.convert(self.type, self.operand.run(t))


@dataclass
class Least:
    type: str
    largest: bool
    left: object
    right: object

    def text(self) -> str:
        return call_of("max" if self.largest else "min", [self.left, self.right])

    def run(self, t: Thread) -> Val:
        return model.least(self.left.run(t), self.right.run(t), self.largest, self.type)


def best_of(largest: bool, left, right) -> Least:
    literal = isinstance(left, Literal) or isinstance(right, Literal)
    both = left.type, right.type
    return Least(
        model.promote(*both) if literal else model.least_type(*both, largest), largest, left, right
    )


@dataclass
class Math:
    type: str
    name: str
    operands: list

    def text(self) -> str:
        return call_of(f"math.{self.name}", self.operands)

    def run(self, t: Thread) -> Val:
        return model.math_call(self.name, *(o.run(t) for o in self.operands))


@dataclass
class Call:
    """A call of one of the program's helper functions."""

    type: str
    helper: Helper
    operands: list

    def text(self) -> str:
        return call_of(self.helper.name, self.operands)

    def run(self, t: Thread) -> Val:
        values = {p: o.run(t) for p, o in zip(self.helper.parameters, self.operands, strict=True)}
        return model.convert(self.type, self.helper.run(Thread(values, t.arrays)))


@dataclass
class Helper:
    """A function with one early return: `if test: return yes`, then `return no`."""

    name: str
    parameters: list[str]
    test: object
    yes: object
    no: object
    decorated: bool = False

    def text(self) -> str:
        head = "@D.func\n" if self.decorated else ""
        return (
            f"{head}def {self.name}({', '.join(self.parameters)}):\n    if {self.test.text()}:\n"
            f"        return {self.yes.text()}\n    return {self.no.text()}\n\n"
        )

    def run(self, t: Thread) -> Val:
        return (self.yes if holds(self.test, t) else self.no).run(t)
