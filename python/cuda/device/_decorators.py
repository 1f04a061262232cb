"""@kernel and @func."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from cuda.device import _core
from cuda.device.errors import NotImplementedYetError

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")

_PLANNED = ("interop", "link", "check", "fastmath")
_TAKEN = {"kernel": "fmad, builtins and execution", "func": "fmad and builtins"}
_ASYNC = 0x80 | 0x200  # CO_COROUTINE, CO_ASYNC_GENERATOR


@overload
def kernel(function: Callable[P, None], /) -> _core.Kernel[P]: ...
@overload
def kernel(
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool = False,
    builtins: int = 32,
    execution: str | None = None,
    **options: object,
) -> Callable[[Callable[P, None]], _core.Kernel[P]]: ...
def kernel(
    function: Callable[..., None] | None = None,
    /,
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool = False,
    builtins: int = 32,
    execution: str | None = None,
    **options: object,
) -> Any:
    """Makes a function a kernel: `@kernel` or `@kernel(fmad=False)`.

    A kernel runs on the device only, once in every thread of a launch; see `launch`. It returns
    nothing. Nothing is compiled before the first launch. fmad=False keeps a*b + c as two
    roundings, as NumPy computes it. builtins=64 makes Python's own int, float and complex int64,
    float64 and complex128 in the kernel and in what it calls, instead of int32, float32 and
    complex64; they yield to fixed formats all the same.

    execution= is for the host device and changes no result: "gangs" runs threads as lanes of
    vectors, "threads" each on a stack of its own, so that any thread may wait for any other. Left
    out, the compiler chooses; `inspect(what="plan")` tells what and why. interop, fastmath, link
    and check are planned.

    Raises TypeError for an unknown keyword, a value that one does not take, or something that is no
    Python function, and NotImplementedYetError for a planned keyword.
    """
    _check_options("kernel", options, interop=interop, fastmath=fastmath)
    if execution not in (None, "gangs", "threads"):
        raise TypeError(
            f"@kernel: execution must be 'gangs' or 'threads', found {execution!r}; leave it out "
            "and the compiler chooses"
        )
    make = _core.make_kernel
    if execution is not None:
        make = functools.partial(make, execution=execution)
    return _apply("kernel", function, make, fmad, builtins)


@overload
def func(function: Callable[P, R], /) -> _core.Func[P, R]: ...
@overload
def func(
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool = False,
    builtins: int = 32,
    **options: object,
) -> Callable[[Callable[P, R]], _core.Func[P, R]]: ...
def func(
    function: Callable[..., Any] | None = None,
    /,
    *,
    interop: bool = False,
    fmad: bool = True,
    fastmath: bool = False,
    builtins: int = 32,
    **options: object,
) -> Any:
    """Makes a function callable from kernels and from the host: `@func` or `@func()`.

    Called from a kernel it is compiled for the types of its arguments; called from the host it is
    the Python function. `underlying` is that function. Its builtin numbers are those of the kernel
    that calls it; builtins= is for `inspect` of the function alone.

    Raises as `kernel` does.
    """
    _check_options("func", options, interop=interop, fastmath=fastmath)
    return _apply("func", function, _core.make_func, fmad, builtins)


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


def _apply(
    decorator: str, function: object, make: Callable[..., F], fmad: object, builtins: object
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
    options: dict[str, object] = {"fmad": fmad, "dialect": "guide64" if builtins == 64 else "guide"}
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
    return make(function, fastmath=False, **options)


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
