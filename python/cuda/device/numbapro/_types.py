"""Type objects: int16(3) is a number, int16[:] the type of an array, void(int16[:]) a signature."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from cuda.device import _core
from cuda.device.numbapro._numbers import converted

__all__ = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128", "bool_", "boolean", "intp", "uintp", "void"),
    *("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"),
    *("byte", "char", "uchar", "short", "ushort", "int_", "uint", "long_", "ulong"),
    *("intc", "uintc", "longlong", "ulonglong", "float_", "double"),
]


class Type:
    """What the types of arguments and results have in common."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class NumberType(Type):
    """A number of fixed format.

    Called with a number it gives one of this type, as it does in kernels: integers wrap, floats are
    cut off and saturate. Called with types it is the result of a signature. `[:]` and `[:, ::1]`
    are arrays of it; `::1` at the end says that they are contiguous, at the start that they are so
    by columns.
    """

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self.name = self.dtype.name

    @property
    def bitwidth(self) -> int:
        """Its size in bits."""
        return self.dtype.itemsize * 8

    def __call__(self, *values: Any) -> Any:
        if all(isinstance(value, Type) for value in values):
            return Signature(self, values)
        if len(values) != 1:
            raise TypeError(f"{self.name}() takes one number, or the types of a signature")
        return converted(values[0], self.dtype)

    def __getitem__(self, index: Any) -> ArrayType:
        axes = index if isinstance(index, tuple) else (index,)
        return ArrayType(self, len(axes), _layout(self, axes))

    def __iter__(self) -> Any:
        raise TypeError(f"the type {self.name} cannot be iterated over")

    def __reduce__(self) -> tuple[Any, ...]:
        return _number_named, (self.name,)


def _number_named(name: str) -> NumberType:
    """The one type object of this name, which kernels know."""
    return NUMBERS[name]


def _layout(element: NumberType, axes: tuple[Any, ...]) -> str:
    steps = [axis.step if isinstance(axis, slice) else axis for axis in axes]
    whole = all(isinstance(axis, slice) and axis.start is axis.stop is None for axis in axes)
    inner = [at for at, step in enumerate(steps) if step == 1]
    if whole and all(step in (None, 1) for step in steps):
        if not inner:
            return "A"
        if inner == [len(axes) - 1]:
            return "C"
        if inner == [0]:
            return "F"
    raise TypeError(
        f"the type of an array is written {element.name}[:] with one ':' for each dimension, and "
        f"'::1' for the last or the first one where it is contiguous; found {axes!r}"
    )


class ArrayType(Type):
    """An array: its element type, how many dimensions, and 'C', 'F' or 'A' for any strides."""

    def __init__(self, dtype: NumberType, ndim: int, layout: str = "A") -> None:
        self.dtype = dtype
        self.ndim = ndim
        self.layout = layout
        axes = [":"] * ndim
        if layout != "A":
            axes[-1 if layout == "C" else 0] = "::1"
        self.name = f"{dtype.name}[{', '.join(axes)}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return ArrayType, (self.dtype, self.ndim, self.layout)


class Void(Type):
    """The result of kernels; void(int32[:], float32) is a signature."""

    name = "void"

    def __reduce__(self) -> str:
        return self.name

    def __call__(self, *types: Any) -> Signature:
        return Signature(self, types)


class Signature:
    """The type of a result, and those of the arguments."""

    def __init__(self, result: Type, arguments: Any) -> None:
        self.return_type = result
        self.args = tuple(arguments)
        for argument in self.args:
            if not isinstance(argument, NumberType | ArrayType):
                raise TypeError(f"{argument!r} is no type of an argument; found in a signature")

    def __repr__(self) -> str:
        return f"{self.return_type}({', '.join(map(repr, self.args))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


bool_, void = NumberType("bool"), Void()
b1 = boolean = bool_
int8 = i1 = char = NumberType("int8")
int16 = i2 = short = NumberType("int16")
int32 = i4 = intc = NumberType("int32")
int64 = i8 = int_ = long_ = longlong = NumberType("int64")
uint8 = u1 = byte = uchar = NumberType("uint8")
uint16 = u2 = ushort = NumberType("uint16")
uint32 = u4 = uintc = NumberType("uint32")
uint64 = u8 = uint = ulong = ulonglong = NumberType("uint64")
float32 = f4 = float_ = NumberType("float32")
float64 = f8 = double = NumberType("float64")
complex64 = c8 = NumberType("complex64")
complex128 = c16 = NumberType("complex128")
# Integers as wide as an address.
intp, uintp = (int64, uint64) if np.dtype(np.intp).itemsize == 8 else (int32, uint32)

NUMBERS = {
    each.name: each
    for each in (
        *(bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
        *(float32, float64, complex64, complex128),
    )
}
for _type in NUMBERS.values():
    _core.name_entity(_type, "builtins.bool" if _type is bool_ else f"device.{_type.name}")

# What may stand in a signature that is text.
_NAMES: dict[str, Type] = {name: globals()[name] for name in __all__}
_NAMES |= {"bool": bool_, "int": int32, "long": long_, "float": float_}
_SYNTAX = (
    *(ast.Expression, ast.Call, ast.Name, ast.Load, ast.Subscript, ast.Slice, ast.Tuple),
    *(ast.Constant, ast.List),
)


def _parsed(text: str) -> Any:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        raise TypeError(f"{text!r} is no signature; write for example 'void(float32[:])'") from None
    for node in ast.walk(tree):
        if not isinstance(node, _SYNTAX):
            raise TypeError(f"{text!r} is no signature; write for example 'void(float32[:])'")
        if isinstance(node, ast.Name) and node.id not in _NAMES:
            raise TypeError(f"{node.id!r} in the signature {text!r} is no type")
    return eval(compile(tree, "signature", "eval"), {"__builtins__": {}}, dict(_NAMES))


def type_of_text(text: Any) -> Any:
    """A type object, of itself or of a text such as 'float32[:]'."""
    return _parsed(text) if isinstance(text, str) else text


def signature_of(declared: Any, result: Any = None) -> Signature:
    """The signature that a call, a text, or a sequence of the arguments' types says."""
    read = _parsed(declared) if isinstance(declared, str) else declared
    if isinstance(read, Signature):
        return read
    if isinstance(read, NumberType | ArrayType):
        read = (read,)
    if not isinstance(read, tuple | list):
        raise TypeError(
            f"{declared!r} is no signature; write for example void(float32[:], int32), "
            "'void(float32[:], int32)' or [float32[:], int32]"
        )
    found = void if result is None else type_of_text(result)
    return Signature(found, [type_of_text(each) for each in read])
