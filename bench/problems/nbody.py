import numpy as np
from arrays import aligned

from .problem import INTEL, ROUNDING, Hand, Problem, require_close

TILE = 256  # bodies in shared memory, and threads of a block; it divides n
NAMES = ("ax", "ay", "az", "x", "y", "z", "mass")


def exact_nbody(quick):
    # The first has the kernel's accuracy, the second the estimate of rsqrt and a Newton step.
    hand = (Hand("hand_nbody_exact"), Hand("hand_nbody", "hand fast"))
    return nbody(quick, "nbody", "nbody", hand, ahead_of=(INTEL,))


def estimated_nbody(quick):
    return nbody(quick, "nbody fastmath", "nbody_fastmath", (Hand("hand_nbody"),))


def nbody(quick, name, kernel, hand, **more):
    n = 2048 if quick else 16384
    arrays = {each: aligned((n,), np.float32) for each in NAMES}
    random = np.random.default_rng(4)
    for each in ("x", "y", "z", "mass"):
        arrays[each][:] = random.random(n, np.float32)
    return Problem(
        name=name,
        kernel=kernel,
        unit="GFLOP/s",
        amount=20e-9 * n * n,
        size=f"n = {n:,}, 20 operations a pair",
        arrays=arrays,
        outputs=("ax", "ay", "az"),
        values={"eps2": np.float32(1e-3), "n": n},
        arguments="ax ay az x y z mass eps2 n",
        block=(TILE,),
        grid=(n // TILE,),
        judge=check,
        hand=hand,
        wanted=0.85,
        **more,
    )


def accelerations(p):
    """The result in float64, and for each the sum of its terms' magnitudes."""
    places = [p.arrays[name].astype(np.float64) for name in "xyz"]
    mass = p.arrays["mass"].astype(np.float64)
    sums = np.empty((3, p.values["n"]))
    magnitudes = np.empty_like(sums)
    for first in range(0, p.values["n"], 64):
        some = slice(first, first + 64)
        r = [place - place[some, None] for place in places]
        d2 = r[0] ** 2 + r[1] ** 2 + r[2] ** 2 + np.float64(p.values["eps2"])
        strength = mass / (d2 * np.sqrt(d2))
        for axis in range(3):
            terms = strength * r[axis]
            sums[axis, some] = terms.sum(1)
            magnitudes[axis, some] = np.abs(terms, out=terms).sum(1)
    return sums, magnitudes


def check(p):
    # n roundings at worst, their root (128) where they fall by chance; a dozen in each term.
    sums, magnitudes = p.once("accelerations", lambda: accelerations(p))
    for name, exact, magnitude in zip(p.outputs, sums, magnitudes, strict=True):
        require_close(p, name, exact, 256 * ROUNDING * magnitude)


PROBLEMS = {"nbody": exact_nbody, "nbody fastmath": estimated_nbody}
