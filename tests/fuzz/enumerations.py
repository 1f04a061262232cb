"""Members of enumerations in random programs: chosen at run time by conditions, indices and values,
kept in variables, changed by loops, compared and asked for what they have.

The model works with the members themselves, as Python does. The statements stand at the end of a
program and have random numbers of their own, so that the rest of it stays what it is.
"""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass

from .expression_tree import Binary, Cast, Comparison, Literal, Thread, Variable, holds
from .model import Val
from .program import Assign, Body, For, If, Store


class Colour(enum.Enum):
    RED = 10
    GREEN = -3
    BLUE = 30
    CRIMSON = 10

    def mixed(self, x):
        return self.value + x if self is not Colour.GREEN else x

    @property
    def is_warm(self):
        return self is Colour.RED

    def __lt__(self, other):
        return self.value < other.value


class Level(enum.IntEnum):
    LOW = 1
    MIDDLE = 5
    HIGH = 9

    @property
    def half(self):
        return self.value // 2


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    RUN = enum.auto()
    COPY = READ | WRITE


class Bits(enum.IntFlag):
    LOW = 1
    MIDDLE = 4
    HIGH = 32


CLASSES = Colour, Level, Access, Bits
NAMES = {cls.__name__: cls for cls in CLASSES}  # of every program
# Of members {a} and {b} of a class, and a number {n}.
QUESTIONS = {
    Colour: (
        "{a}.value",
        "{a} is {b}",
        "{a} == {b}",
        "{a} != Colour.CRIMSON",
        "{a}.mixed({n})",
        "{a}.is_warm",
        "{a} < {b}",
        "{a} in (Colour.RED, {b})",
        "Colour({a}.value) is {b}",
        "{n} == {a}",
    ),
    Level: (
        "{a} + {n}",
        "{a}.half",
        "{a} is {b}",
        "{a} < {b}",
        "max({a}, {b}).half",
        "min({a}, {b}) is {a}",
        "max({a}, {n})",
        "{a} in (Level.LOW, {b})",
        "{a} == {n}",
        "-{a} * {b}",
        "Level({a} + 0) is {b}",
    ),
    Access: (
        "{a}.value",
        "({a} | {b}).value",
        "(~{a} & {b}).value",
        "({a} ^ {b}) is Access.COPY",
        "{a} in {b}",
        "bool({a} & {b})",
        "Access({n} & 7) in {a}",
        "len(({a} | Access.RUN).name)",
        "({a} | Access.READ).name == 'COPY'",
    ),
    Bits: (
        "{a} | {b}",
        "~{a} & {b}",
        "{n} ^ {a}",
        "{a} in {b}",
        "Bits({n} & 7) & {a}",
        "({a} ^ {b}).value",
    ),
}


def name_of(member: enum.Enum) -> str:
    return f"{type(member).__name__}.{member.name}"


@dataclass
class One:
    member: enum.Enum

    def text(self) -> str:
        return name_of(self.member)

    def run(self, _: Thread) -> enum.Enum:
        return self.member


@dataclass
class Side:
    test: object
    yes: object
    no: object

    def text(self) -> str:
        return f"({self.yes.text()} if {self.test.text()} else {self.no.text()})"

    def run(self, t: Thread) -> enum.Enum:
        return (self.yes if holds(self.test, t) else self.no).run(t)


@dataclass
class Chosen:
    members: list
    index: object

    def text(self) -> str:
        return f"({', '.join(m.text() for m in self.members)},)[{self.index.text()}]"

    def run(self, t: Thread) -> enum.Enum:
        return [m.run(t) for m in self.members][int(self.index.run(t).number)]


@dataclass
class ByValue:
    cls: type
    index: object  # of the values of all members

    def values(self) -> list[int]:
        return [member.value for member in self.cls]

    def text(self) -> str:
        return f"{self.cls.__name__}(({', '.join(map(str, self.values()))},)[{self.index.text()}])"

    def run(self, t: Thread) -> enum.Enum:
        return self.cls(self.values()[int(self.index.run(t).number)])


@dataclass
class Asked:
    """What Python says of members, as an int32."""

    question: str
    a: object
    b: object
    n: object
    type: str = "i4"

    def text(self) -> str:
        asked = self.question.format(a=self.a.text(), b=self.b.text(), n=self.n.text())
        return f"D.int32({asked})"

    def run(self, t: Thread) -> Val:
        known = {"a": self.a.run(t), "b": self.b.run(t), "n": int(self.n.run(t).number), **NAMES}
        asked = self.question.format(a="a", b="b", n="n")
        return Val("i4", int(eval(asked, known)))


class Enumerations:
    """Makes statements with members for a generator of programs."""

    def __init__(self, of, seed: int):
        self.of, self.seed = of, seed

    def wanted(self) -> bool:
        return random.Random(f"{self.seed} has enumerations").random() < 0.3

    def small(self, count: int):
        bits = Cast("i4", self.of.runtime(self.of.expression(1)))
        return Binary("i4", "%", Binary("i4", "&", bits, Literal("int", 63)), Literal("int", count))

    def test(self):
        op = self.of.random.choice(("<", "==", ">="))
        return Comparison([op], [self.small(8), Literal("int", self.of.random.randint(1, 6))])

    def member(self, cls: type, depth: int = 2):
        rng = self.of.random
        kind = rng.choice(("one", "side", "side", "index", "value")) if depth else "one"
        if kind == "one":
            return One(rng.choice(list(cls.__members__.values())))
        if kind == "side":
            return Side(self.test(), self.member(cls, depth - 1), self.member(cls, depth - 1))
        if kind == "value":
            return ByValue(cls, self.small(len(cls)))
        members = [self.member(cls, depth - 1) for _ in range(rng.randint(2, 5))]
        return Chosen(members, self.small(len(members)))

    def asked(self, cls: type, a):
        array, place = self.of.own_element()
        question = self.of.random.choice(QUESTIONS[cls])
        return Store(array, place, "", Asked(question, a, self.member(cls), self.small(64)))

    def changed(self, cls: type) -> list:
        """A variable that a branch or a loop sets anew."""
        name, counter = self.of.fresh("v"), self.of.fresh("k")
        out = [Assign(name, self.member(cls))]
        new = Body([Assign(name, self.member(cls, 1))])
        if self.of.chance(0.5):
            out.append(If(self.test(), new, None))
        else:
            again = Body([self.asked(cls, Variable("", name)), If(self.test(), new, None)])
            out.append(For(counter, "int", [Literal("int", 3)], again, None))
        return [*out, self.asked(cls, Variable("", name))]

    def make(self) -> list:
        outer, self.of.random = self.of.random, random.Random(f"{self.seed} enumerations")
        out = []
        for _ in range(self.of.random.randint(1, 3)):
            cls = self.of.random.choice(CLASSES)
            if self.of.chance(0.5):
                out += self.changed(cls)
            else:
                out.append(self.asked(cls, self.member(cls)))
        self.of.random = outer
        return out
