"""Type hints of struct members: what they hold, how large it is, and what becomes of values."""

import types
from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple, NoReturn, get_args, get_origin

import numpy as np
from cuda.device import _core
from cuda.device._array_hints import ArrayForm, array_form
from cuda.device._elements import element_dtype
from cuda.device._warps import WarpMask

_WORD = 8  # bytes of a pointer, and of None
_NOTHING = np.dtype(f"V{_WORD}")


class Field(NamedTuple):
    """A member of a struct or tuple; offset in bytes.

    type: int, float, bool, complex, a number class, a vector type, a struct, None, a
    RecordLayout for a tuple, or an ArrayForm for an array.
    """

    name: str
    type: Any
    offset: int


class RecordLayout:
    """Where the members of a struct or tuple lie, as in C++ (DEV-STRUCT-11); bytes."""

    __slots__ = ("align", "fields", "size")

    def __init__(self, members: "list[tuple[str, Hint]]", align: int = 1) -> None:
        sizes = [(hint.size, hint.align) for _, hint in members]
        self.size, self.align, offsets = _core.record_layout(sizes, align)
        self.fields = tuple(
            Field(name, hint.type, offset)
            for (name, hint), offset in zip(members, offsets, strict=True)
        )

    def __repr__(self) -> str:
        return f"RecordLayout(size={self.size}, align={self.align}, fields={self.fields})"


class Hint(NamedTuple):
    """A type hint that has been understood."""

    type: Any  # as in Field
    size: int
    align: int
    format: Callable[[], Any]  # what NumPy makes a field of
    convert: Callable[[Any, str], Any]  # (value, "attribute 'x' of Point")
    is_changeable: bool = False  # its values are or hold vectors, of which v[i] = x changes one


class AlignedType:
    """What device.align makes: a type with a larger alignment, `type` and `align`."""

    __slots__ = ("align", "type")
    align: int
    type: Any

    def __init__(self, type: Any, align: int) -> None:
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "align", align)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.type(*args, **kwargs)

    @property
    def __cuda_device_aligned__(self) -> Any:
        """The type that is aligned, as in Field."""
        known = understood(self.type)
        return known and known.type

    @property
    def numpy_dtype(self) -> "np.dtype[Any]":
        """That of `type`: the elements of an array lie next to each other."""
        made: np.dtype[Any] = np.dtype(getattr(self.type, "numpy_dtype", self.type))
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is immutable")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AlignedType) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return AlignedType, self._key()

    def _key(self) -> tuple[Any, int]:
        return self.type, self.align

    def __repr__(self) -> str:
        return f"device.align({name_of(self.type)}, {self.align})"


class AtomicType:
    """What device.Atomic(T) is as a type: memory of a T that threads access atomically.

    One object for each T and alignment. In memory it takes `bytes`, a power of two.
    """

    __slots__ = (
        *("__cuda_device_struct__", "__name__", "__weakref__", "_dtype", "_made_of"),
        *("bytes", "hint"),
    )
    __module__ = "cuda.device"

    def __init__(self, hint: Hint, align: int, name: str, made_of: tuple[Any, int | None]) -> None:
        """made_of: the arguments of Atomic."""
        self.hint = hint
        self._made_of = made_of
        self.bytes = 1 << (max(hint.size, 1) - 1).bit_length()
        self.__name__ = name
        memory = hint._replace(size=self.bytes, align=max(self.bytes, align))
        self.__cuda_device_struct__ = RecordLayout([("", memory)])
        self._dtype: np.dtype[Any] | None = None

    @property
    def align(self) -> int:
        return int(self.__cuda_device_struct__.align)

    @property
    def size(self) -> int:
        """That of an element of an array, a multiple of the alignment."""
        return int(self.__cuda_device_struct__.size)

    @property
    def memory_dtype(self) -> "np.dtype[Any]":
        """NumPy's dtype of the bytes that are accessed atomically."""
        value: np.dtype[Any] = self.hint.format()
        return value if value.itemsize == self.bytes else np.dtype(f"V{self.bytes}")

    @property
    def numpy_dtype(self) -> "np.dtype[Any]":
        """That of an element of an array."""
        if self._dtype is None:
            self._dtype = self._of_size(self.size)
        return self._dtype

    def member_dtype(self) -> "np.dtype[Any]":
        """That of a member of a struct: the value's own, where it takes all of the bytes."""
        value: np.dtype[Any] = self.hint.format()
        return value if value.itemsize == self.bytes else self._of_size(self.bytes)

    def _of_size(self, size: int) -> "np.dtype[Any]":
        fields = {"names": ["value"], "formats": [self.hint.format()], "itemsize": size}
        plain: np.dtype[Any] = np.dtype(fields)  # type: ignore[call-overload]
        return element_dtype(self, plain, self.align)

    def __reduce__(self) -> tuple[Any, ...]:
        return atomic_type, self._made_of

    def __repr__(self) -> str:
        return f"device.{self.__name__}"


_MOST_ATOMIC_BYTES = 16
_atomic_types: dict[tuple[Any, int], AtomicType] = {}


def atomic_type(dtype: Any, align: int | None) -> AtomicType:
    """The type of device.Atomic(dtype, align); TypeError and ValueError as that says."""
    number = 1 if align is None else check_alignment("Atomic(dtype, align=...)", align)
    hint = understood(dtype)
    if hint is None and isinstance(dtype, np.dtype | str):
        hint = _hint_of_given(np.dtype(dtype))
    if hint is None or hint.type is None:
        raise TypeError(
            "Atomic(dtype): dtype is a number, vector, struct or tuple type, such as int or "
            f"device.float32; found {name_of(dtype)}"
        )
    if holds_atomics(hint.type):
        raise TypeError(f"Atomic(dtype): {name_of(dtype)} is atomic or has atomics itself")
    if holds_arrays(hint.type):
        raise TypeError(f"Atomic(dtype): {name_of(dtype)} has arrays, which no memory holds")
    name = f"Atomic({name_of(dtype)}" + (f", align={number})" if align is not None else ")")
    if hint.size > _MOST_ATOMIC_BYTES:
        raise TypeError(
            f"{name} would have {hint.size} bytes; an atomic has at most {_MOST_ATOMIC_BYTES}"
        )
    bytes_of_it = 1 << (max(hint.size, 1) - 1).bit_length()
    key = hint.type, max(number, bytes_of_it)
    return _atomic_types.setdefault(key, AtomicType(hint, number, name, (dtype, align)))


def _holds(kind: Any, wanted: type) -> bool:
    if isinstance(kind, wanted):
        return True
    layout = kind if isinstance(kind, RecordLayout) else None
    layout = layout or getattr(kind, "__cuda_device_struct__", None)
    return layout is not None and any(_holds(field.type, wanted) for field in layout.fields)


def holds_atomics(kind: Any) -> bool:
    """Whether a type, as in Field, is atomic or has parts that are."""
    return _holds(kind, AtomicType)


def holds_arrays(kind: Any) -> bool:
    """Whether a type, as in Field, is an array or has parts that are: no memory holds it."""
    return _holds(kind, ArrayForm)


def _of_atomic(kind: AtomicType) -> Hint:
    """An attribute of a struct on the host is an Atomic of its own."""

    def convert(value: Any, place: str) -> Any:
        if getattr(value, "__cuda_device_atomic__", None) is kind:
            return value
        raise TypeError(
            f"{place} is an {kind.__name__}, found {type(value).__name__!r}; leave it out for one "
            "that holds zero"
        )

    return Hint(kind, kind.bytes, kind.align, kind.member_dtype, convert)


def hint_of_dtype(dtype: "np.dtype[Any]") -> Hint:
    """What elements of a NumPy array are; of an atomic, its value."""
    kind = getattr(dtype.type, "__cuda_device_type__", None)
    if isinstance(kind, AtomicType):
        return kind.hint
    known = understood(kind if kind is not None else dtype.type)
    if known is not None:
        return known
    return Hint(dtype, dtype.itemsize, dtype.alignment, lambda: dtype, lambda value, place: value)


def _hint_of_given(dtype: "np.dtype[Any]") -> Hint:
    hint = hint_of_dtype(dtype)
    check_format(hint, "Atomic(dtype)")
    if not dtype.isnative:
        raise TypeError(
            f"Atomic(dtype): {dtype} is not in this machine's byte order; "
            "write dtype.newbyteorder('=')"
        )
    return hint


def _part_without_format(hint: Hint) -> "np.dtype[Any] | None":
    """The first part of an element that kernels have no values of."""
    dtype = hint.type
    if not isinstance(dtype, np.dtype):
        return None
    if dtype.names is None:
        return dtype
    fields = (field[0].base for field in (dtype.fields or {}).values())
    parts = (_part_without_format(hint_of_dtype(field)) for field in fields)
    return next((part for part in parts if part is not None), None)


def check_format(hint: Hint, what: str) -> None:
    """TypeError for elements that kernels have no values of, such as objects and dates."""
    part = _part_without_format(hint)
    if part is not None:
        raise TypeError(
            f"{what}: values of {str(part)!r} are not accessed atomically: devices have no such "
            "format; convert them to bool, int8 to int64, uint8 to uint64, float32, float64, "
            "float16, bfloat16, float8e4m3, float8e5m2, complex64, complex128, or to vectors or "
            "structs of these"
        )


_OF_TYPING = {"typing", "typing_extensions", "collections.abc"}


def declares_nothing(hint: Any) -> bool:
    """Whether an annotation is Python's typing's and says nothing of how a value is stored.

    Such are Any, a TypeVar, unions, protocols, Sequence[float] and Callable[[float], float]. What
    stands for another type, and list[int] and its like, are not.
    """
    origin = get_origin(hint)
    if origin is None:
        origin = hint
    kind = origin if isinstance(origin, type) else type(origin)
    if origin is Annotated or origin is Final or kind.__name__ in ("NewType", "TypeAliasType"):
        return False
    of_typing = kind.__module__ in _OF_TYPING or type(kind).__module__ in _OF_TYPING
    return of_typing or origin is types.UnionType


def name_of(hint: object) -> str:
    """A hint as a user writes it."""
    named = isinstance(hint, type) and not isinstance(hint, types.GenericAlias)
    return str(getattr(hint, "__name__", hint)) if named else repr(hint)


# --- numbers ---


def _int(value: Any, place: str) -> int:
    return int(_core.lossless(_INT, value, place))  # type: ignore[call-overload, no-any-return]


def _float(value: Any, place: str) -> float:
    """Rounded to float32 where a kernel takes it, not here."""
    _core.lossless(_FLOAT, value, place)
    return float(value)


def _bool(value: Any, place: str) -> bool:
    return bool(_core.lossless(_BOOL, value, place))


def _complex(dtype: np.dtype[Any], value: Any, place: str) -> Any:
    part = np.dtype(f"f{dtype.itemsize // 2}")
    if not isinstance(value, complex | np.complexfloating):
        _core.lossless(part, value, place)
        return dtype.type(value)
    if isinstance(value, np.complexfloating) and value.dtype.itemsize > dtype.itemsize:
        raise TypeError(
            f"{place} is of type {dtype}, found {value.dtype.name!r}, which does not convert "
            f"without loss; convert it: device.{dtype}(...)"
        )
    for number in (value.real, value.imag):
        _core.lossless(part, float(number), place)
    return dtype.type(value)


def _builtin_complex(value: Any, place: str) -> complex:
    _complex(np.dtype(np.complex64), value, place)
    return complex(value)


def _mask(value: Any, place: str) -> WarpMask:
    try:
        return WarpMask(value)
    except (TypeError, OverflowError) as error:
        raise type(error)(f"{place} is of type WarpMask: {error}") from None


# Classes that NumPy's number classes derive from: no formats.
_ABSTRACT = {
    *(np.generic, np.number, np.integer, np.signedinteger, np.unsignedinteger),
    *(np.inexact, np.floating, np.complexfloating, np.flexible, np.character),
}
_INT, _FLOAT, _BOOL = np.dtype(np.int32), np.dtype(np.float32), np.dtype(np.bool_)
_COMPLEX = np.dtype(np.complex64)
# Python's numbers have the formats of the device.
_BUILTINS: dict[Any, tuple[np.dtype[Any], Callable[[Any, str], Any]]] = {
    int: (_INT, _int),
    float: (_FLOAT, _float),
    bool: (_BOOL, _bool),
    complex: (_COMPLEX, _builtin_complex),
}


def _of_dtype(type: Any, dtype: np.dtype[Any], convert: Callable[[Any, str], Any]) -> Hint:
    # A complex number is aligned as a whole in CUDA C++ (DEV-ABI-05).
    return Hint(type, dtype.itemsize, dtype.itemsize, lambda: dtype, convert)


def _of_number_class(hint: type[np.generic]) -> Hint | None:
    """device.float32 and its like; None for what kernels have no format for."""
    if hint in _ABSTRACT:
        return None
    if issubclass(hint, WarpMask):
        return _of_dtype(WarpMask, _INT, _mask)
    dtype = np.dtype(hint)
    if dtype in (np.dtype(np.complex64), np.dtype(np.complex128)):
        return _of_dtype(hint, dtype, lambda value, place: _complex(dtype, value, place))
    if not _core.is_kernel_format(dtype):
        return None
    if dtype == _BOOL:
        return _of_dtype(bool, dtype, _bool)
    return _of_dtype(dtype.type, dtype, lambda value, place: _core.lossless(dtype, value, place))


# --- what is made of others ---


def _is_element(value: Any, kind: Any) -> bool:
    """An element of an array of that vector type or struct."""
    return isinstance(value, np.void) and getattr(type(value), "__cuda_device_type__", 0) is kind


def _of_vector(hint: Any) -> Hint:
    dtype = hint.numpy_dtype

    def convert(value: Any, place: str) -> Any:
        made = hint(*value) if _is_element(value, hint) else value
        return _core.lossless_vector(hint, made, place)

    return Hint(
        hint,
        dtype.itemsize,
        dtype.alignment,
        lambda: dtype,
        convert,
        True,
    )


def _of_struct(hint: Any) -> Hint:
    layout = hint.__cuda_device_struct__

    def convert(value: Any, place: str) -> Any:
        if _is_element(value, hint):
            return hint(*value)
        if type(value) is not hint:
            raise TypeError(f"{place} is a {hint.__name__}, found {type(value).__name__!r}")
        return value

    return Hint(hint, layout.size, layout.align, lambda: hint.numpy_dtype, convert)


def _no_value(value: Any, place: str) -> None:
    if value is not None and not (isinstance(value, np.void) and value.dtype == _NOTHING):
        raise TypeError(f"{place} is None, found {type(value).__name__!r}")


def _of_array(form: ArrayForm) -> Hint:
    def no_dtype() -> NoReturn:
        raise TypeError("no memory holds an array within an element")

    return Hint(form, form.size, _WORD, no_dtype, form.convert)


def _element_of_array(hint: Any) -> Any:
    known = isinstance(hint, type) and issubclass(hint, np.generic) and hint is not WarpMask
    number = _of_number_class(hint) if known else None
    return number and number.type


def _of_tuple(hints: list[Hint]) -> Hint:
    names = [f"f{i}" for i in range(len(hints))]
    layout = RecordLayout(list(zip([""] * len(hints), hints, strict=True)))

    def dtype() -> np.dtype[Any]:
        return structured(names, hints, layout)

    def convert(value: Any, place: str) -> Any:
        if isinstance(value, np.void) and value.dtype.names is not None:
            value = tuple(value[name] for name in value.dtype.names)
        if not isinstance(value, tuple) or len(value) != len(hints):
            found = f"{len(value)}" if isinstance(value, tuple) else f"{type(value).__name__!r}"
            raise TypeError(f"{place} is a tuple of {len(hints)}, found {found}")
        parts = zip(value, hints, strict=True)
        return tuple(h.convert(v, f"item {i} of {place}") for i, (v, h) in enumerate(parts))

    changeable = any(hint.is_changeable for hint in hints)
    return Hint(layout, layout.size, layout.align, dtype, convert, changeable)


def structured(names: list[str], hints: list[Hint], layout: RecordLayout) -> np.dtype[Any]:
    """NumPy's dtype of such a record, without a class of its own for elements."""
    fields = {
        "names": names,
        "formats": [hint.format() for hint in hints],
        "offsets": [field.offset for field in layout.fields],
        "itemsize": layout.size,
    }
    made: np.dtype[Any] = np.dtype(fields)  # type: ignore[call-overload]
    return made


def understood(hint: Any) -> Hint | None:
    """A hint as a member can have it; None for what kernels have no values of."""
    atomic = hint if isinstance(hint, AtomicType) else getattr(hint, "__cuda_device_atomic__", None)
    if isinstance(atomic, AtomicType):
        return _of_atomic(atomic)
    if isinstance(hint, AlignedType):
        inner = understood(hint.type)
        return inner and inner._replace(align=max(inner.align, hint.align))
    if hint is None or hint is types.NoneType:
        return Hint(None, _WORD, _WORD, lambda: _NOTHING, _no_value)
    if get_origin(hint) is tuple or hint is tuple:
        members = [understood(member) for member in get_args(hint)]
        known = [member for member in members if member is not None]
        return _of_tuple(known) if len(known) == len(members) and hint is not tuple else None
    if (form := array_form(hint, _element_of_array)) is not None:
        return _of_array(form)
    if not isinstance(hint, type):
        return None
    if hint in _BUILTINS:
        return _of_dtype(hint, *_BUILTINS[hint])
    if issubclass(hint, _core.Vector):
        return _of_vector(hint) if hint is not _core.Vector else None
    if "__cuda_device_struct__" in vars(hint):
        return _of_struct(hint)
    return _of_number_class(hint) if issubclass(hint, np.generic) else None


def fresh(value: Any) -> Any:
    """A value that may be changed without changing what it was read from."""
    if isinstance(value, tuple):
        return tuple(map(fresh, value))
    return +value if isinstance(value, _core.Vector) else value


def check_alignment(what: str, align: Any) -> int:
    """TypeError and ValueError for what is no power of two from 1 to 256."""
    if isinstance(align, bool) or not hasattr(align, "__index__"):
        raise TypeError(f"{what} expects an int, found {type(align).__name__!r}")
    number = align.__index__()
    if number < 1 or number & (number - 1):
        raise ValueError(f"{what} expects a power of two, found {number}")
    if number > _LARGEST:
        raise ValueError(f"{what} is {number}; memory is aligned to {_LARGEST} bytes at most")
    return int(number)


_LARGEST = 256
