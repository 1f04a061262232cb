import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, Problem, require_equal

SIZE = 1024  # elements that a block sorts, a pair a thread


def bitonic(quick):
    n = 1 << 16 if quick else 1 << 20
    arrays = {name: aligned((n,), np.float32) for name in ("out", "source")}
    arrays["source"][:] = np.random.default_rng(12).standard_normal(n, np.float32)
    return Problem(
        name="bitonic",
        kernel="bitonic",
        unit="Mitem/s",
        amount=1e-6 * n,
        size=f"n = {n:,} in blocks of {SIZE}",
        arrays=arrays,
        outputs=("out",),
        values={"n": n},
        arguments="out source n",
        block=(SIZE // 2,),
        grid=(n // SIZE,),
        judge=check,
        hand=(Hand("hand_sort_blocks"),),
        wanted=0.4,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def whole_arrays(out, source):
    np.copyto(out, source)
    out.reshape(-1, SIZE).sort(axis=1)


def check(p):
    source = p.arrays["source"].reshape(-1, SIZE)
    require_equal(p, "out", p.once("sorted", lambda: np.sort(source, axis=1).reshape(-1)))


PROBLEMS = {"bitonic": bitonic}
