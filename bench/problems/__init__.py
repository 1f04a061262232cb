"""What is measured: inputs, sizes, references and checks, the same for every contestant.

A new kernel is a module here, named in FAMILIES, and the kernel itself in kernels/ and peers/. The
module's PROBLEMS maps the names of its rows to functions that make the problem; they take whether
to make a small one.
"""

from importlib import import_module

from .problem import WrongResult

__all__ = ["PROBLEMS", "WrongResult"]

# Listed in the order of the table.
FAMILIES = (
    "triad",
    "copy2d",
    "mandelbrot",
    "black_scholes",
    "nbody",
    "sgemm",
    "stencil7",
    "transpose",
    "convolve",
    "reduce",
    "scan",
    "bitonic",
    "histogram",
    "spmv",
    "floyd",
    "particles",
    "small_floats",
    "fft",
    "convolve_rgba",
    "spheres",
    "atomics",
    "warps",
    "waits",
    "recursion",
)


def named(name, make):
    """`make`, whose problem must have the name that its row is asked for by."""

    def made(quick):
        problem = make(quick)
        if problem.name != name:
            raise ValueError(f"the row {name!r} makes a problem named {problem.name!r}")
        return problem

    return made


PROBLEMS = {
    name: named(name, make)
    for family in FAMILIES
    for name, make in import_module(f"problems.{family}").PROBLEMS.items()
}
