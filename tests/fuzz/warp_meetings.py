"""What threads of a warp do together: votes, shuffles, matches, and what is made of them.

Each method gives a list of statements for threads that are on one path (Path).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .warp_expressions import (
    INTEGERS,
    LANE,
    THREAD,
    VALUES,
    WARP,
    WIDE,
    WarpExpressions,
    number,
    op,
)
from .warp_tree import (
    ActiveMask,
    Again,
    Atomic,
    Bound,
    Choose,
    Convert,
    Hexadecimal,
    Item,
    LaneOf,
    LanesBelow,
    Let,
    Match,
    Name,
    Not,
    Number,
    OfMask,
    Op,
    Put,
    Shown,
    Shuffle,
    Sync,
    Tickets,
    Total,
    Vote,
    When,
)

FULL = 0xFFFFFFFF
COMMUTING = {"add": ("add", "sub"), "max": ("max",), "min": ("min",), "xor": ("xor",)}
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")


@dataclass
class Path:
    """Where a statement stands, and which threads come there together."""

    masks: list  # the first names all threads of a warp that are here; others, parts of them
    full: bool = True  # all threads of a warp that have not left the kernel
    block: bool = True  # all threads of a block
    loops: int = 0

    def narrowed(self, mask) -> Path:
        return replace(self, masks=[mask], full=False, block=False)


class WarpMeetings(WarpExpressions):
    whole: bool  # all blocks consist of whole warps, and nobody leaves the kernel
    may_leave: bool
    rows: dict[str, int]  # of the outputs, by type
    shared: dict[str, tuple[str, int]]
    counters: dict[str, tuple[str, int]]
    operations: dict[str, str]  # the one that commutes, by array of atomics
    places: int  # for tickets

    def mask(self, p: Path):
        """Of all that are here, or of a part of them."""
        chosen = p.masks[0] if self.chance(0.7) else self.random.choice(p.masks)
        if isinstance(chosen, Number) and self.chance(0.5):
            spelling = self.random.choice((Hexadecimal, Number))
            return spelling("wm", chosen.value & FULL, typed=True)
        return chosen

    def show(self, p: Path, value) -> list:
        t = "i4" if value.type == "wm" else value.type
        row = self.rows.setdefault(t, 0)
        self.rows[t] += 1
        adds = p.loops and t in INTEGERS and value.type != "wm"
        return [Shown(row, value, "+" if adds else "")]

    def vote(self, p: Path) -> list:
        kind = self.random.choice(("all", "any", "eq", "ballot", "ballot"))
        test, mask = self.test(), self.mask(p)
        result = self.fresh("wm" if kind == "ballot" else "b1", keep=True)
        return [Vote(kind, result.name, mask, test, self.chance(0.3)), *self.show(p, result)]

    def takes_all(self, p: Path, mask) -> bool:
        """Whether all 32 lanes certainly take part."""
        return self.whole and p.full and isinstance(mask, Number) and mask.value & FULL == FULL

    def live(self, mask) -> tuple[list, Name]:
        """Those who take part."""
        with self.hidden():
            name = self.fresh("wm")
        test = self.random.choice((op("<", LANE, 32), op(">=", THREAD, 0)))
        return [Vote("ballot", name.name, mask, test)], name

    def shuffle(self, p: Path) -> list:
        kind = self.random.choice(("", "up", "down", "xor"))
        t, mask = self.random.choice(VALUES), self.mask(p)
        value, amount = self.value(t, 1), self.some_lane()
        if self.chance(0.5):
            amount = Convert("i8", amount)
        if self.takes_all(p, mask):
            result = self.fresh(t)
            return [Shuffle(kind, result.name, mask, value, amount), *self.show(p, result)]
        given, value = self.own(t, value)
        known = []
        if not isinstance(amount, Number | Name):
            known, amount = self.own(amount.type, amount)
        voting, live = self.live(mask)
        (_, got), result = self.own(t, value), self.fresh(t)
        shuffled = Shuffle(kind, got.name, mask, value, amount)
        takes_part = LaneOf(live, self.source(kind, amount))
        kept = Let(result.name, Choose(t, takes_part, got, value))
        return [*given, *known, *voting, shuffled, kept, *self.show(p, result)]

    def source(self, kind: str, amount):
        """The lane that a shuffle reads from."""
        if kind == "":
            return amount
        by = amount.value if isinstance(amount, Number) else amount
        if kind == "xor":
            return op("^", LANE, by)
        if kind == "up":
            return Choose("i4", op(">=", LANE, by), op("-", LANE, by), LANE)
        other = op("+", LANE, by)
        return Choose("i4", op("<", other, 32), other, LANE)

    def match(self, p: Path) -> list:
        mask = self.mask(p)
        t = self.random.choice(VALUES)
        arrays = [a for a, kind in self.inputs.items() if kind == t]
        if t in INTEGERS:
            value = op("%", self.value(t, 1), self.random.randint(1, 4))
        elif arrays:
            value = Item(t, self.random.choice(arrays), self.index())
        else:
            value = self.test() if t == "b1" else Convert(t, op("&", self.value("i4", 1), 3))
        result = self.fresh("wm")
        if self.chance(0.4):
            same = self.fresh("b1", keep=True)
            matched = Match([result.name, same.name], mask, [value])
            return [matched, *self.show(p, result), *self.show(p, same)]
        found = [Match([result.name], mask, [value]), *self.show(p, result)]
        if mask is p.masks[0]:
            p.masks.append(result)
        return found

    def active(self, p: Path) -> list:
        result = self.fresh("wm")
        return [ActiveMask(result.name), *self.show(p, result)]

    def sync(self, p: Path) -> list:
        return [Sync(False, None if p.full and self.chance(0.5) else self.mask(p))]

    def part(self, p: Path) -> list:
        """A mask of a part of those that are here: the thread's own."""
        kind = self.random.random()
        here = p.masks[0]
        if kind < 0.5:
            size = self.random.choice((2, 4, 8, 16))
            pattern = Number("wm", (1 << size) - 1, typed=True)
            group = Op("wm", "<<", pattern, op("*", op("//", LANE, size), size))
        elif kind < 0.7:
            step, pattern = self.random.choice(((2, 0x55555555), (4, 0x11111111)))
            group = Op("wm", "<<", Number("wm", pattern, typed=True), op("%", LANE, step))
        else:
            test, side = self.own("b1", self.test())
            with self.hidden():
                told = self.fresh("wm")
            rest = Not("wm", told)
            result = self.fresh("wm")
            p.masks.append(result)
            other = rest if here.text() == "-1" else Op("wm", "&", here, rest)
            return [
                *test,
                Vote("ballot", told.name, here, side),
                Let(result.name, Choose("wm", side, told, other)),
            ]
        result = self.fresh("wm")
        p.masks.append(result)
        if here.text() != "-1":
            group = Op("wm", "&", here, group)
        return [Let(result.name, group)]

    # --- memory ---

    def exchange(self, p: Path) -> list:
        """Through shared memory: within the warp, or within the block."""
        array = self.random.choice([a for a in self.shared if a != "sa_i4"])
        t = self.shared[array][0]
        with_block = p.block and self.chance(0.6)
        mask = p.masks[0]
        sync = Sync(True) if with_block else Sync(False, None if mask.text() == "-1" else mask)
        given, value = self.own(t, self.value(t, 1))
        at, lane = self.own("i4", op("+", self.some_lane(), 0))
        store = Put(array, THREAD, value)
        result = self.fresh(t)
        if with_block and not self.may_leave:
            step = self.random.choice((1, 3, 7))
            place = op("%", op("+", op("*", THREAD, step), self.random.randint(0, 60)), self.size)
            read = [Let(result.name, Item(t, array, place))]
            return [*given, store, sync, *read, sync, *self.show(p, result)]
        place = op("+", op("*", WARP, 32), lane)
        if self.takes_all(p, mask):
            read = [Let(result.name, Item(t, array, place))]
        else:
            voting, live = self.live(mask)
            there = Choose(t, LaneOf(live, lane), Item(t, array, place), value)
            read = [*voting, Let(result.name, there)]
        return [*given, *at, store, sync, *read, sync, *self.show(p, result)]

    def atomic(self, p: Path) -> list:
        array = self.random.choice(list(self.operations))
        kind = self.operations[array]
        t, size = self.counters.get(array) or self.shared[array]
        index = op("%", op("&", self.value("i4", 1), 0xFFFF), size)
        scope = "block" if array == "sa_i4" else self.random.choice(("device", "system"))
        value = self.value(t, 1)
        if isinstance(value, Number):
            value = replace(value, typed=True)
        operation, order = self.random.choice(COMMUTING[kind]), self.random.choice(ORDERS)
        return [Atomic(array, index, operation, value, order, scope)]

    def counted(self, p: Path) -> list:
        """What atomics of the block have come to."""
        result = self.fresh("i4", keep=True)
        place = number(self.random.randint(0, 4))
        read = Let(result.name, Item("i4", "sa_i4", place))
        return [Sync(True), read, Sync(True), *self.show(p, result)]

    def aggregated(self, p: Path) -> list:
        """One atomic operation for the threads of a mask: a number, or a place, for each."""
        mask = self.mask(p)
        test, takes = self.own("b1", self.test())
        with self.hidden():
            chosen, first, base, place = (self.fresh(t) for t in ("wm", "i4", "i4", "i4"))
        leader = Bound("i4", "max", op("-", OfMask("ffs", chosen), 1), number(0))
        count = OfMask(self.random.choice(("popc", "bit_count")), chosen)
        leads = op("and", takes, op("==", LANE, first))
        found = Op("wm", "&", chosen, LanesBelow())
        room = op("and", takes, op("<", place, self.places))
        start = Let(base.name, Number("i4", 0, typed=True))
        ballot = Vote("ballot", chosen.name, mask, takes)
        known = [*test, ballot, Let(first.name, leader), start]
        if self.chance(0.3):
            add = Atomic("sa_i4", number(0), "add", count, "relaxed", "block")
            return [*known, When(leads, [add], [])]
        return [
            *known,
            When(leads, [Tickets(base.name, "at_i4", count)], []),
            Shuffle("", base.name, mask, base, first),
            Let(place.name, op("+", base, OfMask("popc", found))),
            When(room, [Put("aw_i4", place, number(7))], []),
        ]

    # --- patterns of whole warps ---

    def reduction(self, p: Path) -> list:
        t = self.random.choice(WIDE)
        given, total = self.own(t, self.value(t, 1))
        kind, constant = self.random.choice(("xor", "down", "up")), self.chance(0.5)
        with self.hidden():
            other, d = self.fresh(t), self.fresh("i4")
        mask = self.mask_of_all(p)
        combined = Op(t, "+", total, other)
        if self.chance(0.3):
            combined = Bound(t, self.random.choice(("min", "max")), total, other)
        steps = []
        distances = self.random.choice(((16, 8, 4, 2, 1), (1, 2, 4, 8, 16)))
        for distance in distances if constant else [d]:
            amount = number(distance) if constant else d
            steps.append(Shuffle(kind, other.name, mask, total, amount))
            added = Let(total.name, combined)
            if kind == "up":  # a scan
                steps.append(When(op(">=", LANE, distance if constant else d), [added], []))
            else:
                steps.append(added)
        if not constant:
            loop = Again([*steps, Let(d.name, number(2), "*")], test=op("<", d, 32))
            steps = [Let(d.name, Number("i4", 1, typed=True)), loop]
        result = self.fresh(t)
        return [*given, *steps, Let(result.name, total), *self.show(p, result)]

    def mask_of_all(self, p: Path):
        while not self.takes_all(p, mask := self.mask(p)):
            pass
        return mask

    def total(self, p: Path) -> list:
        """A helper that threads of a warp call together."""
        t = self.random.choice(WIDE)
        value, mask = self.value(t, 1), self.mask_of_all(p)
        result = self.fresh(t)
        return [Total(result.name, mask, value), *self.show(p, result)]

    def block_scan(self, p: Path) -> list:
        """Sums of warps, of which each thread takes those before its own."""
        array, t = next((a, t) for a, (t, _) in self.shared.items() if a != "sa_i4")
        given, total = self.own(t, self.value(t, 1))
        with self.hidden():
            below, k = self.fresh(t), self.fresh("i4")
        result = self.fresh(t)
        mask, steps = self.mask_of_all(p), []
        for distance in (1, 2, 4, 8, 16):
            steps.append(Shuffle("up", below.name, mask, total, number(distance)))
            added = [Let(total.name, Op(t, "+", total, below))]
            steps.append(When(op(">=", LANE, distance), added, []))
        last = When(op("==", LANE, 31), [Put(array, WARP, total)], [])
        summed = Let(result.name, Op(t, "+", result, Item(t, array, k)))
        before = Again([summed], k.name, (WARP,))
        sums = [Sync(True), last, Sync(True), Let(result.name, total), before, Sync(True)]
        return [*given, *steps, *sums, *self.show(p, result)]
