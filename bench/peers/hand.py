"""The hand-written baselines of bench/baselines, through ctypes."""

import ctypes
import functools
from pathlib import Path

import numpy as np

from . import Contestant, NotAvailable

LIBRARIES = Path(__file__).resolve().parents[2] / "build" / "bench"
COMPILERS = ("gcc", "clang")
CPU_FLAGS = ("avx512f", "avx512dq")


def require_cpu():
    flags = Path("/proc/cpuinfo").read_text().split()
    missing = [flag for flag in CPU_FLAGS if flag not in flags]
    if missing:
        raise NotAvailable(f"this CPU lacks {' '.join(missing)}")


def library(compiler):
    """The baselines as that compiler built them."""
    require_cpu()
    path = LIBRARIES / f"libhand_{compiler}.so"
    if not path.exists():
        raise NotAvailable("not built (bench/build)")
    return ctypes.CDLL(str(path))


def argument(problem, name):
    """An array's address; an extent as int64_t; any other number in its own type."""
    if name in problem.arrays:
        return ctypes.c_void_p(problem.arrays[name].ctypes.data)
    value = problem.values[name]
    if isinstance(value, int):
        return ctypes.c_int64(value)
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())


def contestants(problem, threads):
    found = []
    for compiler in COMPILERS:
        try:
            lib = library(compiler)
        except NotAvailable:
            if compiler == COMPILERS[-1] and not found:
                raise
            continue
        for hand in problem.hand:
            if not hasattr(lib, hand.function):
                raise NotAvailable(f"bench/baselines has no {hand.function}")
            call = getattr(lib, hand.function)
            call.restype = None
            names = (hand.arguments or problem.arguments).split()
            run = functools.partial(
                call, ctypes.c_int(threads), *(argument(problem, name) for name in names)
            )
            found.append(Contestant(hand.group, f"{hand.function} ({compiler})", run))
    return found
