import numpy as np
from arrays import aligned

from .problem import INTEL, ROUNDING, Hand, Problem, grid_for, require_close

BLOCK, RADIUS = (32, 8), 2


def convolve(quick):
    """Sums of 5 x 5 weighted neighbours; the image goes on beyond its border with its edge."""
    width, height = (1003, 501) if quick else (2048, 2048)
    arrays = {name: aligned((height, width), np.float32) for name in ("out", "source")}
    arrays["weights"] = aligned((2 * RADIUS + 1, 2 * RADIUS + 1), np.float32)
    random = np.random.default_rng(8)
    random.random(dtype=np.float32, out=arrays["source"])
    random.standard_normal(dtype=np.float32, out=arrays["weights"])
    return of_image(
        "convolve",
        f"{width} x {height}, 5 x 5 weights",
        arrays,
        judge=check,
        wanted=0.7,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def of_image(name, size, arrays, **more):
    """A problem of an image `source`, and of `weights`, that gives another image."""
    height, width = arrays["source"].shape[:2]
    kernel = name.replace(" ", "_")
    return Problem(
        name=name,
        kernel=kernel,
        unit="Mpixel/s",
        amount=1e-6 * width * height,
        size=size,
        arrays=arrays,
        outputs=("out",),
        values={"width": width, "height": height},
        arguments="out source weights width height",
        block=BLOCK,
        grid=grid_for((width, height), BLOCK),
        hand=(Hand(f"hand_{kernel}"),),
        **more,
    )


def exact_sums(p, start=0.0):
    """In float64, from `start` on; an image may have channels."""
    source, weights = p.arrays["source"], p.arrays["weights"]
    height, width, *channels = source.shape
    around = [(n // 2, n // 2) for n in weights.shape] + [(0, 0)] * len(channels)
    padded = np.pad(source.astype(np.float64), around, mode="edge")
    total = np.full(source.shape, start)
    for (j, i), weight in np.ndenumerate(weights):
        total += np.float64(weight) * padded[j : j + height, i : i + width]
    return total


def check(p):
    # Pixels are below 1: the bound of a sum of products in any order.
    weights = p.arrays["weights"]
    allowed = (weights.size + 1) * ROUNDING * np.abs(weights).sum()
    require_close(p, "out", p.once("sums", lambda: exact_sums(p)), allowed)


def whole_arrays(out, source, weights):
    from scipy import ndimage  # needed for this alone

    ndimage.correlate(source, weights, output=out, mode="nearest")


PROBLEMS = {"convolve": convolve}
