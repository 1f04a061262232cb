import numpy as np
from arrays import aligned

from .problem import Hand, Problem, WrongResult, grid_for

BLOCK = (32, 8)
FAR = 1e30


def spheres(quick):
    """The nearest of 48 spheres that the ray of each pixel meets, and its light."""
    width, height = (403, 301) if quick else (1024, 1024)
    count = 48
    arrays = {
        "out": aligned((height, width), np.float32),
        "spheres": aligned((count, 5), np.float32),
    }
    random = np.random.default_rng(61)
    arrays["spheres"][:, :2] = random.uniform(-4, 4, (count, 2))
    arrays["spheres"][:, 2] = random.uniform(4, 9, count)
    arrays["spheres"][:, 3] = random.uniform(0.3, 1.0, count) ** 2
    arrays["spheres"][:, 4] = random.uniform(0.4, 1.0, count)
    return Problem(
        name="spheres",
        kernel="spheres",
        unit="Mray/s",
        amount=1e-6 * width * height,
        size=f"{width} x {height}, {count} spheres",
        arrays=arrays,
        outputs=("out",),
        values={"width": width, "height": height, "count": count},
        arguments="out spheres count width height",
        block=BLOCK,
        grid=grid_for((width, height), BLOCK),
        judge=check,
        hand=(Hand("hand_spheres"),),
        wanted=0.8,
    )


def exact_light(p):
    """In float64; NaN where a ray grazes a sphere, so that rounding decides whether it meets it."""
    height, width = p.arrays["out"].shape
    scale = 2 / height
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    ray = np.stack([(x - width / 2) * scale, (y - height / 2) * scale, np.ones_like(x)])
    ray /= np.sqrt((ray**2).sum(0))
    nearest, light = np.full((height, width), FAR), np.zeros((height, width))
    grazed = np.zeros((height, width), bool)
    for sphere in p.arrays["spheres"].astype(np.float64):
        centre, radius2, shade = sphere[:3, None, None], sphere[3], sphere[4]
        b = (centre * ray).sum(0)
        rest = b * b - ((centre**2).sum() - radius2)
        t = b - np.sqrt(np.maximum(rest, 0))
        grazed |= np.abs(rest) < 2e-3
        grazed |= (np.abs(t - nearest) < 1e-4) & (rest > 0)
        nearer = (rest > 0) & (t > 0) & (t < nearest)
        normal = t * ray - centre
        cosine = -normal.sum(0) / np.sqrt(3 * (normal**2).sum(0))
        light = np.where(nearer, shade * np.maximum(cosine, 0), light)
        nearest = np.where(nearer, t, nearest)
    light[grazed] = np.nan
    return light


def check(p):
    exact = p.once("light", lambda: exact_light(p))
    error = np.abs(p.arrays["out"] - exact)
    # NaN of the reference stands for either result, one of the contestant's is wrong.
    if np.isnan(p.arrays["out"]).any() or not np.nanmax(error) <= 2e-3:
        raise WrongResult(f"spheres: off by {np.nanmax(error):.3g}")


PROBLEMS = {"spheres": spheres}
