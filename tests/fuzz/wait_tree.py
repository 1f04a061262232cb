"""Statements of programs whose threads wait for each other by memory, as Python source and as a
model: each thread is a generator, which yields wherever others may go on.

A thread yields a `Wait` until its condition holds, a `Barrier` of its block, a `Meeting` of its
warp; the model (run_threads) picks any thread that can go on. Nothing here looks at the compiler.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from .expression_tree import Thread
from .model import Val
from .program import Barrier, Body, suite

MORE = "    "


@dataclass(frozen=True)
class Wait:
    ready: Callable[[], bool]


@dataclass(frozen=True)
class Meeting:
    """What a lane brings; it gets what all lanes of its warp have brought, by lane."""

    value: int


PAUSE = Wait(lambda: True)


def i4(number: int) -> Val:
    return Val("i4", (number + 2**31) % 2**32 - 2**31)


# --- how source waits and tells ---


@dataclass
class Manner:
    """One of the ways to wait until an element has a value, and to tell that it has."""

    waits: str
    tells: str
    scope: str

    def wait(self, ref: str, wrong: str, name: str):
        """Lines that wait as long as the element compares so: "!= 1", "< k"."""
        where = f'"acquire", "{self.scope}"'
        if self.waits == "load":
            yield f"while {ref}.load({where}) {wrong}:"
            yield f"{MORE}pass"
        elif self.waits == "loop":
            yield "while True:"
            yield f"{MORE}{name} = {ref}.load({where})"
            yield f"{MORE}if not {name} {wrong}:"
            yield f"{MORE * 2}break"
        elif self.waits == "wait":
            yield f"{name} = {ref}.load({where})"
            yield f"while {name} {wrong}:"
            yield f"{MORE}{ref}.wait({name}, {where})"
            yield f"{MORE}{name} = {ref}.load({where})"
        elif self.waits == "update":
            yield f'while {ref}.add(0, "acq_rel", "{self.scope}") {wrong}:'
            yield f"{MORE}pass"
        elif self.waits == "fence":
            yield f'while {ref}.load("relaxed", "{self.scope}") {wrong}:'
            yield f"{MORE}pass"
            yield f"D.threadfence({where})"
        else:  # "pause": looks again after a while
            yield f"while {ref}.load({where}) {wrong}:"
            yield f"{MORE}for {name} in range(3):"
            yield f"{MORE * 2}pass"

    def tell(self, ref: str, value: str):
        where = f'"release", "{self.scope}"'
        if self.tells == "store":
            yield f"{ref}.store({value}, {where})"
        elif self.tells == "exch":
            yield f"{ref}.exch({value}, {where})"
        else:  # "fence"
            yield f"D.threadfence({where})"
            yield f'{ref}.store({value}, "relaxed", "{self.scope}")'
        if self.waits == "wait":
            yield f'{ref}.notify_all("{self.scope}")'


WAITS = ("load", "loop", "wait", "update", "fence", "pause")
TELLS = ("store", "exch", "fence")


def ref_of(array: str, *index: str) -> str:
    place = f"({', '.join(index)})" if len(index) > 1 else index[0]
    return f"D.atomic_ref({array}, {place})"


def padded(pad: str, lines):
    return (pad + line for line in lines)


# --- locks ---


@dataclass
class Locked:
    """A critical section. The lock has two elements of its array, from `index` on."""

    kind: str
    array: str
    index: int
    body: Body
    manner: Manner
    name: str

    def takes(self, ref: str):
        scope = self.manner.scope
        where = f'"acquire", "{scope}"'
        if self.kind == "cas":
            yield f"while {ref}.cas(0, 1, {where}) != 0:"
            yield f"{MORE}pass"
        elif self.kind == "exch":
            yield f"while {ref}.exch(1, {where}) == 1:"
            yield f"{MORE}pass"
        elif self.kind == "or":
            yield f"while {ref}.or_(1, {where}) & 1 != 0:"
            yield f"{MORE}pass"
        elif self.kind == "reads first":
            yield f"while {ref}.exch(1, {where}) == 1:"
            yield from padded(MORE, self.manner.wait(ref, "== 1", self.name))
        else:  # "ticket"
            yield f'{self.name} = {ref}.add(1, "relaxed", "{scope}")'
            now = ref_of(self.array, str(self.index + 1))
            yield from self.manner.wait(now, f"!= {self.name}", f"{self.name}w")

    def gives(self, ref: str):
        if self.kind == "ticket":
            now = ref_of(self.array, str(self.index + 1))
            yield f'{now}.add(1, "release", "{self.manner.scope}")'
            if self.manner.waits == "wait":
                yield f'{now}.notify_all("{self.manner.scope}")'
        else:
            yield from self.manner.tell(ref, "0")

    def lines(self, pad: str):
        ref = ref_of(self.array, str(self.index))
        if self.kind == "try":  # the section is within the loop
            yield f"{pad}{self.name} = True"
            yield f"{pad}while {self.name}:"
            yield f'{pad}{MORE}if {ref}.exch(1, "acquire", "{self.manner.scope}") == 0:'
            yield from self.body.lines(pad + MORE * 2)
            yield from padded(pad + MORE * 2, self.gives(ref))
            yield f"{pad}{MORE * 2}{self.name} = False"
            return
        yield from padded(pad, self.takes(ref))
        yield from self.body.lines(pad)
        yield from padded(pad, self.gives(ref))

    def run(self, t: Thread):
        def element(k: int) -> int:
            return t.load(self.array, self.index + k).number

        if self.kind == "ticket":
            mine = element(0)
            t.store(self.array, self.index, i4(mine + 1))
            yield Wait(lambda: element(1) == mine)
        else:
            yield Wait(lambda: element(0) == 0)
            t.store(self.array, self.index, i4(1))
        yield from self.body.run(t)
        yield PAUSE
        if self.kind == "ticket":
            t.store(self.array, self.index + 1, i4(element(1) + 1))
        else:
            t.store(self.array, self.index, i4(0))


# --- threads that wait for certain others; `row` is of the arrays flags and data ---


@dataclass
class Level:
    """The threads of a warp, of a block or of the grid: who they are, and what tells them apart."""

    name: str
    number: str  # of the thread among them: a variable
    count: str  # how many they are: a variable
    scope: str

    def first(self) -> str:
        """The place of their first thread."""
        return "0" if self.name == "grid" else f"i - {self.number}"

    def place(self, number: str) -> str:
        return number if self.name == "grid" else f"{self.first()} + {number}"

    def of(self, t: Thread) -> tuple[int, int, int]:
        """The thread's number, how many they are, the place of the first."""
        number, count = (t.variables[v].number for v in (self.number, self.count))
        return number, count, t.variables["i"].number - number


LEVELS = {
    "warp": Level("warp", "lane", "nl", "block"),
    "block": Level("block", "t", "nt", "block"),
    "grid": Level("grid", "i", "n", "device"),
}


@dataclass
class Chain:
    """Each thread waits for the one at a distance, if it is there, and takes over what it has."""

    level: Level
    row: int
    rounds: int  # as many rows of data
    distance: int
    variable: str
    manner: Manner
    name: str

    def lines(self, pad: str):
        k, other, v = f"{self.name}k", f"{self.name}o", self.variable
        level = self.level
        inner = pad + MORE
        yield f"{pad}{other} = {level.number} + {self.distance}"
        yield f"{pad}for {k} in range({self.rounds}):"
        yield f"{inner}if 0 <= {other} and {other} < {level.count}:"
        place = level.place(other)
        ref = ref_of("flags", str(self.row), place)
        yield from padded(inner + MORE, self.manner.wait(ref, f"<= {k}", f"{self.name}s"))
        yield f"{inner}{MORE}{v} = {v} * 3 + data[{self.row} + {k}, {place}]"
        yield f"{inner}data[{self.row} + {k}, i] = {v}"
        own = ref_of("flags", str(self.row), "i")
        yield from padded(inner, self.manner.tell(own, f"{k} + 1"))

    def run(self, t: Thread):
        number, count, first = self.level.of(t)
        i = first + number
        other = number + self.distance
        there = 0 <= other < count
        for k in range(self.rounds):
            if there:
                place = first + other
                yield Wait(lambda k=k, at=place: t.load("flags", (self.row, at)).number > k)
                v = t.variables[self.variable].number
                got = t.load("data", (self.row + k, place)).number
                t.variables[self.variable] = i4(v * 3 + got)
            t.store("data", (self.row + k, i), t.variables[self.variable])
            yield PAUSE
            t.store("flags", (self.row, i), i4(k + 1))


@dataclass
class Turns:
    """Threads go one after the other, in an order of their own, and do what does not commute."""

    level: Level
    row: int
    factor: int  # without a divisor in common with the number of threads
    offset: int
    variable: str
    manner: Manner
    name: str

    def lines(self, pad: str):
        level, rank = self.level, f"{self.name}r"
        yield f"{pad}{rank} = ({level.number} * {self.factor} + {self.offset}) % {level.count}"
        ref = ref_of("flags", str(self.row), level.first())
        yield from padded(pad, self.manner.wait(ref, f"!= {rank}", f"{self.name}s"))
        place = f"data[{self.row}, {level.first()}]"
        yield f"{pad}{place} = {place} * 5 + {self.variable}"
        yield f"{pad}{self.variable} += {place}"
        yield from padded(pad, self.manner.tell(ref, f"{rank} + 1"))

    def run(self, t: Thread):
        number, count, first = self.level.of(t)
        rank = (number * self.factor + self.offset) % count
        yield Wait(lambda: t.load("flags", (self.row, first)).number == rank)
        v = t.variables[self.variable].number
        value = i4(t.load("data", (self.row, first)).number * 5 + v)
        t.store("data", (self.row, first), value)
        t.variables[self.variable] = i4(v + value.number)
        yield PAUSE
        t.store("flags", (self.row, first), i4(rank + 1))


@dataclass
class HandOver:
    """The first half of the threads writes into rings of `size` lines that the other half reads."""

    level: Level
    row: int
    size: int
    rounds: int
    variable: str
    manner: Manner
    name: str

    def lines(self, pad: str):
        level, v = self.level, self.variable
        half, k, seen = (self.name + c for c in "hks")
        inner = pad + MORE * 2
        place = f"{self.row} + {k} % {self.size}"
        yield f"{pad}{half} = {level.count} // 2"
        yield f"{pad}if {level.number} < {half}:"
        yield f"{pad}{MORE}for {k} in range({self.rounds}):"
        there = ref_of("flags", str(self.row), f"i + {half}")
        yield from padded(inner, self.manner.wait(there, f"< {k} - {self.size - 1}", seen))
        yield f"{inner}data[{place}, i] = {v} + {k}"
        own = ref_of("flags", str(self.row), "i")
        yield from padded(inner, self.manner.tell(own, f"{k} + 1"))
        yield f"{pad}elif {level.number} < 2 * {half}:"
        yield f"{pad}{MORE}for {k} in range({self.rounds}):"
        there = ref_of("flags", str(self.row), f"i - {half}")
        yield from padded(inner, self.manner.wait(there, f"<= {k}", seen))
        yield f"{inner}{v} = {v} * 7 + data[{place}, i - {half}]"
        yield from padded(inner, self.manner.tell(own, f"{k} + 1"))

    def run(self, t: Thread):
        number, count, first = self.level.of(t)
        i, half, row = first + number, count // 2, self.row
        writes, other = number < half, i + half if number < half else i - half
        for k in range(self.rounds if number < 2 * half else 0):
            least = k - self.size + 1 if writes else k + 1
            yield Wait(lambda least=least: t.load("flags", (row, other)).number >= least)
            v = t.variables[self.variable].number
            line = row + k % self.size
            if writes:
                t.store("data", (line, i), i4(v + k))
            else:
                got = t.load("data", (line, other)).number
                t.variables[self.variable] = i4(v * 7 + got)
            yield PAUSE
            t.store("flags", (row, i), i4(k + 1))


@dataclass
class Gather:
    """All threads meet by memory; then each takes what another has brought."""

    level: Level
    row: int
    kind: str  # "counter", "leaders": one thread of each block counts; "flags": all look at all
    distance: int
    variable: str
    manner: Manner
    name: str

    def meets(self):
        level, row = self.level, str(self.row)
        seen, k = f"{self.name}s", f"{self.name}k"
        if self.kind == "flags":
            yield from self.manner.tell(ref_of("flags", row, "i"), "1")
            yield f"for {k} in range({level.count}):"
            other = ref_of("flags", row, level.place(k))
            yield from padded(MORE, self.manner.wait(other, "== 0", seen))
            return
        ref, leads = ref_of("flags", row, level.first()), self.kind == "leaders"
        pad, count = (MORE, "nb") if leads else ("", level.count)
        if leads:
            yield "D.syncthreads()"
            yield "if t == 0:"
        yield f'{pad}{ref}.add(1, "acq_rel", "{level.scope}")'
        if self.manner.waits == "wait":
            yield f'{pad}{ref}.notify_all("{level.scope}")'
        yield from padded(pad, self.manner.wait(ref, f"< {count}", seen))
        if leads:
            yield "D.syncthreads()"

    def lines(self, pad: str):
        level, v = self.level, self.variable
        yield f"{pad}data[{self.row}, i] = {v}"
        yield from padded(pad, self.meets())
        other = level.place(f"({level.number} + {self.distance}) % {level.count}")
        yield f"{pad}{v} = {v} * 3 + data[{self.row}, {other}]"

    def run(self, t: Thread):
        number, count, first = self.level.of(t)
        v = t.variables[self.variable]
        t.store("data", (self.row, first + number), v)
        yield PAUSE
        if self.kind == "flags":
            t.store("flags", (self.row, first + number), i4(1))
            for k in range(count):
                yield Wait(lambda k=k: t.load("flags", (self.row, first + k)).number == 1)
        else:
            yield from self.count(t, count, first)
        other = first + (number + self.distance) % count
        got = t.load("data", (self.row, other)).number
        t.variables[self.variable] = i4(v.number * 3 + got)

    def count(self, t: Thread, count: int, first: int):
        leads = self.kind == "leaders"
        if leads:
            count = t.variables["nb"].number
            yield Barrier(), False
        if not leads or t.variables["t"].number == 0:
            came = t.load("flags", (self.row, first)).number
            t.store("flags", (self.row, first), i4(came + 1))
            yield Wait(lambda: t.load("flags", (self.row, first)).number == count)
        if leads:
            yield Barrier(), False


# --- threads that meet by operations of the language ---


@dataclass
class Exchange:
    """By shared memory, between barriers."""

    variable: str
    distance: int

    def lines(self, pad: str):
        yield f"{pad}sh[t] = {self.variable}"
        yield f"{pad}D.syncthreads()"
        yield f"{pad}{self.variable} += sh[(t + {self.distance}) % nt]"
        yield f"{pad}D.syncthreads()"

    def run(self, t: Thread):
        at, count = t.variables["t"].number, t.variables["nt"].number
        v = t.variables[self.variable]
        t.store("sh", at, v)
        yield Barrier(), False
        got = t.load("sh", (at + self.distance) % count).number
        t.variables[self.variable] = i4(v.number + got)
        yield Barrier(), False


@dataclass
class Shuffle:
    """Lanes of full warps, from one place or from both branches of an if."""

    variable: str
    flag: int
    parted: int  # lanes of this bit come from the other branch; 0: none

    def lines(self, pad: str):
        call = f"{self.variable} = {self.variable} * 3 + D.shfl_xor_sync(-1, {self.variable}, "
        if not self.parted:
            yield f"{pad}{call}{self.flag})"
            return
        yield from suite(pad, f"if lane & {self.parted} == 0", Lines([f"{call}{self.flag})"]))
        yield from suite(pad, "else", Lines([f"{call}{self.flag})"]))

    def run(self, t: Thread):
        v = t.variables[self.variable].number
        brought = yield Meeting(v)
        lane = t.variables["lane"].number
        t.variables[self.variable] = i4(v * 3 + brought[lane ^ self.flag])


@dataclass
class Lines:
    text: list[str]

    def lines(self, pad: str):
        return padded(pad, self.text)


# --- the model's threads ---


class Stuck(Exception):
    """A program whose threads wait for each other and cannot go on: the generator's fault."""


@dataclass
class Running:
    thread: Thread
    steps: object  # generator
    block: int
    warp: int
    state: object = PAUSE
    answer: object = None
    done: bool = False

    def step(self) -> None:
        answer, self.answer = self.answer, None
        try:
            self.state = self.steps.send(answer)
        except StopIteration:
            self.done = True


@dataclass
class Turnstile:
    """Lets threads go on in an order of its own."""

    random: random.Random
    running: list[Running] = field(default_factory=list)

    def run(self) -> None:
        while waiting := [r for r in self.running if not r.done]:
            able = [r for r in waiting if isinstance(r.state, Wait) and r.state.ready()]
            self.random.shuffle(able)
            for r in able:  # what one does may let another wait again: a lock
                if r.state.ready():
                    r.step()
            if not able and not self.meet(waiting):
                raise Stuck(f"{len(waiting)} threads wait")

    def meet(self, waiting: list[Running]) -> bool:
        met = False
        for kind, place in ((tuple, "block"), (Meeting, "warp")):
            groups: dict[object, list[Running]] = {}
            for r in waiting:
                key = r.block if place == "block" else (r.block, r.warp)
                groups.setdefault(key, []).append(r)
            for group in groups.values():
                if all(isinstance(r.state, kind) for r in group):
                    self.answer(group)
                    met = True
        return met

    @staticmethod
    def answer(group: list[Running]) -> None:
        if isinstance(group[0].state, Meeting):
            answer: object = {r.thread.variables["lane"].number: r.state.value for r in group}
        else:
            answer = sum(vote for _, vote in (r.state for r in group)), len(group)
        for r in group:
            r.state, r.answer = PAUSE, answer
