"""Arrays of a program that are views of its arguments: rows, slices, transposes, other shapes and
types.

Each view is made from its shape: an argument of which that part has it. NumPy says which elements
of the argument a view has, by doing to their numbers what the kernel does to the argument.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy

from . import model
from .arrays import Arrays, flat


@dataclass
class View:
    base: tuple[int, ...]  # the shape of the argument
    text: str  # "{}[1:]": what the kernel does to the argument
    scalars: dict[str, int]  # that may stand in it
    contiguous: bool = False  # as the argument has to be
    bits: str = ""  # the type that the argument shows its elements as; "": its own

    def line(self, name: str, t: str) -> str:
        argument = argument_of(name)
        if self.bits:
            element = "bool" if t == "b1" else f"D.{model.NAMES[t]}"
            argument += f".view({element})"
        return f"{name} = {self.text.format(argument)}"

    def argument(self, array: numpy.ndarray) -> numpy.ndarray:
        return array.view(model.NUMPY[self.bits]) if self.bits else array

    def places(self) -> numpy.ndarray:
        """Numbers of the argument's elements."""
        every = numpy.arange(flat(self.base)).reshape(self.base)
        return eval(self.text.format("every"), {"every": every, **self.scalars})


def argument_of(name: str) -> str:
    return f"p_{name}"


class Views:
    def __init__(self, rng: random.Random, extents: dict[str, int]):
        self.random = rng
        self.extents = extents

    def bound(self, k: int) -> str:
        """A number, or what comes to it when the kernel runs."""
        if self.random.random() < 0.6:
            return str(k)
        name, value = self.random.choice(list(self.extents.items()))
        return f"{name} {'-' if value > k else '+'} {abs(k - value)}"

    def slice(self, size: int) -> tuple[int, str]:
        """How long an axis is of which this slice has that size."""
        before, after = self.random.randint(0, 3), self.random.choice((0, 0, 1, 70))
        step = self.random.choice((1, 1, 1, -1, -1, 2, 3, -2))
        length = before + (size - 1) * abs(step) + 1
        if step == 1:
            start = "" if before == 0 and self.random.random() < 0.7 else self.bound(before)
            stop = "" if after == 0 else self.bound(before + size)
            return length + after, f"{start}:{stop}"
        if step > 0:
            return length + self.random.randrange(step), f"{before}::{step}"
        start = "" if after == 0 else self.bound(length - 1)
        stop = "" if before == 0 and size > 1 else self.bound(before - 1) if before else ""
        return length + after, f"{start}:{stop}:{step}" if before else f"{start}::{step}"

    def of_vector(self, size: int) -> tuple[tuple[int, ...], str]:
        kind, more = self.random.random(), self.random.randint(1, 3)
        which = self.random.randrange(more)
        if kind < 0.5:
            length, text = self.slice(size)
            return (length,), f"{{}}[{text}]"
        if kind < 0.65:
            return (more, size), f"{{}}[{which}]"
        if kind < 0.75:
            return (size, more), f"{{}}[:, {which}]"
        if kind < 0.85:
            return (size, more), f"{{}}.T[{which - more}]"
        if kind < 0.95:
            return (more, size, 2), f"{{}}[{which}, ..., -1]"
        return (size,), "{}[:, None].reshape(-1)"

    def of_rows(self, rows: int, columns: int) -> tuple[tuple[int, ...], str]:
        kind, more = self.random.random(), self.random.randint(1, 3)
        which = self.random.randrange(more)
        if kind < 0.25:
            return (columns, rows), "{}.T"
        if kind < 0.55:
            (height, y), (width, x) = self.slice(rows), self.slice(columns)
            return (height, width), f"{{}}[{y}, {x}]"
        if kind < 0.7:
            return (more, rows, columns), f"{{}}[{which}]"
        if kind < 0.8:
            return (rows, more, columns), f"{{}}[:, {which}]"
        if kind < 0.9:
            return (rows * columns,), f"{{}}.reshape(-1, {self.bound(columns)})"
        return (rows, columns), "{}[None, ..., ::1][0]"

    def joined(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
        """Of a contiguous argument with one axis more."""
        *outer, size = shape
        count = self.random.choice((1, 2, 3))
        if outer:
            rows = -(-outer[0] // count)
            return (count, rows, size), f"{{}}.reshape(-1, {size})[: {self.bound(outer[0])}]"
        return (count, -(-size // count)), f"{{}}.reshape(-1)[:{size}]"

    def of_shape(self, shape: tuple[int, ...]) -> View:
        """An argument, and what gives an array of the shape."""
        if self.random.random() < 0.15:
            return View(*self.joined(shape), self.extents, contiguous=True)
        base, text = self.of_vector(*shape) if len(shape) == 1 else self.of_rows(*shape)
        if len(base) <= 2 and self.random.random() < 0.3:
            inner = self.of_shape(base)
            return View(inner.base, text.format(inner.text), self.extents, inner.contiguous)
        return View(base, text, self.extents)


def choose_views(seed: int, arrays: Arrays, extents: dict[str, int]) -> dict[str, View]:
    """By numbers of its own: programs are the same but for what their arrays are."""
    rng = random.Random(seed ^ 0x71E35)
    if rng.random() < 0.5:
        return {}
    views = Views(rng, extents)
    of_two = {*arrays.same, *(array for array, _ in arrays.same.values())}
    names = [n for n in (*arrays.inputs, *arrays.outputs) if n not in of_two]
    chosen = {n: views.of_shape(arrays.shapes[n]) for n in names if rng.random() < 0.5}
    for name, view in chosen.items():
        if rng.random() < 0.25:
            size = model.bits((arrays.inputs | arrays.outputs)[name])
            sizes = [t for t in model.INTS if model.bits(t) <= size]
            view.bits = rng.choice(sizes)
            view.contiguous |= model.bits(view.bits) != size
    return chosen
