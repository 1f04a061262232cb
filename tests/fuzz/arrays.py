"""The arrays of a generated program: their shapes, who owns what of them, and second names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy

from .expression_tree import Shape, Variable
from .indices import Indices

ARRAY_TYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "f2", "bf")


@dataclass
class Arrays:
    """Arrays by name. Inputs have n elements or more: an index modulo n is always in them."""

    inputs: dict[str, str] = field(default_factory=dict)  # element types
    outputs: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    # Where each thread stores in an output: elements of its own. And where it may load of them, in
    # an output and in an input that is an output.
    places: dict[str, list] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)  # outputs that are loaded from as well
    same: dict[str, tuple[str, int]] = field(default_factory=dict)  # array, and from which element
    strided: str = ""  # the output that threads store to in loops, n elements apart
    # What some arrays begin as, of the numbers drawn for them; and what of them is compared.
    start: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = field(default_factory=dict)
    seen: dict[str, Callable[[numpy.ndarray], numpy.ndarray]] = field(default_factory=dict)


def choose_arrays(indices: Indices, n: int) -> Arrays:
    rng, arrays = indices.random, Arrays()
    for t in rng.sample(ARRAY_TYPES, 3):
        arrays.inputs[f"a_{t}"] = t
        arrays.shapes[f"a_{t}"] = (_size(rng, n),)
    t = rng.choice(ARRAY_TYPES)
    arrays.inputs[f"m_{t}"] = t
    arrays.shapes[f"m_{t}"] = _rows(indices, n) if rng.random() < 0.6 else (_size(rng, n),)
    for t in rng.sample(ARRAY_TYPES, 3):
        _output(arrays, indices, n, f"o_{t}", t)
    _second_names(arrays, rng, n)
    if rng.random() < 0.25:
        t = rng.choice(ARRAY_TYPES)
        arrays.strided, arrays.outputs[f"os_{t}"] = f"os_{t}", t
        arrays.shapes[f"os_{t}"] = (rng.randint(n, 4 * n),)
    return arrays


def _size(rng, n: int) -> int:
    return rng.choice((n, n + 3, 2 * n, 3 * n, 4 * n, 4 * n + 70, 4 * n + 70))


def _rows(indices: Indices, n: int) -> tuple[int, int]:
    """The shape of an array of two axes, about as large as the launch."""
    rng, known = indices.random, indices.known
    if "y" not in known:
        c = rng.choice((8, 9, 10, 16, 32, 33))
        return n // c + 1 + rng.randint(0, 2), c + rng.randint(0, 2)
    sizes = [int(known[v].max()) + 1 + rng.choice((0, 0, 3)) for v in "yx"]
    if rng.random() < 0.3:
        sizes.reverse()
    return sizes[0], sizes[1]


def _output(arrays: Arrays, indices: Indices, n: int, name: str, t: str) -> None:
    rng, i = indices.random, Variable("i4", "i")
    shape, place = (_size(rng, n),), None
    if rng.random() < (0.45 if "y" in indices.known else 0.15):
        shape = _rows(indices, n)
        place = indices.distinct(shape, [])
    elif rng.random() < 0.55:
        place = indices.distinct(shape, [])
    if place is None:
        shape, place = (n + rng.choice((0, 0, 9)),), i
    arrays.outputs[name], arrays.shapes[name], arrays.places[name] = t, shape, [place]
    if rng.random() < 0.3 and (second := indices.distinct(shape, [place])):
        arrays.places[name].append(second)
    if rng.random() < 0.4:
        arrays.read.add(name)


def _second_names(arrays: Arrays, rng, n: int) -> None:
    if rng.random() < 0.25:
        output = rng.choice(list(arrays.outputs))
        name, t = f"b_{output[2:]}", arrays.outputs[output]
        arrays.same[name], arrays.inputs[name] = (output, 0), t
        arrays.shapes[name], arrays.places[name] = arrays.shapes[output], arrays.places[output]
    if rng.random() < 0.25:
        array = rng.choice([a for a in arrays.inputs if a[0] == "a"])
        (size,) = arrays.shapes[array]
        first = min(rng.choice((0, 0, 1, 2)), size - n)
        name, t = f"c_{array[2:]}", arrays.inputs[array]
        arrays.same[name], arrays.inputs[name] = (array, first), t
        arrays.shapes[name] = (size - first,)


def flat(shape: Shape) -> int:
    size = 1
    for k in shape if isinstance(shape, tuple) else (shape,):
        size *= k
    return size
