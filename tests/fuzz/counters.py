"""Atomic operations of random programs, put into programs that are made.

What an element holds at the end does not depend on the order of threads: one element has one
operation, which commutes. Tickets tell each thread another number, and the place that it names is
written with one value, whoever gets it.
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

from . import model
from .expression_tree import Cast, Literal, Thread, Variable
from .indices import of
from .model import Val

OPERATIONS = {
    "add": lambda a, b: model.binary("+", a, b),
    "sub": lambda a, b: model.binary("-", a, b),
    "and_": lambda a, b: model.binary("&", a, b),
    "or_": lambda a, b: model.binary("|", a, b),
    "xor": lambda a, b: model.binary("^", a, b),
    "max": lambda a, b: b if b.number > a.number else a,
    "min": lambda a, b: b if b.number < a.number else a,
}
COMMUTE = [["add", "sub"], ["and_"], ["or_"], ["xor"], ["max"], ["min"]]
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("device", "system")


@dataclass
class Update:
    array: str
    index: object
    operation: str
    value: object
    order: str
    scope: str

    def lines(self, pad: str):
        ref = f"D.atomic_ref({self.array}, {self.index.text()})"
        yield f'{pad}{ref}.{self.operation}({self.value.text()}, "{self.order}", "{self.scope}")'

    def run(self, t: Thread) -> None:
        index = self.index.run(t).number
        old = t.load(self.array, index)
        t.store(self.array, index, OPERATIONS[self.operation](old, self.value.run(t)))


@dataclass
class Ticket:
    """A place of its own for each thread that comes, as long as there are some."""

    counter: str
    taken: str
    size: int
    name: str
    value: int

    def lines(self, pad: str):
        yield f'{pad}{self.name} = D.atomic_ref({self.counter}, 0).add(1, "relaxed")'
        yield f"{pad}if 0 <= {self.name} and {self.name} < {self.size}:"
        yield f"{pad}    {self.taken}[{self.name}] = {self.value}"

    def run(self, t: Thread) -> None:
        ticket = t.load(self.counter, 0)
        t.store(self.counter, 0, model.binary("+", ticket, Val(ticket.type, 1)))
        if 0 <= ticket.number < self.size:
            t.store(self.taken, int(ticket.number), Val("int", self.value))


class Counters:
    """Enters updates into the bodies of a program; its arrays are outputs of their own."""

    def __init__(self, seed: int, arrays, types: dict[str, str]):
        self.random = random.Random(seed ^ 0xA70)
        self.arrays = arrays
        self.types = types  # of positions, which are integers
        # All updates of some programs may be made in tables of workers: nobody can tell.
        self.unseen = random.Random(seed ^ 0x7AB1E).random() < 0.4
        self.tickets = 0
        self.operations: dict[str, list[list[str]]] = {}  # by array, for each element

    def wanted(self) -> bool:
        return self.random.random() < 0.4

    def make(self, body) -> None:
        for t in self.random.sample(("i4", "u4", "i8", "u8"), self.random.randint(1, 2)):
            size = self.random.choice((1, 1, 3, 8))
            self.output(f"ac_{t}", t, size)
            one = self.random.choice(COMMUTE)
            self.operations[f"ac_{t}"] = [one] * size
        if self.random.random() < 0.5:
            self.tickets = self.random.randint(1, 40)
            self.output("at_i4", "i4", 1)
            self.output("aw_i4", "i4", self.tickets)
        self.enter(body)

    def output(self, name: str, t: str, size: int) -> None:
        self.arrays.outputs[name], self.arrays.shapes[name] = t, (size,)

    def enter(self, body) -> None:
        statements = []
        for statement in body.statements:
            if self.random.random() < 0.25:
                statements.append(self.update())
            for child in ("yes", "no", "body", "orelse"):
                inner = getattr(statement, child, None)
                if dataclasses.is_dataclass(inner) and hasattr(inner, "statements"):
                    self.enter(inner)
            statements.append(statement)
        body.statements = statements

    def update(self):
        if self.tickets and self.random.random() < 0.3:
            return Ticket("at_i4", "aw_i4", self.tickets, "ticket", 7)
        array = self.random.choice(list(self.operations))
        t, operations = self.arrays.outputs[array], self.operations[array]
        place = self.random.choice(list(self.types))
        number = Variable(self.types[place], place)
        index = Literal("int", 0)
        if len(operations) > 1:
            index = Cast("i4", of("%", Cast("i4", number), len(operations)))
        if self.random.random() < 0.3:
            value = Literal("int", self.random.randint(0, 9))
        else:
            value = of(self.random.choice(("+", "^", "*")), number, self.random.randint(1, 70))
        how = self.random.choice(ORDERS), self.random.choice(SCOPES)
        if self.unseen:
            how = "relaxed", "device"
        return Update(array, index, self.random.choice(operations[0]), Cast(t, value), *how)
