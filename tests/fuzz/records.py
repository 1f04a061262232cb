"""Vectors and structs in random programs: their types, and expressions and statements of them.

The model's value of a record is a tuple of numbers, one for each field, or of such tuples.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy
from cuda import device as D

from . import model, struct_types
from .expression_tree import Infix, Thread, call_of
from .model import Val, is_record


@D.struct
class Cell:
    """Members that are atomics stand between others."""

    tag: D.uint8
    n: D.Atomic(D.int32)
    low: D.Atomic(D.uint64)
    small: D.Atomic(D.uint8)
    half: D.int16
    x: D.Atomic(D.float32)
    pair: D.Atomic(D.uint16)


@dataclass(frozen=True)
class Kind:
    """A type of records."""

    code: str  # "f4x3"
    text: str  # as a program names it
    fields: tuple[tuple[str, str], ...]  # names and codes
    dtype: numpy.dtype

    @property
    def lanes(self) -> int:
        """Of a vector; 0: it is a struct."""
        return len(self.fields) if is_vector(self.code) else 0

    @property
    def is_tuple(self) -> bool:
        return struct_types.is_tuple(self.code)

    @property
    def component(self) -> str:
        return self.fields[0][1]


CELL, FLAT = "Cell", "Flat"
CELL_CODES = ("u1", "i4", "u8", "u1", "i2", "f4", "u2")
FLAT_FIELDS = (("b", "u1"), ("n", "i4"), ("w", "u8"), ("h", "i2"), ("x", "f4"), ("y", "f8"))
# What is accessed atomically in elements.
WITH_PLACES = {CELL: ("n", "low", "small", "x", "pair"), FLAT: ("n", "w", "h", "x", "y")}


def is_vector(code: str) -> bool:
    return code[-2:-1] == "x"


def sub_shape(code: str) -> tuple[str, tuple[int, ...]]:
    """The format of the elements, and the shape: "f4*2*3"."""
    element, *extents = code.split("*")
    return element, tuple(map(int, extents))


def _random_kind(code: str) -> Kind:
    if struct_types.is_dtype(code):
        return Kind(code, "", struct_types.fields_of_dtype(code), struct_types.dtype(code))
    codes = [member.code for member in struct_types.members(code)]
    of_tuple = struct_types.is_tuple(code)
    dtype = struct_types.tuple_dtype(code) if of_tuple else struct_types.class_of(code).numpy_dtype
    return Kind(code, "" if of_tuple else code, tuple(zip(dtype.names, codes, strict=True)), dtype)


@functools.cache
def kind_of(code: str) -> Kind:
    if struct_types.is_one_of_these(code):
        return _random_kind(code)
    if code == CELL:
        names = Cell.numpy_dtype.names
        return Kind(code, "", tuple(zip(names, CELL_CODES, strict=True)), Cell.numpy_dtype)
    if code == FLAT:
        return Kind(code, "", FLAT_FIELDS, numpy.dtype(list(FLAT_FIELDS), align=True))
    if "*" in code:
        element, shape = sub_shape(code)
        fields = tuple((str(k), element) for k in range(math.prod(shape)))
        return Kind(code, "", fields, numpy.dtype((model.NAMES[element], shape)))
    number, lanes = code.split("x")
    name = f"{model.NAMES[number]}x{lanes}"
    fields = tuple((axis, number) for axis in "xyzw"[: int(lanes)])
    return Kind(code, f"D.{name}", fields, getattr(D, name).numpy_dtype)


def vector_code(component: str, lanes: int) -> str:
    return f"{model.machine(component)}x{lanes}"


# --- values ---


def leaves(t: str, value) -> list:
    """The numbers of a value, each with its type."""
    if not is_record(t):
        return [(t, value)]
    fields = zip(kind_of(t).fields, value, strict=True)
    return [leaf for (_, code), part in fields for leaf in leaves(code, part)]


def filled(t: str, shape: tuple[int, ...], numbers) -> numpy.ndarray:
    """An array of records; numbers(t) makes one of a field's."""
    if not is_record(t):
        return numbers(t)
    if t in model.COMPONENTS:
        array = numpy.zeros(shape, model.NUMPY[t])
        array.real, array.imag = (numbers(model.COMPONENTS[t]) for _ in range(2))
        return array
    if "*" in t:
        columns = [numbers(code) for _, code in kind_of(t).fields]
        return numpy.stack(columns, axis=-1).reshape(*shape, *sub_shape(t)[1])
    array = numpy.zeros(shape, kind_of(t).dtype)
    for name, code in kind_of(t).fields:
        array[name] = filled(code, shape, numbers)
    return array


def values_of(t: str, array: numpy.ndarray) -> list:
    """The elements as the model has them, one row after the other."""
    if t in model.COMPONENTS:
        return list(zip(array.real.ravel(), array.imag.ravel(), strict=True))
    if "*" in t:
        numbers = numbers_of(array)
        size = len(kind_of(t).fields)
        return [tuple(numbers[k : k + size]) for k in range(0, len(numbers), size)]
    if is_record(t):
        columns = [values_of(code, array[name]) for name, code in kind_of(t).fields]
        return list(zip(*columns, strict=True))
    return numbers_of(array)


def numbers_of(array: numpy.ndarray) -> list:
    """Floats in their own format, in which the model computes."""
    return list(array.ravel()) if array.dtype.kind == "f" else array.ravel().tolist()


def array_of(t: str, values: list, dtype: numpy.dtype) -> numpy.ndarray:
    """The array of one axis that values_of gives these values of."""
    if t in model.COMPONENTS:
        array = numpy.zeros(len(values), dtype)
        array.real, array.imag = zip(*values, strict=True)
        return array
    if not struct_types.is_dtype(t):
        return numpy.array(values, dtype)
    array = numpy.zeros(len(values), dtype)
    for k, (name, code) in enumerate(kind_of(t).fields):
        column = numpy.array([value[k] for value in values], dtype[name].base)
        array[name] = column.reshape(-1, *sub_shape(code)[1])
    return array


def argument(t: str, numbers):
    """A vector or struct as a launch takes it, and as the model has it; numbers(t): of a field."""
    made = [argument(c, numbers) if is_record(c) else numbers(c) for _, c in kind_of(t).fields]
    host, known = zip(*made, strict=True)
    if struct_types.is_tuple(t):
        return host, known
    cls = struct_types.class_of(t) if struct_types.is_struct(t) else getattr(D, kind_of(t).text[2:])
    return cls(*host), known


# --- expressions ---


@dataclass
class Field:
    type: str
    operand: object
    place: int
    by_index: bool = False
    by_view: bool = False  # of an element of an array: a["x"][i]

    def text(self) -> str:
        name = kind_of(self.operand.type).fields[self.place][0]
        if self.by_view:
            return f'{self.operand.array}["{name}"][{self.operand.index.text()}]'
        by_index = self.by_index or kind_of(self.operand.type).is_tuple
        return self.operand.text() + (f"[{self.place}]" if by_index else f".{name}")

    def run(self, t: Thread) -> Val:
        return Val(self.type, self.operand.run(t).number[self.place])


@dataclass
class Component:
    """v[i] with an index that is known at run time."""

    type: str
    operand: object
    index: object

    def text(self) -> str:
        return f"{self.operand.text()}[{self.index.text()}]"

    def run(self, t: Thread) -> Val:
        return Val(self.type, self.operand.run(t).number[self.index.run(t).number])


@dataclass
class Make:
    type: str
    operands: list

    def text(self) -> str:
        return call_of(kind_of(self.type).text, self.operands)  # (a, b) of a tuple

    def run(self, t: Thread) -> Val:
        codes = [code for _, code in kind_of(self.type).fields]
        given = zip(codes, self.operands, strict=True)
        return Val(self.type, tuple(model.convert(code, o.run(t)).number for code, o in given))


@dataclass
class Converted:
    """D.int32x3(*v)"""

    type: str
    operand: object

    def text(self) -> str:
        return f"{kind_of(self.type).text}(*{self.operand.text()})"

    def run(self, t: Thread) -> Val:
        to = kind_of(self.type).component
        parts = leaves(self.operand.type, self.operand.run(t).number)
        return Val(self.type, tuple(model.convert(to, Val(*part)).number for part in parts))


@dataclass
class Replaced:
    type: str
    operand: object
    place: int
    value: object

    def text(self) -> str:
        name = kind_of(self.type).fields[self.place][0]
        return f"D.replace({self.operand.text()}, {name}={self.value.text()})"

    def run(self, t: Thread) -> Val:
        return changed(self.operand.run(t), (self.place,), self.value.run(t))


def changed(record: Val, path: tuple[int, ...], value: Val) -> Val:
    """The record with another value at a field of a field."""
    place, *rest = path
    code = kind_of(record.type).fields[place][1]
    if rest:
        value = changed(Val(code, record.number[place]), tuple(rest), value)
    numbers = list(record.number)
    numbers[place] = model.convert(code, value).number
    return Val(record.type, tuple(numbers))


def spread(value: Val, lanes: int) -> list[Val]:
    if is_record(value.type):
        return [Val(*leaf) for leaf in leaves(value.type, value.number)]
    return [value] * lanes


class VectorBinary(Infix):
    """Of two vectors, or of a vector and a number."""

    def run(self, t: Thread) -> Val:
        lanes = kind_of(self.type).lanes
        left, right = self.left.run(t), self.right.run(t)
        pairs = zip(spread(left, lanes), spread(right, lanes), strict=True)
        return Val(self.type, tuple(model.binary(self.op, x, y).number for x, y in pairs))


@dataclass
class VectorUnary:
    type: str
    op: str
    operand: object

    def text(self) -> str:
        if self.op == "abs":
            return call_of("abs", [self.operand])
        return f"({self.op} {self.operand.text()})"

    def run(self, t: Thread) -> Val:
        parts = spread(self.operand.run(t), 0)
        return Val(self.type, tuple(model.unary(self.op, part).number for part in parts))


@dataclass
class Equal:
    """== or != of two records of one type."""

    op: str
    left: object
    right: object
    type: str = "b1"

    def text(self) -> str:
        return f"({self.left.text()} {self.op} {self.right.text()})"

    def run(self, t: Thread) -> Val:
        left, right = (leaves(e.type, e.run(t).number) for e in (self.left, self.right))
        same = all(
            model.compare("==", Val(*x), Val(*y)).number for x, y in zip(left, right, strict=True)
        )
        return Val("b1", same == (self.op == "=="))


@dataclass
class Sum:
    type: str
    operand: object

    def text(self) -> str:
        return call_of("sum", [self.operand])

    def run(self, t: Thread) -> Val:
        total = Val("int", 0)
        for part in spread(self.operand.run(t), 0):
            total = model.binary("+", total, part)
        return total


# --- statements ---


@dataclass
class SetComponent:
    """v[i] = x: the variable gets a changed vector."""

    name: str
    index: object
    value: object

    def lines(self, pad: str):
        yield f"{pad}{self.name}[{self.index.text()}] = {self.value.text()}"

    def run(self, t: Thread) -> None:
        value = self.value.run(t)
        before = t.variables[self.name]
        place = self.index.run(t).number % len(before.number)
        t.variables[self.name] = changed(before, (place,), value)


@dataclass
class Unpack:
    names: list[str]
    value: object

    def lines(self, pad: str):
        yield f"{pad}{', '.join(self.names)}, = {self.value.text()}"

    def run(self, t: Thread) -> None:
        for name, part in zip(self.names, spread(self.value.run(t), 0), strict=True):
            t.variables[name] = part


@dataclass
class FieldStore:
    """a[i].x = e, a[i].v.y += e, a[i]["v"] = w, a["v"][i].x = e, a[i].v[k] = e"""

    array: str
    index: object
    kind: str  # of the elements
    path: tuple[int, ...]
    op: str  # "" for plain
    value: object
    by_name: bool  # in brackets
    by_view: bool  # the first field as an array
    component: object | None  # the last step of the path, known at run time

    def lines(self, pad: str):
        element, code = f"[{self.index.text()}]", self.kind
        text = self.array if self.by_view else self.array + element
        for place in self.path[: len(self.path) - (self.component is not None)]:
            kind = kind_of(code)
            name, code = kind.fields[place]
            by_name = self.by_name or text == self.array
            text += f"[{place}]" if kind.is_tuple else f'["{name}"]' if by_name else f".{name}"
            if self.by_view and text == f'{self.array}["{name}"]':
                text += element
        if self.component is not None:
            text += f"[{self.component.text()}]"
        yield f"{pad}{text} {self.op}= {self.value.text()}"

    def run(self, t: Thread) -> None:
        index, path = self.index.run(t).number, self.path
        value = self.value.run(t)
        if self.component is not None:
            lanes = self.lanes_of_last_step()
            path = (*path[:-1], self.component.run(t).number % lanes)
        part, code = t.load(self.array, index).number, self.kind
        for place in path:
            part, code = part[place], kind_of(code).fields[place][1]
        if self.op:
            value = model.binary(self.op, Val(code, part), value)
        t.store(self.array, index, changed(t.load(self.array, index), path, value))

    def lanes_of_last_step(self) -> int:
        code = self.kind
        for place in self.path[:-1]:
            code = kind_of(code).fields[place][1]
        return kind_of(code).lanes
