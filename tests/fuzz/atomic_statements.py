"""Atomic operations of random programs as statements, and the places that they are made at.

What a place holds at the end does not depend on the order of threads: all that is done there
commutes, or one thread alone does it. Where the results of a place that several threads share are
used, they all are: what they say of the values before and after is added up, which gives the same
in each order, and another sum where two threads were told the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from . import model, records
from .expression_tree import (
    Array,
    Binary,
    Cast,
    Conditional,
    Literal,
    Several,
    Thread,
    Variable,
    best_of,
)
from .model import COMPONENTS, Val, is_record
from .program import Store

SIX = ("i4", "u4", "i8", "u8", "f4", "f8")  # of add and its like
FOUR = SIX[:4]  # of bits
ALWAYS = '"relaxed", "device"'


def greater(a: Val, b: Val) -> Val:
    return b if b.number > a.number else a


def less(a: Val, b: Val) -> Val:
    return b if b.number < a.number else a


def numbers_first(best):
    return lambda a, b: b if a.number != a.number else best(a, b)


MEANING = {
    "exch": lambda a, b: b,
    "add": lambda a, b: model.binary("+", a, b),
    "sub": lambda a, b: model.binary("-", a, b),
    "and_": lambda a, b: model.binary("&", a, b),
    "or_": lambda a, b: model.binary("|", a, b),
    "xor": lambda a, b: model.binary("^", a, b),
    "max": greater,
    "min": less,
    "nanmax": numbers_first(greater),
    "nanmin": numbers_first(less),
}
OPERATORS = {"add": "+", "sub": "-", "and_": "&", "or_": "|", "xor": "^", "product": "*"}


def combined(operation: str, old, operand):
    """The value after an operation, as the program computes it itself."""
    t = old.type
    if operation == "exch":
        return operand
    if operation == "counted":  # so often as it is done, modulo 61
        more = Binary(t, "+", old, Literal("int", 1))
        below = records.Equal("!=", old, Literal("int", 60))
        return Cast(t, Conditional(t, below, more, Literal("int", 0)))
    if operation.removeprefix("nan") in ("max", "min"):
        return best_of(operation.endswith("max"), old, operand)
    op = OPERATORS[operation]
    if is_record(t):
        return records.VectorBinary(t, op, old, operand)
    return Binary(t, op, old, operand)


def bits_of(value: Val) -> bytes:
    codes = COMPONENTS.get(value.type)
    parts = [(codes, x) for x in value.number] if codes else records.leaves(*value)
    return b"".join(numpy.array([x], model.NUMPY[model.machine(t)]).tobytes() for t, x in parts)


@dataclass
class Place:
    """Elements of an array, or a field of each of them."""

    array: str
    type: str
    shape: tuple[int, ...]
    form: str = "D.atomic_ref({array}, {index})"
    field: int | None = None

    def ref(self, index) -> str:
        text = f"({index.text()})" if isinstance(index, Several) else index.text()
        return self.form.format(array=self.array, index=text)

    def load(self, t: Thread, index) -> Val:
        found = t.load(self.array, index.run(t).number)
        return found if self.field is None else Val(self.type, found.number[self.field])

    def store(self, t: Thread, index, value: Val) -> None:
        at = index.run(t).number
        if self.field is not None:
            value = records.changed(t.load(self.array, at), (self.field,), value)
        t.store(self.array, at, value)


@dataclass
class Seen:
    """What a thread's own element holds."""

    place: Place
    index: object

    @property
    def type(self) -> str:
        return self.place.type

    def text(self) -> str:
        return f'{self.place.ref(self.index)}.load("relaxed", "thread")'

    def run(self, t: Thread) -> Val:
        return self.place.load(t, self.index)


def call(ref: str, method: str, operands: list, how: str) -> str:
    return f"{ref}.{method}({', '.join([*operands, *([how] if how else [])])})"


def variable(head: str, t: str) -> Variable:
    return Variable(t, f"{head}_{t}")


def added(before, after):
    """f(after) - f(before), whose sum is f(at the end) - f(at the beginning)."""
    t = wide = before.type
    difference, total = Binary(t, "-", after, before), Binary(t, "+", after, before)
    if model.is_float(t):
        wide, difference, total = "f8", Cast("f8", difference), Cast("f8", total)
    return Binary(wide, "*", difference, Binary(wide, "+", total, Literal("int", 3)))


@dataclass
class Told:
    """Adds what the result of an operation says to the element of an array."""

    total: str
    operation: str
    before: Variable
    operand: Variable

    def after(self) -> Variable:
        return variable("after", self.before.type)

    def lines(self, pad: str):
        text = combined(self.operation, self.before, self.operand).text()
        yield f"{pad}{self.after().name} = {text}"
        more = added(self.before, self.after()).text()
        yield f"{pad}D.atomic_ref({self.total}, 0).add({more}, {ALWAYS})"

    def run(self, t: Thread) -> None:
        new = combined(self.operation, self.before, self.operand).run(t)
        t.variables[self.after().name] = new
        more = added(self.before, self.after()).run(t)
        t.store(self.total, 0, model.binary("+", t.load(self.total, 0), more))


@dataclass
class Update:
    place: Place
    index: object
    operation: str
    value: object
    how: str  # order and scope, as they are written
    total: str = ""  # the array to which is added what the result says; "": it is not used

    def lines(self, pad: str):
        ref = self.place.ref(self.index)
        if not self.total:
            yield pad + call(ref, self.operation, [self.value.text()], self.how)
            return
        told = self.told()
        yield f"{pad}{told.operand.name} = {self.value.text()}"
        text = call(ref, self.operation, [told.operand.name], self.how)
        yield f"{pad}{told.before.name} = {text}"
        yield from told.lines(pad)

    def told(self) -> Told:
        before, operand = (variable(head, self.place.type) for head in ("before", "operand"))
        return Told(self.total, self.operation, before, operand)

    def run(self, t: Thread) -> None:
        old, value = self.place.load(t, self.index), self.value.run(t)
        self.place.store(t, self.index, MEANING[self.operation](old, value))
        if self.total:
            told = self.told()
            t.variables |= {told.before.name: old, told.operand.name: value}
            told.run(t)


LOOPS = {
    "break": (
        "while True:",
        "    {seen} = {cas}",
        "    if {same}:",
        "        break",
        "    {old} = {seen}",
    ),
    "condition": (
        "{seen} = {cas}",
        "while {other}:",
        "    {old} = {seen}",
        "    {seen} = {cas}",
    ),
    "flag": (
        "{left} = True",
        "while {left}:",
        "    {seen} = {cas}",
        "    {left} = {other}",
        "    {old} = {seen}",
    ),
}


@dataclass
class SwapLoop:
    """An operation as a loop around cas."""

    place: Place
    index: object
    operation: str  # of `combined`
    value: object
    how: str
    loop: str
    first: object | None  # what is expected at first; None: what a load finds
    total: str = ""  # as that of Update

    def lines(self, pad: str):
        t, ref = self.place.type, self.place.ref(self.index)
        old, seen, operand, left = (variable(h, t) for h in ("old", "seen", "with", "left"))
        new = combined(self.operation, old, operand).text()
        texts = {
            "old": old.name,
            "seen": seen.name,
            "left": left.name,
            "cas": call(ref, "cas", [old.name, new], self.how),
            "same": records.Equal("==", seen, old).text(),
            "other": records.Equal("!=", seen, old).text(),
        }
        first = self.first.text() if self.first else f'{ref}.load("relaxed")'
        yield f"{pad}{operand.name} = {self.value.text()}"
        yield f"{pad}{old.name} = {first}"
        for line in LOOPS[self.loop]:
            yield pad + line.format(**texts)
        if self.total:
            yield from Told(self.total, self.operation, old, operand).lines(pad)

    def run(self, t: Thread) -> None:
        old, operand = variable("old", self.place.type), variable("with", self.place.type)
        t.variables |= {
            old.name: self.place.load(t, self.index),
            operand.name: self.value.run(t),
        }
        self.place.store(t, self.index, combined(self.operation, old, operand).run(t))
        if self.total:
            Told(self.total, self.operation, old, operand).run(t)


@dataclass
class Ticket:
    """A place of its own for each thread that comes, as long as there are some."""

    counter: str
    taken: str
    size: int
    value: int
    by: str  # "add"; "cas" and "bounded": a loop, in which no more are taken than there are
    counts: bool  # places count who comes
    how: str

    def lines(self, pad: str):
        ref, name = f"D.atomic_ref({self.counter}, 0)", "ticket"
        if self.by == "add":
            yield f"{pad}{name} = {call(ref, 'add', ['1'], self.how)}"
        else:
            yield f'{pad}{name} = {ref}.load("relaxed")'
            yield f"{pad}while {'True' if self.by == 'cas' else f'{name} < {self.size}'}:"
            yield f"{pad}    found = {call(ref, 'cas', [name, f'{name} + 1'], self.how)}"
            yield f"{pad}    if found == {name}:"
            yield f"{pad}        break"
            yield f"{pad}    {name} = found"
        yield f"{pad}if 0 <= {name} and {name} < {self.size}:"
        if self.counts:
            yield f"{pad}    D.atomic_ref({self.taken}, {name}).add({self.value}, {ALWAYS})"
        else:
            yield f"{pad}    {self.taken}[{name}] = {self.value}"

    def run(self, t: Thread) -> None:
        ticket = t.load(self.counter, 0)
        if self.by != "bounded" or ticket.number < self.size:
            t.store(self.counter, 0, model.binary("+", ticket, Val(ticket.type, 1)))
        if 0 <= ticket.number < self.size:
            at, value = int(ticket.number), Val("int", self.value)
            if self.counts:
                value = model.binary("+", t.load(self.taken, at), value)
            t.store(self.taken, at, value)


@dataclass
class Step:
    method: str
    operands: list
    how: str


@dataclass
class Own:
    """What a thread does with an element that no other one accesses: all results are known."""

    place: Place
    at: object
    steps: list[Step]
    results: str  # an array that holds them, or their sum
    index: object  # of the results
    kind: str = ""  # the place is an Atomic of this type, which is made here
    zero: object = None

    def result(self) -> tuple[Variable, Store]:
        told = variable("told", self.place.type)
        op = "+" if model.is_int(self.place.type) else ""
        return told, Store(self.results, self.index, op, told)

    def lines(self, pad: str):
        ref, (told, store) = self.place.ref(self.at), self.result()
        if self.kind:
            yield f"{pad}{self.place.array} = D.Atomic({self.kind})"
        for step in self.steps:
            text = call(ref, step.method, [v.text() for v in step.operands], step.how)
            if step.method == "store":
                yield pad + text
            else:
                yield f"{pad}{told.name} = {text}"
                yield from store.lines(pad)

    def run(self, t: Thread) -> None:
        told, store = self.result()
        if self.kind:
            t.arrays[self.place.array] = Array(self.place.type, [None], (1,))
            self.place.store(t, self.at, self.zero.run(t))
        for step in self.steps:
            old, operands = self.place.load(t, self.at), [v.run(t) for v in step.operands]
            new = old
            if step.method == "cas":
                new = operands[1] if bits_of(old) == bits_of(operands[0]) else old
            elif step.method == "store":
                new = operands[0]
            elif step.method != "load":
                new = MEANING[step.method](old, operands[0])
            self.place.store(t, self.at, new)
            if step.method != "store":
                t.variables[told.name] = old
                store.run(t)


@dataclass
class Halves:
    """All threads store to one place of 16 bytes, and see what one of them has stored."""

    place: Place  # of i8x2
    index: object
    value: object
    torn: str  # counts what nobody has stored
    how: str
    looks: str

    def lines(self, pad: str):
        ref = self.place.ref(self.index)
        yield f"{pad}half = {self.value.text()}"
        yield pad + call(ref, "store", ["D.int64x2(half, ~half)"], self.how)
        yield f"{pad}whole = {call(ref, 'load', [], self.looks)}"
        yield f"{pad}if whole.x != ~whole.y:"
        yield f"{pad}    D.atomic_ref({self.torn}, 0).add(1, {ALWAYS})"

    def run(self, t: Thread) -> None:
        half = self.value.run(t)
        pair = half.number, model.unary("~", half).number
        self.place.store(t, self.index, Val(self.place.type, pair))


def is_whole(array: numpy.ndarray) -> numpy.ndarray:
    """What is compared of the place of Halves: not whose value it is."""
    return array["x"] == ~array["y"]
