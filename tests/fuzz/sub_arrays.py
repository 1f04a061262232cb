"""Fields that are arrays in random programs: their elements, rows and parts, read and stored to.

The statements stand at the end of a program and have random numbers of their own, so that the
rest of it stays what it is. The arrays are of a structured dtype of NumPy: an input ``z``, from
any element of which every thread reads, and an output ``y``, where each stores to its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from . import model
from .expression_tree import Binary, Cast, Literal, Thread, Variable
from .model import Val
from .program import Store
from .records import kind_of, sub_shape
from .struct_types import dtype_of

INPUT, OUTPUT = "z_Sub", "y_Sub"


@dataclass(frozen=True)
class Axis:
    """What stands for one axis: an index, known or not, or a slice."""

    index: object = None
    slice: slice | None = None

    def text(self) -> str:
        if self.slice is None:
            return self.index.text()
        parts = (self.slice.start, self.slice.stop, self.slice.step)
        start, stop, step = ("" if p is None else str(p) for p in parts)
        return f"{start}:{stop}" + (f":{step}" if step else "")

    def places(self, t: Thread, extent: int) -> list[int]:
        if self.slice is not None:
            return list(range(extent))[self.slice]
        return [self.index.run(t).number % extent]


@dataclass
class Part:
    """A part of a field: of an element in memory, of a variable, or of the field as an array."""

    kind: str  # of the elements
    array: str
    at: object  # the index of the element
    field: str
    axes: list[Axis]
    spelling: str  # "attribute", "item", "array" or "value"
    in_steps: bool = False  # an index on the first axis has brackets of its own
    whole: bool = False  # followed by [:] or [...]

    def text(self) -> str:
        element = f"[{self.at.text()}]"
        axes = [axis.text() for axis in self.axes]
        if self.spelling == "array":
            return f'{self.array}["{self.field}"][{", ".join([self.at.text(), *axes])}]'
        one = f"r_{self.array}" if self.spelling == "value" else self.array + element
        text = one + (f'["{self.field}"]' if self.spelling == "item" else f".{self.field}")
        if self.in_steps and len(axes) > 1:
            text += f"[{axes[0]}]"
            axes = axes[1:]
        return text + (f"[{', '.join(axes)}]" if axes else "[...]" if self.whole else "")

    def code(self) -> str:
        return sub_shape(dict(kind_of(self.kind).fields)[self.field])[0]

    def places(self, t: Thread) -> list[int]:
        """The numbers of the elements in C order."""
        _, shape = sub_shape(dict(kind_of(self.kind).fields)[self.field])
        found = [0]
        for extent, axis in zip(
            shape,
            self.axes + [Axis(slice=slice(None))] * (len(shape) - len(self.axes)),
            strict=True,
        ):
            inner = axis.places(t, extent)
            found = [place * extent + k for place in found for k in inner]
        return found

    def numbers(self, t: Thread) -> list:
        record = t.load(self.array, self.at.run(t).number).number
        names = [name for name, _ in kind_of(self.kind).fields]
        part = record[names.index(self.field)]
        return [part[place] for place in self.places(t)]

    def store(self, t: Thread, numbers: list) -> None:
        index = self.at.run(t).number
        record = list(t.load(self.array, index).number)
        k = [name for name, _ in kind_of(self.kind).fields].index(self.field)
        part = list(record[k])
        for place, number in zip(self.places(t), numbers, strict=True):
            part[place] = number
        record[k] = tuple(part)
        t.store(self.array, index, Val(self.kind, tuple(record)))


@dataclass
class Number:
    """An element of a field, or the sum of a part of one."""

    type: str
    part: Part
    is_sum: bool

    def text(self) -> str:
        return f"sum({self.part.text()})" if self.is_sum else self.part.text()

    def run(self, t: Thread) -> Val:
        code, numbers = self.part.code(), self.part.numbers(t)
        if not self.is_sum:
            return Val(code, numbers[0])
        total = Val("int", 0)
        for number in numbers:
            total = model.binary("+", total, Val(code, number))
        return total


@dataclass
class StorePart:
    """Of a number, or of another part of as many elements."""

    target: Part
    op: str
    value: object  # a number or a Part

    def lines(self, pad: str):
        yield f"{pad}{self.target.text()} {self.op}= {self.value.text()}"

    def run(self, t: Thread) -> None:
        code, count = self.target.code(), len(self.target.places(t))
        if isinstance(self.value, Part):
            values = [Val(self.value.code(), number) for number in self.value.numbers(t)]
        else:
            values = [self.value.run(t)] * count
        if self.op:
            old = [Val(code, number) for number in self.target.numbers(t)]
            values = [model.binary(self.op, a, b) for a, b in zip(old, values, strict=True)]
        self.target.store(t, [model.convert(code, v).number for v in values])


@dataclass
class ReadElement:
    """r = z[i]: the whole element in a variable."""

    array: str
    at: object

    def lines(self, pad: str):
        yield f"{pad}r_{self.array} = {self.array}[{self.at.text()}]"

    def run(self, t: Thread) -> None:
        pass  # nobody stores to the input


@dataclass
class SubArrays:
    """Makes such statements for a generator of programs."""

    of: object  # the generator
    seed: int
    place: object = None  # of the element that is read whole

    @property
    def kind(self) -> str:
        return dtype_of(self.seed)

    @staticmethod
    def wanted(seed: int) -> bool:
        return random.Random(f"{seed} has sub-arrays").random() < 0.35

    def axis(self, extent: int, sliced: bool) -> Axis:
        rng = self.of.random
        if sliced:
            bounds = (
                slice(None),
                slice(1, None),
                slice(None, -1),
                slice(None, None, -1),
                slice(0, 2),
            )
            return Axis(slice=rng.choice(bounds))
        if rng.random() < 0.5:
            return Axis(Literal("int", rng.randint(-extent, extent - 1)))
        inside = Binary("i4", "%", Variable("i4", "i"), Literal("int", extent))
        return Axis(
            Binary("i4", "-", inside, Literal("int", extent)) if rng.random() < 0.3 else inside
        )

    def part(self, array: str, at: object, kept: int | None, spellings: tuple[str, ...]) -> Part:
        """With so many axes that are left; None: any number of them."""
        rng = self.of.random
        name, code = rng.choice([f for f in kind_of(self.kind).fields if "*" in f[1]])
        _, shape = sub_shape(code)
        sliced = [rng.random() < 0.5 for _ in shape] if kept is None else [False] * len(shape)
        axes = [self.axis(extent, s) for extent, s in zip(shape, sliced, strict=True)]
        while kept is None and axes and axes[-1].slice == slice(None) and rng.random() < 0.6:
            axes.pop()
        if kept is None and rng.random() < 0.2:
            axes = axes[:1] if axes and axes[0].slice is None else []
        in_steps = len(axes) > 1 and axes[0].slice is None and rng.random() < 0.4
        return Part(self.kind, array, at, name, axes, rng.choice(spellings), in_steps, True)

    def element(self) -> Number:
        at = self.of.indices.within(self.of.record_arrays.shapes[INPUT])
        part = self.part(INPUT, at, 0, ("attribute", "item", "array", "value"))
        if part.spelling == "value":
            part.at = self.place
        return Number(part.code(), part, False)

    def total(self) -> Number:
        rng = self.of.random
        at = self.of.indices.within(self.of.record_arrays.shapes[INPUT])
        part = self.part(INPUT, at, 0, ("attribute", "item", "array", "value"))
        k = rng.randrange(len(part.axes))
        extent = sub_shape(dict(kind_of(self.kind).fields)[part.field])[1][k]
        part.axes[k], part.in_steps = self.axis(extent, True), False
        if part.spelling == "value":
            part.at = self.place
        total = "int"
        for _ in range(extent):
            total = model.binary_type("+", total, part.code())
        return Number(total, part, True)

    def store_number(self):
        """Somewhere else in the program's memory."""
        array, place = self.of.own_element()
        number = self.element() if self.of.chance(0.6) else self.total()
        return Store(array, place, "", number)

    def store_part(self):
        op = self.of.random.choice(("", "", "+", "-", "*"))
        target = self.part(OUTPUT, Variable("i4", "i"), None, ("attribute", "item", "array"))
        return StorePart(target, op, Cast(target.code(), self.of.value()))

    def copy_part(self):
        """The same part of the input, in another spelling."""
        target = self.part(OUTPUT, Variable("i4", "i"), None, ("attribute", "item", "array"))
        spelling = self.of.random.choice(("attribute", "item", "array"))
        at = self.of.indices.within(self.of.record_arrays.shapes[INPUT])
        source = Part(self.kind, INPUT, at, target.field, list(target.axes), spelling, False, True)
        return StorePart(target, self.of.random.choice(("", "", "+")), source)

    def make(self) -> list:
        outer, self.of.random = self.of.random, random.Random(f"{self.seed} sub-arrays")
        self.place = self.of.indices.within(self.of.record_arrays.shapes[INPUT])
        out = [ReadElement(INPUT, self.place)]
        kinds = (self.store_number, self.store_part, self.copy_part)
        out += [self.of.random.choice(kinds)() for _ in range(self.of.random.randint(2, 5))]
        self.of.random = outer
        return out
