"""Fixed-format numbers: NumPy's classes, and ConstExpr."""

from typing import TYPE_CHECKING, Annotated, TypeVar

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

_T = TypeVar("_T")

if TYPE_CHECKING:
    # For a type checker a ConstExpr[int] is an int.
    ConstExpr = Annotated[_T, "constant expression"]
else:

    class ConstExpr:
        """Type hint: the argument must be a constant expression; ConstExpr[T] fixes its type.

        Equal and hashable by its type.
        """

        __slots__ = ("type",)
        type: object

        def __init__(self, type: object) -> None:
            object.__setattr__(self, "type", type)

        def __class_getitem__(cls, type: object) -> "ConstExpr":
            return cls(type)

        def __setattr__(self, name: str, value: object) -> None:
            raise AttributeError("ConstExpr is immutable")

        def __eq__(self, other: object) -> bool:
            return isinstance(other, ConstExpr) and self.type == other.type

        def __hash__(self) -> int:
            return hash((ConstExpr, self.type))

        def __repr__(self) -> str:
            return f"ConstExpr[{getattr(self.type, '__name__', self.type)}]"
