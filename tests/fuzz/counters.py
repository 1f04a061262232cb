"""Puts atomic operations into random programs that are made: in global and in shared memory, at
elements and at fields of structs, by one thread each and by many (atomic_statements.py)."""

from __future__ import annotations

import dataclasses
import functools
import random

import numpy

from . import model, other_numbers, records
from .atomic_statements import (
    ALWAYS,
    FOUR,
    LOOPS,
    MEANING,
    SIX,
    Halves,
    Own,
    Place,
    Seen,
    Step,
    SwapLoop,
    Ticket,
    Update,
    is_whole,
)
from .expression_tree import (
    Binary,
    Cast,
    Comparison,
    Conditional,
    Element,
    Literal,
    Several,
    Variable,
)
from .indices import of
from .model import COMPONENTS, is_record
from .program import Barrier, Body, For, Store

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
ORDERS_OF = {
    "load": ("relaxed", "consume", "acquire", "seq_cst"),
    "store": ("relaxed", "release", "seq_cst"),
}
# What commutes: operations of the interface, and the one that loops around cas compute.
FAMILIES = {
    "sum": (("add", "sub"), "add"),
    "and": (("and_",), "and_"),
    "or": (("or_",), "or_"),
    "xor": (("xor",), "xor"),
    "max": (("max", "nanmax"), "max"),
    "min": (("min", "nanmin"), "min"),
    "exch": (("exch",), "exch"),  # of one value
    "product": ((), "product"),
    "counted": ((), "counted"),
}
BITS = ("and", "or", "xor")
SHARED_TYPES = (*FOUR, *SIX, *SIX, "i1", "u1", "i2", "u2", "f2", "bf", "i4x2", "u2x4", "b1")
OWN_TYPES = (
    *(*model.INTS, "f4", "f8", "f2", "bf", "b1", "e4", "e5", "c8", "c16"),
    *("i4x2", "u1x4", "i2x2", "f4x2", "u2x4", "i8x2", "f4x4", "f8x2"),
)
WIDE = ("c16", "i8x2", "f4x4", "f8x2")  # 16 bytes
# Arrays whose elements several threads access.
SHARED_NAMES = ("ac_", "at_", "aw_", "as_", "ah_", "ash_")


class Counters:
    """Enters operations into the bodies of a program; its arrays are outputs of their own."""

    def __init__(self, seed: int, of_program, many: bool = False):
        """of_program: its generator. many: each program gets several operations."""
        self.random = random.Random(seed ^ 0xA70)
        self.program, self.many = of_program, many
        self.arrays, self.records = of_program.arrays, of_program.record_arrays
        self.types = of_program.at.types  # of positions, which are integers
        # All updates of some programs may be made in tables of workers: nobody can tell.
        unseen = random.Random(seed ^ 0x7AB1E).random()
        self.unseen = unseen < (0.15 if many else 0.4)
        self.places: list[tuple[Place, str]] = []  # each with its family
        self.of_block: list[Place] = []  # among them
        # Of one thread each: which element, and the array of the results.
        self.own: list[tuple[Place, object, str]] = []
        self.constants: dict[tuple, object] = {}
        self.used: dict[tuple, bool] = {}  # whether results are
        self.tickets = self.halves = 0
        self.count = 0

    def wanted(self) -> bool:
        return self.many or self.chance(0.4)

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    # --- what there is ---

    def choose(self) -> None:
        rng = self.random
        kinds = [self.add_array, self.add_array, self.add_fields, self.add_own, self.add_alone]
        for _ in range(rng.randint(2, 4) if self.many else rng.randint(1, 2)):
            rng.choice(kinds)()
        if not self.places:
            self.add_array()
        if self.chance(0.5):
            self.tickets = rng.randint(1, 40)
            self.ticket = rng.choice(("add", "cas", "bounded")), self.chance(0.5)
            self.output("at_i4", "i4", (1,))
            self.output("aw_i4", "i4", (self.tickets,))
        if self.chance(0.2):
            self.halves = rng.randint(1, 3)
            self.record("ah_i8x2", "i8x2", (self.halves,))
            self.arrays.start["ah_i8x2"] = as_halves
            self.arrays.seen["ah_i8x2"] = is_whole
            self.output("at_torn", "i4", (1,))

    def output(self, name: str, t: str, shape: tuple[int, ...]) -> None:
        self.arrays.outputs[name], self.arrays.shapes[name] = t, shape

    def record(self, name: str, t: str, shape: tuple[int, ...]) -> None:
        self.records.outputs[name], self.records.shapes[name] = t, shape

    def family_for(self, t: str) -> str:
        if is_record(t):
            return self.random.choice(("sum", "xor", "exch"))
        if t == "b1":
            return self.random.choice(("xor", "and", "or", "exch"))
        if t in ("f2", "bf"):
            return self.random.choice(("max", "min", "counted", "exch"))
        known = [f for f in FAMILIES if not model.is_float(t) or f not in (*BITS, "product")]
        return self.random.choice([*known, "sum", "max"])

    def add_array(self) -> None:
        rng = self.random
        t = rng.choice(SHARED_TYPES)
        name = f"ac_{t}"
        if name in self.arrays.outputs or name in self.records.outputs:
            return
        shape = rng.choice(((1,), (1,), (1,), (3,), (8,), (64,), (2, 5)))
        (self.record if is_record(t) else self.output)(name, t, shape)
        # Far from zero, which may be what is done for nobody.
        self.arrays.start[name] = functools.partial(as_whole, plus=rng.choice((0, 1000)))
        self.places.append((Place(name, t, shape), self.family_for(t)))

    def add_fields(self) -> None:
        """Of structs with atomics, or of elements with fields."""
        rng = self.random
        t = rng.choice((records.CELL, records.FLAT))
        name, shape = f"ac_{t}", (rng.choice((1, 2, 7)),)
        if name in self.records.outputs:
            return
        self.record(name, t, shape)
        self.arrays.start[name] = as_whole
        for k, (field, code) in enumerate(records.kind_of(t).fields):
            if field in records.WITH_PLACES[t] and self.chance(0.6):
                form = f'D.atomic_ref({{array}}["{field}"], {{index}})'
                if t == records.CELL:
                    element = rng.choice(("{array}[{index}]", "D.atomic_ref({array}, {index})"))
                    form = f"{element}.{field}"
                self.places.append((Place(name, code, shape, form, k), self.family_for(code)))

    def add_own(self) -> None:
        t = self.random.choice(OWN_TYPES)
        if f"ao_{t}" in self.records.outputs:
            return
        n = self.program.at.extents["n"]
        self.record(f"ao_{t}", t, (n + self.random.choice((0, 3)),))
        self.own.append((Place(f"ao_{t}", t, (n,)), Variable("i4", "i"), self.results(t)))

    def results(self, t: str) -> str:
        name = f"ar_{t}"
        if name not in self.records.outputs:
            self.record(name, t, (self.program.at.extents["n"] + self.random.choice((0, 3)),))
        return name

    def add_alone(self) -> None:
        """An element of an array that each thread has, or an Atomic."""
        local = [(a, t, size) for a, (t, size) in self.program.local.items() if t in OWN_TYPES]
        if local and self.chance(0.5):
            name, t, size = self.random.choice(local)
            at = Literal("int", self.random.randint(-size, size - 1))
            self.own.append((Place(name, t, (size,)), at, self.results(t)))
            return
        t = self.random.choice(OWN_TYPES)
        self.own.append((Place("", t, (1,), "{array}"), Literal("int", 0), self.results(t)))

    # --- where operations stand ---

    def make(self, body) -> None:
        self.choose()
        self.enter(body)
        while self.many and self.count < 6:
            body.statements.insert(self.random.randint(0, len(body.statements)), self.operation())

    def enter(self, body) -> None:
        statements = []
        for statement in body.statements:
            if self.chance(0.35 if self.many else 0.25):
                statements.append(self.operation())
            for child in ("yes", "no", "body", "orelse"):
                inner = getattr(statement, child, None)
                if dataclasses.is_dataclass(inner) and hasattr(inner, "statements"):
                    self.enter(inner)
            statements.append(statement)
        body.statements = statements

    def operation(self):
        self.count += 1
        if self.tickets and self.chance(0.25):
            by, counts = self.ticket
            return Ticket("at_i4", "aw_i4", self.tickets, 7, by, counts, self.how("", False))
        if self.halves and self.chance(0.25):
            return self.half()
        if self.own and self.chance(0.35):
            return self.own_steps()
        return self.update()

    # --- operands ---

    def position(self) -> Variable:
        name = self.random.choice(list(self.types))
        return Variable(self.types[name], name)

    def number(self):
        """An integer that is another one in most threads."""
        if self.chance(0.25):
            return self.of_data()
        return of(self.random.choice("+^*"), self.position(), self.random.randint(1, 70))

    def of_data(self):
        """What an array holds; where there is none, a position."""
        shapes, inputs = self.arrays.shapes, self.arrays.inputs
        known = [a for a in inputs if a.startswith("a_") and len(shapes[a]) == 1]
        if not known:
            return self.position()
        array = self.random.choice(known)
        return Cast("i4", Element(inputs[array], array, Variable("i4", "i")))

    def value(self, t: str, whole: bool):
        """whole: small whole numbers of floats, whose sums are exact."""
        if is_record(t):
            codes = [COMPONENTS[t]] * 2 if t in COMPONENTS else None
            codes = codes or [code for _, code in records.kind_of(t).fields]
            make = other_numbers.Make if t in COMPONENTS else records.Make
            return make(t, [self.value(code, whole) for code in codes])
        if self.chance(0.3):
            return Cast(t, Literal("int", self.random.randint(0, 9)))
        number = self.number()
        if self.chance(0.5):
            number = of(self.random.choice("+-"), number, self.random.randint(200, 5000))
        if model.is_float(t) and whole:
            number = of("-", Binary("i4", "%", Cast("i4", number), Literal("int", 9)), 4)
        return Cast(t, number)

    def below(self, size: int):
        """An index: one for all, of a place, of data, or one of them for nine in ten threads."""
        if size == 1:
            return Literal("int", self.random.choice((0, 0, -1)))
        kind = self.random.random()
        if kind < 0.15:
            return Literal("int", self.random.randint(-size, size - 1))
        number = self.of_data() if kind < 0.4 else self.position()
        if kind > 0.85:
            number = (
                Variable(self.types["bk"], "bk") if "bk" in self.types else Variable("int", "n")
            )
        index = Cast("i4", Binary(number.type, "%", number, Literal("int", size)))
        if self.chance(0.25):
            other = Comparison(["!="], [of("%", self.position(), 10), Literal("int", 3)])
            return Conditional("i4", other, Literal("int", self.random.randrange(size)), index)
        return of("-", index, size) if self.chance(0.1) else index

    def index_of(self, place: Place):
        parts = [self.below(size) for size in place.shape]
        return Several(parts) if len(parts) > 1 else parts[0]

    def how(self, method: str, of_block: bool, alone: bool = False) -> str:
        """of_block: whether the threads of a block alone access it; alone: one of them."""
        if self.unseen and not of_block and not alone:
            return ALWAYS
        grid = self.program.at.grid
        one_block = of_block or grid == 1 or set(grid if isinstance(grid, tuple) else ()) == {1}
        scopes = ["device", "system"] + ["block", "block"] * one_block + ["thread"] * alone
        order = self.random.choice(ORDERS_OF.get(method, ORDERS))
        scope = self.random.choice(scopes)
        return self.random.choice(
            (f'"{order}", "{scope}"',) * 4
            + (f'memory="{order}"', f'scope="{scope}"', f'scope="{scope}", memory="{order}"', "")
        )

    # --- operations ---

    def update(self):
        place, family = self.random.choice(self.places)
        methods, loop = FAMILIES[family]
        allowed = FOUR if family in BITS else SIX
        if family == "exch":
            allowed = (*allowed, place.type)
        index, of_block = self.index_of(place), place in self.of_block
        value = self.operand(place, family)
        if place.type not in allowed or not methods or (self.chance(0.2) and not self.unseen):
            first = None if self.chance(0.7) else self.value(place.type, True)
            how, form = self.how("", of_block), self.random.choice(list(LOOPS))
            return SwapLoop(place, index, loop, value, how, form, first, self.total(place))
        method = self.random.choice(methods)
        how = self.how(method, of_block)
        return Update(place, index, method, value, how, self.total(place))

    def operand(self, place: Place, family: str):
        if family == "exch":
            key = place.array, place.field
            return self.constants.setdefault(key, self.constant(place.type))
        value = self.value(place.type, True)
        if family in ("max", "min") and model.is_float(place.type) and self.chance(0.3):
            some = Comparison(["!="], [of("%", self.position(), 3), Literal("int", 1)])
            return Conditional(place.type, some, value, Cast(place.type, NotANumber()))
        return value

    def constant(self, t: str):
        if is_record(t):
            return records.Make(t, [self.constant(code) for _, code in records.kind_of(t).fields])
        return Cast(t, Literal("int", self.random.randint(0, 1 if t == "b1" else 9)))

    def total(self, place: Place) -> str:
        """Where what results say is added up; of some places they are not used."""
        used = self.used.setdefault((place.array, place.field), self.chance(0.5))
        if self.unseen or place.type not in SIX or not used:
            return ""
        name = "as_f8" if model.is_float(place.type) else f"as_{place.type}"
        if name not in self.arrays.outputs:
            self.output(name, name[3:], (1,))
            self.arrays.start[name] = as_whole
        return name

    def half(self) -> Halves:
        index = self.below(self.halves)
        how, looks = self.how("store", False), self.how("load", False)
        place = Place("ah_i8x2", "i8x2", (self.halves,))
        return Halves(place, index, Cast("i8", self.number()), "at_torn", how, looks)

    def own_steps(self) -> Own:
        place, at, results = self.random.choice(self.own)
        t, kind = place.type, ""
        if not place.array:
            place = dataclasses.replace(place, array=f"mine{self.count}_{t}")
            kind = type_text(t)
        methods = ["load", "store"]
        if t not in WIDE:
            methods += ["exch", "exch", "cas", "cas"]
        methods += [m for m in MEANING if m != "exch" and t in SIX]
        if t not in FOUR:
            methods = [m for m in methods if m not in ("and_", "or_", "xor")]
        steps = []
        for _ in range(self.random.randint(1, 3)):
            method = self.random.choice(methods)
            operands = [] if method == "load" else [self.value(t, False)]
            if method == "cas":
                found = Seen(place, at) if self.chance(0.6) else self.value(t, False)
                operands.insert(0, found)
            steps.append(Step(method, operands, self.how(method, False, True)))
        index = Variable("i4", "i")
        return Own(place, at, steps, results, index, kind, self.zero(t) if kind else None)

    def zero(self, t: str):
        if not is_record(t):
            return Cast(t, Literal("int", 0))
        if t in COMPONENTS:
            return other_numbers.Make(t, [self.zero(COMPONENTS[t])] * 2)
        return records.Make(t, [self.zero(code) for _, code in records.kind_of(t).fields])

    # --- shared memory of a program with barriers ---

    def make_of_block(self, program) -> None:
        """Shared arrays, in which all threads that are left find the same sums after a barrier."""
        for t in self.random.sample(
            ("i4", "u4", "i8", "u8", "f4", "f8"), self.random.randint(1, 2)
        ):
            shape = (self.random.choice((1, 3, 16, 40)),)
            place = Place(f"ash_{t}", t, shape)
            program.shared_places[place.array] = t, shape
            self.output(f"ax_{t}", t, (shape[0] * program.blocks(),))
            self.of_block.append(place)
            self.places += [(place, self.family_for(t))] * 2

    def told_by_block(self) -> list:
        """All that the shared arrays hold, in global memory."""
        out: list = [Barrier()]
        for place in self.of_block:
            (size,), name = place.shape, f"k_{place.type}"
            k = Variable("i4", name)
            at = of("+", of("*", Variable("i4", "bk"), size), k)
            held = Element(place.type, place.array, k)
            store = Store(f"ax_{place.type}", at, "", held)
            bounds = [Variable("i4", "t"), Literal("int", size), Variable("i4", "nt")]
            out.append(For(name, "i4", bounds, Body([store]), None))
        return [*out, Barrier()]


def type_text(t: str) -> str:
    if t in model.NAMES:
        return "bool" if t == "b1" else f"D.{model.NAMES[t]}"
    return records.kind_of(t).text


class NotANumber(Literal):
    def __init__(self):
        super().__init__("float", float("nan"))

    def text(self) -> str:
        return "math.nan"


def as_whole(array, plus=0):
    """Floats that are small whole numbers; integers as they are, but for what is added."""
    if array.dtype.names:
        for name in array.dtype.names:
            array[name] = as_whole(array[name].copy())
        return array
    if array.dtype.kind not in "fV":
        return array if array.dtype.kind == "b" else array + numpy.array(plus).astype(array.dtype)
    numbers = array.astype("f8")
    numbers[~(abs(numbers) < 50)] = 7
    return (numbers.astype(int) + 0).astype(array.dtype)


def as_halves(array):
    array["y"] = ~array["x"]
    return array
