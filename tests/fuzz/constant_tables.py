"""Global arrays that random programs read as constants: of numbers, complex numbers, vectors,
structs and records.

The statements stand at the end of a program and have random numbers of their own, so that the
rest of it stays what it is.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, field

import numpy

from . import model, struct_types
from .expression_tree import Array, Binary, Cast, Element, Literal, Variable
from .model import COMPONENTS, Val, is_record
from .other_numbers import PartOf
from .program import Store
from .random_numbers import numbers
from .records import Field, filled, kind_of, values_of


@dataclass
class Table:
    type: str
    array: numpy.ndarray

    def known(self) -> Array:
        return Array(self.type, values_of(self.type, self.array), self.array.shape)


@dataclass
class Length:
    """len() of a table that has no elements, perhaps."""

    name: str
    size: int
    type: str = "int"

    def text(self) -> str:
        return f"len({self.name})"

    def run(self, _) -> Val:
        return Val("int", self.size)


@dataclass
class ConstantTables:
    """Makes such tables and statements for a generator of programs."""

    of: object  # the generator
    seed: int
    tables: dict[str, Table] = field(default_factory=dict)

    @staticmethod
    def wanted(seed: int) -> bool:
        return random.Random(f"{seed} has constant tables").random() < 0.25

    def make_table(self) -> str:
        rng = self.of.random
        types = (*model.TYPED, *COMPONENTS, "f4x4", "u1x3", "f8x2", "i2x1")
        structs = [struct_types.struct_of(self.seed, k) for k in (5, 6, 7)]
        t = rng.choice((*types, *structs, *structs, *structs))
        size = rng.choice((0, *range(1, 10), 40))
        draw = functools.partial(numbers, rng, shape=(size,))
        with numpy.errstate(all="ignore"):
            array = filled(t, (size,), draw)
        name = f"TABLE_{len(self.tables)}"
        turned = rng.random() < 0.3
        self.tables[name] = Table(t, array[::-1] if turned else array)
        return name

    def index(self, size: int):
        rng = self.of.random
        if rng.random() < 0.3:
            return Literal("int", rng.randint(-size, size - 1))
        inside = Binary("i4", "%", Variable("i4", "i"), Literal("int", size))
        return Binary("i4", "-", inside, Literal("int", size)) if rng.random() < 0.3 else inside

    def read(self, name: str):
        """A number of an element, that the model computes with."""
        rng, table = self.of.random, self.tables[name]
        if not table.array.size:
            return Length(name, 0)
        found = Element(table.type, name, self.index(table.array.size))
        if table.type in COMPONENTS:
            return PartOf(COMPONENTS[table.type], found, rng.choice(("real", "imag")))
        while is_record(found.type):
            kind = kind_of(found.type)
            place, (_, code) = rng.choice(list(enumerate(kind.fields)))
            by_view = found.type == table.type and not kind.lanes and rng.random() < 0.4
            found = Field(code, found, place, bool(kind.lanes) and rng.random() < 0.4, by_view)
        # A builtin number that is known would have to fit where it is stored.
        own = {"int": "i4", "float": "f4"}
        return Cast(own[found.type], found) if found.type in own else found

    def make(self) -> list:
        outer, self.of.random = self.of.random, random.Random(f"{self.seed} constant tables")
        out = []
        for name in [self.make_table() for _ in range(self.of.random.randint(1, 2))]:
            for _ in range(self.of.random.randint(1, 3)):
                value = self.read(name)
                if value.type in model.EIGHT_BITS:
                    continue
                array, place = self.of.own_element()
                out.append(Store(array, place, "", value))
        self.of.random = outer
        return out
