import numpy as np
from arrays import aligned

from .problem import Hand, Problem, WrongResult, chunks, grid_for


def triad(quick):
    n = (1 << 20 if quick else 1 << 26) + 15
    arrays = {name: aligned((n,), np.float32) for name in "abc"}
    random = np.random.default_rng(1)
    for name in "bc":
        for part in chunks(n):
            arrays[name][part] = random.random(part.stop - part.start, np.float32) * 2 - 1
    return Problem(
        name="triad",
        kernel="triad",
        unit="GB/s",
        amount=12e-9 * n,
        size=f"n = {n:,}",
        arrays=arrays,
        outputs=("a",),
        values={"s": np.float32(3), "n": n},
        arguments="a b c s n",
        block=(256,),
        grid=grid_for((n,), (256,)),
        judge=check,
        hand=(Hand("hand_triad"), Hand("hand_triad_nt", "hand nt")),
        wanted=0.9,
        whole_arrays=whole_arrays,
    )


def check(p):
    # |b|, |s*c|, |a| <= 4: two roundings of at most 2**-23 each; a fused one has only one.
    a, b, c = (p.arrays[name] for name in "abc")
    for part in chunks(p.values["n"]):
        exact = b[part] + np.float64(p.values["s"]) * c[part]
        error = np.abs(a[part] - exact).max()
        if not error <= 2.0**-22:
            raise WrongResult(f"triad: off by {error:.3g}, allowed 2**-22")


def whole_arrays(a, b, c, s):
    np.multiply(c, s, out=a)
    a += b


PROBLEMS = {"triad": triad}
