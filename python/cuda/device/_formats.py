"""Fixed-format numbers: NumPy's classes (DEV-FIX), and ConstExpr."""

from numpy import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "ConstExpr",
    "complex64",
    "complex128",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


class ConstExpr:
    """Type hint: the argument must be a constant expression; ConstExpr[T] fixes its type (DEV-CONST-05).

    Equal and hashable by its type.
    """

    __slots__ = ("type",)

    def __init__(self, type):
        object.__setattr__(self, "type", type)

    def __class_getitem__(cls, type):
        return cls(type)

    def __setattr__(self, name, value):
        raise AttributeError("ConstExpr is immutable")

    def __eq__(self, other):
        return isinstance(other, ConstExpr) and self.type == other.type

    def __hash__(self):
        return hash((ConstExpr, self.type))

    def __repr__(self):
        return f"ConstExpr[{getattr(self.type, '__name__', self.type)}]"
