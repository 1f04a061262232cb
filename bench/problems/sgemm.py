import numpy as np
from arrays import aligned

from .problem import INTEL, ROUNDING, Hand, Problem, require_close

BLOCK = (16, 16)


def sgemm(quick, name, kernel, tile, wanted):
    """`tile`: rows and columns of the result that a block makes; they divide it."""
    m, n, k = (256, 384, 128) if quick else (1024, 1024, 1024)
    arrays = {
        "c": aligned((m, n), np.float32),
        "a": aligned((m, k), np.float32),
        "b": aligned((k, n), np.float32),
    }
    random = np.random.default_rng(5)
    for matrix in ("a", "b"):
        random.standard_normal(dtype=np.float32, out=arrays[matrix])
    return Problem(
        name=name,
        kernel=kernel,
        unit="GFLOP/s",
        amount=2e-9 * m * n * k,
        size=f"{m} x {n} x {k}",
        arrays=arrays,
        outputs=("c",),
        values={"m": m, "n": n, "k": k},
        arguments="c a b m n k",
        block=BLOCK,
        grid=(n // tile, m // tile),
        judge=check,
        hand=(Hand("hand_sgemm"),),
        wanted=wanted,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def exact_product(p):
    a, b = (p.arrays[name].astype(np.float64) for name in "ab")
    return a @ b, np.abs(a) @ np.abs(b)


def check(p):
    # The bound of a sum of k products in any order.
    exact, magnitude = p.once("product", lambda: exact_product(p))
    require_close(p, "c", exact, p.values["k"] * ROUNDING * magnitude)


def whole_arrays(c, a, b):
    np.matmul(a, b, out=c)


PROBLEMS = {
    "sgemm 16x16": lambda quick: sgemm(quick, "sgemm 16x16", "sgemm_tiles", 16, 0.5),
    "sgemm 8x8": lambda quick: sgemm(quick, "sgemm 8x8", "sgemm_registers", 128, 0.75),
}
