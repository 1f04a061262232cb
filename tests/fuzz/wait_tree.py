"""Statements of programs whose threads wait for certain others: chains, turns, rings, counters;
and those that meet by barriers and shuffles. See wait_locks.py for what they have in common.
"""

from __future__ import annotations

from dataclasses import dataclass

from .expression_tree import Thread
from .program import Barrier, suite
from .wait_locks import MORE, Manner, padded, ref_of
from .wait_threads import PAUSE, Meeting, Wait, i4

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
