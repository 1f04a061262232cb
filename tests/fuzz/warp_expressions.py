"""Expressions of programs of warps: each of one type, whose variables are in scope."""

from __future__ import annotations

import contextlib
import random

from .warp_tree import Bound, Choose, Convert, Item, LaneOf, Let, Name, Not, Number, Op

WIDE = ("i4", "u4", "i8", "f4", "f8")  # what is computed in
MOVED = ("bf", "e4", "e5", "c8")  # only moved and compared
VALUES = (*WIDE, "b1", "i1", "u1", "i2", "u2", "f2", "u8", *MOVED)
INTEGERS = ("i4", "u4", "i8")


def number(value: int, t: str = "i4") -> Number:
    return Number(t, value)


def op(sign: str, left, right) -> Op:
    """Of the left side's type; integers on the right are literals."""
    right = Number(left.type, right) if isinstance(right, int) else right
    compares = sign in ("<", "<=", "==", "!=", ">", ">=", "and", "or")
    return Op("b1" if compares else left.type, sign, left, right)


LANE, THREAD, WARP, BLOCK = (Name("i4", v) for v in ("lane", "t", "warp", "bk"))
OWN = Name("i4", "i")


class WarpExpressions:
    random: random.Random
    size: int  # threads of a block
    scopes: list[dict[str, str]]  # variables and their types
    frozen: set[str]  # variables that are never assigned again
    inputs: dict[str, str]  # arrays and their types
    names: int  # variables so far

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def fresh(self, t: str, keep: bool = False) -> Name:
        """A variable of the scope; `keep`: never assigned again."""
        self.names += 1
        name = f"{'m' if t == 'wm' else 'v'}{self.names}"
        self.scopes[-1][name] = t
        if keep or t == "wm":
            self.frozen.add(name)
        return Name(t, name)

    @contextlib.contextmanager
    def scope(self):
        self.scopes.append({})
        yield
        self.scopes.pop()

    @contextlib.contextmanager
    def hidden(self):
        """Variables made within are used where they are named, and nowhere else."""
        with self.scope():
            yield

    def own(self, t: str, value) -> tuple[list, Name]:
        with self.hidden():
            name = self.fresh(t)
        return [Let(name.name, value)], name

    def variables(self, *types: str) -> list[Name]:
        every = {v: t for scope in self.scopes for v, t in scope.items()}
        return [Name(t, v) for v, t in every.items() if t in types]

    # --- expressions ---

    def value(self, t: str, depth: int = 2):
        if t == "b1":
            return self.test(depth)
        if depth == 0 or t not in WIDE or self.chance(0.2):
            return self.leaf(t)
        if self.chance(0.1):
            return Choose(t, self.test(depth - 1), self.value(t, depth - 1), self.leaf(t))
        left = self.value(t, depth - 1)
        if self.chance(0.15):
            return Bound(t, self.random.choice(("min", "max")), left, self.value(t, depth - 1))
        if t in INTEGERS and self.chance(0.35):
            sign = self.random.choice(("//", "%", "<<", ">>", "%"))
            most = 7 if sign in ("<<", ">>") else 40
            return Op(t, sign, left, Number(t, self.random.randint(1, most)))
        signs = "+-*&|^" if t in INTEGERS else "+-*"
        right = self.value(t, depth - 1)
        if self.chance(0.3):
            right = Number(t, self.random.randint(0, 9) if t[0] != "f" else 1.5)
        return Op(t, self.random.choice(signs), left, right)

    def leaf(self, t: str):
        own = self.variables(t)
        arrays = [a for a, kind in self.inputs.items() if kind == t]
        if arrays and self.chance(0.4):
            return Item(t, self.random.choice(arrays), self.index())
        if own and self.chance(0.8):
            return self.random.choice(own)
        if t in WIDE and self.chance(0.2):
            return Number(t, self.random.randint(0, 50) if t[0] != "f" else 0.25, typed=True)
        if t in MOVED:
            return Convert(t, op("&", self.random.choice(self.variables("i4")), 7))
        others = self.variables(*(set(WIDE) - {t}))
        return Convert(t, self.random.choice(others)) if others else self.random.choice(own)

    def index(self):
        """Of an input, which has an element for each thread."""
        if self.chance(0.6):
            return OWN
        total = self.size * self.blocks()
        step = self.random.choice((1, 3, 7))
        return op("%", op("+", op("*", OWN, step), self.random.randint(0, 40)), total)

    def blocks(self) -> int:
        return 2

    def test(self, depth: int = 1):
        kind = self.random.random()
        bools = self.variables("b1")
        if kind < 0.15 and bools:
            return self.random.choice(bools)
        if kind < 0.25 and (masks := self.variables("wm")):
            return LaneOf(self.random.choice(masks), self.some_lane())
        if kind < 0.45:
            return op(self.random.choice(("<", ">=", "==")), LANE, self.random.randint(0, 31))
        if kind < 0.6 and depth > 0:
            return op(self.random.choice(("and", "or")), self.test(depth - 1), self.test(depth - 1))
        if kind < 0.65 and depth > 0:
            return Not("b1", self.test(depth - 1))
        if kind < 0.85:
            left = op("%", self.value(self.random.choice(INTEGERS), 1), self.random.randint(2, 5))
            return op(self.random.choice(("==", "!=", "<")), left, self.random.randint(0, 3))
        t = self.random.choice(WIDE)
        sign = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        return op(sign, self.leaf(t), self.leaf(t))

    def some_lane(self):
        """The number of a lane: one for all threads, or each thread's own."""
        kind = self.random.random()
        if kind < 0.3:
            return number(self.random.randint(0, 31))
        if kind < 0.5:
            return Name("i4", "by")
        if kind < 0.75:
            twisted = (op("-", number(31), LANE), op("^", LANE, self.random.randint(1, 31)))
            return self.random.choice(
                (*twisted, op("%", op("*", LANE, 7), 32), op("%", op("+", LANE, 9), 32), LANE)
            )
        return op("&", self.value("i4", 1), 31)
