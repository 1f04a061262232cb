"""The hand-written baselines of bench/baselines, through ctypes."""

import ctypes
import functools
from pathlib import Path

import numpy as np

from . import Contestant, NotAvailable

LIBRARIES = Path(__file__).resolve().parents[2] / "build" / "bench"
COMPILERS = ("gcc", "clang")
CPU_FLAGS = ("avx512f", "avx512dq")

I32, I64, F32 = ctypes.c_int32, ctypes.c_int64, ctypes.c_float
PTR = ctypes.c_void_p

# Per kernel: group, function, and the names of its arguments after `threads`.
FUNCTIONS = {
    "triad": [
        ("hand", "hand_triad", "a b c s n"),
        ("hand nt", "hand_triad_nt", "a b c s n"),
    ],
    "copy2d": [
        ("hand", "hand_copy2d", "out source width height"),
        ("hand nt", "hand_copy2d_nt", "out source width height"),
    ],
    "mandelbrot": [
        ("hand", "hand_mandelbrot_x2", "out width height x0 y0 dx dy limit"),
        ("hand", "hand_mandelbrot_x4", "out width height x0 y0 dx dy limit"),
    ],
    "black_scholes": [
        ("hand", "hand_black_scholes_x2", "call put price strike years rate volatility n"),
        ("hand", "hand_black_scholes_x4", "call put price strike years rate volatility n"),
    ],
}
TYPES = {"limit": I32, "n": I64, "width": I64, "height": I64}


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


def arguments(problem, names):
    extra = dict(zip(("width", "height"), problem.extent, strict=False))
    for name in names.split():
        if name in problem.arrays:
            yield PTR(problem.arrays[name].ctypes.data)
        else:
            value = problem.values[name] if name in problem.values else extra[name]
            yield TYPES.get(name, F32)(value.item() if isinstance(value, np.generic) else value)


def contestants(problem, threads):
    found = []
    for compiler in COMPILERS:
        try:
            lib = library(compiler)
        except NotAvailable:
            if compiler == COMPILERS[-1] and not found:
                raise
            continue
        for group, function, names in FUNCTIONS[problem.kernel]:
            call = getattr(lib, function)
            call.restype = None
            run = functools.partial(call, ctypes.c_int(threads), *arguments(problem, names))
            found.append(Contestant(group, f"{function} ({compiler})", run))
    return found
