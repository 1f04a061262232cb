"""Random programs whose threads work together: barriers, shared memory, memory of their own.

Barriers stand under conditions that are the same for the whole block, in loops too; between them
threads diverge, and some return; at the end of some programs threads diverge around
barriers for good, and here and there stand barriers that nobody reaches. A shared array is written
by each thread at places of its own, read at others' after a barrier, and written again only after
the next.
"""

from __future__ import annotations

import contextlib
import copy

from . import model
from .arrays import ARRAY_TYPES, Arrays, flat
from .counters import Counters
from .expression_tree import Binary, Both, Cast, Comparison, Element, Literal, Several, Variable
from .generate import Generator
from .indices import Indices, of
from .positions import Positions, positions_with_barriers
from .program import Assign, Barrier, Body, Fill, For, If, Jump, Part, Program, Rotate, Store, While

JUMPS = ("break", "continue")
LARGEST_SHARED = 1200  # elements, unless the block is larger


class BlockGenerator(Generator):
    share_of_differing_bounds = 0.0  # tests of reach count what these programs have

    def __init__(self, seed: int, atomics: bool = False):
        super().__init__(seed, atomics)
        self.scopes[0]["nt"] = "i4"
        self.frozen.add("nt")
        own = set(self.at.types) - {"bk"}
        # Variables that are the same in all threads of a block, by scope of uniform code.
        self.alike = [{v: t for v, t in self.scopes[0].items() if v not in own}]
        known = self.at.in_block()
        types = {v: self.at.types[v] for v in known}
        self.places = Indices(self.random, known, types, {"nt": self.at.block_size()})
        first, second, third = self.random.sample(ARRAY_TYPES, 3)
        line = (self.line(),)
        self.shared = {f"sh_{t}": (t, line) for t in (first, second)}
        self.shared[f"tl_{third}"] = third, self.tile() if self.chance(0.7) else line
        sizes = {t: self.random.randint(1, 6) for t in self.random.sample(ARRAY_TYPES, 2)}
        self.local = {f"lo_{t}": (t, size) for t, size in sizes.items()}
        self.uniform_loops = 0
        self.shared_places: dict[str, tuple[str, tuple[int, ...]]] = {}  # of atomic operations

    def choose_records(self, seed: int, n: int) -> None:
        """None: what is the same in all threads is known of numbers alone."""
        self.record_arrays, self.record_arguments, self.within_record = Arrays(), {}, False

    def positions(self) -> Positions:
        return positions_with_barriers(self.random)

    def line(self) -> int:
        """Elements of the shared arrays of one axis."""
        size = self.at.block_size()
        return max(
            size, min(self.random.choice((size, size, 2 * size, 4 * size + 64)), LARGEST_SHARED)
        )

    def tile(self) -> tuple[int, int]:
        more = self.random.choice((0, 1, 1, 2))
        if isinstance(self.at.block, tuple) and len(self.at.block) == 2:
            across, down = self.at.block
            if self.chance(0.3):
                across, down = down, across
            return down + self.random.choice((0, 0, 2)), across + more
        width = self.random.choice((8, 9, 10, 16, 32, 33))
        return self.at.block_size() // width + 1, width + more

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

    # --- statements in which threads may diverge ---

    def part(self, array: str, count: int, step: int) -> Part:
        """So many elements of a local array."""
        reach = (count - 1) * abs(step)
        first = self.random.randint(0, self.local[array][1] - 1 - reach)
        start = first if step > 0 else first + reach
        return Part(array, range(start, start + count * step, step))

    def fill(self):
        """A part of a local array from a value, or from a part of one of them."""
        target, other = self.random.sample(list(self.local), 2)
        source = other if self.chance(0.65) else target
        size = min(self.local[target][1], self.local[source][1])
        count, step = self.random.randint(1, size), self.random.choice((1, -1))
        if 2 * (count - 1) < size and self.chance(0.5):
            step *= 2
        op = self.random.choice(("", "", "+", "-", "*"))
        part = self.part(target, count, step)
        if self.chance(0.3):
            return Fill(part, op, self.value_for(self.local[target][0]))
        if source != target:
            step *= self.random.choice((1, -1))  # in any order
        return Fill(part, op, self.part(source, count, step))

    def store(self, depth: int):
        if self.chance(0.25):
            return self.fill()
        if self.chance(0.2):
            array, (t, size) = self.random.choice(list(self.local.items()))
            return Store(array, self.index_below(size), "", self.value_for(t))
        return super().store(depth)

    def value_for(self, t: str):
        return Cast(t, self.value())

    def divergent(self, depth: int):
        """A statement without barriers; a break in it is not one of the loops around."""
        with self.outside_of_loops():
            return self.statement(depth)

    def some_return(self):
        return If(self.condition(1), Body([Jump("return")]), None)

    # --- statements that the block runs together: lists of them ---

    def together(self, depth: int) -> list:
        kinds = [(4, self.alone), (4, self.exchange), (1, self.rotate), (2, self.vote)]
        kinds += [
            (0.5, self.unreached),
            (1.5, self.compare_exchange),
            (0.5, self.compare_own),
            (1, self.tree),
            (2, self.tile_by_tile),
        ]
        if depth > 0:
            kinds += [(2, self.uniform_if), (3, self.uniform_for), (1, self.uniform_while)]
        return self.weighted(kinds)(depth)

    def alone(self, depth: int) -> list:
        return [self.divergent(min(depth, 1))]

    @contextlib.contextmanager
    def uniform_scope(self, **variables: str):
        """A scope of code that the whole block runs; its variables are alike in all threads."""
        self.alike.append(dict(variables))
        with self.scope(**variables):
            yield
        self.alike.pop()

    def variable(self, t: str, alike: bool) -> str:
        name = self.fresh("w")
        self.scopes[-1][name] = t
        self.frozen.add(name)
        if alike:
            self.alike[-1][name] = t
        return name

    def one_shared(self, axes: int = 0) -> tuple[str, str, tuple[int, ...]]:
        """A shared array, of so many axes if it matters: name, type and shape."""
        fit = [(a, *s) for a, s in self.shared.items() if axes in (0, len(s[1]))]
        return self.random.choice(fit)

    def exchange(self, _: int) -> list:
        array, t, shape = self.one_shared()
        own = self.places.distinct(shape, []) if len(shape) > 1 or self.chance(0.6) else None
        if own is None and len(shape) > 1:
            array, t, shape = self.one_shared(axes=1)
        place = Variable("i4", "t")
        own = own or place
        store = Store(array, own, "", self.value_for(t))
        if self.chance(0.3):
            store = If(self.condition(1), Body([store]), None)
        alike = self.chance(0.2)
        if alike:
            index = self.one_for_all(shape)
            reads = [Assign(self.variable(t, True), Element(t, array, index))]
        else:
            indices = [self.other(shape, own) for _ in range(self.random.randint(1, 3))]
            reads = [Assign(self.variable(t, False), Element(t, array, e)) for e in indices]
        return [store, Barrier(), *reads, Barrier()]

    def one_for_all(self, shape: tuple[int, ...]):
        last = [Literal("int", self.random.choice((0, size - 1))) for size in shape]
        if len(shape) > 1:
            return Several(last)
        half = Binary("i4", "//", Variable("i4", "nt"), Literal("int", 2))
        return self.random.choice((last[0], half))

    def other(self, shape: tuple[int, ...], own):
        place, threads = Variable("i4", "t"), Variable("i4", "nt")
        if isinstance(own, Several) and self.chance(0.6):
            across = Several(own.parts[::-1])
            if self.places.elements(across, shape) is not None:
                return across
        if len(shape) > 1 or self.chance(0.7):
            return self.places.within(shape)
        if self.chance(0.5):
            step = Literal("int", self.random.randint(1, 40))
            return Binary("i4", "%", Binary("i4", "+", place, step), threads)
        return Binary("i4", "-", Binary("i4", "-", threads, Literal("int", 1)), place)

    def compared(self, array: str, t: str, low, high) -> list:
        """Loads two elements; exchanges them, or sets one or both, on a condition."""
        a, b = (Variable(t, self.fresh("w")) for _ in range(2))
        loads = [Assign(a.name, Element(t, array, low)), Assign(b.name, Element(t, array, high))]
        test = Comparison([self.random.choice("<>")], [a, b])
        if self.chance(0.2):
            test = self.condition(1)
        stores = [Store(array, low, "", b), Store(array, high, "", a)]
        if self.chance(0.2):
            stores[0].value = self.value_for(t)
        if self.chance(0.2):
            stores = self.random.sample(stores, self.random.randint(1, 2))
        if self.chance(0.2):
            loads.append(Store(array, low, "", self.value_for(t)))
        return [*loads, If(test, Body(stores), None)]

    def pair_of_thread(self):
        """Two elements: of a step of a bitonic sort, neighbours, the ends of two rows."""
        t, step = Variable("i4", "t"), 1 << self.random.randint(0, 6)
        kind = self.random.random()
        if kind < 0.5:
            low = of("-", of("*", 2, t), of("&", t, step - 1))
        elif kind < 0.7:
            low, step = of("+", of("*", 2, t), self.random.randint(0, 1)), 1
        else:
            low = of("+", of("*", of("//", t, step), 2 * step), of("%", t, step))
        return low, of("+", low, step)

    def compare_exchange(self, _: int) -> list:
        """Two elements in order: steps of networks that sort."""
        array, t, shape = self.one_shared(axes=1)
        low, high = self.pair_of_thread()
        before, tests = [], []
        if not self.places.are_distinct([low, high], shape):
            end = Variable("i4", "nt")
            if self.chance(0.5):  # each pair by one of its threads
                low = Variable("i4", "t")
                high = of("^", low, 1 << self.random.randint(0, 5))
                tests.append(Comparison([">"], [high, low]))
            tests.append(Comparison(["<"], [high, end]))
        if self.chance(0.5):
            names = [Variable("i4", self.fresh("p")) for _ in range(2)]
            before = [Assign(v.name, e) for v, e in zip(names, (low, high), strict=True)]
            low, high = names
        steps = self.compared(array, t, low, high)
        for test in tests:
            steps = [If(test, Body(steps), None)]
        return [*before, *steps, Barrier()]

    def compare_own(self, _: int) -> list:
        wide = [(a, t, n) for a, (t, n) in self.local.items() if n > 1]
        if not wide:
            return [self.some_return()]
        array, t, size = self.random.choice(wide)
        low = Binary("i4", "%", Variable("i4", "bk"), Literal("int", size - 1))
        high = Binary("i4", "+", low, Literal("int", self.random.randint(0, 1)))
        return self.compared(array, t, low, high)

    def tree(self, _: int) -> list:
        """Steps of a sum over the block: the first threads add what lies after theirs."""
        array, t, shape = self.one_shared(axes=1)
        place, steps = Variable("i4", "t"), []
        count = self.random.choice((2, 3, 4, 8, 8, 12, 16, 32, 64))
        for _ in range(self.random.randint(1, 3)):
            count = min(count, shape[0] // 2)
            first = Comparison(["<"], [place, Literal("int", count)])
            after = Element(t, array, of("+", place, count))
            op = "+" if self.chance(0.8) else ""
            steps += [If(first, Body([Store(array, place, op, after)]), None), Barrier()]
            count //= 2
        return steps

    def rotate(self, _: int) -> list:
        array, t, _ = self.one_shared(axes=1)
        value = self.value_for(t)
        return [Rotate(self.variable(t, False), array, value, self.random.randint(0, 70))]

    def tile_by_tile(self, depth: int) -> list:
        """All threads go on to other elements of an array together."""
        taps = self.taps(depth)
        if not isinstance(taps, Body):
            return [taps]
        first, loop = taps.statements
        return [
            first,
            For(loop.name, loop.type, loop.bounds, Body([*loop.body.statements, Barrier()]), None),
        ]

    def vote(self, _: int) -> list:
        kind = self.random.choice(("count", "and", "or"))
        test = self.condition(1)
        return [Barrier(kind, self.variable("i4" if kind == "count" else "b1", True), test)]

    def uniform_body(self, depth: int, statements: int) -> Body:
        result = []
        with self.uniform_scope():
            for _ in range(statements):
                result += self.together(depth)
                if self.uniform_loops and self.chance(0.2):
                    result.append(self.uniform_jump())
                if self.uniform_loops and self.chance(0.15):
                    result.append(self.jump_out_of_divergent())
                if self.chance(0.05):
                    result.append(self.some_return())
        return Body(result)

    def uniform_jump(self):
        jump = Jump(self.random.choice(JUMPS))
        return If(self.uniform_condition(), Body([jump]), None)

    def jump_out_of_divergent(self):
        """A jump that all threads take or none, in the middle of divergent statements."""
        jump = If(self.uniform_condition(), Body([Jump(self.random.choice(JUMPS))]), None)
        with self.outside_of_loops():
            sides = [self.body(1, self.random.randint(1, 2)) for _ in range(2)]
            for side in sides:
                at = self.random.randint(0, len(side.statements))
                side.statements.insert(at, copy.deepcopy(jump))  # reports are put into each
            if self.chance(0.6):
                return If(self.condition(1), *sides)
            # The else of a loop that threads leave at different times, each by its end.
            name = self.fresh("k")
            stop = Binary("i4", "%", Variable("i4", "t"), Literal("int", 4))
            return For(name, "i4", [stop], self.body(1, 1), sides[0])

    # --- threads that diverge around barriers ---

    def of_data(self):
        """A condition of each thread's own; what follows from its place alone is refused."""
        array, t = self.random.choice(list(self.inputs.items()))
        element = Element(t, array, self.index(array))
        op, number = self.random.choice("<>"), Literal("int", self.random.randint(0, 60))
        word = self.random.choice(("and", "or"))
        return Both("b1", word, self.condition(1), Comparison([op], [element, number]))

    def unreached(self, _: int) -> list:
        never = Comparison([">"], [Variable(self.at.types["bk"], "bk"), Literal("int", 10**6)])
        test = self.of_data()
        wait = self.divergent_body(2)
        wait.statements.insert(1, If(never, Body([Barrier()]), None))
        return [If(test, wait, self.divergent_body(1) if self.chance(0.5) else None)]

    def divergent_body(self, statements: int) -> Body:
        with self.scope():
            return Body([self.divergent(1) for _ in range(statements)])

    def diverge_for_good(self, depth: int) -> list:
        """The last of a program: whoever is left out comes to no barrier any more."""
        kind = self.random.choices(("if", "for", "while"), (1, 3, 2))[0]
        if kind == "if":
            sides = [self.uniform_body(depth, 2), self.body(1, 1) if self.chance(0.7) else Body()]
            if sides[1].statements and self.chance(0.5):
                sides.reverse()
            return [If(self.of_data(), *sides)]
        name = self.fresh("k")
        loops, self.loops = self.loops, 0
        if kind == "for":
            together = self.chance(0.4)
            stop = (
                Literal("int", self.random.randint(1, 4))
                if together
                else self.own_number(self.random.randint(2, 5))
            )
            step = self.random.choice((1, 1, 2, 3))
            bounds = [stop] if step == 1 else [Literal("int", 0), stop, Literal("int", step)]
            t = model.promote("int", stop.type)
            body = self.uniform_loop_body(depth, name, t)
            otherwise = self.uniform_body if together else self.body
            loop = For(name, t, bounds, body, None)
        else:
            body, otherwise = self.uniform_loop_body(depth, name, "int"), self.body
            loop = While(name, self.random.randint(1, 4), self.of_data(), body, None)
        for _ in range(self.random.randint(0, 2)):
            how = self.random.choice(("break", "break", "return"))
            test, side = self.of_data(), self.divergent_body(self.random.choice((0, 0, 1)))
            jump = If(test, Body([*side.statements, Jump(how)]), None)
            at = self.random.randint(0, len(loop.body.statements))
            loop.body.statements.insert(at, jump)
        if self.chance(0.3):
            loop.orelse = otherwise(1, 1)
        self.loops = loops
        return [loop, *(self.divergent(1) for _ in range(self.random.randint(0, 2)))]

    def uniform_if(self, depth: int) -> list:
        test = self.uniform_condition()
        yes = self.uniform_body(depth - 1, self.random.randint(1, 3))
        no = self.uniform_body(depth - 1, 1) if self.chance(0.5) else None
        return [If(test, yes, no)]

    def uniform_loop_body(self, depth: int, name: str, t: str) -> Body:
        self.frozen.add(name)
        self.uniform_loops += 1
        with self.uniform_scope(**{name: t}):
            result = self.uniform_body(depth - 1, self.random.randint(1, 2))
            if self.chance(0.3):  # no barrier follows in this iteration: threads diverge
                jump = If(self.condition(1), Body([Jump("continue")]), None)
                result.statements += [jump, self.divergent(1)]
        self.uniform_loops -= 1
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
        start: list = []
        shapes: dict[tuple[int, ...], list] = {}
        for array, (t, shape) in self.shared.items():
            shapes.setdefault(shape, []).append((array, t))
        for shape, arrays in shapes.items():
            start += self.filled(shape, arrays)
        for array, (t, size) in self.local.items():
            for k in range(size):
                start.append(Store(array, Literal("int", k), "", Cast(t, Variable("i4", "t"))))
        return [self.preamble(), *start, Barrier()]

    def filled(self, shape: tuple[int, ...], arrays: list) -> list:
        """Each element of the shared arrays of one shape, by all threads of the block."""
        alone = shape == (self.at.block_size(),)
        k = Variable("i4", "t" if alone else self.fresh("k"))
        place = k
        if len(shape) > 1:
            place = Several([of("//", k, shape[1]), of("%", k, shape[1])])
        stores = [Store(a, place, "", Cast(t, of("%", k, 7))) for a, t in arrays]
        if alone:
            return stores
        bounds = [Variable("i4", "t"), Literal("int", flat(shape)), Variable("i4", "nt")]
        return [For(k.name, "i4", bounds, Body(stores), None)]

    def program(self) -> Program:
        start = self.prologue()
        depth, most = (1, 5) if self.light else (2, 7)
        body = self.uniform_body(depth, self.random.randint(2, most))
        last = self.diverge_for_good(1) if self.chance(0.35) else []
        whole = Body([*body.statements, *last])
        self.add_reports(whole)
        if self.atomics:
            start[-1:] = [*self.add_atomics(whole, last[:1]), start[-1]]
        statements = [*start, *self.guarded(whole.statements)]
        shared = self.shared | self.shared_places
        return Program(self.parameters(), self.helpers, Body(statements), shared, self.local)

    def blocks(self) -> int:
        return self.at.threads() // self.at.block_size()

    def add_atomics(self, body: Body, last: list) -> list:
        """Gives what fills shared arrays. All threads that are left meet before the last one."""
        together = next((k for k, s in enumerate(body.statements) if s in last), None)
        counters = Counters(self.seed, self, True)
        counters.make_of_block(self)
        first, rest = Body(body.statements[:together]), Body()
        if together is not None:
            rest = Body(body.statements[together:])
        counters.make(first)
        counters.enter(rest)
        body.statements = [*first.statements, *counters.told_by_block(), *rest.statements]
        return [
            statement
            for name, (t, shape) in self.shared_places.items()
            for statement in self.filled(shape, [(name, t)])
        ]


def generate_blocks(seed: int, atomics: bool = False) -> tuple[BlockGenerator, Program]:
    generator = BlockGenerator(seed, atomics)
    return generator, generator.program()
