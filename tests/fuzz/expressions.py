"""Random expressions, typed: literals, variables, elements of arrays, arithmetic, calls.

They stay within what the specification defines for every input; operands of bitwise operators,
shifts and indices are integers.
"""

from __future__ import annotations

import random
import zlib

from . import model
from .arrays import Arrays
from .expression_tree import (
    TARGETS,
    Binary,
    Both,
    Call,
    Cast,
    Comparison,
    Conditional,
    Element,
    Helper,
    Literal,
    Math,
    OfTarget,
    Unary,
    Variable,
    best_of,
)
from .indices import Indices
from .model import is_record

MATH_UNARY = ("sqrt", "floor", "ceil", "trunc", "fabs")
ARITHMETIC = ("+", "-", "*", "/", "//", "%")
BITWISE = ("&", "|", "^", "<<", ">>")


class Expressions:
    """Makes expressions of what a program has so far."""

    random: random.Random
    light: bool  # mostly of elements, and small
    indices: Indices
    arrays: Arrays
    inputs: dict[str, str]  # that expressions may load from
    scopes: list[dict[str, str]]  # readable variables and their types
    helpers: list[Helper]
    names: int
    place: str  # an int32 that is known at run time only

    # --- choices ---

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def weighted(self, kinds):
        """One of what stands in pairs beside its weight."""
        return self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def variables(self) -> dict[str, str]:
        merged = {}
        for scope in self.scopes:
            merged |= scope
        return {v: t for v, t in merged.items() if not is_record(t)}

    # --- what there is ---

    def leaf(self, types=None):
        if self.has_records() and self.chance(0.25) and (found := self.record_leaf(types)):
            return found
        known = [(v, t) for v, t in self.variables().items() if types is None or t in types]
        kind = self.random.random()
        if known and kind < (0.25 if self.light else 0.5):
            name, t = self.random.choice(known)
            return Variable(t, name)
        arrays = [(a, t) for a, t in self.inputs.items() if types is None or t in types]
        if arrays and kind < 0.85:
            array, t = self.random.choice(arrays)
            return Element(t, array, self.index(array))
        return self.literal(types)

    def literal(self, types=None):
        if types is None or "float" in types:
            if self.chance(0.4):
                return Literal("float", self.random.randint(-40, 40) / 8)
            if types is not None and "int" not in types:
                return Cast(
                    self.random.choice(sorted(types)),
                    Literal("float", self.random.randint(0, 40) / 8),
                )
        if types is None or "int" in types:
            return Literal("int", self.random.randint(0, 100))
        return Cast(self.random.choice(sorted(types)), Literal("int", self.random.randint(0, 100)))

    def index(self, array: str):
        """An index of an element of an input: the thread's own where others are stored to."""
        if array in self.arrays.places:
            return self.random.choice(self.arrays.places[array])
        shape = self.arrays.shapes[array]
        if len(shape) > 1 or self.chance(0.8 if self.light else 0.5):
            return self.indices.within(shape)
        return self.below_n()

    def below_n(self):
        """An index within [-n, n)."""
        kind = self.random.random()
        if kind < 0.2:
            return Variable("i4", "i")
        n = Variable("int", "n")
        if kind < 0.4:
            return Binary(
                "int",
                "-",
                Literal("int", -1),
                Binary("int", "%", Cast("int", Variable("i4", "i")), n),
            )
        if kind < 0.55:
            return self.clamped(n)
        value = self.integer(1)
        if value.type == "b1":
            value = Cast("int", value)
        size = Cast(value.type, n) if model.bits(value.type) < 32 else n
        inside = Binary(model.binary_type("%", value.type, size.type), "%", value, size)
        if kind < 0.9 or inside.type[0] == "u":
            return inside
        return Binary(inside.type, "-", inside, size)

    def clamped(self, n):
        """Within [-n, n): an element near the thread's own, and at the ends what is there."""
        thread = Variable("i4", "i")
        if self.chance(0.4):
            thread = Cast(self.random.choice(model.INTS), thread)
        far = self.random.choice((Literal("int", self.random.randint(0, 90)), n, self.integer(0)))
        at = self.binary(self.random.choice(("+", "-")), thread, far)
        end = Binary("int", "-", n, Literal("int", 1))
        first, last = Literal("int", 0), Cast(at.type, end) if model.bits(at.type) < 32 else end
        if self.chance(0.5):
            return self.bounded(self.bounded(at, first, True), last, False)
        return self.bounded(self.bounded(at, last, False), first, True)

    def bounded(self, value, bound, largest: bool):
        t = model.promote(value.type, bound.type)
        if self.chance(0.3):
            test = Comparison([">" if largest else "<="], [value, bound])
            return Conditional(t, test, value, bound)
        sides = (value, bound) if self.chance(0.5) else (bound, value)
        return best_of(largest, *sides)

    def integer(self, depth: int):
        """An expression of integer type."""
        if depth <= 0:
            return self.leaf({"int", *model.INTS})
        kind = self.random.random()
        if kind < 0.3:
            value = self.runtime(self.expression(depth - 1))
            return Cast(self.random.choice(("int", *model.INTS)), value)
        left, right = self.runtime(self.integer(depth - 1)), self.integer(depth - 1)
        op = self.random.choice(("+", "-", "*", "//", "%", *BITWISE))
        return self.binary(op, left, right)

    def runtime(self, e):
        """Not a constant: two of them combine exactly, which the model does not follow."""
        if isinstance(e, Literal) or (
            isinstance(e, (Unary, Cast)) and self.runtime(e.operand) is not e.operand
        ):
            t = self.random.choice(("i4", "f4")) if e.type == "float" else "i4"
            place = Variable("i4", self.place)
            return Cast(t, place) if t != "i4" else place
        return e

    def binary(self, op: str, left, right):
        # A literal takes its partner's format only where it fits.
        if isinstance(right, Literal) and right.type == "int":
            right = self.fitting(right, left.type)
        t = model.binary_type(op, left.type, right.type)
        return Binary(t, op, left, right)

    def fitting(self, literal: Literal, partner: str) -> Literal:
        return Literal("int", literal.number % 100)

    def expression(self, depth: int):
        if depth <= 0:
            return self.leaf()
        kinds = (
            (5, self.arithmetic),
            (2, self.integer),
            (2, self.condition),
            (1, self.unary),
            (1, self.conditional),
            (1, self.cast),
            (1, self.least),
            (1, self.math),
            (1, self.both),
            (1, self.call),
        )
        return self.weighted(kinds)(depth)

    def arithmetic(self, depth: int):
        left, right = self.runtime(self.expression(depth - 1)), self.expression(depth - 1)
        if self.chance(0.2) and not isinstance(right, Literal):
            left, right = right, left
        left = self.runtime(left)
        return self.binary(self.random.choice(ARITHMETIC), left, right)

    def unary(self, depth: int):
        operand = self.runtime(self.expression(depth - 1))
        op = self.random.choice(("-", "abs", "not", "~"))
        if op == "~" and model.is_float(operand.type):
            op = "-"
        t = operand.type
        t = "b1" if op == "not" else t if op == "~" else ("int" if t == "b1" else t)
        return Unary(t, op, operand)

    def condition(self, depth: int):
        if self.has_records() and self.chance(0.1):
            return self.record_condition()
        operands = [self.runtime(self.expression(depth - 1)), self.expression(depth - 1)]
        if self.chance(0.2):
            operands[1] = self.runtime(operands[1])
            operands.append(self.expression(depth - 1))
        ops = [self.random.choice(list(model.COMPARISONS)) for _ in operands[1:]]
        return Comparison(ops, operands)

    def two(self, depth: int) -> list:
        return [self.runtime(self.expression(depth - 1)) for _ in range(2)]

    def both(self, depth: int):
        left, right = self.two(depth)
        word = self.random.choice(("and", "or"))
        return Both(model.promote(left.type, right.type), word, left, right)

    def conditional(self, depth: int):
        yes, no = self.two(depth)
        t, test = model.promote(yes.type, no.type), self.condition(depth - 1)
        # Not by a random number: one more would change what all programs go on with.
        chosen = zlib.crc32(yes.text().encode())
        if yes.type == t and chosen % 8 == 0:
            dead = (no.text(), "'no number'", "no_such_name.x", "open('f')")[chosen // 8 % 4]
            return OfTarget(list(TARGETS)[chosen // 32 % len(TARGETS)], yes, dead)
        return Conditional(t, test, yes, no)

    def cast(self, depth: int):
        t = self.random.choice((*model.TYPED, "int", "float"))
        return Cast(t, self.runtime(self.expression(depth - 1)))

    def least(self, depth: int):
        left, right = self.two(depth)
        return best_of(self.chance(0.5), left, right)

    def math(self, depth: int):
        operand = self.runtime(self.expression(depth - 1))
        name = self.random.choice((*MATH_UNARY, "copysign", "fmod", "isnan", "isinf"))
        operands = [operand]
        if name in ("copysign", "fmod"):
            operands.append(self.runtime(self.expression(depth - 1)))
        joined = model.math_type(operands[0].type)
        for o in operands[1:]:
            joined = model.promote(joined, model.math_type(o.type))
        t = "b1" if name.startswith("is") else joined
        return Math(t, name, operands)

    def call(self, depth: int):
        helper = self.helper()
        operands = [self.runtime(self.expression(depth - 1)) for _ in helper.parameters]
        # The helper's own types follow its arguments': it is generated for these.
        p = [Variable(o.type, v) for v, o in zip(helper.parameters, operands, strict=True)]
        helper.test = Comparison([self.random.choice(list(model.COMPARISONS))], [p[0], p[1]])
        helper.yes = self.binary(self.random.choice(("+", "-", "*")), p[0], p[1])
        helper.no = self.binary(
            self.random.choice(("+", "-", "*")), p[1], Literal("int", self.random.randint(0, 9))
        )
        return Call(model.promote(helper.yes.type, helper.no.type), helper, operands)

    def helper(self) -> Helper:
        name = self.fresh("helper")
        helper = Helper(name, ["p", "q"], None, None, None, decorated=self.chance(0.5))
        self.helpers.append(helper)
        return helper
