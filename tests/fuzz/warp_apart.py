"""Threads that meet on different paths: at barriers of a block and at operations of a warp, in both
branches of an `if` or in two `if`s of which each thread enters one.

The model does what both sides do in step: everything up to a meeting, that of all, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy

from .lockstep import Grid
from .warp_expressions import INTEGERS, THREAD, VALUES, op
from .warp_groups import WarpGroups
from .warp_meetings import Path
from .warp_tree import (
    Choose,
    Convert,
    Item,
    Let,
    Match,
    Not,
    Put,
    Shuffle,
    Sync,
    Vote,
    body_lines,
    run_all,
)


@dataclass
class BlockVote:
    """syncthreads_count, _and, or _or."""

    kind: str
    name: str
    test: Any

    def lines(self, pad: str) -> Iterator[str]:
        yield f"{pad}{self.name} = D.syncthreads_{self.kind}(lambda: {self.test.text()})"

    def run(self, g: Grid, on):
        Sync(True).run(g, on)
        holds = self.test.run(g, on)
        axes = {"axis": (1, 2), "keepdims": True}
        result = {
            "count": (on & holds).sum(**axes, dtype=numpy.int32),
            "and": (holds | ~on).all(**axes),
            "or": (on & holds).any(**axes),
        }[self.kind]
        g.assign(self.name, numpy.broadcast_to(result, g.shape), on)
        return on


@dataclass
class Meeting:
    """What each side calls, and what it is for all of them."""

    yes: Any
    no: Any
    both: Any


@dataclass
class Apart:
    """Sides are lists of statements, one of each beside the other, with meetings between them."""

    test: Any
    phases: list[Meeting | tuple[list, list]]
    two_ifs: bool

    def side(self, number: int) -> list:
        body = []
        for phase in self.phases:
            if isinstance(phase, Meeting):
                body.append((phase.yes, phase.no)[number])
            else:
                body += phase[number]
        return body

    def lines(self, pad: str) -> Iterator[str]:
        yield from body_lines(pad, f"if {self.test.text()}", self.side(0))
        other = f"if {Not('b1', self.test).text()}" if self.two_ifs else "else"
        yield from body_lines(pad, other, self.side(1))

    def run(self, g: Grid, on):
        holds = self.test.run(g, on)
        for phase in self.phases:
            if isinstance(phase, Meeting):
                phase.both.run(g, on)
            else:
                run_all(phase[0], g, on & holds)
                run_all(phase[1], g, on & ~holds)
        return on


class WarpApart(WarpGroups):
    parts: bool  # whether the program has such meetings

    def apart(self, p: Path) -> list:
        test, side = self.own("b1", self.test())
        phases: list = []
        shown: list = []
        for _ in range(self.random.randint(1, 3)):
            kinds = [self.vote_apart, self.match_apart]
            kinds += [self.shuffle_apart] if self.takes_all(p, p.masks[0]) else []
            if p.block:
                kinds += 2 * [self.block_vote_apart]
                kinds += [] if self.may_leave else 3 * [self.exchange_apart]
            made, result = self.random.choice(kinds)(p, side)
            phases += made
            shown += self.show(p, result)
        return [*test, Apart(side, phases, self.chance(0.4)), *shown]

    def vote_apart(self, p: Path, side) -> tuple[list, Any]:
        kind = self.random.choice(("all", "any", "eq", "ballot"))
        tests = self.test(), self.test()
        result = self.fresh("wm" if kind == "ballot" else "b1", keep=True)
        first, second = (Vote(kind, result.name, p.masks[0], test) for test in tests)
        both = replace(first, test=Choose("b1", side, *tests))
        return [Meeting(first, second, both)], result

    def shuffle_apart(self, p: Path, side) -> tuple[list, Any]:
        kind, t = self.random.choice(("", "up", "down", "xor")), self.random.choice(VALUES)
        with self.hidden():
            names = self.fresh(t), self.fresh(t), self.fresh("i4"), self.fresh("i4")
        givens = (self.value(t, 1), self.value(t, 1), self.some_lane(), self.some_lane())
        given = [Let(n.name, Convert(n.type, v)) for n, v in zip(names, givens, strict=True)]
        result = self.fresh(t)
        first = Shuffle(kind, result.name, p.masks[0], names[0], names[2])
        second = replace(first, value=names[1], number=names[3])
        both = replace(
            first,
            value=Choose(t, side, names[0], names[1]),
            number=Choose("i4", side, names[2], names[3]),
        )
        return [(given, given), Meeting(first, second, both)], result

    def match_apart(self, p: Path, side) -> tuple[list, Any]:
        t = self.random.choice(INTEGERS)
        values = [op("%", self.value(t, 1), self.random.randint(1, 4)) for _ in range(2)]
        with self.hidden():
            names = self.fresh(t), self.fresh(t)
        given = [Let(n.name, Convert(t, v)) for n, v in zip(names, values, strict=True)]
        result = self.fresh("wm", keep=True)
        first, second = (Match([result.name], p.masks[0], [name]) for name in names)
        both = replace(first, parts=[Choose(t, side, *names)])
        return [(given, given), Meeting(first, second, both)], result

    def block_vote_apart(self, p: Path, side) -> tuple[list, Any]:
        kind = self.random.choice(("count", "and", "or"))
        tests = self.test(), self.test()
        result = self.fresh("i4" if kind == "count" else "b1", keep=True)
        first, second = (BlockVote(kind, result.name, test) for test in tests)
        return [Meeting(first, second, replace(first, test=Choose("b1", side, *tests)))], result

    def exchange_apart(self, p: Path, side) -> tuple[list, Any]:
        """Through shared memory."""
        array = self.random.choice([a for a in self.shared if a != "sa_i4"])
        t = self.shared[array][0]
        stores = [[Put(array, THREAD, Convert(t, self.value(t, 1)))] for _ in range(2)]
        places = [
            op("%", op("+", op("*", THREAD, step), self.random.randint(0, 60)), self.size)
            for step in self.random.sample((1, 3, 7), 2)
        ]
        result = self.fresh(t)
        reads = [[Let(result.name, Item(t, array, place))] for place in places]
        meeting = Meeting(Sync(True), Sync(True), Sync(True))
        return [tuple(stores), meeting, tuple(reads), meeting], result
