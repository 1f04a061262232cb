"""Random programs: typed expressions, nested control flow, jumps, mixed types, arrays, calls.

Every program is race-free (a thread stores only to its own elements) and ends: loops have bounds.
Half of them are light: few statements that move elements, as in kernels that wait for memory.
"""

from __future__ import annotations

import contextlib
import functools
import random

from . import groups, model, sub_arrays
from .arrays import choose_arrays
from .constant_tables import ConstantTables
from .counters import Counters
from .enumerations import Enumerations
from .expression_tree import (
    Binary,
    Both,
    Cast,
    Comparison,
    Element,
    Helper,
    Literal,
    Several,
    Variable,
)
from .indices import Indices, of
from .other_numbers import OtherNumbers
from .positions import Positions, positions
from .program import Assign, Augment, Body, For, If, Join, Jump, Program, Raw, Store, While
from .record_programs import Records
from .reports import Reporter
from .spelling import Speller
from .tuples import Tuples
from .views import argument_of, choose_views


def sum_type(element: str) -> str:
    """The type of a variable that elements of this type are added to."""
    return "f4" if model.is_float(element) else "i8" if element[1] == "8" else "i4"


class Generator(Records):
    share_of_differing_bounds = 0.7

    def __init__(self, seed: int, atomics: bool = False):
        """atomics: with several atomic operations."""
        self.seed = seed
        self.atomics = atomics
        self.random = random.Random(seed)
        self.at = self.positions()
        self.light = self.chance(0.5)
        self.beyond_cache = self.chance(0.5)  # arrays are taken for larger than the cache
        self.indices = Indices(self.random, self.at.active(), self.at.types, self.at.extents)
        self.arrays = choose_arrays(self.indices, self.at.extents["n"])
        self.views = choose_views(seed, self.arrays, self.at.extents)
        self.inputs = dict(self.arrays.inputs)  # that expressions may load from
        self.scalars = dict.fromkeys(self.at.extents, "int")
        for t in self.random.sample((*model.TYPED, "int", "float"), 3):
            self.scalars[f"s_{t}"] = t
        self.choose_records(seed, self.at.extents["n"])
        self.group = groups.choose_group(seed, self.array_parameters())  # given in one struct
        # readable variables and their types
        self.scopes = [self.scalars | self.at.types | self.record_arguments]
        self.frozen: set[str] = set(self.scopes[0])  # never assigned again
        self.helpers: list[Helper] = []
        self.loops = 0
        self.names = 0
        self.place = "i"  # an int32 that is known at run time only
        # Arrays that each thread has: element type and size.
        self.local: dict[str, tuple[str, int]] = {}

    def positions(self) -> Positions:
        return positions(self.random)

    # --- where a statement stands ---

    @contextlib.contextmanager
    def scope(self, **variables: str):
        """The variables that are defined within are forgotten at its end."""
        self.scopes.append(variables)
        yield
        self.scopes.pop()

    @contextlib.contextmanager
    def outside_of_loops(self):
        """A break within is not one of the loops around."""
        loops, self.loops = self.loops, 0
        yield
        self.loops = loops

    # --- statements ---

    def value(self):
        return self.runtime(self.expression(1 if self.light else 2))

    def statement(self, depth: int):
        kinds = [(4, self.assign), (4, self.store), (1, self.both_sides), (0.5, self.taps)]
        kinds += [(0.7, self.own_row)]
        if self.light:
            kinds = [(2, self.assign), (6, self.store), (2, self.both_sides)]
            kinds += [(1, self.taps), (1, self.own_row)]
        if self.arrays.strided:
            kinds += [(3, self.store_in_strides)]
        kinds += self.record_kinds()
        if depth > 0:
            kinds += [(2, self.branch), (1, self.join), (1, self.for_loop), (1, self.while_loop)]
        else:
            kinds += [(1, self.join)]
        return self.weighted(kinds)(depth)

    def assign(self, depth: int):
        own = [v for v in self.scopes[-1] if v not in self.frozen]
        outer = [v for v in self.variables() if v not in self.frozen and v not in self.scopes[-1]]
        if outer and self.chance(0.5):
            # Redefined in an inner construct: with its own type, so that the joined type is that.
            name = self.random.choice(outer)
            t = self.variables()[name]
            return Assign(name, Cast(t, self.value()))
        if own and len(self.scopes) == 1 and self.chance(0.4):
            # Redefined in a straight line: any type.
            name = self.random.choice(own)
            value = self.value()
            if self.chance(0.4) and self.scopes[-1][name] != "b1":
                op = self.random.choice(("+", "-", "*"))
                t = model.binary_type(op, self.scopes[-1][name], value.type)
                self.scopes[-1][name] = t
                return Augment(name, op, value)
            self.scopes[-1][name] = value.type
            return Assign(name, value)
        name = self.fresh("v")
        value = self.value()
        self.scopes[-1][name] = value.type
        return Assign(name, value)

    def own_element(self) -> tuple[str, object]:
        array = self.random.choice([a for a in self.arrays.outputs if a != self.arrays.strided])
        return array, self.random.choice(self.arrays.places[array])

    def store(self, depth: int):
        array, place = self.own_element()
        op = ""
        if array in self.arrays.read and self.chance(0.5):
            op = self.random.choice(("+", "-", "*"))
        return Store(array, place, op, self.value())

    def store_in_strides(self, depth: int):
        """Each thread its own elements, all threads together whole lines of them."""
        (size,) = self.arrays.shapes[self.arrays.strided]
        name = self.fresh("k")
        place, stop = Variable("i4", name), Literal("int", size)
        with self.scope(**{name: "i4"}):
            value = self.value()
            for array, t in self.inputs.items():
                shape = self.arrays.shapes[array]
                long_enough = array not in self.arrays.places and shape >= (size,)
                if long_enough and len(shape) == 1 and self.chance(0.5):
                    value = self.binary("+", Element(t, array, place), value)
        bounds = [Variable("i4", "i"), stop, self.stride]
        store = Store(self.arrays.strided, place, "", value)
        return For(name, "i4", bounds, Body([store]), None)

    @functools.cached_property
    def stride(self):
        """One for all loops, or an element would be two threads' own."""
        known = Literal("int", self.at.threads())
        return known if self.chance(0.7) else Variable("int", "n")

    def taps(self, depth: int):
        """A sum of neighbours, or of elements in steps."""
        count, step = self.random.randint(2, 4), self.random.choice((1, 1, 1, 2, 8))
        reach = (count - 1) * step
        shapes = {a: s for a, s in self.arrays.shapes.items() if a in self.inputs}
        fit = [a for a, s in shapes.items() if min(s) > reach and a not in self.arrays.places]
        if not fit:
            return self.assign(depth)
        array = self.random.choice(fit)
        shape, t = shapes[array], self.inputs[array]
        axis = self.random.randrange(len(shape))
        index = self.indices.within(tuple(n - reach * (k == axis) for k, n in enumerate(shape)))
        k, total = self.fresh("k"), self.fresh("v")
        tap = Variable("int", k)
        if step > 1:
            tap = of("*", tap, step)
        parts = index.parts if len(shape) > 1 else [index]
        parts = [of("+", e, tap) if n == axis else e for n, e in enumerate(parts)]
        element = Element(t, array, Several(parts) if len(shape) > 1 else parts[0])
        return Body(self.summed(For(k, "int", [Literal("int", count)], None, None), total, element))

    def summed(self, loop: For, total: str, element, more=None) -> list:
        """The sum of an element of each iteration, and of what `more` adds to it."""
        kind = sum_type(element.type)
        added = self.binary("+", Variable(kind, total), element)
        added = self.binary("+", added, more) if more else added
        loop.body = Body([Assign(total, Cast(kind, added))])
        self.scopes[-1][total] = kind
        self.frozen.add(total)
        return [Assign(total, Cast(kind, Literal("int", 0))), loop]

    def own_number(self, below: int):
        """An integer in [0, below), as an array tells each thread."""
        array, t = self.random.choice(list(self.inputs.items()))
        number = Cast("i4", Element(t, array, self.index(array)))
        return Binary("i4", "%", number, Literal("int", below))

    def own_row(self, depth: int):
        """A sum over as many elements, and from where on, as an array tells each thread."""
        most, step = self.random.randint(1, 9), self.random.choice((1, 1, 1, 2, -1))
        sizes = {a: s[0] for a, s in self.arrays.shapes.items() if a in self.inputs and len(s) == 1}
        fit = [a for a, size in sizes.items() if size > most and a not in self.arrays.places]
        if not fit:
            return self.assign(depth)
        array = self.random.choice(fit)
        first, k, total = self.fresh("v"), self.fresh("k"), self.fresh("v")
        start = self.own_number(self.random.randint(1, sizes[array] - most))
        if self.chance(0.3):  # from the end on
            start = of("-", start, sizes[array])
        here = Variable("i4", first)
        after = of("+", here, self.own_number(most + 1))
        bounds = [here, after] if step > 0 else [of("-", after, 1), of("-", here, 1)]
        bounds += [] if step == 1 else [Literal("int", step)]
        element = Element(self.inputs[array], array, Variable("i4", k))
        if self.chance(0.5):  # through what it holds, elsewhere
            other = self.random.choice(fit)
            place = self.somewhere(Cast("i4", element), sizes[other])
            factor = Element(self.inputs[other], other, place)
            element = self.binary("*", element, factor) if self.chance(0.5) else factor
        before, more = [Assign(first, start)], None
        if self.chance(0.5):  # with what goes up from thread to thread
            name = self.random.choice(list(self.at.types))
            t, own = self.random.choice(("i4", "u4", "u8")), self.fresh("v")
            place = of("*", Variable(self.at.types[name], name), self.random.choice((1, 3, 40503)))
            before.append(Assign(own, Cast(t, of("-", place, self.random.randint(0, 3)))))
            self.scopes[-1][own] = t
            self.frozen.add(own)
            more = of(
                self.random.choice(("+", ">>", "^")), Variable(t, own), self.random.randint(0, 20)
            )
        summed = self.summed(For(k, "i4", bounds, None, None), total, element, more)
        self.scopes[-1][first] = "i4"
        self.frozen.add(first)
        return Body([*before, *summed])

    def somewhere(self, number, size: int):
        """An index of any number: from the front or, by what is cheap, from either end."""
        if self.chance(0.4):
            return Binary("i4", "%", number, Literal("int", size))
        part = 1 << (size.bit_length() - 1)
        place = Binary("i4", "&", number, Literal("int", part - 1))
        if self.chance(0.5):
            place = Cast("i4", Cast("u4", of("-", place, part)))
        return place

    def test(self):
        """A condition on what is known only at run time, or on where a thread stands."""
        return self.whereabouts() if self.chance(0.4) else self.condition(1)

    def whereabouts(self):
        axis = self.random.choice([v for v in self.at.types if v not in ("tx", "ty")])
        place = Variable(self.at.types[axis], axis)
        edge = Variable("int", {"x": "w", "y": "h"}.get(axis, "n"))
        if edge.name not in self.at.extents:
            edge = Literal("int", self.random.choice((16, 20, 32, 64)))
        last = Binary("int", "-", edge, Literal("int", self.random.randint(1, 2)))
        kind = self.random.random()
        if kind < 0.4:
            return Comparison(["<", "<"], [Literal("int", 0), place, last])
        if kind < 0.7:
            other = Literal("int", self.random.choice((1, 7, 16, 32, 64)))
            return Comparison([self.random.choice((">=", "<"))], [place, other])
        return Comparison(["<"], [place, last])

    def body(self, depth: int, statements: int) -> Body:
        with self.scope():
            result = Body([self.statement(depth) for _ in range(statements)])
            if self.chance(0.25):
                jumps = ["return"] + (["break", "continue"] * 2 if self.loops else [])
                jump = Jump(self.random.choice(jumps))
                where = self.random.randint(0, len(result.statements))
                result.statements.insert(where, If(self.condition_before(), Body([jump]), None))
        return result

    def condition_before(self):
        """A condition that only reads what is defined at the head of this body."""
        inner = self.scopes.pop()
        result = self.condition(1)
        self.scopes.append(inner)
        return result

    def branch(self, depth: int):
        test = self.test()
        yes = self.body(depth - 1, self.random.randint(1, 3))
        no = self.body(depth - 1, self.random.randint(1, 2)) if self.chance(0.5) else None
        return If(test, yes, no)

    def both_sides(self, depth: int):
        """Both sides end by storing to one element, or nearly."""
        places = [self.own_element() for _ in range(2)]
        test, sides = self.test(), []
        for _ in range(2):
            more = depth > 0 and self.chance(0.4)
            side = self.body(depth - 1, self.random.randint(1, 2)) if more else Body()
            for array, place in places[: self.random.randint(1, 2)]:
                side.statements.append(Store(array, place, "", self.value()))
            if self.chance(0.2):
                side.statements.append(self.store(depth))
            sides.append(side)
        return If(test, *sides)

    def join(self, depth: int):
        yes, no = (self.value() for _ in range(2))
        name = self.fresh("v")
        t = model.promote(yes.type, no.type)
        result = Join(name, t, self.condition(1), yes, no)
        self.scopes[-1][name] = t
        return result

    def loop_body(self, depth: int, name: str, t: str) -> Body:
        self.frozen.add(name)
        self.loops += 1
        with self.scope(**{name: t}):
            result = self.body(depth - 1, self.random.randint(1, 3))
        if self.chance(0.1):  # the loop makes one iteration at most, or all of them
            result.statements.append(Jump(self.random.choice(("return", "break", "continue"))))
        self.loops -= 1
        return result

    def differing_bounds(self, rng: random.Random) -> list:
        """Bounds of types of their own, some of them negative."""

        def bound(least: int):
            unsigned = ("u1", "u4", "u8") * (2 if least >= 0 else 0)
            t = rng.choice(("i1", "i2", "i4", "i8", "int", *unsigned))
            here = Binary("i4", "%", Variable("i4", "i"), Literal("int", rng.randint(2, 6)))
            return Cast(t, here if least == 0 else Binary("i4", "+", here, Literal("int", least)))

        first, last = (bound(rng.choice((0, 0, -3))) for _ in range(2))
        step = rng.choice((None, None, Literal("int", -1), Literal("int", 2), bound(1)))
        return [first, last] if step is None else [first, last, step]

    def for_loop(self, depth: int):
        small = Binary("i4", "%", Variable("i4", "i"), Literal("int", self.random.randint(2, 6)))
        stop = self.random.choice((Literal("int", self.random.randint(0, 6)), small))
        bounds = [stop]
        if self.chance(0.3):
            bounds = [stop, Literal("int", self.random.randint(-3, 8))]
        if self.chance(0.3):
            step = self.random.choice((-2, -1, 1, 2, 3))
            bounds = ([Literal("int", 0), stop] if len(bounds) == 1 else bounds) + [
                Literal("int", step)
            ]
        if self.chance(0.25):  # each thread its own elements, as far apart as a grid is wide
            stop, step = self.random.randint(0, 300), self.random.randint(30, 200)
            bounds = [Variable("i4", "i"), Literal("int", stop), Literal("int", step)]
        name = self.fresh("k")
        rng = random.Random(f"{self.seed} bounds of {name}")
        if rng.random() < self.share_of_differing_bounds:
            bounds = self.differing_bounds(rng)
        t = model.range_type([(b.type, getattr(b, "number", None)) for b in bounds])
        orelse = self.body(depth - 1, 1) if self.chance(0.2) else None
        return For(name, t, bounds, self.loop_body(depth, name, t), orelse)

    def while_loop(self, depth: int):
        name = self.fresh("k")
        test = self.condition(1)
        orelse = self.body(depth - 1, 1) if self.chance(0.2) else None
        return While(
            name, self.random.randint(1, 6), test, self.loop_body(depth, name, "int"), orelse
        )

    def guarded(self, statements: list) -> list:
        """Only of the threads inside; nothing to ask where all are."""
        compared = [("x", "w"), ("y", "h")] if "w" in self.at.extents else [("i", "n")]
        if not self.at.guard:
            return statements
        inside = self.at.guard == "inside"
        tests = [
            Comparison(
                ["<" if inside else ">="], [Variable(self.at.types[v], v), Variable("int", limit)]
            )
            for v, limit in compared
        ]
        test = tests[0]
        if len(tests) > 1:
            test = Both("b1", "and" if inside else "or", *tests)
        if inside:
            return [If(test, Body(statements), None)]
        return [If(test, Body([Jump("return")]), None), *statements]

    def array_parameters(self) -> list[str]:
        arrays = [*self.arrays.inputs, *self.arrays.outputs]
        return [argument_of(a) if a in self.views else a for a in arrays]

    def parameters(self) -> list[str]:
        arrays = [a for a in self.array_parameters() if a not in self.group]
        records = [*self.record_arrays.inputs, *self.record_arrays.outputs]
        of_group = [groups.PARAMETER] if self.group else []
        return [*arrays, *self.scalars, *records, *self.record_arguments, *of_group]

    def preamble(self) -> Raw:
        """What a kernel begins with: its views, and where the thread is."""
        types = self.arrays.inputs | self.arrays.outputs
        views = [view.line(name, types[name]) for name, view in self.views.items()]
        return Raw([*groups.lines(self.seed, self.group), *views, *self.at.lines])

    def program(self) -> Program:
        depth, statements = (1, self.random.randint(2, 4)) if self.light else (2, 0)
        body = self.body(depth, statements or self.random.randint(3, 7))
        self.add_reports(body)
        self.add_tuples(body)
        if sub_arrays.INPUT in self.record_arrays.inputs:
            body.statements += sub_arrays.SubArrays(self, self.seed).make()
        if self.record_arrays.outputs and OtherNumbers.chosen(self.seed):
            body.statements += OtherNumbers(self, self.seed).make()
        enumerations = Enumerations(self, self.seed)
        if enumerations.wanted():
            body.statements += enumerations.make()
        tables = ConstantTables(self, self.seed)
        if tables.wanted(self.seed):
            body.statements += tables.make()
        self.add_counters(body)
        speller = Speller(self.seed)
        if speller.wanted():
            speller.spell(body)
        statements = [self.preamble(), *self.guarded(body.statements)]
        return Program(self.parameters(), self.helpers, Body(statements), tables=tables.tables)

    def add_tuples(self, body: Body) -> None:
        """In some programs, at their end."""
        tuples = Tuples(self, self.seed)
        if tuples.wanted():
            body.statements += tuples.make()

    def add_counters(self, body: Body) -> None:
        """Atomic operations, in some programs."""
        counters = Counters(self.seed, self, self.atomics)
        if counters.wanted():
            counters.make(body)

    def add_reports(self, body: Body) -> None:
        """In some programs, by numbers of their own: the others stay what they are."""
        known = [*self.at.types, *self.scalars]
        reporter = Reporter(self.seed, self.comparison_of)
        if reporter.wanted():
            reporter.enter(body, known)

    @staticmethod
    def comparison_of(rng: random.Random, name: str):
        """Mostly true: of one place, or of what few values are."""
        op, number = rng.choice((("!=", rng.randint(0, 70)), ("<", 10**6), (">", -(10**6))))
        return Comparison([op], [Variable("int", name), Literal("int", number)])


def generate(seed: int, atomics: bool = False) -> tuple[Generator, Program]:
    generator = Generator(seed, atomics)
    return generator, generator.program()
