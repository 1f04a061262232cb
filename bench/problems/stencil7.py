import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, Problem, grid_for, require_close


def stencil7(quick, name, kernel, block, small):
    """`small`: nx, ny, nz of the quick run."""
    nx, ny, nz = small if quick else (256, 256, 256)
    arrays = {name: aligned((nz, ny, nx), np.float32) for name in ("out", "source")}
    np.random.default_rng(6).random(dtype=np.float32, out=arrays["source"])
    return Problem(
        name=name,
        kernel=kernel,
        unit="GB/s",
        amount=8e-9 * nx * ny * nz,
        size=f"{nx} x {ny} x {nz}",
        arrays=arrays,
        outputs=("out",),
        values={"c0": np.float32(0.4), "c1": np.float32(0.1), "nx": nx, "ny": ny, "nz": nz},
        arguments="out source c0 c1 nx ny nz",
        block=block,
        grid=grid_for((nx, ny, nz)[: len(block)], block),
        judge=check,
        hand=(Hand("hand_stencil7"),),
        wanted=0.8,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


INNER, BEFORE, AFTER = slice(1, -1), slice(-2), slice(2, None)


def whole_arrays(out, source, c0, c1):
    np.copyto(out, source)
    around = source[BEFORE, INNER, INNER] + source[AFTER, INNER, INNER]
    for place in (
        (INNER, BEFORE, INNER),
        (INNER, AFTER, INNER),
        (INNER, INNER, BEFORE),
        (INNER, INNER, AFTER),
    ):
        around += source[place]
    around *= c1
    inner = out[INNER, INNER, INNER]
    inner *= c0
    inner += around


def exact_stencil(p):
    source = p.arrays["source"].astype(np.float64)
    exact = np.empty_like(source)
    whole_arrays(exact, source, np.float64(p.values["c0"]), np.float64(p.values["c1"]))
    return exact


def check(p):
    # The sum of six is below 8, where a rounding is 2**-22 at most: five, of which c1 leaves a
    # tenth, and three more of 2**-24.
    require_close(p, "out", p.once("stencil", lambda: exact_stencil(p)), 2.0**-22)


PROBLEMS = {
    # A thread a point.
    "stencil7 global": lambda quick: stencil7(
        quick, "stencil7 global", "stencil7", (32, 8, 1), (100, 62, 41)
    ),
    # Blocks march along z; they divide the planes.
    "stencil7 shared": lambda quick: stencil7(
        quick, "stencil7 shared", "stencil7_shared", (32, 8), (96, 64, 41)
    ),
}
