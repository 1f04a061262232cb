"""Structs on the host: @struct, align and replace (DEV-STRUCT)."""

import dataclasses
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn, TypeVar, dataclass_transform, get_origin, overload

import numpy as np
from cuda.device import _core, _elements
from cuda.device._array_hints import ArrayForm
from cuda.device._hints import (
    AlignedType,
    AtomicType,
    Hint,
    RecordLayout,
    check_alignment,
    fresh,
    holds_arrays,
    holds_atomics,
    name_of,
    structured,
    understood,
)

__all__ = ["align", "replace", "struct"]

T = TypeVar("T")

_LAYOUT = "__cuda_device_struct__"
# What a struct has of its own. One that computes its attributes is made by a function.
_TAKEN = ("underlying", "numpy_dtype")
_MADE = ("__init__", "__new__", "__post_init__", "__setattr__", "__delattr__", "__slots__")
_HINTS = (
    "int, float, bool, complex, a format such as device.float32, a vector, a struct, an array "
    "such as numpy.typing.NDArray[...], tuple[...] of these, device.Atomic(...), or None"
)


def _refuse(cls: type, text: str) -> NoReturn:
    raise TypeError(f"@struct class {cls.__name__}: {text}")


# --- the hints of a class ---


def _evaluated(cls: type, hint: Any, scope: Mapping[str, Any]) -> Any:
    """A hint in quotes, or of a module with `from __future__ import annotations`."""
    if not isinstance(hint, str):
        return hint
    module = sys.modules.get(cls.__module__)
    return eval(hint, vars(module) if module else {}, {**scope, **vars(cls)})


def _is_constant(hint: Any) -> bool:
    return hint is ClassVar or get_origin(hint) is ClassVar


def _is_hint_needed(name: str, value: object) -> bool:
    ordinary = (types.FunctionType, _core.Func, staticmethod, classmethod, property, type)
    return not (name.startswith("__") and name.endswith("__")) and not isinstance(value, ordinary)


def _check_class(cls: type, names: set[str]) -> None:
    if cls.__bases__ != (object,):
        bases = ", ".join(base.__name__ for base in cls.__bases__)
        _refuse(cls, f"a struct has no base classes, found {bases}; make it a member")
    for name, value in vars(cls).items():
        if name in _MADE:
            _refuse(
                cls,
                f"a struct is made from its attributes and has no {name} of its own; "
                "write a function or a static method that makes one",
            )
        if name not in names and _is_hint_needed(name, value):
            kind = type(value).__name__
            _refuse(
                cls,
                f"attribute {name!r} has no type hint; write {name}: {kind} = ... for an "
                f"attribute, {name}: ClassVar[{kind}] = ... for a constant of the class",
            )


def _hints(cls: type, scope: Mapping[str, Any]) -> dict[str, Hint]:
    """The hint of each attribute; constants of the class are left out."""
    annotations = inspect.get_annotations(cls)
    _check_class(cls, set(annotations))
    hints = {}
    for name, annotation in annotations.items():
        if name in _TAKEN:
            _refuse(cls, f"{name!r} is the name of an attribute that every struct has")
        try:
            hint = _evaluated(cls, annotation, scope)
        except Exception as error:
            _refuse(cls, f"the type hint of attribute {name!r} cannot be evaluated: {error}")
        if _is_constant(hint):
            continue
        known = understood(hint)
        if known is None:
            _refuse(
                cls, f"the type hint of attribute {name!r} is {name_of(hint)}; it can be {_HINTS}"
            )
        if isinstance(known.type, RecordLayout) and holds_atomics(known.type):
            _refuse(
                cls,
                f"attribute {name!r} is a tuple with atomics; a tuple is a value, which is copied: "
                "declare them as attributes, or as a struct of their own",
            )
        hints[name] = known
    return hints


# --- the class that is made ---


def _place(cls: type, name: str) -> str:
    return f"attribute {name!r} of {cls.__name__}"


def _defaults(cls: type, hints: dict[str, Hint]) -> dict[str, Any]:
    """Default values, of the type of their attribute."""
    made: dict[str, Any] = {}
    for name, hint in hints.items():
        if name in vars(cls):
            value = vars(cls)[name]
            if isinstance(hint.type, ArrayForm):
                _refuse(cls, f"attribute {name!r} is an array, which is no default")
            if isinstance(value, dataclasses.Field):
                _refuse(cls, f"attribute {name!r} is a dataclasses.field; write its default itself")
            made[name] = hint.convert(value, _place(cls, name))
    return made


def _made_anew(kind: AtomicType) -> Any:
    """The default of an attribute that is atomic: one of its own, which holds zero."""
    from cuda.device._atomics import Atomic

    return dataclasses.field(default_factory=lambda: Atomic.of(kind), init=False)


def _as_field(value: Any, is_changeable: bool) -> Any:
    """A default as dataclasses take it; a value that can change is made anew each time."""
    return dataclasses.field(default_factory=lambda: fresh(value)) if is_changeable else value


def _converting(cls: type, hints: dict[str, Hint]) -> Callable[[Any], None]:
    members = [(name, hint.convert, _place(cls, name)) for name, hint in hints.items()]

    def __post_init__(self: Any) -> None:
        for name, convert, place in members:
            object.__setattr__(self, name, convert(getattr(self, name), place))

    return __post_init__


def _set(self: Any, name: str, value: object) -> None:
    kind = type(self).__name__
    if name in getattr(type(self), _LAYOUT).names:
        raise AttributeError(
            f"{kind} is immutable; device.replace(p, {name}=...) makes another one"
        )
    raise AttributeError(f"{kind!r} has no attribute {name!r}, and a struct gets no new ones")


def _delete(self: Any, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: {name!r} cannot be deleted")


class _Fresh:
    """An attribute whose values can change: who reads it gets a copy."""

    def __init__(self, member: Any) -> None:
        self._member = member

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else fresh(self._member.__get__(instance, owner))

    def __set__(self, instance: Any, value: object) -> None:
        self._member.__set__(instance, value)


class _InDict:
    """An attribute of a class that cloudpickle made, which has no slots."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return vars(instance)[self._name]

    def __set__(self, instance: Any, value: object) -> None:
        vars(instance)[self._name] = value


class _Copying:
    """The attributes of a struct that are _Fresh, which cloudpickle takes for plain slots."""

    def __init__(self, cls: type, names: list[str]) -> None:
        self._of = cls, names
        for name in names:
            setattr(cls, name, _Fresh(vars(cls).get(name, _InDict(name))))

    def __reduce__(self) -> tuple[Any, ...]:
        return _Copying, self._of


class _StructLayout(RecordLayout):
    __slots__ = ("defaults", "has_atomics", "names")

    def __init__(self, hints: dict[str, Hint], align: int, defaults: dict[str, Any]) -> None:
        super().__init__(list(hints.items()), align)
        self.names = frozenset(hints)
        self.defaults = defaults
        self.has_atomics = any(holds_atomics(hint.type) for hint in hints.values())


class _LazyDtype:
    """NumPy's dtype of a struct, made when it is first asked for."""

    def __init__(self, hints: dict[str, Hint]) -> None:
        self._hints = hints
        self._made: np.dtype[Any] | None = None

    def __get__(self, instance: object, owner: Any) -> "np.dtype[Any]":
        if self._made is None:
            if holds_arrays(owner):
                raise TypeError(
                    f"{owner.__name__} has arrays, so no memory holds it; keep its other "
                    "attributes in arrays, and make it where it is used"
                )
            layout = getattr(owner, _LAYOUT)
            plain = structured(list(self._hints), list(self._hints.values()), layout)
            self._made = _elements.element_dtype(owner, plain, layout.align)
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return _LazyDtype, (self._hints,)


def _namespace(cls: type, fields: dict[str, Any]) -> dict[str, Any]:
    of_class = ("__dict__", "__weakref__")
    return {name: value for name, value in vars(cls).items() if name not in of_class} | fields


def _make(cls: type, align: int, scope: Mapping[str, Any]) -> Any:
    hints = _hints(cls, scope)
    defaults = _defaults(cls, hints)
    fields = {k: _as_field(value, hints[k].is_changeable) for k, value in defaults.items()}
    fields |= {k: _made_anew(h.type) for k, h in hints.items() if isinstance(h.type, AtomicType)}
    plain = type(cls)(cls.__name__, (), _namespace(cls, fields))
    plain.__post_init__ = _converting(cls, hints)  # type: ignore[attr-defined]
    made: Any = dataclasses.dataclass(frozen=True, slots=True)(plain)
    made.__cuda_device_copying__ = _Copying(
        made, [name for name, hint in hints.items() if hint.is_changeable]
    )
    made.__setattr__, made.__delattr__ = _set, _delete
    made.underlying = cls
    setattr(made, _LAYOUT, _StructLayout(hints, align, defaults))
    if holds_atomics(made) and holds_arrays(made):
        _refuse(cls, "it has atomics, which lie in memory, and arrays, which no memory holds")
    made.numpy_dtype = made.__numpy_dtype__ = _LazyDtype(hints)
    return made


@overload
def struct(cls: type[T], /) -> type[T]: ...
@overload
def struct(*, align: int = 1) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True)
def struct(cls: Any = None, /, *, align: int = 1) -> Any:
    """Makes a class a struct: `@struct`, or `@struct(align=16)`.

    A struct is an immutable value whose attributes have type hints; kernels and the host take it,
    with the layout of the C++ class of the same members. Its hints are int, float, bool, complex
    (int32, float32, bool and complex64 in kernels), formats such as device.float32, vectors, other
    structs, arrays (numpy.ndarray, numpy.typing.NDArray[T]), tuples of these, and None.
    `device.replace` makes one with other attributes; `underlying` is the class as it was written,
    `numpy_dtype` the dtype of arrays of it, where it has no arrays itself.

    align: its alignment in bytes at least, a power of two.

    Raises TypeError for an attribute without a hint that kernels know, ValueError for an alignment
    that is no power of two. Values that do not convert to their hint without loss are a TypeError
    where a struct is made, numbers out of range an OverflowError.
    """
    number = check_alignment("@struct(align=...)", align)
    scope = sys._getframe(1).f_locals
    if cls is None:
        return lambda decorated: _decorate(decorated, number, scope)
    return _decorate(cls, number, scope)


def _decorate(cls: Any, align: int, scope: Mapping[str, Any]) -> Any:
    if not isinstance(cls, type):
        raise TypeError(f"@struct expects a class, found {type(cls).__name__!r}")
    if _LAYOUT in vars(cls):
        raise TypeError(f"{cls.__name__!r} is decorated with @struct twice; once is enough")
    return _make(cls, align, scope)


def align(t: Any, n: int) -> Any:
    """A type equivalent to t and aligned to n bytes at least, as a hint of a struct's member.

    t: what a hint can be. n: a power of two; t itself where it is aligned to as much. Calling the
    type calls t. Raises TypeError for what is no such type or no int, ValueError for other ints.
    """
    number = check_alignment("align(t, n)", n)
    hint = understood(t)
    if hint is None:
        raise TypeError(f"align(t, n): t is a type, {_HINTS}; found {name_of(t)}")
    if isinstance(hint.type, AtomicType):
        return type(t)(hint.type.hint.type, max(hint.align, number))
    return t if hint.align >= number else AlignedType(getattr(t, "type", t), number)


def replace(p: T, /, **changes: Any) -> T:
    """A struct with other values in place of some attributes: replace(p, x=3).

    Raises TypeError for what is no struct or an attribute that it does not have, and as the struct
    does for values.
    """
    layout = getattr(type(p), _LAYOUT, None)
    if layout is None:
        raise TypeError(f"device.replace() expects a struct, found {type(p).__name__!r}")
    for name in changes:
        if name not in layout.names:
            there = ", ".join(field.name for field in layout.fields)
            kind = type(p).__name__
            raise TypeError(f"{kind} has no attribute {name!r} to replace; it has {there}")
    if holds_atomics(type(p)):
        raise TypeError(f"{type(p).__name__} has atomics, so there is no copy of it to change")
    made: T = dataclasses.replace(p, **changes)  # type: ignore[type-var]
    return made
