"""Random programs whose threads come to different barriers, as their data decide: on one side of an
`if`, in loops of numbers of their own, after jumps, in helpers that return early.

Whatever a thread does, it counts the barriers that it has passed. What it writes before one of them
lies in the half of a shared array that this number names, where others read it before they come to
the next but one. So threads need not be at the same place of the program to read what they should.

Python runs the same source, a generator for each thread, and lets all that have not ended go on
when each of them waits: that is the model.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType

import numpy
from cuda import device as D
from cuda.device import _testing

from .harness import assembled
from .warp_harness import Arrays, Case, check_on

KINDS = ("", "", "count", "or", "and")


@dataclass
class PhaseProgram:
    text: str
    block: int
    blocks: int

    def source(self) -> str:
        return self.text

    def model(self) -> CodeType:
        """The same source, in which a barrier is a yield."""
        text = re.sub(r"D\.syncthreads\(\)", "yield False", self.text)
        for kind, name in (("count", "sum"), ("or", "any"), ("and", "all")):
            text = re.sub(
                rf"D\.syncthreads_{kind}\(lambda: (.*)\)$", rf"{name}((yield \1))", text, flags=re.M
            )
        text = re.sub(r"= helper\(", "= yield from helper(", text)
        text = re.sub(r"(def helper.*)", r"\1\n    if 0: yield", text)
        text = text.replace("s = D.shared_array((2, 128), D.int32)", "s = D.shared")
        text = re.sub(r"^(from cuda.*|@.*)$", "", text, flags=re.M)
        return compile(text, "<model>", "exec")


class Generator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.kind = self.random.choice(KINDS)
        self.names = 0
        self.jumps: list[str] = []
        self.answers: list[str] = []  # of barriers that have certainly been passed
        self.has_helper = self.chance(0.4)
        self.result = "return"  # how the function is left early

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def number(self, most: int) -> int:
        return self.random.randint(0, most)

    def fresh(self) -> str:
        self.names += 1
        return f"w{self.names}"

    def condition(self) -> str:
        m = self.random.randint(2, 5)
        forms = [f"x % {m} < {self.random.randint(1, m - 1)}", f"x > {self.number(900)}"]
        forms += [f"a[i] % {m} == {self.number(m - 1)}", f"u[0] < {self.number(9)}"]
        forms += [f"y % {m} != {self.number(m - 1)}"]
        return self.random.choice(forms)

    def count(self) -> str:
        forms = [f"x % {self.random.randint(2, 4)}", "2", "u[1]", f"x % 3, {self.number(5)}, 2"]
        return self.random.choice([*forms, f"y % 3, x % {self.random.randint(3, 5)}"])

    # --- statements ---

    def block(self, pad: str, depth: int) -> Iterator[str]:
        known = len(self.answers)
        for _ in range(self.random.randint(1, 3)):
            yield from self.statement(pad, depth)
        del self.answers[known:]

    def statement(self, pad: str, depth: int) -> Iterator[str]:
        kinds = [(4, self.meet), (1, self.compute), (0.7, self.peek)]
        if self.jumps:
            kinds += [(1, self.jump)]
        if self.answers:
            kinds += [(1, self.recall)]
        if depth > 0:
            kinds += [(3, self.branch), (1.5, self.for_loop), (1.5, self.while_loop)]
            kinds += [(1, self.call)] if self.has_helper and self.result == "return" else []
        weights, makers = zip(*kinds, strict=True)
        yield from self.random.choices(makers, weights)[0](pad, depth)

    def compute(self, pad: str, _: int) -> Iterator[str]:
        to, other = self.random.sample("xy", 2)
        yield f"{pad}{to} = ({to} * {self.number(7)} + {other} + {self.number(99)}) % 1009"

    def recall(self, pad: str, _: int) -> Iterator[str]:
        """Others may have passed more barriers since."""
        yield f"{pad}x = (x * 5 + int({self.random.choice(self.answers)})) % 1009"

    def peek(self, pad: str, _: int) -> Iterator[str]:
        """What others wrote before the last barrier, and do not write before the next."""
        other = self.number(40)
        yield f"{pad}y = (y + s[(p + 1) & 1, (t + {other}) % n]) % 1009"

    def meet(self, pad: str, _: int) -> Iterator[str]:
        yield f"{pad}s[p & 1, t] = x"
        if not self.kind:
            yield f"{pad}D.syncthreads()"
        else:
            answer = self.fresh()
            yield f"{pad}{answer} = D.syncthreads_{self.kind}(lambda: {self.condition()})"
            yield f"{pad}y = (y * 2 + int({answer})) % 1009"
            self.answers.append(answer)
        yield f"{pad}x = (x * 3 + s[p & 1, (t + {self.number(40)}) % n] + {self.number(9)}) % 1009"
        yield f"{pad}p += 1"

    def branch(self, pad: str, depth: int) -> Iterator[str]:
        yield f"{pad}if {self.condition()}:"
        yield from self.block(pad + "    ", depth - 1)
        if self.chance(0.3):
            yield f"{pad}else:"
            yield from self.block(pad + "    ", depth - 1)

    def jump(self, pad: str, _: int) -> Iterator[str]:
        yield f"{pad}if {self.condition()}:"
        jump = self.random.choice(self.jumps)
        if jump == "return" and self.result == "return":
            if self.chance(0.5):
                yield f"{pad}    s[p & 1, t] = y"  # seen by those that pass the next barrier
            yield f"{pad}    out[i] = 16 * (x + y) + p"
        yield f"{pad}    {self.result if jump == 'return' else jump}"

    def loop(self, pad: str, depth: int, first: str = "") -> Iterator[str]:
        kept = self.jumps
        self.jumps = [*kept, "break", "continue"]
        if first:
            yield first
        yield from self.block(pad + "    ", depth - 1)
        self.jumps = kept
        if self.chance(0.25):
            yield f"{pad}else:"
            yield from self.block(pad + "    ", depth - 1)

    def for_loop(self, pad: str, depth: int) -> Iterator[str]:
        name = self.fresh()
        yield f"{pad}for {name} in range({self.count()}):"
        yield from self.loop(pad, depth, f"{pad}    x += {name}")

    def while_loop(self, pad: str, depth: int) -> Iterator[str]:
        name = self.fresh()
        most = self.random.choice(("3", "x % 4", "1 + y % 3"))
        more = self.random.choice(("", "", f" and {self.condition()}"))
        yield f"{pad}{name} = 0"
        yield f"{pad}while {name} < {most}{more}:"
        yield from self.loop(pad, depth, f"{pad}    {name} += 1")

    def call(self, pad: str, _: int) -> Iterator[str]:
        yield f"{pad}x, y, p = helper(a, u, s, i, t, n, x, y, p)"

    def lines(self) -> Iterator[str]:
        yield "from cuda import device as D"
        if self.has_helper:
            self.result, self.jumps = "return x, y, p", ["return"]
            yield "def helper(a, u, s, i, t, n, x, y, p):"
            yield from self.block("    ", 2)
            yield f"    {self.result}"
        self.result, self.jumps = "return", ["return"]
        yield "@D.kernel"
        yield "def kernel(a, u, out):"
        yield "    s = D.shared_array((2, 128), D.int32)"
        yield "    t = D.int32(D.thread_idx.x)"
        yield "    n = D.int32(D.block_dim.x)"
        yield "    i = D.int32(D.block_idx.x) * n + t"
        yield "    x = a[i] % 1009"
        yield "    y = a[i] % 7"
        yield "    p = 0"
        yield "    s[0, t] = t"
        yield "    s[1, t] = 2 * t"
        yield "    D.syncthreads()"
        yield from self.block("    ", 3)
        yield from self.block("    ", 3)
        if self.chance(0.5):
            yield "    s[p & 1, t] = x + 1"
        yield "    out[i] = 16 * (x + y) + p"


def generate_phases(seed: int) -> PhaseProgram:
    generator = Generator(seed)
    text = "\n".join(generator.lines()) + "\n"
    block = generator.random.choice((1, 5, 32, 33, 64, 100, 128))
    return PhaseProgram(text, block, generator.random.randint(1, 3))


# --- running ---


def arrays_of(seed: int, program: PhaseProgram) -> Arrays:
    rng = numpy.random.default_rng(seed)
    threads = program.block * program.blocks
    a = rng.integers(0, 100_000, threads)
    if rng.integers(3) == 0:  # all threads agree on more
        a = a // 50_000
    if rng.integers(4) == 0:
        a[:] = a[0]
    u = rng.integers(0, 9, 1).tolist() + rng.integers(0, 4, 1).tolist()
    return {
        "a": a.astype(numpy.int32),
        "u": numpy.array(u, numpy.int32),
        "out": numpy.full(threads, -1, numpy.int32),
    }


class Shared(dict):
    """Elements by their indices."""


@dataclass
class Position:
    x: int


@dataclass
class Module:
    """What a thread of the model finds as `D`."""

    thread_idx: Position
    block_idx: Position
    block_dim: Position
    shared: Shared
    int32: Callable = int


def run_block(program: PhaseProgram, arrays: dict[str, list[int]], block: int) -> None:
    shared, running, model = Shared(), {}, program.model()
    for t in range(program.block):
        places = Position(t), Position(block), Position(program.block)
        namespace: dict = {"D": Module(*places, shared)}
        exec(model, namespace)
        running[t] = namespace["kernel"](**arrays)
    said: dict[int, bool] = {}
    votes: list[bool] | None = None
    while running:
        for t in list(running):
            try:
                said[t] = running[t].send(votes)
            except StopIteration:
                del running[t]
                said.pop(t, None)
        votes = list(said.values())


def run_model(program: PhaseProgram, arrays: Arrays) -> Arrays:
    lists = {name: a.tolist() for name, a in arrays.items()}
    for block in range(program.blocks):
        run_block(program, lists, block)
    return {name: numpy.array(values, numpy.int32) for name, values in lists.items()}


def run_target(seed: int, program: PhaseProgram, kernel, arrays: Arrays, target: str) -> Arrays:
    arrays = {name: a.copy() for name, a in arrays.items()}
    with _testing.use_target(assembled(target, seed)):
        D.launch(kernel, *arrays.values(), grid=program.blocks, block=program.block)
    return arrays


def difference(program: PhaseProgram, expected: Arrays, found: Arrays) -> str | None:
    where = numpy.flatnonzero(expected["out"] != found["out"])
    if not len(where):
        return None
    at = int(where[0])
    return (
        f"out[{at}] is {found['out'][at]}, not {expected['out'][at]} as by the model "
        f"({len(where)} of {len(expected['out'])} differ), {program.blocks} blocks {program.block}"
    )


def case_of(seed: int) -> Case:
    program = generate_phases(seed)
    arrays = arrays_of(seed, program)
    return program, program.source(), arrays, run_model(program, arrays)


def check_phases(seed: int, targets: list[str]) -> str | None:
    return check_on(targets, seed, case_of, run_target, difference)
