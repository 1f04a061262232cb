"""The hand-written baselines of bench/baselines, through ctypes."""

import ctypes
import functools
from pathlib import Path

import numpy as np

from . import Contestant, NotAvailable
from .cpu import forms

LIBRARIES = Path(__file__).resolve().parents[2] / "build" / "bench"
COMPILERS = ("gcc", "clang")


def libraries():
    """{(compiler, form): what that compiler made of the baselines}, the widest form first."""
    if not forms():
        raise NotAvailable("this CPU lacks AVX2 or FMA")
    paths = {(c, f): LIBRARIES / f"libhand_{c}_{f}.so" for f in forms() for c in COMPILERS}
    found = {key: ctypes.CDLL(str(path)) for key, path in paths.items() if path.exists()}
    if not found:
        raise NotAvailable("not built (bench/build)")
    return found


def group_of(hand, form):
    """The column: the widest form's is the function's own. Of the others only what stands in the
    first column has one, since each contestant takes its time; None for the rest."""
    if form == forms()[0]:
        return hand.group
    return f"{hand.group} {form}" if hand.group == "hand" else None


def argument(problem, name):
    """An array's address; an extent as int64_t; any other number in its own type."""
    if name in problem.arrays:
        return ctypes.c_void_p(problem.arrays[name].ctypes.data)
    value = problem.values[name]
    if isinstance(value, int):
        return ctypes.c_int64(value)
    return np.ctypeslib.as_ctypes_type(value.dtype)(value.item())


def caller(problem, threads, lib, hand):
    call = getattr(lib, hand.function)
    call.restype = None
    names = (hand.arguments or problem.arguments).split()
    return functools.partial(call, ctypes.c_int(threads), *(argument(problem, n) for n in names))


def contestants(problem, threads):
    found = []
    for (compiler, form), lib in libraries().items():
        for hand in problem.hand:
            if not hasattr(lib, hand.function):
                raise NotAvailable(f"bench/baselines has no {hand.function}")
            if group := group_of(hand, form):
                name = f"{hand.function} ({compiler})"
                found.append(Contestant(group, name, caller(problem, threads, lib, hand)))
    return found
