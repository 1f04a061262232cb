"""Programs as trees of statements, which print themselves as Python source by .lines(indent) and
run themselves on the model by .run(thread).

What contains statements, or waits for other threads, is run as a generator: it yields at each
barrier and gets the barrier's result back. The others give None.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from . import model, struct_types
from .expression_tree import Helper, Shape, Thread, call_of, holds
from .model import Val
from .reports import Failed


class Left(Exception):
    """A thread leaves a construct: `how` is break, continue or return."""

    def __init__(self, how: str):
        self.how = how


@dataclass
class Assign:
    name: str
    value: object

    def lines(self, pad: str):
        yield f"{pad}{self.name} = {self.value.text()}"

    def run(self, t: Thread) -> None:
        t.variables[self.name] = self.value.run(t)


@dataclass
class Augment:
    """In a straight line only: the variable takes the type of the result."""

    name: str
    op: str
    value: object

    def lines(self, pad: str):
        yield f"{pad}{self.name} {self.op}= {self.value.text()}"

    def run(self, t: Thread) -> None:
        t.variables[self.name] = model.binary(self.op, t.variables[self.name], self.value.run(t))


@dataclass
class Store:
    array: str
    index: object
    op: str  # "" for plain
    value: object

    def lines(self, pad: str):
        yield f"{pad}{self.array}[{self.index.text()}] {self.op}= {self.value.text()}"

    def run(self, t: Thread) -> None:
        index = self.index.run(t).number
        value = self.value.run(t)
        if self.op:
            value = model.binary(self.op, t.load(self.array, index), value)
        t.store(self.array, index, value)


@dataclass
class Part:
    """Elements of an array of one axis at equal distances."""

    array: str
    places: range

    def text(self) -> str:
        first, step = self.places.start, self.places.step
        end = self.places[-1] + (1 if step > 0 else -1)
        return f"{self.array}[{first}:{end if end >= 0 else ''}:{step}]"

    def run(self, t: Thread) -> list[Val]:
        return [t.load(self.array, place) for place in self.places]


@dataclass
class Fill:
    """Sets a part of an array to a value, or to another part that is read before."""

    part: Part
    op: str
    value: object

    def lines(self, pad: str):
        yield f"{pad}{self.part.text()} {self.op}= {self.value.text()}"

    def run(self, t: Thread) -> None:
        value = self.value.run(t)
        values = value if isinstance(value, list) else [value] * len(self.part.places)
        if self.op:
            old = self.part.run(t)
            values = [model.binary(self.op, *both) for both in zip(old, values, strict=True)]
        for place, new in zip(self.part.places, values, strict=True):
            t.store(self.part.array, place, new)


@dataclass
class Raw:
    """Lines whose effect the harness sets up itself: the thread's position."""

    text: list[str]

    def lines(self, pad: str):
        yield from (pad + line for line in self.text)

    def run(self, _: Thread) -> None:
        pass


@dataclass
class Jump:
    how: str

    def lines(self, pad: str):
        yield pad + self.how

    def run(self, _: Thread) -> None:
        raise Left(self.how)


@dataclass
class Body:
    statements: list = field(default_factory=list)

    def lines(self, pad: str):
        if not self.statements:
            yield pad + "pass"
        for s in self.statements:
            yield from s.lines(pad)

    def run(self, t: Thread):
        for s in self.statements:
            waits = s.run(t)
            if waits is not None:
                yield from waits


def suite(pad: str, head: str, body: Body | None):
    """The lines of a body under its head; none where there is no body."""
    if body is not None:
        yield f"{pad}{head}:"
        yield from body.lines(pad + "    ")


@dataclass
class If:
    test: object
    yes: Body
    no: Body | None

    def lines(self, pad: str):
        yield from suite(pad, f"if {self.test.text()}", self.yes)
        yield from suite(pad, "else", self.no)

    def run(self, t: Thread):
        chosen = self.yes if holds(self.test, t) else self.no
        return None if chosen is None else chosen.run(t)


@dataclass
class Join:
    """Both branches define the variable; it has the joined type afterwards."""

    name: str
    type: str
    test: object
    yes: object
    no: object

    def lines(self, pad: str):
        yield from suite(pad, f"if {self.test.text()}", Body([Assign(self.name, self.yes)]))
        yield from suite(pad, "else", Body([Assign(self.name, self.no)]))

    def run(self, t: Thread) -> None:
        chosen = self.yes if holds(self.test, t) else self.no
        t.variables[self.name] = model.convert(self.type, chosen.run(t))


class Loop:
    """Runs `body` once for each of its iterations(thread), and `orelse` unless a break ended it."""

    def run(self, t: Thread):
        for _ in self.iterations(t):
            try:
                yield from self.body.run(t)
            except Left as left:
                if left.how == "break":
                    return
                if left.how == "return":
                    raise
        if self.orelse is not None:
            yield from self.orelse.run(t)


@dataclass
class For(Loop):
    name: str
    type: str  # of the loop variable
    bounds: list
    body: Body
    orelse: Body | None

    def lines(self, pad: str):
        yield from suite(pad, f"for {self.name} in {call_of('range', self.bounds)}", self.body)
        yield from suite(pad, "else", self.orelse)

    def iterations(self, t: Thread):
        for k in range(*(b.run(t).number for b in self.bounds)):
            t.variables[self.name] = Val(self.type, k)
            yield


@dataclass
class While(Loop):
    """Counts `name` from 0 to `limit`; the count comes first, so that continue cannot hang."""

    name: str
    limit: int
    test: object
    body: Body
    orelse: Body | None

    def lines(self, pad: str):
        yield f"{pad}{self.name} = 0"
        counted = Body([Raw([f"{self.name} += 1"]), *self.body.statements])
        head = f"while {self.name} < {self.limit} and {self.test.text()}"
        yield from suite(pad, head, counted)
        yield from suite(pad, "else", self.orelse)

    def iterations(self, t: Thread):
        count = 0
        t.variables[self.name] = Val("int", count)
        while count < self.limit and holds(self.test, t):
            count += 1
            t.variables[self.name] = Val("int", count)
            yield


@dataclass
class Barrier:
    """syncthreads, or a vote whose result becomes a variable."""

    kind: str = ""  # "count", "and", "or"
    name: str = ""
    test: object = None

    def lines(self, pad: str):
        if not self.kind:
            yield f"{pad}D.syncthreads()"
        else:
            yield f"{pad}{self.name} = D.syncthreads_{self.kind}(lambda: {self.test.text()})"

    def run(self, t: Thread):
        trues, came = yield self, self.test is not None and holds(self.test, t)
        if self.kind == "count":
            t.variables[self.name] = Val("i4", trues)
        elif self.kind:
            t.variables[self.name] = Val("b1", trues == came if self.kind == "and" else trues > 0)


@dataclass
class Rotate:
    """A helper with two barriers: each thread gets what another one brings."""

    name: str
    array: str
    value: object
    distance: int

    TEXT = """def rotated(held, t, nt, value, distance):
    held[t] = value
    D.syncthreads()
    got = held[(t + distance) % nt]
    D.syncthreads()
    return got

"""

    def lines(self, pad: str):
        call = f"rotated({self.array}, t, nt, {self.value.text()}, {self.distance})"
        yield f"{pad}{self.name} = {call}"

    def run(self, t: Thread):
        at, threads = t.variables["t"].number, t.variables["nt"].number
        t.store(self.array, at, self.value.run(t))
        yield self, False
        t.variables[self.name] = t.load(self.array, (at + self.distance) % threads)
        yield self, False


def run_block(program: Program, threads: list[Thread]) -> None:
    """The threads of a block, from one barrier to the next; those that are done do not count.

    Nor do those that failed: a target may let the others go on, and tell what they say.
    """
    waiting = [program.run(t) for t in threads]
    said = threads[0].said
    results = {}
    while waiting:
        came = []
        for thread in waiting:
            try:
                came.append((thread, *thread.send(results.get(thread))))
            except StopIteration:
                continue
            except Failed as failed:
                said.failures.add(str(failed))
        assert len({id(barrier) for _, barrier, _ in came}) <= 1, "threads at different barriers"
        trues = sum(vote for _, _, vote in came)
        waiting = [thread for thread, _, _ in came]
        results = {thread: (trues, len(came)) for thread in waiting}


@dataclass
class Program:
    parameters: list[str]
    helpers: list[Helper]
    body: Body
    # Arrays that each block or thread has of its own: name to element type and shape.
    shared: dict[str, tuple[str, Shape]] = field(default_factory=dict)
    local: dict[str, tuple[str, Shape]] = field(default_factory=dict)
    tables: dict[str, object] = field(default_factory=dict)  # constants: global arrays
    builtins: int = 32  # bits of Python's own numbers
    fastmath: str = ""  # the value of that option, where products and sums are contracted too

    def source(self, fmad: bool) -> str:
        options = f"fmad={fmad}" + (", builtins=64" if self.builtins == 64 else "")
        options += f", fastmath={self.fastmath}" if self.fastmath and fmad else ""
        lines = [f"@D.kernel({options})", f"def kernel({', '.join(self.parameters)}):"]
        for kind, arrays in (("shared", self.shared), ("local", self.local)):
            for name, (t, shape) in arrays.items():
                element = "bool" if t == "b1" else f"D.{model.NAMES[t]}"
                lines.append(f"    {name} = D.{kind}_array({shape}, {element})")
        body = list(self.body.lines("    "))
        head = "import math\n\nfrom cuda import device as D\n\n\n"
        head = struct_types.imports("\n".join([*body, *(h.text() for h in self.helpers)])) + head
        if any("rotated(" in line for line in body):
            head += Rotate.TEXT
        lines += body
        return head + "".join(h.text() for h in self.helpers) + "\n".join(lines) + "\n"

    def run(self, t: Thread):
        with contextlib.suppress(Left):
            yield from self.body.run(t)
