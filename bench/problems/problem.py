"""What a problem is, and how a result is compared with its reference."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROUNDING = 2.0**-24  # of a float32, relative
INTEL, POCL = "Intel OpenCL", "PoCL"


class WrongResult(Exception):
    """A contestant's output is not the reference within the stated tolerance."""


@dataclass(frozen=True)
class Hand:
    """A hand-written function of bench/baselines. A group that is no column of the table is named
    below it. `arguments` only where they differ from the problem's."""

    function: str
    group: str = "hand"
    arguments: str = ""


@dataclass(kw_only=True)
class Problem:
    """One row of the table. `amount` of `unit`·s is the work of one run: amount / seconds is the
    figure.

    The kernel of this name stands in kernels/ and peers/opencl/, and in peers/warp_kernels/ where
    there is one for Warp. Python kernels and `whole_arrays` take arrays and values by the names of
    their parameters; C functions take `arguments` in this order, a Python integer being an extent.
    """

    name: str
    kernel: str
    unit: str
    amount: float
    size: str
    arrays: dict[str, np.ndarray]
    outputs: tuple[str, ...]
    values: dict[str, Any]
    arguments: str
    block: tuple[int, ...]
    grid: tuple[int, ...]
    judge: Callable[["Problem"], None]  # raises WrongResult
    hand: tuple[Hand, ...]
    wanted: float | None = None  # the least ratio to the hand-written code that the project demands
    ahead_of: tuple[str, ...] = ()  # groups that must be slower than cuda.device
    ahead_by: float = 1.0  # so many times
    whole_arrays: Callable[..., None] | None = None  # the same with NumPy
    reference: dict[str, Any] = field(default_factory=dict)

    def poison(self):
        """Overwrites the outputs, so that a contestant that writes nothing is found."""
        for name in self.outputs:
            array = self.arrays[name]
            array.fill({"i": -1, "u": 255}.get(array.dtype.kind, np.nan))

    def check(self):
        self.judge(self)

    def once(self, name, make):
        """The reference of this name, made when it is first asked for."""
        if name not in self.reference:
            self.reference[name] = make()
        return self.reference[name]


def of_items(name, kernel, n, arrays, block, grid, **more):
    """A problem that makes `out` of the n elements of `source`."""
    return Problem(
        name=name,
        kernel=kernel,
        unit="Gitem/s",
        amount=1e-9 * n,
        size=f"n = {n:,}",
        arrays=arrays,
        outputs=("out",),
        values={"n": n},
        arguments="out source n",
        block=(block,),
        grid=grid,
        **more,
    )


def grid_for(extent, block):
    """Blocks that cover `extent` threads, x first."""
    return tuple(-(-n // b) for n, b in zip(extent, block, strict=True))


def chunks(n, size=1 << 22):
    for first in range(0, n, size):
        yield slice(first, min(n, first + size))


def whole_numbers(array, seed):
    """Fills a float32 array with integers so small that every sum of 65536 of them is exact."""
    random = np.random.default_rng(seed)
    flat = array.reshape(-1)
    for part in chunks(flat.size):
        flat[part] = random.integers(-100, 101, part.stop - part.start, np.int32)


def require_equal(problem, name, exact):
    different = np.count_nonzero(problem.arrays[name] != exact)
    if different:
        raise WrongResult(f"{problem.name}: {different} of {exact.size} of {name} differ")


def require_close(problem, name, exact, allowed):
    """`exact` in float64; `allowed` is a bound or an array of bounds."""
    excess = np.abs(problem.arrays[name] - exact) / allowed
    worst = float(excess.max())
    if not worst <= 1:
        raise WrongResult(f"{problem.name}: {name} off by {worst:.3g} times what is allowed")
    problem.reference["error"] = max(worst, problem.reference.get("error", 0))
