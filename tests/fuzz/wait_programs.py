"""Random programs whose threads wait for each other by memory: locks, flags, counters, rings.

They end on any schedule on which a thread that can go on does so, some time: all threads run the
same statements at the top level, where they wait for each other in an order without cycles, and a
thread that has a lock asks for none but later ones. What they compute is the same on each of these
schedules: what is changed under a lock commutes, and all else is written by one thread and read by
those that it has told.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from .expression_tree import Binary, Cast, Comparison, Literal, Variable
from .positions import axes
from .program import Assign, Barrier, Body, For, If, Store
from .wait_locks import TELLS, WAITS, Locked, Manner
from .wait_tree import LEVELS, Chain, Exchange, Gather, HandOver, Lines, Shuffle, Turns

BLOCKS = (1, 2, 7, 31, 32, 33, 64, 64, 96, 50, (8, 4), (16, 4), (7, 5), (4, 4, 4))
LOCKS = ("cas", "exch", "or", "reads first", "try")  # and those of tickets
COMMUTE = ("+", "^", "|", "&")  # one for each element that a lock keeps
KEPT = len(COMMUTE)  # elements of each lock
POSITION = """tx, ty, tz = D.thread_idx
bx, by, bz = D.block_dim
t = D.int32(tx + bx * (ty + by * tz))
nt = D.int32(bx * by * bz)
bk = D.int32(D.block_idx.x)
nb = D.int32(D.grid_dim.x)
lane = D.lane_id
nl = min(32, nt - t // 32 * 32)
i = bk * nt + t
n = nb * nt"""
NAMES = ("t", "nt", "bk", "nb", "lane", "nl", "i", "n")
OWN = ("t", "bk", "lane", "i")  # that tell threads apart


@dataclass
class WaitProgram:
    block: int | tuple[int, ...]
    blocks: int
    before: Lines
    body: Body
    after: Lines
    variables: int
    rows: int  # of flags and data
    locks: int  # of the grid; blocks have as many of their own

    def source(self) -> str:
        lines = ["@D.kernel", "def kernel(a, out, flags, data, locks, kept, kept_by_block):"]
        lines += [f"    {line}" for line in POSITION.splitlines()]
        for part in (self.before, self.body, self.after):
            lines += part.lines("    ")
        return "from cuda import device as D\n\n\n" + "\n".join(lines) + "\n"


class WaitGenerator:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.block = self.random.choice(BLOCKS)
        self.size = math.prod(axes(self.block))
        self.blocks = self.random.choice((1, 2, 2, 3, 3, 5 if self.size < 50 else 4))
        self.variables = self.random.randint(1, 3)
        self.locks = self.random.randint(1, 2)
        self.rows = self.names = 0
        self.tickets: dict[tuple[str, int], bool] = {}  # by lock: whether it is one of tickets

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def fresh(self) -> str:
        self.names += 1
        return f"w{self.names}"

    def new_rows(self, count: int = 1) -> int:
        self.rows += count
        return self.rows - count

    def variable(self) -> str:
        return f"v{self.random.randrange(self.variables)}"

    def manner(self, scope: str) -> Manner:
        scope = scope if self.chance(0.7) else "system" if self.chance(0.5) else "device"
        return Manner(self.random.choice(WAITS), self.random.choice(TELLS), scope)

    # --- what a thread does alone ---

    def value(self, depth: int = 2):
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            if self.chance(0.3):
                return Literal("int", self.random.randint(0, 9))
            name = self.random.choice(OWN) if self.chance(0.5) else self.variable()
            return Variable("i4", name)
        op = self.random.choice("+-*&^|")
        return Binary("i4", op, Variable("i4", self.variable()), self.value(depth - 1))

    def test(self):
        kind, number = self.random.random(), Variable("i4", self.random.choice(OWN))
        if kind < 0.4:
            part = Binary("i4", "%", number, Literal("int", self.random.randint(2, 5)))
            return Comparison(["=="], [part, Literal("int", self.random.randint(0, 1))])
        if kind < 0.7:
            return Comparison(["<"], [number, Literal("int", self.random.randint(1, 40))])
        return Comparison([self.random.choice("<>")], [self.value(1), self.value(1)])

    def compute(self):
        return Assign(self.variable(), Cast("i4", self.value()))

    def locked(self, first: int = 0):
        """A critical section, of a lock from the first on: those before it may be had already."""
        of_block = self.chance(0.4)
        array, scope = ("locks_of_block", "block") if of_block else ("locks", "device")
        lock = self.random.randrange(first, self.locks)
        body: list = [self.update(of_block, lock) for _ in range(self.random.choice((1, 1, 2)))]
        if not of_block and self.chance(0.4):  # then one of the block, or a later one
            body.insert(self.random.randint(0, len(body)), self.inner(lock + 1))
        if self.tickets.setdefault((array, lock), self.chance(0.3)):
            kind = "ticket"
        else:
            kind = self.random.choice(LOCKS)
        return Locked(kind, array, 2 * lock, Body(body), self.manner(scope), self.fresh())

    def inner(self, first: int):
        return self.locked(first) if first < self.locks else self.compute()

    def update(self, of_block: bool, lock: int):
        place = self.random.randrange(KEPT)
        array = "kept_in_block" if of_block else "kept"
        return Store(array, Literal("int", lock * KEPT + place), COMMUTE[place], self.value())

    def divergent(self, depth: int):
        kind = self.random.random()
        if depth > 0 and kind < 0.3:
            sides = [self.alone(depth - 1), self.alone(depth - 1) if self.chance(0.6) else None]
            return If(self.test(), *sides)
        if depth > 0 and kind < 0.45:
            own = Variable("i4", self.random.choice(OWN))
            stop = Binary("i4", "%", own, Literal("int", self.random.randint(2, 4)))
            name = self.fresh()
            return For(name, "i4", [stop], self.alone(depth - 1), None)
        return self.locked() if kind < 0.8 else self.compute()

    def alone(self, depth: int) -> Body:
        return Body([self.divergent(depth) for _ in range(self.random.randint(1, 2))])

    # --- what all threads do ---

    def level(self):
        return LEVELS[self.random.choice(("warp", "block", "grid", "grid"))]

    def counted(self, level) -> int:
        """Of the threads of a level, where all of them have as many."""
        return {"warp": 1, "block": self.size, "grid": self.size * self.blocks}[level.name]

    def together(self):
        kinds = {self.chain: 4, self.turns: 2, self.hand_over: 3, self.gather: 4}
        kinds |= {self.exchange: 1, self.vote: 1, self.several: 4}
        if self.size % 32 == 0:
            kinds[self.shuffle] = 3
        make = self.random.choices(list(kinds), list(kinds.values()))[0]
        return make()

    def chain(self):
        level, rounds = self.level(), self.random.choice((1, 1, 2, 3))
        distance = self.random.choice((1, -1, 1, -1, 2, -3, 5))
        manner = self.manner(level.scope)
        row = self.new_rows(rounds)
        return Chain(level, row, rounds, distance, self.variable(), manner, self.fresh())

    def turns(self):
        level = self.random.choice((LEVELS["block"], LEVELS["grid"]))
        count = self.counted(level)
        factors = [f for f in (1, count - 1, 3, 5, 7, 11) if f > 0 and math.gcd(f, count) == 1]
        factor, offset = self.random.choice(factors), self.random.randrange(count)
        manner, row = self.manner(level.scope), self.new_rows()
        return Turns(level, row, factor, offset, self.variable(), manner, self.fresh())

    def hand_over(self):
        level, size = self.level(), self.random.randint(1, 3)
        row, rounds = self.new_rows(size), self.random.randint(1, 5)
        manner = self.manner(level.scope)
        return HandOver(level, row, size, rounds, self.variable(), manner, self.fresh())

    def gather(self):
        level = self.level()
        kinds = ["counter"] + ["leaders"] * 2 * (level.name == "grid")
        kinds += ["flags"] * (self.counted(level) <= 64)
        distance = self.random.randint(0, 40)
        manner, row = self.manner(level.scope), self.new_rows()
        kind = self.random.choice(kinds)
        return Gather(level, row, kind, distance, self.variable(), manner, self.fresh())

    def exchange(self):
        return Exchange(self.variable(), self.random.randint(1, 40))

    def vote(self):
        name = self.variable()
        return Barrier("count", name, self.test())

    def shuffle(self):
        parted = self.random.choice((0, 1, 2, 16))
        return Shuffle(self.variable(), self.random.choice((1, 3, 8, 16, 31)), parted)

    def several(self):
        return self.alone(2)

    # --- the whole ---

    def before(self) -> Lines:
        return Lines(
            [
                f"sh = D.shared_array({self.size}, D.int32)",
                f"locks_of_block = D.shared_array({2 * self.locks}, D.int32)",
                f"kept_in_block = D.shared_array({KEPT * self.locks}, D.int32)",
                f"for k in range(t, {2 * self.locks}, nt):",
                "    locks_of_block[k] = 0",
                f"for k in range(t, {KEPT * self.locks}, nt):",
                "    kept_in_block[k] = k % 4",
                *(f"v{k} = a[i] * {k + 1} + t" for k in range(self.variables)),
                "D.syncthreads()",
            ]
        )

    def after(self) -> Lines:
        return Lines(
            [
                *(f"out[{k}, i] = v{k}" for k in range(self.variables)),
                "D.syncthreads()",
                f"for k in range(t, {KEPT * self.locks}, nt):",
                "    kept_by_block[bk, k] = kept_in_block[k]",
            ]
        )

    def program(self) -> WaitProgram:
        body = Body([self.together() for _ in range(self.random.randint(2, 6))])
        return WaitProgram(
            *(self.block, self.blocks, self.before(), body, self.after()),
            *(self.variables, max(1, self.rows), self.locks),
        )


def generate_waits(seed: int) -> WaitProgram:
    return WaitGenerator(seed).program()
