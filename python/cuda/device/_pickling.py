"""Kernels and functions in other processes: what pickle and cloudpickle take of them.

pickle takes a function by its name, cloudpickle one of the main program or of another function with
all that it is. Neither knows kernels. So a kernel is pickled as the call of a function that has its
module and, below its name, a name of its own: `kernel.__definition__`. Where pickle goes by names,
the name leads to the kernel there; where cloudpickle takes the function whole, what it closes over
is pickled as the parts that a kernel is made of, its source among them.
"""

from __future__ import annotations

import inspect
import linecache
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cuda.device import _core
from cuda.device._decorators import func, kernel

_Made = Any  # a Kernel or a Func

# The text of a function's file, on functions that came from elsewhere (function_source.cpp).
_SOURCE = "__cuda_device_source__"


class _Parts:
    """What a kernel was made of: at home the kernel itself, pickled as the call that makes one."""

    __slots__ = ("_of", "made")

    def __init__(self, of: Callable[[], _Made] | None, made: tuple[Any, ...] | None) -> None:
        self._of = of
        self.made = made

    def home(self) -> _Made | None:
        return self._of() if self._of else None

    def __reduce__(self) -> tuple[Any, ...]:
        made = self.home()
        return _Parts, (None, _taken_apart(made) if made is not None else self.made)


class _Source(NamedTuple):
    """What a function's code was compiled from; cloudpickle keeps no names of files."""

    file: str
    text: str


def _taken_apart(made: _Made) -> tuple[Any, ...]:
    """Function, its source, options, attributes, and the plain functions with their sources."""
    function = made.underlying
    options, lines = _core.parts_of(made)
    own = {"__module__", "__name__", "__qualname__", "__doc__", "__wrapped__", _CACHE}
    attributes = {name: value for name, value in vars(made).items() if name not in own}
    source = _Source(function.__code__.co_filename, "".join(lines))
    once = {source: source}  # pickle knows equal texts by their identity
    sources = []
    for other in _plain_functions(function):
        found = _source_of(other)
        sources.append((other, once.setdefault(found, found)))
    return function, source, options, attributes, sources


_CACHE = "__definition_cache__"


# Two, since the name of the code is what is there of a function when cloudpickle makes it. One that
# names itself meets itself before the rest is there.
def _of_kernel(parts: _Parts) -> Callable[[], _Parts]:
    def kernel() -> _Parts:
        return parts

    return kernel


def _of_func(parts: _Parts) -> Callable[[], _Parts]:
    def func() -> _Parts:
        return parts

    return func


def definition(made: _Made) -> Callable[[], _Parts]:
    """`__definition__` of kernels and functions, the same object each time."""
    attributes: dict[str, Any] = made.__dict__
    known: Callable[[], _Parts] | None = attributes.get(_CACHE)
    if known is not None:
        return known
    parts = _Parts(weakref.ref(made), None)
    function = _of_kernel(parts) if isinstance(made, _core.Kernel) else _of_func(parts)
    function.__module__ = made.__module__
    function.__name__ = "__definition__"
    function.__qualname__ = f"{made.__qualname__}.__definition__"
    attributes[_CACHE] = function
    return function


def reduce(made: _Made, protocol: int) -> str | tuple[Any, ...]:
    """`__reduce_ex__`: before protocol 4 pickle knows no names below names."""
    return (arrived, (definition(made),)) if protocol >= 4 else made.__qualname__


def arrived(definition: Callable[[], _Parts]) -> _Made:
    """The kernel of a definition that was found by its name, or came whole."""
    known: _Made | None = vars(definition).get("made")
    try:
        parts = definition()
    except NameError:  # a function that names itself, before the rest of it is there
        if known is None:
            known = vars(definition)["made"] = _placeholder(definition.__code__.co_name)
        return known
    if (home := parts.home()) is not None:
        return home
    assert parts.made is not None
    return _made_of(known, definition.__code__.co_name, *parts.made)


def _not_here_yet() -> None: ...


def _placeholder(kind: str) -> _Made:
    return (kernel if kind == "kernel" else func)(_not_here_yet)


def _made_of(
    into: _Made | None,
    kind: str,
    function: types.FunctionType,
    source: _Source,
    options: dict[str, Any],
    attributes: dict[str, Any],
    sources: list[tuple[types.FunctionType, _Source]],
) -> _Made:
    for other, its_source in sources:
        _name_file(other, its_source)
        vars(other).setdefault(_SOURCE, its_source.text.splitlines(keepends=True))
    _name_file(function, source)
    made = _core.make_of_parts(
        into,
        function,
        source.text.splitlines(keepends=True),
        is_kernel=kind == "kernel",
        options=options,
    )
    vars(made).update(attributes)
    return made


def _name_file(function: types.FunctionType, source: _Source) -> None:
    function.__code__ = function.__code__.replace(co_filename=source.file)


# --- plain functions that a kernel calls ---


def _source_of(function: types.FunctionType) -> _Source:
    name = function.__code__.co_filename
    known = vars(function).get(_SOURCE)
    if known is None:
        linecache.checkcache(name)
        known = linecache.getlines(name, function.__globals__)
    return _Source(name, "".join(known))


def _names_of(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


def _named_in(function: types.FunctionType) -> Iterator[Any]:
    """What its globals, closure and defaults hold: more than a kernel reads, never less."""
    for name in _names_of(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _within(value: Any) -> Iterator[Any]:
    """The members of what kernels take apart."""
    if isinstance(value, tuple | list):
        yield from value
    elif isinstance(value, type) and not _found_by_name(value):
        yield from vars(value).values()
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif type(value).__name__ == "partial":
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, types.MethodType):
        yield value.__func__


def _plain_functions(function: types.FunctionType) -> list[types.FunctionType]:
    """The functions without a decorator that a function calls, directly or through others, and
    that no module has: those are not found by their files elsewhere."""
    found: list[types.FunctionType] = []
    seen = {id(function)}
    waiting = list(_named_in(function))
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, types.FunctionType) and not _found_by_name(value):
            found.append(value)
            waiting += _named_in(value)
        else:
            waiting += _within(value)
    return found


def _found_by_name(value: Any) -> bool:
    """Whether another process finds it by importing its module."""
    name = value.__module__
    if name in (None, "__main__") or name in _taken_whole():
        return False
    found: Any = sys.modules.get(name)
    for part in value.__qualname__.split("."):
        found = inspect.getattr_static(found, part, None)
    return found is value


def _taken_whole() -> set[str]:
    """Modules whose functions cloudpickle was told to take with all that they are."""
    cloudpickle = sys.modules.get("cloudpickle")
    return cloudpickle.list_registry_pickle_by_value() if cloudpickle else set()
