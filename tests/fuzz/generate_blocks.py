"""Random programs whose threads work together: barriers, shared memory, memory of their own.

Barriers stand under conditions that are the same for the whole block, in loops too; between them
threads go their own ways, and some return. A shared array is written by each thread at its own
place, read at others' behind a barrier, and written again only behind the next.
"""

from __future__ import annotations

from . import model
from .generate import ARRAY_TYPES, Generator
from .program import (
    Assign,
    Barrier,
    Binary,
    Body,
    Cast,
    Comparison,
    Element,
    For,
    If,
    Jump,
    Literal,
    Program,
    Raw,
    Rotate,
    Store,
    Variable,
    While,
)

LARGEST_BLOCK = 1024


class BlockGenerator(Generator):
    def __init__(self, seed: int):
        super().__init__(seed)
        places = {"t": "i4", "nt": "i4", "bk": "i4"}
        self.scopes[0] |= places
        self.frozen |= set(places)
        # Variables that are the same in all threads of a block, by scope of uniform code.
        self.alike = [{v: t for v, t in self.scopes[0].items() if v not in ("i", "t")}]
        chosen = self.random.sample(ARRAY_TYPES, 3)
        self.shared = {f"sh_{t}": (t, LARGEST_BLOCK) for t in chosen}
        sizes = {t: self.random.randint(1, 6) for t in self.random.sample(ARRAY_TYPES, 2)}
        self.local = {f"lo_{t}": (t, size) for t, size in sizes.items()}
        self.uniform_loops = 0

    # --- expressions ---

    def leaf(self, types=None):
        own = [(a, t, n) for a, (t, n) in self.local.items() if types is None or t in types]
        if own and self.inputs and self.chance(0.15):
            array, t, size = self.random.choice(own)
            return Element(t, array, self.index_below(size))
        return super().leaf(types)

    def index_below(self, size: int):
        """An index within [-size, size)."""
        if self.chance(0.5):
            return Literal("int", self.random.randint(-size, size - 1))
        name = self.random.choice([v for v, t in self.variables().items() if t == "i4"])
        return Binary("i4", "%", Variable("i4", name), Literal("int", size))

    def uniform(self, make):
        """An expression of values that are alike in the whole block."""
        kept = self.scopes, self.inputs, self.place, self.helpers
        self.scopes, self.inputs, self.place = [*self.alike], {}, "bk"
        result = make()
        self.scopes, self.inputs, self.place = kept[:3]
        return result

    def uniform_condition(self):
        return self.uniform(lambda: self.condition(1))

    # --- statements that threads run apart ---

    def store(self, depth: int):
        if self.chance(0.3):
            array, (t, size) = self.random.choice(list(self.local.items()))
            return Store(array, self.index_below(size), "", self.value_for(t))
        return super().store(depth)

    def value_for(self, t: str):
        return Cast(t, self.runtime(self.expression(2)))

    def apart(self, depth: int):
        """A statement without barriers; a break in it is not one of the loops around."""
        loops, self.loops = self.loops, 0
        result = self.statement(depth)
        self.loops = loops
        return result

    def some_return(self):
        return If(self.condition(1), Body([Jump("return")]), None)

    # --- statements that the block runs together: lists of them ---

    def together(self, depth: int) -> list:
        kinds = [(4, self.alone), (3, self.exchange), (2, self.rotate), (2, self.vote)]
        kinds += [(2, self.compare), (1, self.compare_own)]
        if depth > 0:
            kinds += [(2, self.uniform_if), (2, self.uniform_for), (1, self.uniform_while)]
        kind = self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]
        return kind(depth)

    def alone(self, depth: int) -> list:
        return [self.apart(min(depth, 1))]

    def variable(self, t: str, alike: bool) -> str:
        name = self.fresh("w")
        self.scopes[-1][name] = t
        self.frozen.add(name)
        if alike:
            self.alike[-1][name] = t
        return name

    def exchange(self, _: int) -> list:
        array, (t, _) = self.random.choice(list(self.shared.items()))
        store = Store(array, Variable("i4", "t"), "", self.value_for(t))
        if self.chance(0.3):
            store = If(self.condition(1), Body([store]), None)
        place, threads = Variable("i4", "t"), Variable("i4", "nt")
        alike = self.chance(0.3)
        if alike:
            index = self.random.choice(
                (Literal("int", 0), Binary("i4", "//", threads, Literal("int", 2)))
            )
        elif self.chance(0.5):
            step = Literal("int", self.random.randint(1, 40))
            index = Binary("i4", "%", Binary("i4", "+", place, step), threads)
        else:
            index = Binary("i4", "-", Binary("i4", "-", threads, Literal("int", 1)), place)
        read = Element(t, array, index)
        return [store, Barrier(), Assign(self.variable(t, alike), read), Barrier()]

    def compared(self, array: str, t: str, low, high) -> Body:
        """Loads two elements; exchanges them, or sets one or both, on a condition."""
        a, b = (Variable(t, self.fresh("x")) for _ in range(2))
        loads = [Assign(a.name, Element(t, array, low)), Assign(b.name, Element(t, array, high))]
        test = Comparison([self.random.choice(("<", ">"))], [a, b])
        if self.chance(0.3):
            test = self.condition(1)
        stores = [Store(array, low, "", b), Store(array, high, "", a)]
        if self.chance(0.3):
            stores[0].value = self.value_for(t)
        if self.chance(0.3):
            stores = self.random.sample(stores, self.random.randint(1, 2))
        if self.chance(0.2):
            loads.append(Store(array, low, "", self.value_for(t)))
        return Body([*loads, If(test, Body(stores), None)])

    def compare(self, _: int) -> list:
        array, (t, _) = self.random.choice(list(self.shared.items()))
        place, two = Variable("i4", "t"), Literal("int", 2)
        low, high = (Variable("i4", self.fresh("p")) for _ in range(2))
        step = 2 ** self.random.randint(0, 6)
        start = Binary("i4", "*", two, place)
        if self.chance(0.7):  # a step of a bitonic sort: pairs in rows of as many elements
            inside = Binary("i4", "&", place, Literal("int", step - 1))
            start = Binary("i4", "-", start, inside)
        else:
            step, odd = 1, Literal("int", self.random.randint(0, 1))
            start = Binary("i4", "+", start, odd)
        places = [
            Assign(low.name, start),
            Assign(high.name, Binary("i4", "+", low, Literal("int", step))),
        ]
        inside = Comparison(["<"], [high, Variable("i4", "nt")])
        return [*places, If(inside, self.compared(array, t, low, high), None), Barrier()]

    def compare_own(self, _: int) -> list:
        wide = [(a, t, n) for a, (t, n) in self.local.items() if n > 1]
        if not wide:
            return [self.some_return()]
        array, t, size = self.random.choice(wide)
        low = Binary("i4", "%", Variable("i4", "bk"), Literal("int", size - 1))
        high = Binary("i4", "+", low, Literal("int", self.random.randint(0, 1)))
        return self.compared(array, t, low, high).statements

    def rotate(self, _: int) -> list:
        array, (t, _) = self.random.choice(list(self.shared.items()))
        value = self.value_for(t)
        return [Rotate(self.variable(t, False), array, value, self.random.randint(0, 70))]

    def vote(self, _: int) -> list:
        kind = self.random.choice(("count", "and", "or"))
        test = self.condition(1)
        return [Barrier(kind, self.variable("i4" if kind == "count" else "b1", True), test)]

    def uniform_body(self, depth: int, statements: int) -> Body:
        self.scopes.append({})
        self.alike.append({})
        result = []
        for _ in range(statements):
            result += self.together(depth)
            if self.uniform_loops and self.chance(0.2):
                jump = Jump(self.random.choice(("break", "continue")))
                result.append(If(self.uniform_condition(), Body([jump]), None))
            if self.chance(0.05):
                result.append(self.some_return())
        self.scopes.pop()
        self.alike.pop()
        return Body(result)

    def uniform_if(self, depth: int) -> list:
        test = self.uniform_condition()
        yes = self.uniform_body(depth - 1, self.random.randint(1, 3))
        no = self.uniform_body(depth - 1, 1) if self.chance(0.5) else None
        return [If(test, yes, no)]

    def uniform_loop_body(self, depth: int, name: str, t: str) -> Body:
        self.scopes.append({name: t})
        self.alike.append({name: t})
        self.frozen.add(name)
        self.uniform_loops += 1
        result = self.uniform_body(depth - 1, self.random.randint(1, 2))
        self.uniform_loops -= 1
        self.scopes.pop()
        self.alike.pop()
        return result

    def uniform_for(self, depth: int) -> list:
        small = Binary("i4", "%", Variable("i4", "bk"), Literal("int", self.random.randint(2, 4)))
        stop = self.random.choice((Literal("int", self.random.randint(0, 3)), small))
        name = self.fresh("k")
        loops, self.uniform_loops = self.uniform_loops, 0
        orelse = self.uniform_body(depth - 1, 1) if self.chance(0.2) else None
        self.uniform_loops = loops
        t = model.promote("int", stop.type)
        return [For(name, t, [stop], self.uniform_loop_body(depth, name, t), orelse)]

    def uniform_while(self, depth: int) -> list:
        name = self.fresh("k")
        test = self.uniform_condition()
        body = self.uniform_loop_body(depth, name, "int")
        return [While(name, self.random.randint(1, 3), test, body, None)]

    # --- the whole ---

    def prologue(self) -> list:
        lines = [
            "tx, ty, tz = D.thread_idx",
            "bx, by, bz = D.block_dim",
            "t = D.int32(tx + bx * (ty + by * tz))",
            "nt = D.int32(bx * by * bz)",
            "bk = D.int32(D.block_idx.x)",
            "i = bk * nt + t",
        ]
        place = Variable("i4", "t")
        start = [
            Store(a, place, "", Cast(t, Binary("i4", "%", place, Literal("int", 7))))
            for a, (t, _) in self.shared.items()
        ]
        for array, (t, size) in self.local.items():
            for k in range(size):
                start.append(Store(array, Literal("int", k), "", Cast(t, place)))
        inside = Comparison([">="], [Variable("i4", "i"), Variable("int", "n")])
        return [Raw(lines), *start, Barrier(), If(inside, Body([Jump("return")]), None)]

    def program(self) -> Program:
        start = self.prologue()
        body = self.uniform_body(2, self.random.randint(3, 7))
        parameters = [*self.inputs, *self.outputs, *self.scalars]
        statements = [*start, *body.statements]
        return Program(parameters, self.helpers, Body(statements), self.shared, self.local)


def generate_blocks(seed: int) -> tuple[BlockGenerator, Program]:
    generator = BlockGenerator(seed)
    return generator, generator.program()
