import numpy as np
from arrays import aligned

from .problem import Hand, Problem, grid_for, require_equal

BLOCK = (32, 8)


def convolve_rgba(quick):
    """Sums of 3 x 3 weighted neighbours of an RGBA image of bytes, which goes on beyond its border
    with its edge. The weights are so many 256ths, so every sum is exact."""
    width, height = (1003, 501) if quick else (4096, 2160)
    arrays = {name: aligned((height, width, 4), np.uint8) for name in ("out", "source")}
    arrays["weights"] = aligned((3, 3), np.float32)
    arrays["source"][:] = np.random.default_rng(51).integers(0, 256, (height, width, 4), np.uint8)
    arrays["weights"][:] = np.array([[10, 25, 13], [31, 99, 20], [9, 33, 15]]) / 256
    return Problem(
        name="convolve rgba",
        kernel="convolve_rgba",
        unit="Mpixel/s",
        amount=1e-6 * width * height,
        size=f"{width} x {height} of 4 bytes, 3 x 3 weights",
        arrays=arrays,
        outputs=("out",),
        values={"width": width, "height": height},
        arguments="out source weights width height",
        block=BLOCK,
        grid=grid_for((width, height), BLOCK),
        judge=check,
        hand=(Hand("hand_convolve_rgba"),),
        wanted=0.8,
    )


def exact_sums(p):
    height, width, _ = p.arrays["source"].shape
    padded = np.pad(p.arrays["source"].astype(np.float64), ((1, 1), (1, 1), (0, 0)), mode="edge")
    total = np.full((height, width, 4), 0.5)
    for (j, i), weight in np.ndenumerate(p.arrays["weights"]):
        total += np.float64(weight) * padded[j : j + height, i : i + width]
    return total.astype(np.uint8)


def check(p):
    require_equal(p, "out", p.once("sums", lambda: exact_sums(p)))


PROBLEMS = {"convolve rgba": convolve_rgba}
