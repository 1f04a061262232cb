"""Tuples in random programs: elements chosen at run time, loops over tuples, stars, slices, sums,
and what orders or finds elements, as Python itself does.

The statements stand at the end of a program and have random numbers of their own, so that the
rest of it stays what it is.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from . import model
from .expression_tree import Binary, Cast, Element, Literal, Thread, Variable
from .model import Val
from .program import Assign, Body, Loop, Store, suite


def display(elements: list) -> str:
    texts = [e if isinstance(e, str) else e.text() for e in elements]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


@dataclass
class Chosen:
    """An element of a tuple by an index that may be known at run time only."""

    type: str  # that all elements join in
    elements: list
    index: object
    part: slice | None = None  # of the elements, before the index

    def text(self) -> str:
        bounds = (
            ("" if b is None else str(b) for b in (self.part.start, self.part.stop, self.part.step))
            if self.part
            else ()
        )
        part = f"[{':'.join(bounds)}]" if self.part else ""
        return f"{display(self.elements)}{part}[{self.index.text()}]"

    def run(self, t: Thread) -> Val:
        elements = self.elements[self.part] if self.part else self.elements
        values = [e.run(t) for e in elements]
        return model.convert(self.type, values[self.index.run(t).number])


@dataclass
class Sum:
    """sum() of a tuple, or of a generator expression over one that adds something to each."""

    elements: list
    added: object = None

    def text(self) -> str:
        if self.added is None:
            return f"sum({display(self.elements)})"
        return f"sum(e + {self.added.text()} for e in {display(self.elements)})"

    def run(self, t: Thread) -> Val:
        total = None
        for element in self.elements:
            value = element.run(t)
            if self.added is not None:
                value = model.binary("+", value, self.added.run(t))
            total = model.binary("+", Val("int", 0) if total is None else total, value)
        return total


@dataclass
class Decided:
    """any() or all() of a comparison with each element."""

    word: str
    op: str
    elements: list
    other: object
    type: str = "b1"

    def text(self) -> str:
        test = f"e {self.op} {self.other.text()}"
        return f"{self.word}({test} for e in {display(self.elements)})"

    def run(self, t: Thread) -> Val:
        found = [model.compare(self.op, e.run(t), self.other.run(t)).number for e in self.elements]
        return Val("b1", any(found) if self.word == "any" else all(found))


KEYS = {  # of an element that is called so
    "": lambda x: x,
    "-int({e})": lambda x: -x,
    "{e} & 3": lambda x: x & 3,
    "({e} % 3, {e})": lambda x: (x % 3, x),
}


@dataclass
class Ordered:
    """An element, or the position of one, of a sorted tuple; or the best of a tuple. Integers of
    32 bits, so that the key is what Python computes."""

    word: str  # sorted, min, max
    elements: list
    key: str
    reverse: bool
    at: int
    places: bool  # enumerated, and the position is taken
    type: str = "i4"

    def text(self) -> str:
        given = [display(self.elements)]
        key = f"key=lambda v: {self.key.format(e='v[1]' if self.places else 'v')}"
        if self.places:
            given = [f"enumerate({given[0]})", key if self.key else "key=lambda v: v[1]"]
        elif self.key:
            given.append(key)
        if self.reverse:
            given.append("reverse=True")
        found = f"{self.word}({', '.join(given)})" + (
            f"[{self.at}]" if self.word == "sorted" else ""
        )
        return f"D.int32({found}{'[0]' if self.places else ''})"

    def run(self, t: Thread) -> Val:
        numbers = list(enumerate(e.run(t).number for e in self.elements))
        order = {"sorted": sorted, "min": min, "max": max}[self.word]
        options = {"reverse": True} if self.reverse else {}
        found = order(numbers, key=lambda p: KEYS[self.key](p[1]), **options)
        place, number = found[self.at] if self.word == "sorted" else found
        return Val("i4", place if self.places else number)


@dataclass
class Found:
    """x in range(...), its position there, or how often a tuple has x."""

    word: str  # "in", "index", "count"
    x: object
    bounds: tuple
    elements: list
    type: str = "i4"

    def text(self) -> str:
        span = f"range({', '.join(b.text() for b in self.bounds)})"
        x = self.x.text()
        if self.word == "count":
            found = f"{display(self.elements)}.count({x})"
        elif self.word == "in":
            found = f"{x} in {span}"
        else:
            found = f"{span}.index({x}) if {x} in {span} else -1"
        return f"D.int32({found})"

    def run(self, t: Thread) -> Val:
        span = range(*(int(b.run(t).number) for b in self.bounds))
        x = self.x.run(t).number
        if self.word == "count":
            return Val("i4", [e.run(t).number for e in self.elements].count(x))
        if self.word == "in":
            return Val("i4", int(x in span))
        return Val("i4", span.index(x) if x in span else -1)


@dataclass
class Unpack:
    """first, *rest = (...), and an element of the rest."""

    first: str
    rest: str
    elements: list
    name: str
    at: int
    front: bool  # the star stands last

    def lines(self, pad: str):
        targets = f"{self.first}, *{self.rest}" if self.front else f"*{self.rest}, {self.first}"
        yield f"{pad}{targets} = {display(self.elements)}"
        yield f"{pad}{self.name} = {self.rest}[{self.at}]"

    def run(self, t: Thread) -> None:
        values = [e.run(t) for e in self.elements]
        one, rest = (values[0], values[1:]) if self.front else (values[-1], values[:-1])
        t.variables[self.first], t.variables[self.name] = one, rest[self.at]


@dataclass
class TupleLoop(Loop):
    """Over tuples of numbers or of arrays, alone, counted, or in step."""

    names: list[str]  # of the targets
    tuples: list[list]  # numbers, or names of arrays
    body: Body
    count: str = ""  # the name of the counter of enumerate()
    start: int = 0
    turned: bool = False
    orelse: Body | None = None

    def lines(self, pad: str):
        texts = [display(elements) for elements in self.tuples]
        if self.turned:
            texts = [f"reversed({text})" for text in texts]
        over = texts[0] if len(texts) == 1 else f"zip({', '.join(texts)})"
        target = self.names[0] if len(texts) == 1 else ", ".join(self.names)
        if self.count:
            over = f"enumerate({over}, {self.start})"
            target = f"{self.count}, {target if len(texts) == 1 else f'({target})'}"
        yield from suite(pad, f"for {target} in {over}", self.body)
        yield from suite(pad, "else", self.orelse)

    def iterations(self, t: Thread):
        rows = [[e if isinstance(e, str) else e.run(t) for e in one] for one in self.tuples]
        if self.turned:
            rows = [row[::-1] for row in rows]
        for k, values in enumerate(zip(*rows, strict=False)):
            if self.count:
                t.variables[self.count] = Val("int", self.start + k)
            for name, value in zip(self.names, values, strict=True):
                if isinstance(value, str):
                    t.arrays[name] = t.arrays[value]
                else:
                    t.variables[name] = value
            yield


@dataclass
class Tuples:
    """Makes statements with tuples for a generator of programs."""

    of: object  # the generator
    seed: int
    statements: list = field(default_factory=list)

    def wanted(self) -> bool:
        return random.Random(f"{self.seed} has tuples").random() < 0.5

    def numbers(self, count: int) -> list:
        return [self.of.runtime(self.of.expression(1)) for _ in range(count)]

    def index(self, size: int):
        """Within [-size, size)."""
        inside = Binary("i4", "%", Variable("i4", "i"), Literal("int", size))
        if self.of.chance(0.4):
            inside = Binary("i4", "-", inside, Literal("int", size))
        elif self.of.chance(0.3):
            inside = Cast(self.of.random.choice(("u1", "u4", "i8")), inside)
        return inside

    def chosen(self):
        rng = self.of.random
        if self.of.chance(0.3):  # constants: a table, where they are many
            count = rng.randint(1, 30)
            elements = [Literal("int", rng.randint(0, 100)) for _ in range(count)]
            return Chosen("int", elements, self.index(count))
        elements = self.numbers(rng.randint(2, 6))
        part = None
        if self.of.chance(0.3):
            part = rng.choice((slice(1, None), slice(None, -1), slice(None, None, -1), slice(0, 2)))
        joined = elements[part] if part else elements
        t = joined[0].type
        for e in joined[1:]:
            t = model.promote(t, e.type)
        whole = [e if model.keeps(t, e.type) else Cast(t, e) for e in elements]
        return Chosen(t, whole, self.index(len(joined)), part)

    def total(self):
        elements = self.numbers(self.of.random.randint(1, 4))
        added = Variable("i4", "i") if self.of.chance(0.5) else None
        return Sum(elements, added)

    def decided(self):
        rng = self.of.random
        op = rng.choice(list(model.COMPARISONS))
        return Decided(
            rng.choice(("any", "all")), op, self.numbers(rng.randint(1, 4)), Variable("i4", "i")
        )

    def small(self, t: str):
        """A number of few values, so that some are equal."""
        bits = Binary("i4", "&", Cast("i4", self.numbers(1)[0]), Literal("int", 7))
        return Cast(t, Binary("i4", "-", bits, Literal("int", self.of.random.randint(0, 4))))

    def ordered(self):
        rng = self.of.random
        word, count = rng.choice(("sorted", "sorted", "min", "max")), rng.randint(1, 9)
        elements = [self.small(rng.choice(("i4", "i4", "i2", "i1"))) for _ in range(count)]
        reverse = word == "sorted" and self.of.chance(0.4)
        key = rng.choice(list(KEYS))
        return Ordered(word, elements, key, reverse, rng.randrange(count), self.of.chance(0.4))

    def found(self):
        rng = self.of.random
        step = Literal("int", rng.choice((1, -1, 2, -3, 4)))
        if self.of.chance(0.3):
            step = Binary("i4", "|", self.small("i4"), Literal("int", 1))
        limit = self.small("i4") if self.of.chance(0.6) else Literal("int", rng.randint(-3, 12))
        bounds = (self.small("i4"), limit, step)
        x = self.small(rng.choice(("i4", "i1", "i8", "f4")))
        elements = [self.small("i4") for _ in range(rng.randint(1, 5))]
        return Found(rng.choice(("in", "index", "count")), x, bounds, elements)

    def store(self, value):
        array, place = self.of.own_element()
        return Store(array, place, "", value)

    def unpack(self) -> list:
        rng, count = self.of.random, self.of.random.randint(2, 5)
        names = [self.of.fresh("v") for _ in range(3)]
        at = rng.randrange(count - 1)
        unpack = Unpack(names[0], names[1], self.numbers(count), names[2], at, self.of.chance(0.5))
        both = Binary("", "+", Variable("", names[0]), Variable("", names[2]))
        return [unpack, self.store(both)]

    def loop(self) -> list:
        """A sum over all: each copy of the body has its own types."""
        rng = self.of.random
        total, kind = self.of.fresh("v"), rng.choice(("i8", "f4", "f8"))
        count = self.of.fresh("k") if self.of.chance(0.4) else ""
        names, tuples, terms = [], [], []
        for _ in range(rng.randint(1, 2)):
            name = self.of.fresh("v")
            arrays = [
                a
                for a in self.of.inputs
                if len(self.of.arrays.shapes[a]) == 1 and a not in self.of.arrays.places
            ]
            names.append(name)
            if arrays and self.of.chance(0.4):
                some = [rng.choice(arrays) for _ in range(rng.randint(1, 3))]
                size = min(self.of.arrays.shapes[a][0] for a in some)
                tuples.append(some)
                terms.append(Element("", name, self.index(size)))
            else:
                tuples.append(self.numbers(rng.randint(1, 4)))
                terms.append(Variable("", name))
        if count:
            terms.append(Variable("int", count))
        value = Variable(kind, total)
        for term in terms:
            value = Binary("", "+", value, term)
        body = Body([Assign(total, Cast(kind, value))])
        start = rng.randint(0, 3) if count else 0
        loop = TupleLoop(names, tuples, body, count, start, self.of.chance(0.3))
        before = Assign(total, Cast(kind, Literal("int", 0)))
        return [before, loop, self.store(Variable(kind, total))]

    def body_of_one_type(self) -> list:
        """Any statements, for elements of one type; a break may end them."""
        rng = self.of.random
        t, name = rng.choice(("i4", "u2", "f4", "i8")), self.of.fresh("v")
        elements = [Cast(t, e) for e in self.numbers(rng.randint(1, 3))]
        body = self.of.loop_body(1, name, t)
        return [TupleLoop([name], [elements], body)]

    def make(self) -> list:
        outer, self.of.random = self.of.random, random.Random(f"{self.seed} tuples")
        kinds = [
            lambda: [self.store(self.chosen())],
            lambda: [self.store(self.total())],
            lambda: [self.store(self.decided())],
            lambda: [self.store(self.ordered())],
            lambda: [self.store(self.found())],
            self.unpack,
            self.loop,
            self.body_of_one_type,
        ]
        out = []
        for _ in range(self.of.random.randint(1, 4)):
            out += self.of.random.choice(kinds)()
        self.of.random = outer
        return out
