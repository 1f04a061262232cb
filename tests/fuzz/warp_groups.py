"""Values of several scalars that threads of a warp move and compare as one: vectors, tuples, named
tuples and structs.

What they mean is what each scalar alone does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .lockstep import Grid, source_of
from .warp_expressions import op
from .warp_meetings import Path, WarpMeetings
from .warp_tree import NAMES, NUMPY, Choose, Convert, LaneOf, Let, Match, Name

VECTORS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "f2", "bf", "e4", "e5", "f4", "f8")
MEMBERS = (*VECTORS, "u8", "b1", "c8")
MOST_BYTES = 8  # that a shuffle moves
FIELDS = "xyzw"


def bytes_of(types: list[str]) -> int:
    """As C lays them out."""
    end = 0
    alignments = [NUMPY[t].itemsize if t != "c8" else 8 for t in types]
    for t, alignment in zip(types, alignments, strict=True):
        end = -(-end // alignment) * alignment + NUMPY[t].itemsize
    return -(-end // max(alignments)) * max(alignments)


@dataclass(frozen=True)
class Kind:
    """A vector, a tuple, a named tuple or a struct of these types."""

    how: str
    types: tuple[str, ...]

    def name(self) -> str:
        return f"{self.how.title()}_{'_'.join(self.types)}"

    def definition(self) -> str:
        """In the module, in front of the kernel."""
        if self.how in ("vector", "tuple"):
            return ""
        heads = {
            "struct": f"@D.struct\nclass {self.name()}:",
            "named": f"class {self.name()}(NamedTuple):",
        }
        names = ["bool" if t == "b1" else f"D.{NAMES[t]}" for t in self.types]
        members = [f"    {f}: {name}" for f, name in zip(FIELDS, names, strict=False)]
        return "\n".join([heads[self.how], *members]) + "\n"

    def made(self, parts: list) -> str:
        texts = ", ".join(part.text() for part in parts)
        if self.how == "vector":
            return f"D.{NAMES[self.types[0]]}x{len(parts)}({texts})"
        return f"({texts},)" if self.how == "tuple" else f"{self.name()}({texts})"

    def part(self, whole: str, k: int) -> str:
        return f"{whole}[{k}]" if self.how == "tuple" else f"{whole}.{FIELDS[k]}"


@dataclass
class ShuffleOfAll:
    """A shuffle of `parts` at once, whose results have names each."""

    kind: Kind
    how: str  # "" of a lane, "up", "down", "xor"
    names: list[str]
    mask: Any
    parts: list
    number: Any

    def lines(self, pad: str):
        name = f"shfl_{self.how}_sync" if self.how else "shfl_sync"
        operands = (self.mask.text(), self.kind.made(self.parts), self.number.text())
        whole = f"g_{self.names[0]}"
        yield f"{pad}{whole} = D.{name}({', '.join(operands)})"
        for k, result in enumerate(self.names):
            yield f"{pad}{result} = {self.kind.part(whole, k)}"

    def run(self, g: Grid, on):
        mask, number = self.mask.run(g, on), self.number.run(g, on)
        source = source_of(self.how, g.variables["lane"], number)
        values = [part.run(g, on) for part in self.parts]
        for name, value in zip(self.names, values, strict=True):
            g.assign(name, g.shuffle(mask, value, source, on), on)
        return on


class WarpGroups(WarpMeetings):
    kinds: list[Kind]  # that a program has made

    def group_kind(self, most: int) -> Kind:
        while True:
            how = self.random.choice(("vector", "vector", "tuple", "named", "struct"))
            if how == "vector":
                types = [self.random.choice(VECTORS)] * self.random.randint(2, 4)
            else:
                types = self.random.choices(MEMBERS, k=self.random.randint(1, 4))
            if bytes_of(types) <= most:
                kind = Kind(how, tuple(types))
                if kind not in self.kinds:
                    self.kinds.append(kind)
                return kind

    def small(self, t: str):
        """One of few values, that others have as well."""
        least = self.random.choice((1, 1, 3))
        if t == "b1":
            return self.test()
        return Convert(t, op("&", self.value("i4", 1), least))

    def given_parts(self, types: tuple[str, ...], few: bool) -> tuple[list, list[Name]]:
        lines, names = [], []
        for t in types:
            value = self.small(t) if few else self.value(t, 1)
            let, name = self.own(t, value if t == "b1" else Convert(t, value))
            lines += let
            names.append(name)
        return lines, names

    def shuffle_of_all(self, p: Path) -> list:
        kind, mask = self.group_kind(MOST_BYTES), self.mask(p)
        how = self.random.choice(("", "up", "down", "xor"))
        given, parts = self.given_parts(kind.types, few=False)
        amount = self.some_lane()
        if self.takes_all(p, mask):
            results = [self.fresh(t) for t in kind.types]
            names = [r.name for r in results]
            moved = ShuffleOfAll(kind, how, names, mask, parts, amount)
            return [*given, moved, *(s for r in results for s in self.show(p, r))]
        known, amount = self.own("i4", Convert("i4", amount))
        voting, live = self.live(mask)
        with self.hidden():
            got = [self.fresh(t) for t in kind.types]
        moved = ShuffleOfAll(kind, how, [g.name for g in got], mask, parts, amount)
        takes_part = LaneOf(live, self.source(how, amount))
        kept = []
        for t, one, own in zip(kind.types, got, parts, strict=True):
            result = self.fresh(t)
            kept += [Let(result.name, Choose(t, takes_part, one, own)), *self.show(p, result)]
        return [*given, *known, *voting, moved, *kept]

    def match_of_all(self, p: Path) -> list:
        """Of any size."""
        kind, mask = self.group_kind(32), self.mask(p)
        given, parts = self.given_parts(kind.types, few=True)
        result = self.fresh("wm")
        found = Match([result.name], mask, parts, kind)
        if self.chance(0.4):
            same = self.fresh("b1", keep=True)
            found = replace(found, names=[result.name, same.name])
            return [*given, found, *self.show(p, result), *self.show(p, same)]
        return [*given, found, *self.show(p, result)]
