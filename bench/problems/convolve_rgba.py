import numpy as np
from arrays import aligned

from .convolve import exact_sums, of_image
from .problem import require_equal


def convolve_rgba(quick):
    """Sums of 3 x 3 weighted neighbours of an RGBA image of bytes, which goes on beyond its border
    with its edge. The weights are so many 256ths, so every sum is exact."""
    width, height = (1003, 501) if quick else (4096, 2160)
    arrays = {name: aligned((height, width, 4), np.uint8) for name in ("out", "source")}
    arrays["weights"] = aligned((3, 3), np.float32)
    arrays["source"][:] = np.random.default_rng(51).integers(0, 256, (height, width, 4), np.uint8)
    arrays["weights"][:] = np.array([[10, 25, 13], [31, 99, 20], [9, 33, 15]]) / 256
    size = f"{width} x {height} of 4 bytes, 3 x 3 weights"
    return of_image("convolve rgba", size, arrays, judge=check, wanted=0.8)


def check(p):
    require_equal(p, "out", p.once("sums", lambda: exact_sums(p, 0.5).astype(np.uint8)))


PROBLEMS = {"convolve rgba": convolve_rgba}
