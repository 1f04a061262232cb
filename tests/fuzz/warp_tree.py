"""Expressions and statements of programs of warps: .text() and .lines(indent) are their source,
.run(grid, on) what they mean for the threads of a mask, all at once (lockstep.py).

A statement's run gives the threads that go on after it. Types are codes of model.NAMES, and "wm",
a mask of a warp; both sides of an operator have one type.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy

from . import model
from .expression_tree import Conditional, Element, Infix, Variable
from .lockstep import Grid, lanes_of, source_of

NAMES = model.NAMES | {"wm": "WarpMask"}
NUMPY = {t: numpy.dtype(f) for t, f in model.NUMPY.items()} | {"wm": numpy.dtype(numpy.uint32)}


def converted(t: str, values: numpy.ndarray) -> numpy.ndarray:
    """As kernels convert: integers wrap, floats become the nearest integer below or saturate."""
    target = NUMPY[t]
    if t == "b1":
        return values != 0
    if values.dtype.kind != "f" or target.kind == "f":
        return values.astype(target)
    low, high = numpy.iinfo(target).min, numpy.iinfo(target).max
    wide = numpy.trunc(numpy.nan_to_num(values.astype(numpy.float64), nan=0.0))
    inside = (wide > float(low)) & (wide < float(high))
    ends = numpy.where(wide <= float(low), low, high).astype(target)
    return numpy.where(inside, numpy.where(inside, wide, 0).astype(target), ends)


# --- expressions ---


@dataclass
class Number:
    """A literal, which is of the other side's type; `typed`: by its constructor."""

    type: str
    value: object
    typed: bool = False

    def text(self) -> str:
        return f"D.{NAMES[self.type]}({self.value!r})" if self.typed else repr(self.value)

    def run(self, g: Grid, on):
        value = self.value & 0xFFFFFFFF if self.type == "wm" else self.value
        return numpy.full(g.shape, value, NUMPY[self.type])


@dataclass
class Hexadecimal(Number):
    def text(self) -> str:
        return hex(self.value)


class Name(Variable):
    def run(self, g: Grid, on):
        return g.variables[self.name]


class Item(Element):
    def run(self, g: Grid, on):
        return g.load(self.array, self.index.run(g, on), on)


ARITHMETIC = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "//": operator.floordiv, "%": operator.mod,
    "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le,
    "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
    "and": operator.and_, "or": operator.or_,
}  # fmt: skip


class Op(Infix):
    def run(self, g: Grid, on):
        return ARITHMETIC[self.op](self.left.run(g, on), self.right.run(g, on))


@dataclass
class Not:
    type: str
    operand: object

    def text(self) -> str:
        return f"({'not' if self.type == 'b1' else '~'} {self.operand.text()})"

    def run(self, g: Grid, on):
        return ~self.operand.run(g, on)


@dataclass
class Convert:
    type: str
    operand: object

    def text(self) -> str:
        name = "bool" if self.type == "b1" else f"D.{NAMES[self.type]}"
        return f"{name}({self.operand.text()})"

    def run(self, g: Grid, on):
        return converted(self.type, self.operand.run(g, on))


class Choose(Conditional):
    def run(self, g: Grid, on):
        yes, no = self.yes.run(g, on), self.no.run(g, on)
        return numpy.where(self.test.run(g, on), yes, no)


@dataclass
class Bound:
    """min or max, as Python defines them."""

    type: str
    name: str
    left: object
    right: object

    def text(self) -> str:
        return f"{self.name}({self.left.text()}, {self.right.text()})"

    def run(self, g: Grid, on):
        a, b = self.left.run(g, on), self.right.run(g, on)
        return numpy.where(b < a if self.name == "min" else b > a, b, a)


@dataclass
class OfMask:
    """popc or bit_count, the number of lanes of a mask, or ffs, 1 + the first of them."""

    name: str
    mask: object
    type: str = "i4"

    def text(self) -> str:
        mask = self.mask.text()
        return f"{mask}.bit_count()" if self.name == "bit_count" else f"D.{self.name}({mask})"

    def run(self, g: Grid, on):
        lanes = lanes_of(self.mask.run(g, on))
        first = numpy.where(lanes.any(-1), lanes.argmax(-1) + 1, 0)
        return (first if self.name == "ffs" else lanes.sum(-1)).astype(numpy.int32)


@dataclass
class LaneOf:
    """Whether a mask has a lane."""

    mask: object
    lane: object
    type: str = "b1"

    def text(self) -> str:
        return f"{self.mask.text()}[{self.lane.text()}]"

    def run(self, g: Grid, on):
        lane = self.lane.run(g, on)
        return (self.mask.run(g, on) >> lane.astype(numpy.uint32) & numpy.uint32(1)) != 0


@dataclass
class LanesBelow:
    type: str = "wm"

    def text(self) -> str:
        return "D.lanemask_lt()"

    def run(self, g: Grid, on):
        return (numpy.uint32(1) << g.variables["lane"].astype(numpy.uint32)) - numpy.uint32(1)


# --- statements ---


@dataclass
class Let:
    name: str
    value: object
    op: str = ""

    def lines(self, pad: str):
        yield f"{pad}{self.name} {self.op}= {self.value.text()}"

    def run(self, g: Grid, on):
        value = self.value.run(g, on)
        if self.op:
            value = ARITHMETIC[self.op](g.variables[self.name], value)
        g.assign(self.name, value, on)
        return on


@dataclass
class Put:
    """A store; where an operator is given, the thread alone accesses the element."""

    array: str
    index: object
    value: object
    op: str = ""

    def lines(self, pad: str):
        yield f"{pad}{self.array}[{self.index.text()}] {self.op}= {self.value.text()}"

    def run(self, g: Grid, on):
        index, value = self.index.run(g, on), self.value.run(g, on)
        if self.op:
            value = ARITHMETIC[self.op](g.load(self.array, index, on), value)
        g.store(self.array, index, value, on)
        return on


@dataclass
class Shown:
    """Row `row` of the output of a type takes a value, or adds it to what is there."""

    row: int
    value: object
    op: str

    def array(self) -> str:
        return f"o_{'i4' if self.value.type == 'wm' else self.value.type}"

    def lines(self, pad: str):
        yield f"{pad}{self.array()}[{self.row}, i] {self.op}= {self.value.text()}"

    def run(self, g: Grid, on):
        name, value = self.array(), self.value.run(g, on)
        out = g.arrays[name][self.row]
        place = g.variables["i"][on]
        value = value[on].astype(out.dtype)
        out[place] = out[place] + value if self.op else value
        return on


@dataclass
class Lines:
    """What the harness has set up."""

    text: list[str]

    def lines(self, pad: str):
        yield from (pad + line for line in self.text)

    def run(self, g: Grid, on):
        return on


def body_lines(pad: str, head: str, body: list):
    yield f"{pad}{head}:"
    if not body:
        yield f"{pad}    pass"
    for statement in body:
        yield from statement.lines(pad + "    ")


def run_all(body: list, g: Grid, on):
    for statement in body:
        if not on.any():
            break
        on = statement.run(g, on)
    return on


@dataclass
class When:
    """`last`: threads of the other side leave the kernel after it and meet nobody there."""

    test: object
    yes: list
    no: list
    last: bool = False

    def lines(self, pad: str):
        yield from body_lines(pad, f"if {self.test.text()}", self.yes)
        if self.no:
            yield from body_lines(pad, "else", self.no)

    def run(self, g: Grid, on):
        holds = self.test.run(g, on)
        if self.last:
            g.left |= run_all(self.no, g, on & ~holds)
            return run_all(self.yes, g, on & holds)
        yes = run_all(self.yes, g, on & holds)
        return yes | run_all(self.no, g, on & ~holds)


@dataclass
class Leave:
    """Only in the side of a `When`: return, or a break or continue of the loop around."""

    how: str

    def lines(self, pad: str):
        yield pad + self.how

    def run(self, g: Grid, on):
        if self.how == "return":
            g.left |= on
        else:
            g.jumps[-1][self.how] |= on
        return g.nobody()


@dataclass
class Again:
    """A loop: `for name in range(...)`, or `while test`. `last`: threads leave the kernel after it
    and meet nobody there.
    """

    body: list
    name: str = ""
    bounds: tuple = ()  # expressions
    test: object = None
    last: bool = False

    def lines(self, pad: str):
        head = f"while {self.test.text()}" if self.test else ""
        bounds = ", ".join(bound.text() for bound in self.bounds)
        yield from body_lines(pad, head or f"for {self.name} in range({bounds})", self.body)

    def run(self, g: Grid, on):
        g.jumps.append({"break": g.nobody(), "continue": g.nobody()})
        here, after, count = on, g.nobody(), 0
        step = self.bounds[2].value if len(self.bounds) > 2 else 1
        first, stop = ([bound.run(g, on) for bound in self.bounds[:2]] + [None, None])[:2]
        if self.bounds and stop is None:
            first, stop = numpy.zeros_like(first), first
        while True:
            if self.test:
                holds = self.test.run(g, here)
            else:
                value = first + first.dtype.type(count * step)
                holds = value < stop if step > 0 else value > stop
            after |= here & ~holds
            g.left |= here & ~holds & self.last
            here = here & holds
            if not here.any():
                break
            if self.bounds:
                g.assign(self.name, value, here)
            here = run_all(self.body, g, here) | g.jumps[-1]["continue"]
            g.jumps[-1]["continue"] = g.nobody()
            count += 1
        return after | g.jumps.pop()["break"]


@dataclass
class Sync:
    """syncthreads, or a syncwarp of a mask; None: of all, by default."""

    block: bool
    mask: object = None

    def lines(self, pad: str):
        mask = self.mask.text() if self.mask else ""
        yield pad + ("D.syncthreads()" if self.block else f"D.syncwarp({mask})")

    def run(self, g: Grid, on):
        if self.block:
            here = (on == (g.exists & ~g.left)).reshape(g.shape[0], -1).all(1)
            assert (here | ~on.reshape(g.shape[0], -1).any(1)).all(), "not all come to a barrier"
        else:
            g.together(numpy.full(g.shape, 0xFFFFFFFF, numpy.uint32)
                       if self.mask is None else self.mask.run(g, on), on)  # fmt: skip
        return on


@dataclass
class Vote:
    """`named`: by a function of its own inside of the kernel, instead of a lambda."""

    kind: str
    name: str
    mask: object
    test: object
    named: bool = False

    def lines(self, pad: str):
        if self.named:
            yield f"{pad}def p_{self.name}():"
            yield f"{pad}    return {self.test.text()}"
            yield f"{pad}{self.name} = D.{self.kind}_sync({self.mask.text()}, p_{self.name})"
            return
        call = f"D.{self.kind}_sync({self.mask.text()}, lambda: {self.test.text()})"
        yield f"{pad}{self.name} = {call}"

    def run(self, g: Grid, on):
        test, mask = self.test.run(g, on), self.mask.run(g, on)
        g.assign(self.name, g.vote(self.kind, mask, test, on), on)
        return on


@dataclass
class ActiveMask:
    name: str

    def lines(self, pad: str):
        yield f"{pad}{self.name} = D.activemask()"

    def run(self, g: Grid, on):
        g.assign(self.name, g.active(on), on)
        return on


@dataclass
class Shuffle:
    kind: str  # "" of a lane, "up", "down", "xor"
    name: str
    mask: object
    value: object
    number: object

    def lines(self, pad: str):
        name = f"shfl_{self.kind}_sync" if self.kind else "shfl_sync"
        operands = (self.mask, self.value, self.number)
        yield f"{pad}{self.name} = D.{name}({', '.join(o.text() for o in operands)})"

    def run(self, g: Grid, on):
        mask, value, number = (o.run(g, on) for o in (self.mask, self.value, self.number))
        source = source_of(self.kind, g.variables["lane"], number)
        g.assign(self.name, g.shuffle(mask, value, source, on), on)
        return on


@dataclass
class Total:
    """The sum of all lanes, by a helper: neighbours first."""

    name: str
    mask: object
    value: object

    TEXT = """def total_of(mask, value):
    step = 1
    while step < 32:
        value += D.shfl_xor_sync(mask, value, step)
        step *= 2
    return value
"""

    def lines(self, pad: str):
        yield f"{pad}{self.name} = total_of({self.mask.text()}, {self.value.text()})"

    def run(self, g: Grid, on):
        mask, total = self.mask.run(g, on), self.value.run(g, on)
        for step in (1, 2, 4, 8, 16):
            total = total + g.shuffle(mask, total, g.variables["lane"] ^ step, on)
        g.assign(self.name, total, on)
        return on


@dataclass
class Match:
    """match_any_sync into one name, or match_all_sync into two: of a value, or of `parts` that are
    one value of that kind (warp_groups.Kind).
    """

    names: list[str]
    mask: object
    parts: list
    kind: object = None

    def lines(self, pad: str):
        how = "all" if len(self.names) > 1 else "any"
        value = self.kind.made(self.parts) if self.kind else self.parts[0].text()
        yield f"{pad}{', '.join(self.names)} = D.match_{how}_sync({self.mask.text()}, {value})"

    def run(self, g: Grid, on):
        mask = self.mask.run(g, on)
        found = [g.match(mask, part.run(g, on), on) for part in self.parts]
        if len(self.names) > 1:
            every = numpy.logical_and.reduce([all_alike for _, _, all_alike in found])
            g.assign(self.names[0], numpy.where(every, found[0][1], numpy.uint32(0)), on)
            g.assign(self.names[1], every, on)
        else:
            alike = numpy.bitwise_and.reduce([alike for alike, _, _ in found])
            g.assign(self.names[0], alike, on)
        return on


UFUNCS = {
    "add": numpy.add, "sub": numpy.subtract, "max": numpy.maximum, "min": numpy.minimum,
    "and_": numpy.bitwise_and, "or_": numpy.bitwise_or, "xor": numpy.bitwise_xor,
}  # fmt: skip


@dataclass
class Atomic:
    """An operation that commutes with the others on its array; its result is not asked for."""

    array: str
    index: object
    operation: str
    value: object
    order: str
    scope: str

    def lines(self, pad: str):
        ref = f"D.atomic_ref({self.array}, {self.index.text()})"
        yield f'{pad}{ref}.{self.operation}({self.value.text()}, "{self.order}", "{self.scope}")'

    def run(self, g: Grid, on):
        index, value = self.index.run(g, on), self.value.run(g, on)
        g.update(self.array, index, value, on, UFUNCS[self.operation])
        return on


@dataclass
class Tickets:
    """As many numbers as `count` from a counter: no two threads get the same."""

    name: str
    counter: str
    count: object

    def lines(self, pad: str):
        ref = f"D.atomic_ref({self.counter}, 0)"
        yield f'{pad}{self.name} = {ref}.add({self.count.text()}, "relaxed", "device")'

    def run(self, g: Grid, on):
        g.assign(self.name, g.tickets(self.counter, self.count.run(g, on), on), on)
        return on
