"""@kernel and @func."""

import types

from cuda.device import _core
from cuda.device.errors import NotImplementedYetError

_PLANNED = ("interop", "link", "check", "fastmath")


def kernel(function=None, /, *, interop=False, fmad=True, fastmath=False, **options):
    """Makes a function a kernel: `@kernel` or `@kernel(fmad=False)` (DEV-KERN-01).

    A kernel runs on the device only, once in every thread of a launch; see `launch`. fmad=False keeps
    a*b + c as two roundings, as NumPy computes it. interop, fastmath, link and check are planned.

    Raises TypeError for an unknown keyword or something that is no Python function, and
    NotImplementedYetError for a planned keyword.
    """
    _check_options("kernel", options, interop=interop, fastmath=fastmath)
    return _apply("kernel", function, _core.make_kernel, fmad)


def func(function=None, /, *, interop=False, fmad=True, fastmath=False, **options):
    """Makes a function callable from kernels and from the host: `@func` or `@func()` (DEV-FUNC-01).

    Called from a kernel it is compiled for the types of its arguments; called from the host it is the
    Python function. `underlying` is that function.

    Raises as `kernel` does.
    """
    _check_options("func", options, interop=interop, fastmath=fastmath)
    return _apply("func", function, _core.make_func, fmad)


def _check_options(decorator, unknown, **planned):
    for name, value in {**planned, **unknown}.items():
        if name not in _PLANNED:
            raise TypeError(f"@{decorator} got an unexpected keyword argument {name!r}")
        if value:
            raise NotImplementedYetError(f"@{decorator}({name}={value!r}) is not implemented yet")


def _apply(decorator, function, make, fmad):
    if not isinstance(fmad, bool):
        raise TypeError(f"@{decorator}: fmad must be True or False, found {fmad!r}")
    if function is None:
        return lambda function: _decorate(decorator, function, make, fmad)
    return _decorate(decorator, function, make, fmad)


def _decorate(decorator, function, make, fmad):
    if isinstance(function, (_core.Kernel, _core.Func)):
        other = "kernel" if isinstance(function, _core.Kernel) else "func"
        name = function.__name__
        if other == decorator:
            raise TypeError(f"{name!r} is decorated with @{decorator} twice")
        raise TypeError(f"@kernel and @func cannot be combined: {name!r} is decorated with @{other} already")
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"@{decorator} expects a Python function, found {type(function).__qualname__!r}")
    if function.__code__.co_flags & 0x280:  # CO_COROUTINE, CO_ASYNC_GENERATOR
        raise TypeError(f"@{decorator} expects a plain function; {function.__name__!r} is async")
    return make(function, fmad=fmad, fastmath=False)
