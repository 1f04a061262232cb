"""Indices made of positions: strides, rows, butterflies, tiles, borders, from either end.

`values` says what an index is in every thread, so that those are taken which are within an array
(`Indices.within`), and for what threads own those which no two threads share (`Indices.distinct`).
"""

from __future__ import annotations

import operator
import random

import numpy

from . import model
from .expression_tree import Binary, Cast, Least, Literal, Several, Variable, best_of

TRIES = 12
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    ">>": operator.rshift,
}


class Unfit(Exception):
    """An unsigned value would wrap, or it is no integer."""


def values(e, known: dict):
    """What an index is in every thread: `known` has arrays and numbers by variable."""
    if isinstance(e, Literal):
        return numpy.int64(e.number)
    if isinstance(e, Variable):
        return known[e.name]
    if isinstance(e, Cast):
        result = values(e.operand, known)
    elif isinstance(e, Least):
        choose = numpy.maximum if e.largest else numpy.minimum
        result = choose(values(e.left, known), values(e.right, known))
    else:
        if e.type is None or not model.is_int(e.type):
            raise Unfit
        result = OPERATORS[e.op](values(e.left, known), values(e.right, known))
    if e.type[0] == "u" and numpy.min(result) < 0:
        raise Unfit
    return result


def number(n: int) -> Literal:
    return Literal("int", n)


def of(op: str, left, right):
    if isinstance(left, int):
        left = number(left)
    if isinstance(right, int):
        right = number(right)
    return Binary(model.binary_type(op, left.type, right.type), op, left, right)


def clamped(e, low, high):
    return best_of(False, best_of(True, e, low), high)


class Indices:
    """`known`: what positions are in the threads that count; `extents`: scalars of the launch, the
    first of them how many threads there are."""

    def __init__(self, rng: random.Random, known: dict, types: dict[str, str], extents: dict):
        self.random = rng
        self.known = known | extents
        self.threads = len(next(iter(known.values())))
        self.types = types
        self.extents = extents
        name = next(iter(extents))
        self.end = Variable("int" if name == "n" else "i4", name)

    def position(self):
        names = [*self.types, *(v for v in self.types if v in "ix")]  # i and x as often again
        name = self.random.choice(names)
        place = Variable(self.types[name], name)
        if self.random.random() < 0.1:
            return Cast(self.random.choice(("i8", "u4", "u8", "i4")), place)
        return place

    def power(self, low: int = 1, high: int = 5) -> int:
        return 1 << self.random.randint(low, high)

    def small(self, low: int = 0) -> int:
        return self.random.randint(low, 5)

    # --- what an index may look like; size: of the axis ---

    def form(self, size: int):
        forms = (
            (3, self.plain),
            (6, self.stride),
            (2, self.moved),
            (2, self.part),
            (2, self.bits),
            (2, self.butterfly),
            (2, self.tile),
            (2, self.tile_across),
            (1, self.border),
            (2, self.backwards),
            (2, self.flat),
            (1, self.sum),
        )
        return self.random.choices([f for _, f in forms], [w for w, _ in forms])[0](size)

    def plain(self, _: int):
        return self.position()

    def stride(self, _: int):
        e = of("*", self.position(), self.random.choice((2, 2, 3, 4, 5)))
        return self.plus(e, self.small())

    def plus(self, e, c: int):
        if c == 0:
            return e
        return of("+", e, c) if self.random.random() < 0.7 else of("+", c, e)

    def moved(self, _: int):
        op = self.random.choice("+-")
        return of(op, self.position(), self.random.choice((1, 1, 2, 7, 16)))

    def part(self, _: int):
        c = self.random.choice((self.power(), self.power(), 3, 5, 10, 33))
        op = self.random.choice(("//", "%"))
        return self.plus(of(op, self.position(), c), self.small() if c & 1 else 0)

    def bits(self, _: int):
        p = self.position()
        op = self.random.choice((">>", "&", "^", "^", "|"))
        if op == ">>":
            return of(op, p, self.random.randint(1, 4))
        c = self.random.choice((self.power(0), self.power() - 1, self.random.randint(1, 63)))
        return of(op, p, c)

    def butterfly(self, _: int):
        p, j = self.position(), self.power(0)
        e = of("-", of("*", 2, p), of("&", p, j - 1))
        return self.plus(e, self.random.choice((0, j)))

    def tile(self, _: int):
        p, c = self.position(), self.random.choice((4, 8, 16, 32, 10))
        row = of("*", of("//", p, c), c + self.random.choice((0, 1, 2, 8)))
        return of("+", row, of("%", p, c))

    def tile_across(self, _: int):
        p, c = self.position(), self.random.choice((4, 8, 16, 32, 10))
        pitch = self.random.choice((8, 9, 16, 17, 32))
        return of("+", of("*", of("%", p, c), pitch), of("//", p, c))

    def border(self, size: int):
        e = of(self.random.choice("+-"), self.position(), self.random.randint(1, 8))
        last = of("-", self.end, 1) if self.random.random() < 0.4 else number(size - 1)
        return clamped(e, number(0), last)

    def backwards(self, size: int):
        kind = self.random.random()
        if kind < 0.3:
            return of("-", number(-1), Cast("i4", self.position()))
        if kind < 0.6:
            return of("-", Cast("int", self.position()), size)
        if kind < 0.8:
            return of("-", size - 1, self.position())
        return of("-", of("-", self.end, 1), self.position())

    def flat(self, size: int):
        """An index of two axes, in an array of one."""
        pairs = [p for p in (("y", "x"), ("ty", "tx"), ("bk", "t")) if set(p) <= set(self.types)]
        if not pairs:
            return self.stride(size)
        row, column = (Variable(self.types[v], v) for v in self.random.choice(pairs))
        pitch = number(self.random.choice((16, 17, 32, 33, 64)))
        if "w" in self.extents and self.random.random() < 0.6:
            pitch = Variable("int", "w")
        if self.random.random() < 0.3:
            row, column = column, row
        if self.random.random() < 0.3:
            row = of("+", row, 1)
        e = of("+", of("*", row, pitch), column)
        return self.plus(e, self.random.choice((0, 0, 1, 2)))

    def sum(self, size: int):
        return of("+", self.part(size), self.bits(size))

    # --- those that fit ---

    def taken(self, e, size: int):
        """Each thread's index, from the array's front; None where one is not in the array."""
        try:
            at = numpy.broadcast_to(values(e, self.known), (self.threads,))
        except Unfit:
            return None
        if at.min() < -size or at.max() >= size:
            return None
        return at % size

    def axis(self, size: int):
        for _ in range(TRIES):
            e = self.form(size)
            if self.taken(e, size) is not None:
                return e
        return of("%", self.position(), size)

    def pair(self):
        """An index of two axes, as it comes."""
        pairs = [("y", "x"), ("ty", "tx")]
        known = [p for p in pairs if set(p) <= set(self.types)]
        if not known or self.random.random() < 0.25:
            p = self.position()
            c = self.random.choice((8, 9, 10, 16, 32, 33))
            return [of("//", p, c), of("%", p, c)]
        result = [Variable(self.types[v], v) for v in self.random.choice(known)]
        if self.random.random() < 0.3:
            result.reverse()
        for k in range(2):
            if self.random.random() < 0.35:
                op = self.random.choice("++-")
                result[k] = of(op, result[k], self.random.choice((1, 1, 2, 3)))
        return result

    def within(self, shape: tuple[int, ...]):
        """An index of an element of the array."""
        if len(shape) == 1:
            return self.axis(shape[0])
        for _ in range(TRIES):
            e = Several(self.pair())
            if self.elements(e, shape) is not None:
                return e
        return Several([self.axis(size) for size in shape])

    def elements(self, e, shape: tuple[int, ...]):
        """Each thread's element of the array, as a number; None where one is not in it."""
        at = 0
        for index, size in zip(e.parts if len(shape) > 1 else [e], shape, strict=True):
            if (taken := self.taken(index, size)) is None:
                return None
            at = at * size + taken
        return at

    def distinct(self, shape: tuple[int, ...], others: list):
        """An index that gives each thread elements of its own, beside the others that it has."""
        for _ in range(TRIES):
            e = self.form(shape[0]) if len(shape) == 1 else Several(self.pair())
            if self.are_distinct([*others, e], shape):
                return e
        return None

    def are_distinct(self, indices: list, shape: tuple[int, ...]) -> bool:
        all_of = [self.elements(e, shape) for e in indices]
        if any(at is None for at in all_of):
            return False
        at = numpy.concatenate(all_of)
        return numpy.unique(at).size == at.size
