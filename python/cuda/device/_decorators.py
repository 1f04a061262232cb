"""@kernel and @func."""

from __future__ import annotations

import difflib
import functools
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, overload

from cuda.device import _core
from cuda.device.errors import NotImplementedYetError

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")

_PLANNED = ("interop", "link", "check")
_TAKEN = {
    "kernel": "fmad, fastmath, builtins, execution, max_registers and min_blocks",
    "func": "fmad, fastmath, builtins and inline",
}
# Registers of a thread that ptxas can be held to.
_FEWEST_REGISTERS, _MOST_REGISTERS = 16, 255
_MOST_BLOCKS = 32  # that any multiprocessor holds
_ASYNC = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR


@overload
def kernel(function: Callable[P, None], /) -> _core.Kernel[P]: ...
@overload
def kernel(
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool | Iterable[str] = False,
    builtins: int = 32,
    execution: str | None = None,
    max_registers: int | None = None,
    min_blocks: int | None = None,
    **options: object,
) -> Callable[[Callable[P, None]], _core.Kernel[P]]: ...
def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool | Iterable[str] = False,
    builtins: int = 32,
    execution: str | None = None,
    max_registers: int | None = None,
    min_blocks: int | None = None,
    **options: object,
) -> Any:
    """Makes a function a kernel: `@kernel` or `@kernel(fmad=False)`.

    A kernel runs on the device only, once in every thread of a launch; see `launch`. It returns
    nothing. Nothing is compiled before the first launch. fmad=False keeps a*b + c as two
    roundings, as NumPy computes it. builtins=64 makes Python's own int, float and complex int64,
    float64 and complex128 in the kernel and in what it calls, instead of int32, float32 and
    complex64; they yield to fixed formats all the same.

    fastmath=True computes float32 as nvcc --use_fast_math does: divisions, roots and some functions
    are estimates, and subnormal numbers count as zero. A set of names allows parts of that alone:
    "flush_subnormals", "approximate_divide", "approximate_sqrt", "approximate_functions", or
    "reassociate", which adds long sums by pairs and is not in True.

    max_registers= and min_blocks= are for GPUs and change no result: how many registers a thread
    has at most, and how many blocks a multiprocessor is to hold at least, which counts for launches
    whose block the code is compiled for. The host has neither and runs the kernel as without.

    execution= is for the host device and changes no result: "gangs" runs threads as lanes of
    vectors, "threads" each on a stack of its own, so that any thread may wait for any other. Left
    out, the compiler chooses; `inspect(what="plan")` tells what and why. "gangs" is an error where
    a function is called when the kernel runs, and where some threads certainly miss a barrier and
    there are barriers of several kinds. interop, link and check are planned.

    Raises TypeError for an unknown keyword, a value that one does not take, or something that is no
    Python function, and NotImplementedYetError for a planned keyword.
    """
    _check_options("kernel", options, interop=interop)
    if execution not in (None, "gangs", "threads"):
        raise TypeError(
            f"@kernel: execution must be 'gangs' or 'threads', found {execution!r}; leave it out "
            "and the compiler chooses"
        )
    make = functools.partial(
        _core.make_kernel,
        max_registers=_bound("max_registers", max_registers, _FEWEST_REGISTERS, _MOST_REGISTERS),
        min_blocks=_bound("min_blocks", min_blocks, 1, _MOST_BLOCKS),
    )
    if execution is not None:
        make = functools.partial(make, execution=execution)
    return _apply("kernel", function, make, fmad, fastmath, builtins)


@overload
def func(function: Callable[P, R], /) -> _core.Func[P, R]: ...
@overload
def func(
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool | Iterable[str] = False,
    builtins: int = 32,
    inline: str | None = None,
    **options: object,
) -> Callable[[Callable[P, R]], _core.Func[P, R]]: ...
def func(
    function: Callable[..., Any] | None = None,
    /,
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool | Iterable[str] = False,
    builtins: int = 32,
    inline: str | None = None,
    **options: object,
) -> Any:
    """Makes a function callable from kernels and from the host: `@func` or `@func()`.

    Called from a kernel it is compiled for the types of its arguments; called from the host it is
    the Python function. `underlying` is that function. Its builtin numbers are those of the kernel
    that calls it; builtins= and fastmath= are for `inspect` of the function alone: a kernel that
    calls one of builtins=64 has to say the same, and so has one that calls one with fastmath=.
    fmad=False keeps the products of the function apart from sums in every kernel.

    inline= changes no result. "never" makes one function for the types and constants of its
    arguments, which kernels call when they run: less code where it is large and called at many
    places, and then the host runs the kernel's threads one by one. "always" inlines it at every
    call, and is an error where it calls itself when the kernel runs. Left out, functions are
    inlined, but those that call themselves, and those that make a kernel too large.

    Raises as `kernel` does.
    """
    _check_options("func", options, interop=interop)
    if not (inline is None or (isinstance(inline, str) and inline in ("never", "always"))):
        raise TypeError(
            f"@func: inline must be 'never', 'always' or None, found {inline!r}; leave it out and "
            "the compiler chooses"
        )
    make = functools.partial(_core.make_func, inline=inline or "automatic")
    return _apply("func", function, make, fmad, fastmath, builtins)


def _check_options(decorator: str, unknown: dict[str, object], **planned: object) -> None:
    for name, value in {**planned, **unknown}.items():
        if name not in _PLANNED:
            raise TypeError(
                f"@{decorator} got an unexpected keyword argument {name!r}; it takes "
                f"{_TAKEN[decorator]}, and {', '.join(_PLANNED)} are planned"
            )
        if value:
            raise NotImplementedYetError(
                f"@{decorator}({name}={value!r}) is not implemented yet; leave it out"
            )


def _bound(name: str, value: object, least: int, most: int) -> int:
    """The number, or 0 where none is given."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise TypeError(
            f"@kernel: {name} must be an int from {least} to {most}, found {value!r}; leave it out "
            "and the compiler chooses"
        )
    return value


def _set_instead(fastmath: object) -> str:
    """What was meant by something that is no set: by a mapping, the names that it switches on."""
    if isinstance(fastmath, str) and fastmath:
        return f"{{{fastmath!r}}}"
    if isinstance(fastmath, Mapping):
        names = [repr(name) for name, wanted in fastmath.items() if wanted]
        return f"{{{', '.join(names)}}}" if names else "False"
    return "True" if fastmath else "False"


def _parts_of_fast_math(decorator: str, fastmath: object) -> list[str]:
    known = _core.FAST_MATH
    if isinstance(fastmath, bool):
        return [name for name, in_true in known.items() if in_true and fastmath]
    if isinstance(fastmath, (str, Mapping)) or not isinstance(fastmath, Iterable):
        raise TypeError(
            f"@{decorator}: fastmath must be True, False or a set of names, found {fastmath!r}; "
            f"write fastmath={_set_instead(fastmath)}"
        )
    parts = list(fastmath)
    for part in parts:
        if not isinstance(part, str) or part not in known:
            close = difflib.get_close_matches(str(part), known, 1, 0.4)
            raise TypeError(
                f"@{decorator}: fastmath has no part {part!r}; "
                + (f"did you mean {close[0]!r}? Its" if close else "its")
                + f" parts are {', '.join(known)}"
            )
    return [name for name in known if name in parts]


def _apply(
    decorator: str,
    function: object,
    make: Callable[..., F],
    fmad: object,
    fastmath: object,
    builtins: object,
) -> object:
    if not isinstance(fmad, bool):
        raise TypeError(
            f"@{decorator}: fmad must be True or False, found {fmad!r}; leave it out for True"
        )
    if isinstance(builtins, bool) or builtins not in (32, 64):
        raise TypeError(
            f"@{decorator}: builtins must be 32 or 64, the bits of Python's own numbers in "
            f"kernels, found {builtins!r}; leave it out for 32"
        )
    options: dict[str, object] = {
        "fmad": fmad,
        "fastmath": _parts_of_fast_math(decorator, fastmath),
        "dialect": "guide64" if builtins == 64 else "guide",
    }
    if function is None:
        return lambda function: _decorate(decorator, function, make, options)
    return _decorate(decorator, function, make, options)


def _decorate(
    decorator: str, function: object, make: Callable[..., F], options: dict[str, object]
) -> F:
    if isinstance(function, (_core.Kernel, _core.Func)):
        other = "kernel" if isinstance(function, _core.Kernel) else "func"
        name = function.__name__
        if other == decorator:
            raise TypeError(f"{name!r} is decorated with @{decorator} twice; once is enough")
        raise TypeError(
            f"@kernel and @func cannot be combined: {name!r} is decorated with @{other} already; "
            "put what both need into a plain function, and call that"
        )
    if not isinstance(function, types.FunctionType):
        found = type(function).__qualname__
        raise TypeError(
            f"@{decorator} expects a Python function, found {found!r}; "
            + _what_to_decorate(decorator, function)
        )
    if function.__code__.co_flags & _ASYNC:
        raise TypeError(
            f"@{decorator} expects a plain function; {function.__name__!r} is async: "
            "leave out 'async'"
        )
    return make(function, **options)


def _what_to_decorate(decorator: str, found: object) -> str:
    if isinstance(found, str):
        return "a signature is not needed, types follow from the arguments of each launch"
    if isinstance(found, (staticmethod, classmethod)):
        return f"put @staticmethod above @{decorator}, which stands next to the def"
    if isinstance(found, types.MethodType):
        return "define it outside of the class, without self, or under @staticmethod"
    if isinstance(found, type):
        return "decorate a function, such as a static method of the class"
    return "write a def that does what it does, and decorate that"
