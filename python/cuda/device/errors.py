"""Exceptions that cuda.device raises.

A user's mistake in a kernel is a CompileError, in a launch a LaunchError; a fault of this package
is a CompilerBug. What is planned but missing is a NotImplementedYetError.
"""

import builtins
import functools
from collections.abc import Sequence
from typing import NamedTuple, cast

__all__ = [
    "CompileError",
    "CompileOverflowError",
    "CompileTypeError",
    "CompileValueError",
    "CompilerBug",
    "DeviceOnlyError",
    "Diagnostic",
    "KernelError",
    "KernelFailure",
    "LaunchBufferError",
    "LaunchError",
    "LaunchOverflowError",
    "LaunchRuntimeError",
    "LaunchTypeError",
    "LaunchValueError",
    "NotImplementedYetError",
    "OutOfMemoryError",
    "PrecisionWarning",
]


class Diagnostic(NamedTuple):
    """One mistake in a kernel's source. Lines and columns count from 1; the end is exclusive.

    line is 0 where no place in the source is known.
    """

    code: str
    message: str
    hint: str
    file: str | None
    line: int
    column: int
    end_line: int
    end_column: int
    notes: list[str]


class CompileError(Exception):
    """A kernel cannot be compiled for the types it was launched with.

    `diagnostics` holds every mistake found, in the order of the source; the text shows each of the
    first ten with its line. The exception has the class of the first one.
    """

    def __init__(self, text: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.diagnostics)


class CompileTypeError(CompileError, TypeError):
    """A CompileError that is about types or numbers of arguments."""


class CompileValueError(CompileError, ValueError):
    """A CompileError that is about values."""


class CompileOverflowError(CompileError, OverflowError):
    """A CompileError about a number that its format cannot hold."""


class NotImplementedYetError(CompileError, NotImplementedError):
    """Something planned that is not there yet; docs/not-implemented.md lists what is."""


class CompilerBug(RuntimeError):
    """A fault of this package, not of the kernel. Please report it with the kernel."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text}\nThis is a bug in cuda.device, not in your kernel. Please report it with the"
            " kernel's source and the output of `python -m cuda.device info`."
        )


class KernelError(RuntimeError):
    """A launch failed while it ran, or the system could not run it."""


class KernelFailure(KernelError):
    """A thread of a kernel failed: an `assert` that does not hold, or a `raise`.

    What is raised is also of the class that the kernel names, so `except ValueError` catches it.
    """

    def __str__(self) -> str:  # KeyError would show it quoted
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _made_failure, (_named_class(type(self)).__name__, str(self))


@functools.cache
def kernel_exception(name: str) -> type[KernelFailure]:
    """The KernelFailure that is also of the builtin exception class of this name."""
    named = getattr(builtins, name)
    made = type(f"Kernel{named.__name__}", (KernelFailure, named), {"__module__": __name__})
    return cast("type[KernelFailure]", made)


def _named_class(made: type) -> type:
    return next(base for base in made.__bases__ if base is not KernelFailure)


def _made_failure(name: str, text: str) -> KernelFailure:
    return kernel_exception(name)(text)


class LaunchError(Exception):
    """A launch was requested with something that it cannot take."""


class LaunchTypeError(LaunchError, TypeError):
    """Wrong number of arguments, or an object of a kind that a launch cannot take."""


class LaunchValueError(LaunchError, ValueError):
    """A grid, block, array or stream out of the limits."""


class LaunchOverflowError(LaunchError, OverflowError):
    """A Python number that its 32-bit format in kernels cannot hold."""


class LaunchRuntimeError(LaunchError, RuntimeError):
    """The launch fits no device of this process."""


class LaunchBufferError(LaunchError, BufferError):
    """An array whose DLPack exchange cannot be used."""


class OutOfMemoryError(MemoryError):
    """A device has less memory than was requested. What was allocated before stays usable.

    asked, free, total: in bytes; the last two as the device said when it happened.
    """

    def __init__(self, text: str, asked: int = 0, free: int = 0, total: int = 0) -> None:
        super().__init__(text)
        self.asked = asked
        self.free = free
        self.total = total

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.asked, self.free, self.total)


class PrecisionWarning(UserWarning):
    """A kernel computes in 32 bits what then meets 64, which Python and NumPy would not.

    Raised as a warning when such a kernel is first launched, once for each place in its source: a
    builtin float that was rounded to float32 is combined with or stored to a float64, a builtin int
    that may have wrapped around meets an int64, or int() or round() takes a value of 64 bits.
    """


class DeviceOnlyError(RuntimeError):
    """Something that exists in kernels only was used in host code."""
