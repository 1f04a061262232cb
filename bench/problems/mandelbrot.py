import numpy as np
from arrays import aligned

from .problem import Hand, Problem, WrongResult, grid_for


def mandelbrot(quick):
    width, height = (256, 256) if quick else (1024, 1024)
    values = {
        "width": width,
        "height": height,
        "x0": np.float32(-2),
        "y0": np.float32(-1.25),
        "dx": np.float32(2.5 / width),
        "dy": np.float32(2.5 / height),
        "limit": np.int32(256),
    }
    return Problem(
        name="mandelbrot",
        kernel="mandelbrot",
        unit="Mpixel/s",
        amount=1e-6 * width * height,
        size=f"{width} x {height}, {values['limit']} iterations",
        arrays={"out": aligned((height, width), np.int32)},
        outputs=("out",),
        values=values,
        arguments="out width height x0 y0 dx dy limit",
        block=(32, 8),
        grid=grid_for((width, height), (32, 8)),
        judge=check,
        hand=(Hand("hand_mandelbrot_x2"), Hand("hand_mandelbrot_x4")),
        wanted=0.85,
        whole_arrays=whole_arrays,
    )


def escape_counts(values, width, height, fused):
    """The kernel's arithmetic in float32; `fused` rounds product and sum once.

    float64 holds the product of two float32 exactly, so rounding its sum to float32 is a fused
    multiply-add but for rare double roundings.
    """
    wide = np.float64 if fused else np.float32
    f32 = np.float32
    px, py = np.arange(width, dtype=f32), np.arange(height, dtype=f32)
    cx = (px.astype(wide) * values["dx"] + values["x0"]).astype(f32)
    cy = (py.astype(wide) * values["dy"] + values["y0"]).astype(f32)
    cx, cy = (part.ravel() for part in np.meshgrid(cx, cy))
    count = np.zeros(width * height, np.int32)
    active = np.arange(width * height)
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    for _ in range(values["limit"]):
        y2 = (y * y).astype(wide)
        xw = x.astype(wide)
        inside = (xw * xw + y2).astype(f32) <= 4
        if not inside.all():
            active, x, y, y2, xw = (part[inside] for part in (active, x, y, y2, xw))
        if not len(active):
            break
        count[active] += 1
        difference = (xw * xw - y2).astype(f32)
        y = ((xw + xw) * y + cy[active]).astype(f32)
        x = difference + cx[active]
    return count.reshape(height, width)


# Pixels at the set's edge depend on every rounding: of a contestant that contracts other products
# than we do, or none, so many may differ from both references.
ALLOWED_DIFFERENT = 2e-3


def check(p):
    height, width = p.arrays["out"].shape
    different = min(
        np.mean(
            p.arrays["out"]
            != p.once(fused, lambda fused=fused: escape_counts(p.values, width, height, fused))
        )
        for fused in (True, False)
    )
    if not different <= ALLOWED_DIFFERENT:
        raise WrongResult(f"mandelbrot: {different:.2%} of the pixels differ")
    p.reference["different"] = different


def whole_arrays(out, x0, y0, dx, dy, limit):
    values = {"x0": x0, "y0": y0, "dx": dx, "dy": dy, "limit": limit}
    height, width = out.shape
    out[...] = escape_counts(values, width, height, fused=False)


PROBLEMS = {"mandelbrot": mandelbrot}
