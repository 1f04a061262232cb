"""Random programs of warps: votes, shuffles, matches and masks, in code that diverges.

What a program does is the same in whatever order threads run, as long as those of one mask are on
one path: a mask is all that a path has (what a ballot tells before a branch, activemask after it),
or a part of that which its own threads agree on. In one program of five they meet on different
paths too (warp_apart.py). In three of ten some have nothing left to do at the end but to leave the
kernel, while masks of others still name them. What a shuffle reads from a lane that takes no part
is replaced. Shared memory is read where a thread that takes part has written, after a barrier or a
syncwarp and before the next one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from .positions import axes
from .warp_apart import WarpApart
from .warp_expressions import BLOCK, LANE, THREAD, VALUES, WARP, WIDE, number, op
from .warp_groups import Kind
from .warp_meetings import COMMUTING, FULL, Path
from .warp_tree import (
    NAMES,
    ActiveMask,
    Again,
    Convert,
    Leave,
    Let,
    Lines,
    Name,
    Not,
    Number,
    Op,
    Put,
    Sync,
    Total,
    Vote,
    When,
)

BLOCKS = (32, 32, 64, 96, 128, 20, 50, 33, 1, 100)
BLOCKS += ((32, 2), (16, 4), (8, 8), (10, 10), (7, 5), (33, 2))
BLOCKS += ((4, 4, 4), (7, 5, 3), (8, 2, 3), (2, 3, 5), (32, 1, 2))
IMPORTS = "from typing import NamedTuple\n\nfrom cuda import device as D"
POSITION = """tx = D.int32(D.thread_idx.x)
t = D.int32(D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z))
lane = D.lane_id
warp = t // 32
bk = D.int32(D.block_idx.x)
ty = D.int32(D.thread_idx.y)
tz = D.int32(D.thread_idx.z)
i = bk * {size} + t"""


@dataclass
class WarpProgram:
    block: int | tuple[int, ...]
    blocks: int
    body: list
    inputs: dict[str, str]  # arrays, and their types
    shared: dict[str, tuple[str, int]]  # types and sizes
    counters: dict[str, tuple[str, int]]  # arrays of atomics: types and sizes
    rows: dict[str, int]  # of the outputs, by type
    by: int  # an argument
    operations: dict[str, str] = field(default_factory=dict)
    kinds: list[Kind] = field(default_factory=list)

    def parameters(self) -> list[str]:
        return [*self.inputs, *(f"o_{t}" for t in self.rows), *self.counters, "by"]

    def source(self) -> str:
        lines = ["@D.kernel(fmad=False)", f"def kernel({', '.join(self.parameters())}):"]
        for name, (t, size) in self.shared.items():
            lines.append(f"    {name} = D.shared_array({size}, D.{NAMES[t]})")
        for statement in self.body:
            lines += statement.lines("    ")
        text = "\n".join(lines) + "\n"
        helper = f"{Total.TEXT}\n\n" if "total_of(" in text else ""
        kinds = "".join(f"{kind.definition()}\n\n" for kind in self.kinds if kind.definition())
        return f"{IMPORTS}\n\n\n{kinds}{helper}{text}"


class WarpGenerator(WarpApart):
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.parts = random.Random(seed ^ 0xA9A7).random() < 0.2  # a program without is as it was
        self.ends = random.Random(seed ^ 0xE4D5).random() < 0.3
        self.block = self.random.choice(BLOCKS)
        self.size = 1
        for extent in axes(self.block):
            self.size *= extent
        self.lines = -(-self.size // 32) * 32  # threads, and those that the last warp lacks
        self.may_leave = self.chance(0.4)
        self.whole = self.size % 32 == 0 and not self.may_leave
        self.inputs = {f"a_{t}": t for t in self.random.sample(VALUES, 6)}
        self.inputs["a_i4"] = "i4"
        self.scopes = [{"lane": "i4", "t": "i4", "warp": "i4", "bk": "i4", "i": "i4"}]
        self.scopes[0] |= dict.fromkeys(("tx", "ty", "tz"), "i4")
        self.frozen = set(self.scopes[0])
        self.shared = {f"sh_{t}": (t, self.lines) for t in self.random.sample(WIDE, 2)}
        self.shared["sa_i4"] = "i4", 5
        kinds = self.random.sample(list(COMMUTING), 2)
        self.operations = {"ac_i4": kinds[0], "ac_u4": kinds[1], "sa_i4": "add"}
        self.counters = {"ac_i4": ("i4", 3), "ac_u4": ("u4", 1), "at_i4": ("i4", 1)}
        self.places = self.random.randint(1, 3 * self.size)
        self.counters["aw_i4"] = "i4", self.places
        self.rows: dict[str, int] = {}
        self.names = 0
        self.kinds = []

    # --- control ---

    def branch(self, p: Path, depth: int) -> list:
        """Threads of a warp part, and meet again."""
        here = p.masks[0]
        with self.hidden():
            yes, no = self.fresh("wm"), self.fresh("wm")
        kind = self.random.random()
        if kind < 0.2 and p.full:
            edge = self.random.randint(1, 31)
            side = op("<", LANE, edge)
            low = (1 << edge) - 1
            masks = [Number("wm", m, typed=True) for m in (low, FULL ^ low)]
            return self.sides(p, depth, [], side, masks, [[], []])
        test, side = self.own("b1", self.test())
        if kind < 0.5:
            asked = [[ActiveMask(yes.name)], [ActiveMask(no.name)]]
            return self.sides(p, depth, test, side, (yes, no), asked)
        before = [*test, Vote("ballot", yes.name, here, side)]
        rest = Not("wm", yes)
        if here.text() != "-1":
            rest = Op("wm", "&", here, rest)
        asked = [[], [Let(no.name, rest)]]
        return self.sides(p, depth, before, side, (yes, no), asked)

    def sides(self, p: Path, depth: int, before: list, side, masks, first: list) -> list:
        bodies = []
        for mask, start in zip(masks, first, strict=True):
            with self.scope():
                bodies.append([*start, *self.statements(p.narrowed(mask), depth - 1)])
                if self.may_leave and self.chance(0.2):
                    bodies[-1].append(Leave("return"))
        if self.chance(0.3):
            bodies[1] = []
        return [*before, *self.in_step(p, [*bodies[0], *bodies[1]], [When(side, *bodies)])]

    def leave(self, p: Path, depth: int) -> list:
        return [When(self.test(), [Leave("return")], [])]

    def branch_of_warps(self, p: Path, depth: int) -> list:
        """Whole warps part, or blocks."""
        before, block = [], False
        kind = self.random.random()
        if kind < 0.4:
            with self.hidden():
                told = self.fresh("b1")
            vote = self.random.choice(("any", "all", "eq"))
            before, test = [Vote(vote, told.name, p.masks[0], self.test())], told
        elif kind < 0.7:
            test = op("==", op("%", WARP, 2), self.random.randint(0, 1))
        else:
            test, block = op("==", BLOCK, self.random.randint(0, 1)), p.block
        inner = replace(p, masks=p.masks[:1], block=block)
        bodies = []
        for count in (self.random.randint(1, 3), self.random.randint(0, 1)):
            with self.scope():
                bodies.append(self.statements(replace(inner, masks=[*p.masks]), depth - 1, count))
        return [*before, When(test, *bodies)]

    def loop_of_all(self, p: Path, depth: int) -> list:
        block = p.block and self.chance(0.6)
        count = Number("i4", self.random.randint(1, 3), typed=self.chance(0.3))
        if self.chance(0.3):
            count = op("+", op("%", BLOCK if block else WARP, 2), 1)
        inner = replace(p, masks=p.masks[:1], block=block, loops=p.loops + 1)
        with self.scope():
            name = self.fresh("i4", keep=True)
            jump = []
            if not block and self.chance(0.3):
                test, vote = self.test(), self.fresh("b1")
                leave = Leave(self.random.choice(("break", "continue")))
                told = Vote("any", vote.name, inner.masks[0], test)
                jump = [told, When(vote, [leave], [])]
            return [Again([*jump, *self.statements(inner, depth - 1)], name.name, (count,))]

    def loop_of_each(self, p: Path, depth: int) -> list:
        """Threads leave it at different times."""
        here = p.masks[0]
        trips, count = self.own("i4", op("%", self.value("i4", 1), self.random.randint(2, 5)))
        with self.scope():
            mask = self.fresh("wm")
            inner = replace(p.narrowed(mask), loops=p.loops + 1)
            k = self.fresh("i4", keep=True)
            body = self.in_loop(inner, depth)
            if self.chance(0.5):
                loop = Again([ActiveMask(mask.name), *body], k.name, (count,))
                return [*trips, loop, Sync(False, here)]
            goes_on = op("<", k, count)
            body += [Let(k.name, number(1), "+"), Vote("ballot", mask.name, mask, goes_on)]
            start = [Let(k.name, number(0)), Vote("ballot", mask.name, here, goes_on)]
            start[0].value.typed = True
            return [*trips, *start, *self.in_step(p, body, [Again(body, test=goes_on)])]

    @staticmethod
    def in_step(p: Path, bodies, statements: list) -> list:
        """Nobody runs ahead to where others will ask who is active."""
        asks = any("activemask()" in line for s in bodies for line in s.lines(""))
        return [*statements, Sync(False, p.masks[0])] if asks else statements

    def in_loop(self, p: Path, depth: int) -> list:
        """Some may break, after they have told the others."""
        body = self.statements(p, depth - 1, self.random.randint(1, 2))
        if self.chance(0.5):
            test, stops = self.own("b1", self.test())
            told = Vote("ballot", p.masks[0].name, p.masks[0], Not("b1", stops))
            p.masks[1:] = []
            body += [*test, told, When(stops, [Leave("break")], [])]
            body += self.statements(p, depth - 1, 1)
        return body

    # --- the whole ---

    def let(self, p: Path) -> list:
        outer = [v for scope in self.scopes[:-1] for v in scope if v not in self.frozen]
        if outer and self.chance(0.5):
            name = self.random.choice(outer)
            t = next(scope[name] for scope in self.scopes if name in scope)
            return [Let(name, Convert(t, self.value(t)))]
        t = self.random.choice(WIDE)
        value = self.value(t)
        result = self.fresh(t)
        return [Let(result.name, Convert(t, value))]

    def statement(self, p: Path, depth: int) -> list:
        kinds = [(2, self.let), (3, self.vote), (4, self.shuffle), (2, self.match)]
        kinds += [(1, self.part), (1, self.sync), (1.5, self.exchange), (1.5, self.atomic)]
        kinds += [(1, self.aggregated), (0.5, self.active)]
        kinds += [(1.5, self.shuffle_of_all), (1.3, self.match_of_all)]
        if self.whole and p.full:
            kinds += [(2, self.reduction), (0.7, self.total)]
            kinds += [(1, self.block_scan)] if p.block else []
        kinds += [(1, self.counted)] if p.block else []
        kinds += [(4, self.apart)] if self.parts else []
        nested = [(3, self.branch), (1.5, self.loop_of_each), (1, self.branch_of_warps)]
        nested += [(1, self.loop_of_all)]
        nested += [(2, self.leave)] if self.may_leave else []
        if depth > 0:
            weights = [w for w, _ in (*kinds, *nested)]
            made = self.random.choices([*kinds, *nested], weights)[0]
            return made[1](p, depth) if made in nested else made[1](p)
        return self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0](p)

    def statements(self, p: Path, depth: int, count: int | None = None) -> list:
        result = []
        for _ in range(self.random.randint(1, 3) if count is None else count):
            result += self.statement(p, depth)
        return result

    def ending(self) -> list:
        """Threads leave an `if` or a loop, and the kernel, beside others whose masks name them."""
        self.may_leave, self.whole = True, False
        p = Path([Number("wm", -1)], block=False)
        if self.chance(0.5):
            test, no = self.test(), []
            if self.chance(0.3):
                with self.scope():
                    no = self.let(p)
            with self.scope():
                return [When(test, self.statements(p, 2, self.random.randint(1, 4)), no, last=True)]
        trips, count = self.own("i4", op("%", self.value("i4", 1), self.random.randint(2, 5)))
        with self.scope():
            k = self.fresh("i4", keep=True)
            body = self.statements(replace(p, loops=1), 1, self.random.randint(1, 3))
            return [*trips, Again(body, k.name, (count,), last=True)]

    def prologue(self) -> list:
        start = [Lines(POSITION.format(size=self.size).split("\n"))]
        threads = number(self.size)
        for array, (t, size) in self.shared.items():
            k = f"k_{t}" if array != "sa_i4" else "k_sa"
            store = Put(array, Name("i4", k), Convert(t, number(0)))
            start.append(Again([store], k, (THREAD, number(size), threads)))
        return [*start, Sync(True)]

    def program(self) -> WarpProgram:
        start = self.prologue()
        body = self.statements(Path([Number("wm", -1)]), 3, self.random.randint(4, 9))
        if self.ends:
            body += self.ending()
        inputs = dict(sorted(self.inputs.items()))
        return WarpProgram(
            *(self.block, self.blocks(), [*start, *body], inputs, self.shared),
            *(self.counters, self.rows, self.random.randint(0, 31), self.operations, self.kinds),
        )


def generate_warps(seed: int) -> WarpProgram:
    return WarpGenerator(seed).program()
